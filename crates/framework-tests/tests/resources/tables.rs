//! Tables that the models did not create.

use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use model_resource::{Api, ColumnEnum, Model, ModelResource, Store, model_resource};
use serde_json::{Value, json};
use test_support::{TestApp, TestDatabase};

#[derive(Debug, Clone, Copy, ColumnEnum)]
enum Mood {
    Sad,
    Calm,
    Merry,
}

#[derive(Debug, Clone, Model)]
#[model(table = "entries")]
struct Entry {
    #[column(primary_key)]
    id: i64,
    mood: Mood,
    before: Option<Mood>,
}

struct EntryResource;

#[model_resource(Entry, "/entries", "/entries/<int:id>")]
impl ModelResource for EntryResource {}

fn entry_api() -> Api {
    Api::new("api").model_resource::<EntryResource>()
}

/// Returns the ids of a list of entries.
async fn entries(app: &TestApp, query: &str) -> Vec<i64> {
    let list = app.get(&format!("/entries?{query}")).await.expect(200).json();
    let ids = list.as_array().unwrap().iter();
    ids.map(|entry| entry["id"].as_i64().unwrap()).collect()
}

/// DB-4: a PostgreSQL enum column is filtered and sorted as text, not in the enum's own order.
#[tokio::test]
async fn lists_are_filtered_and_sorted_by_an_enum_type_of_the_database() {
    let app = TestApp::with_api(entry_api()).await;
    if app.database().is_postgres() {
        app.database().execute("CREATE TYPE mood AS ENUM ('sad', 'calm', 'merry');
             ALTER TABLE entries ALTER mood TYPE mood USING mood::mood, ALTER before TYPE mood USING before::mood",
        );
    }
    app.store.verify(&[Entry::table()]).await.unwrap();
    for (mood, before) in [
        ("sad", Value::Null),
        ("merry", json!("sad")),
        ("calm", json!("calm")),
    ] {
        app.post("/entries", json!({"mood": mood, "before": before}))
            .await
            .expect(201);
    }
    for (query, ids) in [
        ("mood=calm", &[3][..]),
        ("mood[ne]=calm", &[1, 2]),
        ("mood[in]=calm,sad", &[1, 3]),
        ("mood[nin]=calm,sad", &[2]),
        ("mood[gt]=calm", &[1, 2]),
        ("mood[between]=calm,merry", &[2, 3]),
        ("before[isnull]=true", &[1]),
        ("sort=mood", &[3, 2, 1]),
        ("sort=-mood", &[1, 2, 3]),
        ("sort=before", &[3, 2, 1]),
    ] {
        assert_eq!(entries(&app, query).await, ids, "{query}");
    }
    let first = app.get("/entries?sort=mood&limit=2&cursor=").await.expect(200);
    let mut links = first.header("link").split(", ");
    let next = links.find(|link| link.ends_with("rel=\"next\"")).unwrap();
    let next = next.split(['<', '>']).nth(1).unwrap();
    let rest = app.get(next).await.expect(200).json();
    assert_eq!(rest[0]["mood"], "sad");
    app.patch("/entries/1", json!({"mood": "merry"}))
        .await
        .expect(200);
    assert_eq!(entries(&app, "mood=merry").await, [1, 2]);
}

/// DB-4: `explain` ignores an index on an enum type, which lists cannot use.
#[tokio::test]
async fn lists_cannot_use_an_index_of_an_enum_type() {
    let app = TestApp::with_api(entry_api()).await;
    app.database()
        .execute("CREATE INDEX entries_mood ON entries (mood)");
    let service = entry_api().store(app.store.clone()).into_service();
    let explained = || async {
        let explained = service.explain("/entries?mood=sad".parse().unwrap()).await;
        let body = explained.into_body().collect().await.unwrap().to_bytes();
        serde_json::from_slice::<Value>(&body).unwrap()["unindexed"].clone()
    };
    if !app.database().is_postgres() {
        assert_eq!(explained().await, json!([]));
        return;
    }
    app.database().execute("CREATE TYPE mood AS ENUM ('sad', 'calm', 'merry'); ALTER TABLE entries ALTER mood TYPE mood USING mood::mood",
    );
    let unindexed = explained().await;
    assert!(unindexed[0].as_str().unwrap().contains("mood"), "{unindexed}");
}

