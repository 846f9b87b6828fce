//! Relations through a join model.

use model_resource::Api;
use serde_json::{Value, json};

use super::{PostSerializer, posts};

fn api() -> Api {
    Api::new("api").serializer::<PostSerializer>()
}

/// REL-1: the objects behind a join model are written on request, each once and in the order of their keys, from
/// either side.
#[tokio::test]
async fn related_objects_are_written_from_both_sides() {
    let app = posts(api()).await;
    let (sql, rust, axum) = (
        json!({"id": 1, "name": "sql"}),
        json!({"id": 2, "name": "rust"}),
        json!({"id": 3, "name": "axum"}),
    );
    let expected = json!([
        {"id": 1, "title": "one", "labels": [sql, axum]},
        {"id": 2, "title": "two", "labels": [sql, rust]},
        {"id": 3, "title": "three", "labels": []},
    ]);
    app.get("/posts?expand=labels")
        .await
        .expect_json(200, expected.clone());
    app.get("/posts/2?expand=labels")
        .await
        .expect_json(200, expected[1].clone());
    app.get("/posts/1")
        .await
        .expect_json(200, json!({"id": 1, "title": "one"}));
    let one = json!({"id": 1, "title": "one"});
    app.get("/labels/3?expand=posts")
        .await
        .expect_json(200, json!({"id": 3, "name": "axum", "posts": [one]}));
}

/// REL-1: the relation can be narrowed to fields, and leads on to the relations of its objects.
#[tokio::test]
async fn fields_and_further_relations_apply_behind_a_join_model() {
    let app = posts(api()).await;
    app.get("/posts/1?expand=labels&fields=id,labels.name")
        .await
        .expect_json(
            200,
            json!({"id": 1, "labels": [{"name": "sql"}, {"name": "axum"}]}),
        );
    let nested = app
        .get("/posts/1?expand=labels.posts&fields=labels.name,labels.posts.title")
        .await;
    nested.expect_json(
        200,
        json!({"labels": [
            {"name": "sql", "posts": [{"title": "one"}, {"title": "two"}]},
            {"name": "axum", "posts": [{"title": "one"}]},
        ]}),
    );
}

/// REL-1: the fields of related objects filter the list, as those of any relation do.
#[tokio::test]
async fn a_filter_leads_through_the_join_model() {
    let app = posts(api()).await;
    for (query, expected) in [
        ("labels.name=sql", vec![1, 2]),
        ("labels.name=rust", vec![2]),
        ("labels.name[in]=rust,axum", vec![1, 2]),
        ("labels.id[gte]=3", vec![1]),
        ("labels.id[isnull]=true", vec![3]),
        ("labels.name=none", vec![]),
        ("not=(labels.name=rust)", vec![1, 3]),
    ] {
        let list = app.get(&format!("/posts?{query}")).await.expect(200).json();
        let found: Vec<i64> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|post| post["id"].as_i64().unwrap())
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    let far = app.get("/posts?labels.posts.title=one").await.expect(400).text();
    assert!(far.contains("can only be the first one"), "{far}");
    app.get("/posts?labels.color=red").await.expect(400);
    app.get("/posts?labels=1").await.expect(400);
}

