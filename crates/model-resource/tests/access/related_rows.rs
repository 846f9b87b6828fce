//! Rows and columns that are invisible behind a relation cannot be learnt through it.

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelSerializer, SerializerFields, Where, model_resource,
    serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "items")]
struct Item {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "badges")]
struct Badge {
    #[column(primary_key)]
    id: i64,
    name: String,
    code: String,
    note: String,
    is_public: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "item_badges")]
struct ItemBadge {
    #[column(primary_key)]
    id: i64,
    #[column(references = Item, on_delete = cascade)]
    item_id: i64,
    #[column(references = Badge, on_delete = cascade)]
    badge_id: i64,
    is_public: bool,
}

struct BadgeSerializer;

#[serializer]
impl ModelSerializer for BadgeSerializer {
    type Model = Badge;

    fn fields(fields: SerializerFields<Badge>) -> SerializerFields<Badge> {
        fields
            .many_to_many::<ItemSerializer>("items", ItemBadge::BADGE_ID, ItemBadge::ITEM_ID)
            .has_many::<ItemBadgeSerializer>("joins", ItemBadge::BADGE_ID)
            .as_keys("joins")
            .always("joins")
    }
}

struct ItemBadgeSerializer;

#[serializer]
impl ModelSerializer for ItemBadgeSerializer {
    type Model = ItemBadge;
}

struct ItemSerializer;

#[serializer]
impl ModelSerializer for ItemSerializer {
    type Model = Item;

    fn fields(fields: SerializerFields<Item>) -> SerializerFields<Item> {
        let badges = |fields: SerializerFields<Item>, name| {
            fields.many_to_many::<BadgeSerializer>(name, ItemBadge::ITEM_ID, ItemBadge::BADGE_ID)
        };
        let fields = badges(fields, "badges").ordered("badges", Badge::CODE.asc());
        let fields = badges(fields, "badgeIds").as_keys("badgeIds").always("badgeIds");
        let fields = badges(fields, "names")
            .as_member("names", Badge::NAME)
            .always("names");
        let fields = badges(fields, "codes")
            .as_member("codes", Badge::CODE)
            .always("codes");
        let fields = badges(fields, "notes")
            .as_member("notes", Badge::NOTE)
            .always("notes");
        badges(fields, "byNote")
            .as_keys("byNote")
            .ordered("byNote", Badge::NOTE.asc())
    }
}

#[model_resource(Item, "/items", "/items/<int:id>", serializer = ItemSerializer)]
struct ItemResource;

#[model_resource(Badge, "/badges", "/badges/<int:id>", serializer = BadgeSerializer, policy = BadgePolicy)]
struct BadgeResource;

/// Admins see all badges and codes; notes are shown on the badge `own`.
struct BadgePolicy;

impl ModelPolicy for BadgePolicy {
    type Model = Badge;

    fn visible(caller: &Caller) -> Where<Badge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            Badge::IS_PUBLIC.eq(true)
        }
    }

    fn hidden(caller: &Caller) -> Columns<Badge> {
        if caller.has_role("admin") {
            Columns::none()
        } else {
            Columns::of(Badge::CODE)
        }
    }

    fn private() -> Columns<Badge> {
        Columns::of(Badge::NOTE)
    }

    fn shows_private(caller: &Caller) -> Where<Badge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            Badge::NAME.eq("own")
        }
    }
}

/// Join rows without a resource: admins see all, and blind callers do not see which badge they lead to.
struct ItemBadgePolicy;

impl ModelPolicy for ItemBadgePolicy {
    type Model = ItemBadge;

    fn visible(caller: &Caller) -> Where<ItemBadge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            ItemBadge::IS_PUBLIC.eq(true)
        }
    }

    fn hidden(caller: &Caller) -> Columns<ItemBadge> {
        if caller.has_role("blind") {
            Columns::of(ItemBadge::BADGE_ID)
        } else {
            Columns::none()
        }
    }
}

