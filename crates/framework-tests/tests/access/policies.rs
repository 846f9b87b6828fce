//! Writes and fields that a policy permits.

use model_resource::{Caller, ModelPolicy};
use serde_json::json;
use test_support::TestApp;

use crate::sample_library::{LIBRARIAN, Shelf, ShelfPolicy, api, library, names};

/// POL-5: a visible row that may not be changed is denied for any body, also in a bulk request, and nothing changes.
#[tokio::test]
async fn a_change_of_a_visible_row_without_permission_is_denied() {
    let library = library().await;
    let before = library.app.database().rows();
    for body in [
        json!({"name": "x"}),
        json!({}),
        json!({"nope": 1}),
        json!({"ownerId": 2}),
    ] {
        library.app.patch("/shelves/1", body.clone()).await.expect(401);
        library.bob.patch("/shelves/1", body.clone()).await.expect(403);
        library.bob.put("/shelves/1", body).await.expect(403);
    }
    library.app.delete("/shelves/1").await.expect(401);
    library.ann.delete("/shelves/1").await.expect(403);
    library
        .app
        .post("/shelves", json!({"name": "x"}))
        .await
        .expect(401);
    library
        .app
        .post("/shelves", json!({"nope": "x"}))
        .await
        .expect(401);
    let many = json!([{"id": 3, "name": "x"}, {"id": 1, "name": "x"}]);
    let rejection = library.bob.patch("/shelves", many).await.expect(403).json();
    assert_eq!(
        rejection,
        json!({"errors": {"1": {"_schema": ["You may not do this."]}}})
    );
    assert_eq!(library.app.database().rows(), before);

    library
        .ann
        .patch("/shelves/1", json!({"name": "x"}))
        .await
        .expect(200);
    library
        .librarian
        .patch("/shelves/3", json!({"name": "y"}))
        .await
        .expect(200);
    library.librarian.delete("/shelves/3").await.expect(204);
}

/// POL-6: `presets` rejects a contradiction, and `read_only` ignores it.
#[tokio::test]
async fn presets_set_the_owner_and_cannot_be_changed() {
    let library = library().await;
    let own = library
        .bob
        .post("/shelves", json!({"name": "n"}))
        .await
        .expect(201)
        .json();
    assert_eq!(own["ownerId"], 2);
    let foreign = json!({"name": "n", "ownerId": 1});
    let rejection = library
        .bob
        .post("/shelves", foreign.clone())
        .await
        .expect(400)
        .json();
    assert!(rejection["errors"]["ownerId"].is_array(), "{rejection}");
    let given = library
        .librarian
        .post("/shelves", foreign)
        .await
        .expect(201)
        .json();
    assert_eq!(given["ownerId"], 1);
    let kept = library
        .ann
        .patch("/shelves/1", json!({"ownerId": 2}))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["ownerId"], 1);
}

/// POL-7: a hidden field is absent from objects and CSV, and a parameter that uses it is answered as for an unknown
/// field.
#[tokio::test]
async fn an_unreadable_field_does_not_exist() {
    let library = library().await;
    let anyone = &library.app.client;
    let list = anyone.get("/shelves").await.expect(200).json();
    assert_eq!(list[0].get("price"), None);
    assert_eq!(
        anyone.get("/shelves/1").await.expect(200).json().get("price"),
        None
    );
    let csv = anyone.get("/shelves?format=csv").await.expect(200).text();
    assert!(!csv.contains("price") && !csv.contains("dust"), "{csv}");
    let misspelt = |text: &str| text.replace("price", "prize");
    for query in [
        "price=dust",
        "sort=price",
        "fields=price",
        "price[like]=d%25",
        "not=(price=x)",
    ] {
        let rejection = anyone.get(&format!("/shelves?{query}")).await.expect(400).text();
        let other = anyone
            .get(&format!("/shelves?{}", misspelt(query)))
            .await
            .expect(400)
            .text();
        assert_eq!(misspelt(&rejection), other);
        library.ann.get(&format!("/shelves?{query}")).await.expect(200);
    }
    anyone.get("/volumes?shelf.price=dust").await.expect(400);
    anyone.get("/volumes?sort=shelf.price").await.expect(400);
    let volume = anyone.get("/volumes/1?expand=shelf").await.expect(200).json();
    assert_eq!(volume["shelf"].get("price"), None);
    assert_eq!(volume["shelf"]["name"], "open");
    assert_eq!(
        names(&anyone.get("/shelves?q=dust").await.expect(200).json()),
        [""; 0]
    );
    assert_eq!(
        library.ann.get("/shelves/1").await.expect(200).json()["price"],
        "dust"
    );
}

/// POL-8: an api without an authenticator applies its policies to anonymous callers.
#[tokio::test]
async fn without_an_authenticator_policies_get_an_anonymous_caller() {
    let app = TestApp::with_api(api()).await;
    let shelves = "INSERT INTO shelves (id, name, is_open, price) VALUES (1, 'open', TRUE, 'x'), (2, 'closed', FALSE, 'x')";
    app.database().execute(shelves);
    let before = app.database().rows();
    let librarian = app.as_caller(LIBRARIAN);
    for client in [&app.client, &librarian] {
        assert_eq!(names(&client.get("/shelves").await.expect(200).json()), ["open"]);
        client.get("/shelves/2").await.expect(404);
        client.post("/shelves", json!({"name": "x"})).await.expect(401);
        client.patch("/shelves/1", json!({"name": "x"})).await.expect(401);
    }
    assert_eq!(app.database().rows(), before);
}

/// POL-10: policies can be evaluated without HTTP and without a database.
#[test]
fn a_policy_is_a_plain_function() {
    let shelf = |is_open, owner_id| Shelf {
        id: 1,
        name: String::new(),
        is_open,
        owner_id,
        price: String::new(),
    };
    let visible = |caller: Caller, shelf: &Shelf| ShelfPolicy::visible(&caller).matches(shelf);
    assert!(visible(Caller::anonymous(), &shelf(true, None)));
    assert!(!visible(Caller::anonymous(), &shelf(false, None)));
    assert!(visible(Caller::of(7_i64), &shelf(false, Some(7))));
    assert!(!visible(Caller::of(7_i64), &shelf(false, Some(8))));
    assert!(visible(
        Caller::of(7_i64).with_roles(["librarian"]),
        &shelf(false, Some(8))
    ));
}