#[derive(Debug, Clone, Model)]
#[model(table = "teams")]
struct Team {
    #[column(primary_key)]
    id: i64,
    #[column(references = Player, on_delete = set_null)]
    captain_id: Option<i64>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "players")]
struct Player {
    #[column(primary_key)]
    id: i64,
    #[column(references = Team, on_delete = cascade)]
    team_id: i64,
}

struct TeamResource;

#[model_resource(Team, "/teams", "/teams/<int:id>")]
impl ModelResource for TeamResource {}

struct PlayerResource;

#[model_resource(Player, "/players", "/players/<int:id>")]
impl ModelResource for PlayerResource {}

/// DB-6: tables that reference each other are created in any order, and both foreign keys are enforced.
#[tokio::test]
async fn tables_that_reference_each_other_are_created_in_any_order() {
    for tables in [[Team::table(), Player::table()], [Player::table(), Team::table()]] {
        let api = Api::new("api")
            .model_resource::<TeamResource>()
            .model_resource::<PlayerResource>();
        let app = TestApp::with_router(&tables, |store| api.store(store).init_app(axum::Router::new())).await;
        // Existing tables are not changed.
        app.store.create_tables(&tables).await.unwrap();
        app.post("/teams", json!({})).await.expect(201);
        app.post("/players", json!({"teamId": 1})).await.expect(201);
        app.patch("/teams/1", json!({"captainId": 1})).await.expect(200);
        app.post("/players", json!({"teamId": 2})).await.expect(400);
        app.patch("/teams/1", json!({"captainId": 2})).await.expect(400);
        app.delete("/players/1").await.expect(204);
        app.get("/teams/1")
            .await
            .expect_json(200, json!({"id": 1, "captainId": null}));
    }
}

/// DB-7: custom options in the URL do not remove the lock timeout.
#[tokio::test]
async fn options_in_the_url_keep_the_lock_timeout() {
    let database = TestDatabase::create();
    let url = if database.is_postgres() {
        let separator = if database.url().contains('?') { '&' } else { '?' };
        format!("{}{separator}options=-c%20application_name%3Down", database.url())
    } else {
        database.url()
    };
    let store = Store::open(&url).await.unwrap();
    store.create_tables(&[Entry::table()]).await.unwrap();
    let api = entry_api().store(store);
    let app = TestApp::with_router(&[], |_| api.init_app(axum::Router::new())).await;
    let lock = database.lock(&["entries"]);
    let begun = Instant::now();
    app.post("/entries", json!({"mood": "calm"})).await.expect(503);
    // Without it, the request would wait for its time limit of 30 s.
    assert!(begun.elapsed() < Duration::from_secs(25));
    lock.release();
    app.post("/entries", json!({"mood": "calm"})).await.expect(201);
}

/// DB-8: `verify` rejects a required column that no model sets, and names the remedy.
#[tokio::test]
async fn a_required_column_that_no_model_sets_is_rejected() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let (key, text) = if database.is_postgres() {
        ("bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "text")
    } else {
        ("INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT")
    };
    database.execute(&format!(
            "CREATE TABLE players (id {key}, team_id INTEGER NOT NULL, shirt {text} NOT NULL, nick {text}, club {text} NOT NULL DEFAULT '')"
        ),
    );
    let refused = store.verify(&[Player::table()]).await;
    let refused = refused.unwrap_err().to_string();
    for part in [
        "`shirt`",
        "`players`",
        "NOT NULL",
        "add it to model Player",
        "default",
    ] {
        assert!(refused.contains(part), "{part} is not in: {refused}");
    }
    for part in ["`nick`", "`club`", "`team_id`", "`id`"] {
        assert!(!refused.contains(part), "{part} is in: {refused}");
    }
}
