//! Rules for the rows and fields of a model, wherever they are met.

use backend::api::{
    Api, CREATE, Context, DELETE, GET, MethodDecorators, ModelResource, ModelSerializer, Operations, PATCH,
    PUT, Result, operations,
};
use model_resource::{
    Caller, Columns, Draft, Fields, Identify, Model, ModelPolicy, Where, fields, model_resource,
    param_converter, serializer,
};
use serde_json::{Value, json};

use crate::support::{Client, TestApp, rows};

#[derive(Debug, Clone, Model)]
#[model(table = "shelves")]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = false)]
    is_open: bool,
    owner_id: Option<i64>,
    #[column(default = "dust")]
    price: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "volumes")]
struct Volume {
    #[column(primary_key)]
    id: i64,
    #[column(references = Shelf, on_delete = cascade)]
    shelf_id: i64,
    title: String,
}

struct ShelfSerializer;

#[serializer]
impl ModelSerializer for ShelfSerializer {
    type Model = Shelf;

    fn declare(fields: model_resource::Declare<Shelf>) -> model_resource::Declare<Shelf> {
        fields.to_many::<VolumeSerializer>("volumes", Volume::SHELF_ID)
    }
}

struct VolumeSerializer;

#[serializer]
impl ModelSerializer for VolumeSerializer {
    type Model = Volume;

    fn declare(fields: model_resource::Declare<Volume>) -> model_resource::Declare<Volume> {
        fields.to_one::<ShelfSerializer>("shelf", Volume::SHELF_ID)
    }
}

struct ShelfResource;

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
impl ModelResource for ShelfResource {
    const SEARCH: Fields = fields![name, price];
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH, DELETE];
}

#[model_resource(
    Volume,
    "/volumes",
    "/volumes/<int:id>",
    "/shelves/<int:shelf_id>/volumes",
    "/shelves/<int:shelf_id>/volumes/<int:id>"
)]
struct VolumeResource;

struct PublicVolumeResource;

#[model_resource(Volume, "/public-volumes", "/public-volumes/<int:id>")]
impl ModelResource for PublicVolumeResource {
    const PUBLIC: bool = true;
}

struct CardResource;

/// Below a shelf that a converter finds.
#[model_resource(Volume, "/cards/<int:shelf>")]
impl ModelResource for CardResource {
    const INCLUDE_METHODS: Operations = operations![GET];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(param_converter().model::<Shelf>("shelf"))
    }

    async fn get(cx: Context) -> Value {
        json!(cx.loaded::<Shelf>().map(|shelf| shelf.name))
    }
}

struct ShelfPolicy;

impl ModelPolicy for ShelfPolicy {
    type Model = Shelf;

    fn visible(caller: &Caller) -> Where<Shelf> {
        match caller.has_role("librarian") {
            true => Where::all(),
            false => Where::is(Shelf::IS_OPEN, true).or(caller.owns(Shelf::OWNER_ID)),
        }
    }

    fn changeable(caller: &Caller) -> Where<Shelf> {
        match caller.has_role("librarian") {
            true => Where::all(),
            false => caller.owns(Shelf::OWNER_ID),
        }
    }

