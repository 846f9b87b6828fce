//! Filters by the keys of related rows, and sort orders by their number.

use model_resource::{Api, DataType};
use test_support::TestApp;

use super::{PostResource, PostSerializer, posts};

/// Returns the keys of the posts that a query selects, in its order.
async fn found(app: &TestApp, query: &str) -> Vec<i64> {
    let list = app.get(&format!("/posts?{query}")).await.expect(200).json();
    let list = list.as_array().expect("an array").iter();
    list.map(|post| post["id"].as_i64().expect("a key")).collect()
}

async fn app() -> TestApp {
    posts(Api::new("api").serializer::<PostSerializer>()).await
}

/// REL-9: `has` finds the rows that are related to any of the keys; repeated, those that are related to each.
#[tokio::test]
async fn a_list_is_filtered_by_the_keys_of_related_rows() {
    let app = app().await;
    for (query, expected) in [
        ("labels[has]=1", vec![1, 2]),
        ("labels[has]=2", vec![2]),
        ("labels[has]=2,3", vec![1, 2]),
        ("labels[has]=1&labels[has]=3", vec![1]),
        ("labels[has]=9", vec![]),
        ("not=(labels[has]=1)", vec![3]),
        ("or=(labels[has]=3,title=three)", vec![1, 3]),
        ("remarks[has]=3", vec![2]),
        ("wrapped[has]=1", vec![1]),
    ] {
        assert_eq!(found(&app, query).await, expected, "{query}");
    }
    for query in [
        "labels[has]=x",
        "labels[has]=",
        "title[has]=1",
        "nothing[has]=1",
        "labels.posts[has]=1",
        "labels.id[has]=1",
    ] {
        app.get(&format!("/posts?{query}")).await.expect(400);
    }
    let many = (0..201).map(|key| key.to_string()).collect::<Vec<_>>().join(",");
    app.get(&format!("/posts?labels[has]={many}")).await.expect(400);
}

/// REL-9: the error of a filter by a relation itself names the syntax for it.
#[tokio::test]
async fn a_filter_by_a_relation_itself_is_answered_with_the_syntax() {
    let app = app().await;
    let remedy = "; use a field of its rows, such as \"labels.name\", or their keys: \"labels[has]=KEY\".";
    let message = format!("The field \"labels\" is a relation, which has no value itself{remedy}");
    for query in [
        "labels=rust",
        "labels[isnull]=true",
        "sort=labels",
        "or=(labels=rust)",
    ] {
        let refused = app.get(&format!("/posts?{query}")).await.expect(400).json();
        let found = refused["message"].as_str().unwrap_or_default();
        assert!(found.ends_with(&message), "{query}: {refused}");
    }
    let refused = app.get("/posts?labels.posts=1").await.expect(400).json();
    let found = refused["message"].as_str().unwrap_or_default();
    let remedy = "\"labels.posts\" is a relation, which has no value itself; use a field of its rows, such as \"labels.posts.title\".";
    assert!(found.ends_with(remedy), "{refused}");
}

/// REL-10: a list is sorted by the number of related rows, of which each counts once.
#[tokio::test]
async fn a_list_is_sorted_by_the_number_of_related_rows() {
    let app = app().await;
    for (query, expected) in [
        ("sort=-remarks.count", vec![1, 2, 3]),
        ("sort=remarks.count", vec![3, 2, 1]),
        ("sort=-labels.count,-id", vec![2, 1, 3]),
        ("sort=labels.count,title", vec![3, 1, 2]),
        ("sort=-wrapped.count&limit=1", vec![1]),
    ] {
        assert_eq!(found(&app, query).await, expected, "{query}");
    }
    for query in [
        "sort=title.count",
        "sort=labels",
        "sort=nothing.count",
        "sort=labels.posts.count",
    ] {
        app.get(&format!("/posts?{query}")).await.expect(400);
    }
    let several = app.get("/posts?sort=labels.name").await.expect(400).text();
    assert!(several.contains("labels.count"), "{several}");
}

/// REL-10: pages by cursor follow the number of related rows, in both directions.
#[tokio::test]
async fn cursors_follow_the_number_of_related_rows() {
    let app = app().await;
    for (sort, expected) in [("-remarks.count", [1, 2, 3]), ("labels.count", [3, 1, 2])] {
        let (mut path, mut read) = (format!("/posts?sort={sort}&limit=1&cursor="), Vec::new());
        loop {
            let page = app.get(&path).await.expect(200);
            read.push(page.json()[0]["id"].as_i64().unwrap());
            let mut links = page.header("link").split(", ");
            let Some(next) = links.find(|link| link.contains("rel=\"next\"")) else {
                break;
            };
            path = next[next.find("/posts").unwrap()..next.find('>').unwrap()].to_owned();
        }
        assert_eq!(read, expected, "{sort}");
        let last = app.get(&path).await.expect(200);
        let mut links = last.header("link").split(", ");
        let previous = links.find(|link| link.contains("rel=\"prev\"")).unwrap();
        let path = &previous[previous.find("/posts").unwrap()..previous.find('>').unwrap()];
        assert_eq!(
            app.get(path).await.expect(200).json()[0]["id"],
            expected[1],
            "{sort}"
        );
    }
}

/// REG-45: the description of a list names the relations that `has` and `sort` accept.
#[tokio::test]
async fn the_description_names_the_relations() {
    let api = || {
        let api = Api::new("api").serializer::<PostSerializer>();
        api.model_resource::<PostResource>()
    };
    let description = api().compile().describe();
    let mut actions = description.actions.iter();
    let list = actions.find_map(|action| action.list.as_ref()).unwrap();
    let app = TestApp::with_api(api()).await;
    let names: Vec<&str> = list
        .relations
        .iter()
        .map(|relation| relation.field.as_str())
        .collect();
    assert_eq!(names, ["labels", "remarks", "wrapped"]);
    for relation in &list.relations {
        assert_eq!(
            (relation.key_type, relation.is_counted),
            (Some(DataType::I64), true)
        );
        let name = &relation.field;
        app.get(&format!("/posts?{name}[has]=1&sort={name}.count"))
            .await
            .expect(200);
    }
}
