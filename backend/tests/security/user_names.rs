//! Characters and normalization forms of user names.

use serde_json::json;

use crate::browser::USERS;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// SEC-48: a name has letters of any script, digits and three punctuation marks, and no invisible characters.
#[tokio::test]
async fn a_user_name_has_letters_digits_and_three_punctuation_marks() {
    let app = BackendApp::start().await;
    for (number, name) in ["a.b_c-d", "änna", "Ντίνος", "דנה", "山田2"].iter().enumerate() {
        let account = json!({
            "email": format!("{number}@example.com"), "username": format!("{name}x"), "password": "correct horse",
        });
        app.anonymous.post(USERS, account).await.expect(201);
    }
    let (id, bob) = app.user("bob").await;
    let before = app.database().rows();
    for name in [
        "an na",
        "ann@x",
        "ann/x",
        "ann<b>",
        "ann%20",
        "ann😀",
        "ann\u{0}",
        "ann\u{ad}",
        "ann\u{200b}",
        "ann\u{200d}x",
        "ann\u{200e}",
        "\u{202e}nna",
        "ann\u{2066}x",
        "ann\u{2069}",
        "ann\u{feff}",
        "ann\u{3164}",
        "ann\u{115f}",
        "ann\u{fe0f}",
        "ann\u{e0041}",
        "\u{301}ann",
        "ann.\u{301}",
        "ann²",
    ] {
        let account = json!({"email": "ann@example.com", "username": name, "password": "correct horse"});
        let rejection = app.anonymous.post(USERS, account).await.expect(400).json();
        let message = rejection["errors"]["username"][0].as_str().unwrap();
        assert!(
            message.starts_with("Must consist of letters") || message.starts_with("Null characters"),
            "{name:?}: {rejection}"
        );
        let url = format!("{USERS}/{id}");
        bob.patch(&url, json!({"username": name})).await.expect(400);
        let put = json!({"email": "bob@example.com", "username": name});
        bob.put(&url, put).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// SEC-48: names are equal across normalization forms and case, for uniqueness and for login.
#[tokio::test]
async fn a_user_name_is_equal_in_all_normalization_forms() {
    let app = BackendApp::start().await;
    let forms = ["\u{c5}sa", "A\u{30a}sa", "\u{212b}SA", "a\u{30a}SA", "\u{e5}sa"];
    let account =
        |email: &str, name: &str| json!({"email": email, "username": name, "password": "correct horse"});
    let made = app
        .anonymous
        .post(USERS, account("asa@example.com", forms[1]))
        .await
        .expect(201);
    assert_eq!(made.json()["username"], "\u{e5}sa");
    let before = app.database().rows();
    for form in forms {
        let rejection = app
            .anonymous
            .post(USERS, account("other@example.com", form))
            .await
            .expect(400)
            .json();
        assert_eq!(
            rejection["errors"],
            json!({"username": ["Username is already taken."]})
        );
    }
    // Long enough only before normalization.
    let short = app
        .anonymous
        .post(USERS, account("other@example.com", "a\u{30a}x"))
        .await
        .expect(400);
    assert!(short.json()["errors"]["username"].is_array(), "{}", short.text());
    assert_eq!(app.database().rows(), before);
    for form in forms {
        let login = json!({"email": form, "password": "correct horse"});
        app.anonymous.post(LOGIN, login).await.expect(200);
    }
}
