//! Private columns of an account, as seen by other callers.

use serde_json::{Value, json};

use crate::browser::{STATUS, USERS};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

fn is_whole(user: &Value) -> bool {
    let keys: Vec<&String> = user.as_object().unwrap().keys().collect();
    let whole = [
        "id",
        "email",
        "username",
        "firstName",
        "lastName",
        "createdAt",
        "updatedAt",
    ];
    whole.iter().all(|key| keys.iter().any(|own| own == key))
}

/// SEC-45: an account is visible to its user and to admins; others see its id and its name.
#[tokio::test]
async fn others_see_only_the_id_and_the_name_of_a_user() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (_, bob) = app.user("bob").await;
    let (_, root) = app.admin("root").await;
    let url = format!("{USERS}/{id}");
    let public = json!({"id": id, "username": "ann"});
    for other in [&app.anonymous, &bob] {
        other.get(&url).await.expect_json(200, public.clone());
        for field in ["email", "firstName", "lastName", "createdAt", "updatedAt"] {
            let only = other.get(&format!("{url}?fields={field}")).await.expect(200);
            assert_eq!(only.json(), json!({}), "{field}");
        }
    }
    for user in [ann.get(&url).await, root.get(&url).await] {
        let user = user.expect(200).json();
        assert!(is_whole(&user), "{user}");
        assert_eq!(user["email"], "ann@example.com");
    }
    let all = root
        .get(&format!("{USERS}?email[contains]=ann&sort=email"))
        .await
        .expect(200)
        .json();
    assert_eq!(all[0]["email"], "ann@example.com");
}

/// SEC-45: users see all columns of their own account everywhere.
#[tokio::test]
async fn users_see_all_columns_of_their_own_account() {
    let app = BackendApp::start().await;
    let ann = json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"});
    let registered = app.anonymous.post(USERS, ann).await.expect(201);
    assert_eq!(registered.header("location"), format!("{USERS}/1"));
    let registered = registered.json();
    assert!(is_whole(&registered), "{registered}");
    let login = json!({"email": "ann", "password": "correct horse"});
    let login = app.anonymous.post(LOGIN, login).await.expect(200).json();
    assert_eq!(login["user"], registered);
    let own = app.anonymous.with_token(login["token"].as_str().unwrap());
    assert_eq!(own.get(STATUS).await.expect(200).json()["user"], registered);
    let url = format!("{USERS}/1");
    let patched = own
        .patch(&url, json!({"firstName": "Ann"}))
        .await
        .expect(200)
        .json();
    assert!(is_whole(&patched), "{patched}");
    let whole = json!({"email": "anna@example.com", "username": "anna"});
    let put = own.put(&url, whole).await.expect(200).json();
    assert_eq!(
        (&put["email"], is_whole(&put)),
        (&json!("anna@example.com"), true)
    );
}

/// SEC-45: no list of articles reveals an author's address.
#[tokio::test]
async fn the_address_of_an_author_cannot_be_queried() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let (_, root) = app.admin("root").await;
    let article = json!({"title": "Snow", "body": "It fell.", "published": true});
    ann.post("/api/v1/articles", article).await.expect(201);
    for caller in [&app.anonymous, &ann, &root] {
        let list = caller.get("/api/v1/articles?expand=author").await.expect(200);
        assert_eq!(list.json()[0]["author"], json!({"id": 1, "username": "ann"}));
        for query in [
            "author.email=ann@example.com",
            "sort=author.email",
            "author.firstName[isnull]=true",
            "or=(author.email[contains]=ann)",
            "expand=author&fields=author.email",
        ] {
            caller.get(&format!("/api/v1/articles?{query}")).await.expect(400);
        }
        let found = caller.get("/api/v1/articles?q=example.com").await;
        found.expect_json(200, json!([]));
    }
}