/// Starts an api over rows that every caller sees.
async fn visible_world() -> TestApp {
    let api = Api::new("badges")
        .model_resource::<ItemResource>()
        .model_resource::<BadgeResource>()
        .policy::<ItemBadgePolicy>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO items (id, title) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');
         INSERT INTO badges (id, name, code, note, is_public) VALUES
             (1, 'plain', 'z', 'zz', TRUE), (3, 'own', 'y', 'yy', TRUE), (5, 'last', 'x', 'xx', TRUE);
         INSERT INTO item_badges (id, item_id, badge_id, is_public) VALUES
             (1, 1, 1, TRUE), (3, 1, 3, TRUE), (5, 2, 5, TRUE), (7, 3, 3, TRUE);",
    );
    app
}

/// Adds badges that only admins see, and join rows to visible and invisible badges that only admins see.
fn add_invisible(app: &TestApp) {
    app.database().execute(
        "INSERT INTO badges (id, name, code, note, is_public) VALUES
             (2, 'secret', 'a', 'aa', FALSE), (4, 'own', 'b', 'bb', FALSE);
         INSERT INTO item_badges (id, item_id, badge_id, is_public) VALUES
             (2, 1, 2, TRUE), (4, 2, 2, TRUE), (6, 2, 4, TRUE), (8, 4, 2, TRUE),
             (10, 2, 1, FALSE), (12, 3, 5, FALSE), (14, 4, 1, FALSE), (16, 2, 5, FALSE);",
    );
}

/// Requests that use the relations in every way.
const REQUESTS: [&str; 58] = [
    "/items",
    "/items/1",
    "/items/2?expand=badges",
    "/items?expand=badges",
    "/items?expand=badges.items,byNote",
    "/items?expand=badges.joins",
    "/items?expand=badges&fields=id,badges.id,badges.note",
    "/items?fields=badgeIds,names,notes",
    "/items?format=csv",
    "/items?format=csv&expand=badges,byNote",
    "/items?format=ndjson",
    "/items?format=ndjson&expand=badges",
    "/items?badges.name=secret",
    "/items?badges.id=2",
    "/items?badges.id=1",
    "/items?badges.id=5",
    "/items?badges.id[gte]=2&badges.id[lte]=2",
    "/items?badges.id[isnull]=true",
    "/items?badges.id[isnull]=false",
    "/items?badges.name[ne]=plain",
    "/items?badges.isPublic=false",
    "/items?badges.isPublic[nin]=true",
    "/items?badges.code=a",
    "/items?badges.code[gte]=a",
    "/items?badges.note=zz",
    "/items?badgeIds.name=secret",
    "/items?names.id=2",
    "/items?notes.id=2",
    "/items?codes.id=1",
    "/items?not=(badges.id=1)",
    "/items?or=(badges.id=2,badges.name=secret)",
    "/items?page=1&pageSize=2&badges.id[gte]=1",
    "/items?limit=1&count=exact&badges.id=5",
    "/items?limit=1&count=estimated&badges.id=1",
    "/items?badges[has]=1",
    "/items?badges[has]=2",
    "/items?badges[has]=4,5",
    "/items?badgeIds[has]=2",
    "/items?names[has]=2",
    "/items?notes[has]=1,2",
    "/items?codes[has]=1",
    "/items?not=(badges[has]=5)",
    "/items?sort=badges.count",
    "/items?sort=-badges.count,-id&fields=id",
    "/items?sort=-badgeIds.count&limit=1&cursor=",
    "/items?sort=names.count&format=csv",
    "/items?sort=codes.count",
    "/items?sort=-badges.count&limit=2&offset=1",
    "/badges?joins[has]=4",
    "/badges?sort=-joins.count",
    "/badges?sort=-items.count,id&format=ndjson",
    "/badges?items[has]=2",
    "/badges",
    "/badges/1?expand=items",
    "/badges/2?expand=items",
    "/badges?expand=items.badges",
    "/badges?items.id=2",
    "/badges?items.title=four&fields=id,joins",
];

/// Answers of a caller: status, headers that tell about rows, and body.
async fn answers(client: &Client, requests: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    for request in requests {
        let response = client.get(request).await;
        let counted: Vec<&str> = ["x-total-count", "content-range", "link", "etag"]
            .into_iter()
            .filter_map(|name| response.headers.get(name)?.to_str().ok())
            .collect();
        answers.push(format!(
            "{request} {} {counted:?} {}",
            response.status,
            response.text()
        ));
    }
    answers
}