/// REL-2: a list of 100 rows with two to-many relations and one through a join model takes four statements.
#[tokio::test]
async fn each_relation_takes_one_statement_for_a_whole_list() {
    let app = posts(api()).await;
    let posts: Vec<Value> = (3..100)
        .map(|number| json!({"title": format!("n{number}")}))
        .collect();
    for post in posts {
        app.post("/posts", post).await.expect(201);
    }
    app.database().execute(
        "INSERT INTO post_labels (post_id, label_id) SELECT posts.id, labels.id FROM posts, labels WHERE posts.id > 3",
    );
    for (query, statements) in [
        ("", 1),
        ("?expand=labels", 2),
        ("?expand=labels,remarks,wrapped", 4),
        ("?expand=labels.posts&limit=2&sort=-title", 3),
        ("?format=csv&expand=labels,remarks,wrapped", 4),
    ] {
        let before = app.store.read_count();
        let list = app.get(&format!("/posts{query}")).await.expect(200).text();
        assert_eq!(app.store.read_count() - before, statements, "{query}");
        assert!(list.contains("n99") && list.contains("one"), "{query}");
    }
    let list = app
        .get("/posts?expand=labels,remarks,wrapped")
        .await
        .expect(200)
        .json();
    assert_eq!(list.as_array().unwrap().len(), 100);
    assert_eq!(list[99]["labels"].as_array().unwrap().len(), 3);
    assert_eq!(
        list[1]["wrapped"],
        json!([{"remark": {"id": 3, "postId": 2, "body": "c"}}])
    );
}

/// REL-2: a long list is fetched in batches, each with its own related rows.
#[tokio::test]
async fn a_long_list_is_read_in_batches() {
    let app = posts(api()).await;
    app.database().execute(
        "INSERT INTO posts (title) SELECT posts.title FROM posts, posts AS b, posts AS c, posts AS d, posts AS e, posts AS f;
         INSERT INTO post_labels (post_id, label_id) SELECT posts.id, 1 + posts.id % 3 FROM posts WHERE posts.id > 3",
    );
    let before = app.store.read_count();
    let list = app
        .get("/posts?expand=labels&fields=id,labels.id")
        .await
        .expect(200)
        .json();
    let batches = app.store.read_count() - before;
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 3 + 729);
    assert!(batches > 2 && batches < 20, "{batches}");
    for post in &list[3..] {
        let id = post["id"].as_i64().unwrap();
        assert_eq!(post["labels"], json!([{"id": 1 + id % 3}]), "{post}");
    }
}

/// REL-2: a relation with too many rows is refused before they are in memory.
#[tokio::test]
async fn the_number_of_related_objects_is_limited() {
    let app = posts(api()).await;
    app.database().execute(
        "INSERT INTO labels (name) SELECT a.name FROM labels a, labels b, labels c, labels d, labels e, labels f, labels g, labels h;
         INSERT INTO labels (name) SELECT a.name FROM labels a WHERE a.id <= 4000;
         INSERT INTO post_labels (post_id, label_id) SELECT 3, id FROM labels;",
    );
    let count: usize = app
        .database()
        .value("SELECT count(*) FROM post_labels WHERE post_id = 3");
    assert!(count > 10_000, "{count}");
    app.get("/posts/1?expand=labels").await.expect(200);
    app.get("/posts/3?expand=labels").await.expect(400);
    app.get("/posts/3").await.expect(200);
}

/// REL-1: also for more objects than have their related objects fetched at the same time.
#[tokio::test]
async fn many_objects_have_related_objects_behind_a_join_model() {
    let app = posts(api()).await;
    app.database().execute(
        "WITH RECURSIVE numbers (n) AS (SELECT 4 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
         INSERT INTO posts (title) SELECT 'post ' || n FROM numbers;
         INSERT INTO post_labels (post_id, label_id) SELECT id, 3 FROM posts WHERE id > 3;
         INSERT INTO post_labels (post_id, label_id) SELECT id, 2 FROM posts WHERE id > 3 AND id % 2 = 0;",
    );
    let label = app.get("/labels/3?expand=posts.labels").await.expect(200).json();
    let posts = label["posts"].as_array().cloned().unwrap_or_default();
    assert_eq!(posts.len(), 298);
    for post in posts {
        let id = post["id"].as_i64().expect("posts have ids");
        let labels = post["labels"].as_array().cloned().unwrap_or_default();
        let labels: Vec<_> = labels.iter().filter_map(|label| label["id"].as_i64()).collect();
        let expected: &[i64] = match id {
            1 => &[1, 3],
            _ if id % 2 == 0 => &[2, 3],
            _ => &[3],
        };
        assert_eq!(labels, expected, "post {id}");
    }
}
