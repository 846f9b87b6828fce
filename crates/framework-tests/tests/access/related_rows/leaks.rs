//! Answers, forms and pages that would tell of invisible related rows.

use serde_json::{Value, json};
use test_support::Client;

use super::{add_invisible, visible_world};

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

/// REL-8: pages show no more than the responses that they are made from.
#[tokio::test]
async fn pages_do_not_tell_invisible_related_rows() {
    let app = visible_world().await;
    add_invisible(&app);
    let html = |caller: &str| app.as_caller(caller).with_header("accept", "text/html");
    for path in [
        "/items",
        "/items/1",
        "/items/2",
        "/items/4",
        "/items?badges[has]=2",
        "/badges",
        "/badges/1",
    ] {
        let seen = html("9 admin").get(path).await.expect(200).text();
        assert!(
            seen.contains("secret") || path.starts_with("/badges/"),
            "{path}: {seen}"
        );
        for caller in ["7 reader", "8 blind"] {
            let page = html(caller).get(path).await;
            let text = page.text();
            for told in ["secret", ">zz<", ">xx<", "/badges/2", "/badges/4"] {
                assert!(!text.contains(told), "{caller} at {path} sees {told}: {text}");
            }
        }
    }
}