    fn deletable(caller: &Caller) -> Where<Shelf> {
        match caller.has_role("librarian") {
            true => Where::all(),
            false => Where::none(),
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_known()
    }

    fn given(caller: &Caller) -> Draft<Shelf> {
        let mut given = Draft::new();
        if !caller.has_role("librarian") {
            given.set(Shelf::OWNER_ID, caller.key());
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Shelf> {
        match caller.is_known() {
            true => Columns::none(),
            false => Columns::of(Shelf::PRICE),
        }
    }

    fn locked(caller: &Caller) -> Columns<Shelf> {
        match caller.has_role("librarian") {
            true => Columns::none(),
            false => Columns::of(Shelf::OWNER_ID),
        }
    }
}

struct VolumePolicy;

impl ModelPolicy for VolumePolicy {
    type Model = Volume;

    fn visible(caller: &Caller) -> Where<Volume> {
        Where::names(Volume::SHELF_ID, ShelfPolicy::visible(caller))
    }

    fn changeable(caller: &Caller) -> Where<Volume> {
        Where::names(Volume::SHELF_ID, ShelfPolicy::changeable(caller))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_known()
    }
}

/// Takes whom the header names at their word.
struct ByHeader;

impl Identify for ByHeader {
    async fn identify(&self, cx: &mut Context) -> Result<Caller> {
        let name = cx.headers().get("x-caller").and_then(|value| value.to_str().ok());
        Ok(match name {
            Some("librarian") => Caller::of(99_i64).with_roles(["librarian"]),
            Some(id) => Caller::of(id.parse::<i64>().unwrap()),
            None => Caller::anonymous(),
        })
    }
}

struct Library {
    app: TestApp,
    ann: Client,
    bob: Client,
    librarian: Client,
}

/// An open shelf (1) and a closed one (2) of Ann's, a closed one of Bob's (3), a volume on each.
async fn library() -> Library {
    let api = Api::new("library")
        .serializer::<ShelfSerializer>()
        .serializer::<VolumeSerializer>()
        .model_resource::<ShelfResource>()
        .model_resource::<VolumeResource>()
        .model_resource::<CardResource>()
        .policy::<ShelfPolicy>()
        .policy::<VolumePolicy>()
        .security(ByHeader);
    let app = TestApp::with_api(api).await;
    let of = |name: &str| app.with_header("x-caller", name);
    let (ann, bob, librarian) = (of("1"), of("2"), of("librarian"));
    for (client, name, is_open) in [
        (&ann, "open", true),
        (&ann, "closed", false),
        (&bob, "bob's", false),
    ] {
        let shelf = client
            .post("/shelves", json!({"name": name, "isOpen": is_open}))
            .await;
        let id = shelf.expect(201).json()["id"].clone();
        let volume = json!({"shelfId": id, "title": format!("On {name}")});
        client.post("/volumes", volume).await.expect(201);
    }
    Library {
        app,
        ann,
        bob,
        librarian,
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_row_that_may_not_be_seen_is_a_missing_row_byte_for_byte() {
    let library = library().await;
    let before = rows(&library.app.database());
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
    assert_eq!(rows(&library.app.database()), before);
}

#[tokio::test]
async fn lists_counts_links_and_searches_have_only_what_can_be_seen() {
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

#[tokio::test]
async fn relations_lead_only_to_what_can_be_seen() {
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

/// Volumes that all see, on shelves that not all see: what lies behind the relation is hidden by the shelves' policy alone.
#[tokio::test]
async fn a_relation_from_rows_that_all_see_hides_what_lies_behind_it() {
    let api = Api::new("library")
        .serializer::<ShelfSerializer>()
        .serializer::<VolumeSerializer>()
        .model_resource::<ShelfResource>()
        .model_resource::<PublicVolumeResource>()
        .policy::<ShelfPolicy>()
        .security(ByHeader);
    let app = TestApp::with_api(api).await;
    let librarian = app.with_header("x-caller", "librarian");
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
    // A shelf that is not there has no name, and comes last.
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

#[tokio::test]
async fn what_can_be_seen_and_not_changed_is_denied() {
    let library = library().await;
    let before = rows(&library.app.database());
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
    let told = library.bob.patch("/shelves", many).await.expect(403).json();
    assert_eq!(
        told,
        json!({"errors": {"1": {"_schema": ["You may not do this."]}}})
    );
    assert_eq!(rows(&library.app.database()), before);

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

#[tokio::test]
async fn a_caller_is_given_what_is_theirs_and_cannot_give_it_away() {
    let library = library().await;
    let own = library
        .bob
        .post("/shelves", json!({"name": "n"}))
        .await
        .expect(201)
        .json();
    assert_eq!(own["ownerId"], 2);
    let foreign = json!({"name": "n", "ownerId": 1});
    let told = library
        .bob
        .post("/shelves", foreign.clone())
        .await
        .expect(400)
        .json();
    assert!(told["errors"]["ownerId"].is_array(), "{told}");
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

#[tokio::test]
async fn a_field_that_may_not_be_read_does_not_exist() {
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
        let told = anyone.get(&format!("/shelves?{query}")).await.expect(400).text();
        let other = anyone
            .get(&format!("/shelves?{}", misspelt(query)))
            .await
            .expect(400)
            .text();
        assert_eq!(misspelt(&told), other);
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

/// A row that may not be seen cannot be referred to either.
#[tokio::test]
async fn nobody_refers_to_what_they_cannot_see() {
    let library = library().await;
    let before = rows(&library.app.database());
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
    assert_eq!(rows(&library.app.database()), before);
}

#[tokio::test]
async fn converters_find_only_what_can_be_seen() {
    let library = library().await;
    library
        .ann
        .get("/cards/2")
        .await
        .expect_json(200, json!("closed"));
    library.bob.get("/cards/2").await.expect(404);
    library.bob.get("/cards/1").await.expect_json(200, json!("open"));
}

#[test]
fn a_policy_is_a_plain_function() {
    let shelf = |is_open, owner_id| Shelf {
        id: 1,
        name: String::new(),
        is_open,
        owner_id,
        price: String::new(),
    };
    let visible = |caller: Caller, shelf: &Shelf| ShelfPolicy::visible(&caller).holds(shelf);
    assert!(visible(Caller::anonymous(), &shelf(true, None)));
    assert!(!visible(Caller::anonymous(), &shelf(false, None)));
    assert!(visible(Caller::of(7_i64), &shelf(false, Some(7))));
    assert!(!visible(Caller::of(7_i64), &shelf(false, Some(8))));
    assert!(visible(
        Caller::of(7_i64).with_roles(["librarian"]),
        &shelf(false, Some(8))
    ));
}
