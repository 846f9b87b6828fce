//! Hidden columns in every part of a query.

use serde_json::json;

use crate::support::BackendApp;

const USERS: &str = "/api/v1/auth/users";

/// Each is the same 400, byte for byte, as for a nonexistent field. The caller is an admin, since only admins list
/// users.
#[tokio::test]
async fn a_hidden_column_by_any_name_is_an_unknown_field() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let before = app.database().rows();
    for query in [
        "NAME[startswith]=$",
        "NAME[isnull]=false",
        "NAME=x",
        "sort=NAME",
        "sort=-NAME",
        "fields=NAME",
        "fields=id,NAME",
        "expand=NAME",
        "or=(id=1,NAME=x)",
        "not=(NAME[like]=$%25)",
        "page=1&NAME[contains]=argon2id",
        "limit=1&count=estimated&NAME[gt]=a",
        "cursor=&limit=1&sort=NAME",
    ] {
        let asked = async |name: &str| {
            let url = format!("{USERS}?{}", query.replace("NAME", name));
            app.get(&url).await.expect(400).text().replace(name, "NAME")
        };
        assert_eq!(asked("passwordHash").await, asked("zzzzzzzz").await, "{query}");
    }
    for name in [
        "password_hash",
        "PasswordHash",
        "PASSWORDHASH",
        "passwordhash",
        "passwordHash%20",
        "%20passwordHash",
        "passwordHash%00",
        "%22password_hash%22",
        "%60password_hash%60",
        "t1.password_hash",
        "users.password_hash",
        "users.passwordHash",
        "password_hash::text",
        "password_hash--",
        "password_hash/**/",
        "p%D0%B0sswordHash",
    ] {
        for query in [
            format!("{name}[startswith]=$"),
            format!("sort={name}"),
            format!("fields={name}"),
        ] {
            let rejection = app.get(&format!("{USERS}?{query}")).await.expect(400).text();
            assert!(
                rejection.starts_with(r#"{"message":"There is no field"#),
                "{query}: {rejection}"
            );
            assert!(!rejection.contains("did you mean"), "{query}: {rejection}");
        }
    }
    for relation in ["sessions", "tokens", "authTokens", "auth_sessions", "articles"] {
        let rejection = app
            .get(&format!("{USERS}?expand={relation}"))
            .await
            .expect(400)
            .json();
        assert_eq!(
            rejection,
            json!({"message": format!("There is no field \"{relation}\".")})
        );
    }
    app.get(&format!("{USERS}?q=argon2id")).await.expect(400);
    let argon2 = app
        .get(&format!("{USERS}?email[contains]=argon2id"))
        .await
        .expect(200);
    assert_eq!(argon2.json(), json!([]));
    assert_eq!(app.database().rows(), before);
}

/// For every column type and operator, SQL is an invalid value or one that no row has.
#[tokio::test]
async fn sql_as_the_value_of_every_operator_and_type_finds_nothing() {
    let app = BackendApp::start().await;
    app.post("/api/v1/samples", crate::sample_data::sample())
        .await
        .expect(201);
    let before = app.database().rows();
    let types = [
        "id",
        "flag",
        "small",
        "number",
        "big",
        "single",
        "ratio",
        "text",
        "blob",
        "amount",
        "day",
        "clock",
        "moment",
        "token",
        "extra",
        "extra.key",
        "color",
    ];
    // Operators that match values other than the given one are left out.
    let operators = [
        "eq",
        "in",
        "contains",
        "icontains",
        "startswith",
        "endswith",
        "like",
        "ilike",
        "between",
        "isnull",
    ];
    let values = [
        "%27%20or%201=1--",
        "0)%20and%201=(select%20pg_sleep(5))--",
        "%27);drop%20table%20samples--",
        "1%20union%20select%20password_hash%20from%20users",
        "%5C%27",
    ];
    for field in types {
        for operator in operators {
            for value in values {
                let value = value.replace(';', "%3B");
                let url = format!("/api/v1/samples?{field}[{operator}]={value}");
                let answer = app.get(&url).await;
                match answer.status.as_u16() {
                    400 => {}
                    200 => assert_eq!(answer.json(), json!([]), "{url}"),
                    status => panic!("{url}: {status}"),
                }
            }
        }
    }
    assert_eq!(app.database().rows(), before);
}
