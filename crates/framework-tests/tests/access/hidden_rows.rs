//! Rows that a policy hides, at every access.

use model_resource::{Api, ModelResource, model_resource};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

use crate::sample_library::{
    LIBRARIAN, ShelfPolicy, ShelfResource, ShelfSerializer, Volume, VolumeSerializer, library, names,
};

/// POL-1, ERR-7: for every operation, a hidden row and the rows below it are the same response as a missing row.
#[tokio::test]
async fn an_invisible_row_is_a_missing_row_byte_for_byte() {
    let library = library().await;
    let before = library.app.database().rows();
    for client in [&library.app.client, &library.bob] {
        let missing = client.get("/shelves/999").await.expect(404);
        let hidden = client.get("/shelves/2").await.expect(404);
        assert_eq!(hidden.body, missing.body);
        for nested in ["/shelves/2/volumes", "/shelves/2/volumes/2", "/volumes/2"] {
            assert_eq!(client.get(nested).await.expect(404).body, missing.body);
        }
        for body in [json!({"name": "x"}), json!({}), json!({"nope": 1}), json!([])] {
            assert_eq!(
                client.patch("/shelves/2", body.clone()).await.expect(404).body,
                missing.body
            );
            assert_eq!(
                client.put("/shelves/2", body).await.expect(404).body,
                missing.body
            );
        }
        assert_eq!(client.delete("/shelves/2").await.expect(404).body, missing.body);
    }
    assert_eq!(library.app.database().rows(), before);
}

/// POL-2: lists, counts, pages and searches contain only visible rows.
#[tokio::test]
async fn lists_counts_links_and_searches_have_only_visible_rows() {
    let library = library().await;
    for (client, seen) in [
        (&library.app.client, vec!["open"]),
        (&library.ann, vec!["open", "closed"]),
        (&library.bob, vec!["open", "bob's"]),
        (&library.librarian, vec!["open", "closed", "bob's"]),
    ] {
        assert_eq!(names(&client.get("/shelves").await.expect(200).json()), seen);
        let page = client.get("/shelves?page=1&pageSize=1").await;
        assert_eq!(page.header("x-total-count"), seen.len().to_string());
        let estimated = client.get("/shelves?limit=1&count=exact").await;
        assert_eq!(estimated.header("x-total-count"), seen.len().to_string());
        let found = client.get("/shelves?q=closed").await.expect(200).json();
        assert_eq!(names(&found).len(), usize::from(seen.contains(&"closed")));
    }
}

/// POL-3: filters and expansions reach only visible rows.
#[tokio::test]
async fn relations_lead_only_to_visible_rows() {
    let library = library().await;
    for (client, seen) in [
        (&library.app.client, 1),
        (&library.ann, 2),
        (&library.librarian, 3),
    ] {
        let list = client.get("/volumes?expand=shelf").await.expect(200).json();
        assert_eq!(list.as_array().unwrap().len(), seen);
        let through = client
            .get("/volumes?shelf.name[isnull]=false")
            .await
            .expect(200)
            .json();
        assert_eq!(through.as_array().unwrap().len(), seen);
        let found = client
            .get("/shelves?volumes.title[startswith]=On")
            .await
            .expect(200)
            .json();
        assert_eq!(found.as_array().unwrap().len(), seen);
    }
}

struct PublicVolumeResource;

#[model_resource(Volume, "/public-volumes", "/public-volumes/<int:id>")]
impl ModelResource for PublicVolumeResource {
    const PUBLIC: bool = true;
}

/// POL-3: public volumes on hidden shelves: the policy of shelves hides what is behind the relation.
#[tokio::test]
async fn a_relation_from_public_rows_hides_invisible_related_rows() {
    let api = Api::new("library")
        .serializer::<ShelfSerializer>()
        .serializer::<VolumeSerializer>()
        .model_resource::<ShelfResource>()
        .model_resource::<PublicVolumeResource>()
        .policy::<ShelfPolicy>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let librarian = app.as_caller(LIBRARIAN);
    for (name, is_open) in [("b", true), ("a", false), ("c", true)] {
        let shelf = json!({"name": name, "isOpen": is_open, "ownerId": 1});
        let id = librarian.post("/shelves", shelf).await.expect(201).json()["id"].clone();
        let volume = json!({"shelfId": id, "title": name});
        librarian.post("/public-volumes", volume).await.expect(201);
    }
    let titles = async |client: &Client, query: &str| {
        let list = client
            .get(&format!("/public-volumes?{query}"))
            .await
            .expect(200)
            .json();
        let titles = list
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["title"].as_str().unwrap().to_owned());
        titles.collect::<Vec<_>>()
    };
    // An invisible shelf has no name, and sorts last.
    assert_eq!(titles(&app.client, "sort=shelf.name").await, ["b", "c", "a"]);
    assert_eq!(titles(&librarian, "sort=shelf.name").await, ["a", "b", "c"]);
    assert_eq!(titles(&app.client, "shelf.name=a").await, [""; 0]);
    assert_eq!(titles(&librarian, "shelf.name=a").await, ["a"]);
    let expanded = app.get("/public-volumes/2?expand=shelf").await.expect(200).json();
    assert_eq!(expanded["shelf"], Value::Null);
    let expanded = librarian
        .get("/public-volumes/2?expand=shelf")
        .await
        .expect(200)
        .json();
    assert_eq!(expanded["shelf"]["name"], "a");
}

/// POL-4: an invisible row cannot be referenced.
#[tokio::test]
async fn an_invisible_row_cannot_be_referenced() {
    let library = library().await;
    let before = library.app.database().rows();
    let hidden = library
        .bob
        .post("/volumes", json!({"shelfId": 2, "title": "x"}))
        .await
        .expect(400);
    let missing = library
        .bob
        .post("/volumes", json!({"shelfId": 999, "title": "x"}))
        .await
        .expect(400);
    assert_eq!(hidden.body, missing.body);
    library
        .bob
        .patch("/volumes/3", json!({"shelfId": 2}))
        .await
        .expect(400);
    library
        .bob
        .post("/shelves/2/volumes", json!({"title": "x"}))
        .await
        .expect(404);
    assert_eq!(library.app.database().rows(), before);
}

/// POL-4: a URL parameter does not find an invisible row.
#[tokio::test]
async fn converters_find_only_visible_rows() {
    let library = library().await;
    library
        .ann
        .get("/cards/2")
        .await
        .expect_json(200, json!("closed"));
    library.bob.get("/cards/2").await.expect(404);
    library.bob.get("/cards/1").await.expect_json(200, json!("open"));
}
