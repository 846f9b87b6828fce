//! Several processes behind one pooler.

use model_resource::Store;
use serde_json::json;
use test_support::{Client, Process, TestDatabase};

use crate::serve;
use crate::support::accounts::admin_token;

const ROUNDS: usize = 15;

/// LOAD-82: three processes that start at once migrate an empty database, and answer concurrent reads, writes, bulk
/// requests and searches.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_answer_requests_of_every_kind() {
    let database = TestDatabase::create();
    let starts: Vec<_> = (0..3)
        .map(|_| {
            let database = database.clone();
            tokio::task::spawn_blocking(move || serve::start(&database))
        })
        .collect();
    let mut processes: Vec<Process> = Vec::new();
    for start in starts {
        processes.push(start.await.unwrap());
    }
    let store = Store::open(&database.url()).await.unwrap();
    let token = admin_token(&store).await;
    let mut clients = Vec::new();
    for (number, process) in processes.iter().enumerate() {
        process.client.get("/readyz").await.expect(200);
        for lane in 0..4 {
            let client = process.client.with_token(&token);
            clients.push(tokio::spawn(use_everything(client, format!("{number}-{lane}"))));
        }
    }
    for client in clients {
        client.await.unwrap();
    }
    let rows: usize = database.value("SELECT count(*) FROM tags");
    assert_eq!(rows, 3 * 4 * ROUNDS * 4);
}

/// Sends requests of every kind; each round leaves four tags.
async fn use_everything(client: Client, name: String) {
    const TAGS: &str = "/api/v1/tags";
    for round in 0..ROUNDS {
        let tag = |kind: &str| json!({"name": format!("{name} {round} {kind}")});
        let created = client
            .post(TAGS, json!({"tag": tag("single")}))
            .await
            .expect(201)
            .json();
        let url = format!("{TAGS}/{}", created["tag"]["id"]);
        client.get(&url).await.expect(200);
        client
            .patch(&url, json!({"tag": tag("changed")}))
            .await
            .expect(200);
        let tags = json!({"tags": [tag("a"), tag("b"), tag("c"), tag("d")]});
        let created = client.post(TAGS, tags).await.expect(201).json();
        let last = &created["tags"][3]["id"];
        client.delete(&format!("{TAGS}/{last}")).await.expect(204);
        client
            .get(&format!("{TAGS}?name[contains]=single&sort=-name&limit=5"))
            .await
            .expect(200);
        client.get(&format!("{TAGS}?page=1&pageSize=3")).await.expect(200);
        client
            .post(TAGS, json!({"tag": tag("changed")}))
            .await
            .expect(400);
    }
}