/// REL-8, POL-3: an api with invisible related and join rows answers as if they did not exist.
#[tokio::test]
async fn invisible_related_and_join_rows_change_no_answer() {
    let app = visible_world().await;
    let admin = app.as_caller("9 admin");
    let callers = [app.as_caller("7 reader"), app.as_caller("8 blind")];
    let mut before = Vec::new();
    for caller in &callers {
        before.push(answers(caller, &REQUESTS).await);
    }
    let seen_before = answers(&admin, &REQUESTS).await;
    add_invisible(&app);
    for (caller, before) in callers.iter().zip(&before) {
        for (after, before) in answers(caller, &REQUESTS).await.iter().zip(before) {
            assert_eq!(after, before);
        }
    }
    let seen = answers(&admin, &REQUESTS).await;
    let same = seen
        .iter()
        .zip(&seen_before)
        .filter(|(after, before)| after == before);
    let same: Vec<_> = same.map(|(after, _)| after).collect();
    assert!(
        same.len() <= 5,
        "these requests do not notice the rows: {same:#?}"
    );
    let two = admin
        .get("/items/2?expand=badges&fields=badgeIds,codes,badges.code")
        .await;
    two.expect_json(
        200,
        json!({
            "badgeIds": [1, 2, 4, 5],
            "codes": ["z", "a", "b", "x"],
            "badges": [{"code": "a"}, {"code": "b"}, {"code": "x"}, {"code": "z"}],
        }),
    );
}

/// REL-8: a hidden member is not written, a private one is null where it is hidden, and an order by them is not told.
#[tokio::test]
async fn invisible_columns_of_related_rows_are_not_told() {
    let app = visible_world().await;
    let reader = app.as_caller("7 reader");
    let badges = json!([
        {"id": 1, "name": "plain", "isPublic": true, "joins": [1]},
        {"id": 3, "name": "own", "note": "yy", "isPublic": true, "joins": [3, 7]},
    ]);
    reader.get("/items/1?expand=badges,byNote").await.expect_json(
        200,
        json!({
            "id": 1, "title": "one", "badgeIds": [1, 3], "names": ["plain", "own"], "notes": [null, "yy"],
            "badges": badges, "byNote": [1, 3],
        }),
    );
    reader.get("/items/1?fields=codes").await.expect(400);
    let admin = app
        .as_caller("9 admin")
        .get("/items/1?expand=badges,byNote")
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&admin["codes"], &admin["notes"]),
        (&json!(["z", "y"]), &json!(["zz", "yy"]))
    );
    assert_eq!(
        (&admin["badges"][0]["id"], &admin["byNote"]),
        (&json!(3), &json!([3, 1]))
    );
}

/// REL-8, POL-12: a hidden foreign key of the join model leads nowhere, from neither side.
#[tokio::test]
async fn a_hidden_key_of_the_join_model_leads_nowhere() {
    let app = visible_world().await;
    let blind = app.as_caller("8 blind");
    blind
        .get("/items/1")
        .await
        .expect_json(200, json!({"id": 1, "title": "one"}));
    blind
        .get("/badges/5")
        .await
        .expect_json(200, json!({"id": 5, "name": "last", "isPublic": true}));
    for query in [
        "expand=badges",
        "expand=badgeIds",
        "fields=names",
        "badges.id=1",
        "badgeIds.name=own",
    ] {
        let unknown = query
            .replace("badges", "x")
            .replace("badgeIds", "x")
            .replace("names", "x");
        let (hidden, unknown) = (
            blind.get(&format!("/items?{query}")).await,
            blind.get(&format!("/items?{unknown}")).await,
        );
        let text = |body: Value| {
            body["message"]
                .as_str()
                .unwrap()
                .replace("badgeIds", "x")
                .replace("badges", "x")
        };
        let text = |response: &test_support::Response| text(response.json()).replace("names", "x");
        assert_eq!(
            (hidden.status, text(&hidden)),
            (unknown.status, text(&unknown)),
            "{query}"
        );
        assert_eq!(hidden.status, 400, "{query}");
    }
}
