//! A relation through a join model: an article shows the names of its tags, and lists are filtered and sorted by them.
//! Clients relate two objects by creating a row of the join model.
//!
//! ```text
//! cargo run -p model-resource --example relations
//!
//! curl localhost:8000/tags --json '{"name": "rust"}'
//! # 201 {"id":1,"name":"rust"}
//! curl localhost:8000/tags --json '{"name": "sql"}'
//! # 201 {"id":2,"name":"sql"}
//! curl localhost:8000/articles --json '{"title": "Ownership"}'
//! # 201 {"id":1,"title":"Ownership","tags":[]}
//! curl localhost:8000/articles --json '{"title": "Queries"}'
//! # 201 {"id":2,"title":"Queries","tags":[]}
//! curl localhost:8000/article-tags --json '{"articleId": 2, "tagId": 2}'
//! # 201 {"id":1,"articleId":2,"tagId":2}
//! curl localhost:8000/article-tags --json '{"articleId": 2, "tagId": 1}'
//! # 201 {"id":2,"articleId":2,"tagId":1}
//! curl 'localhost:8000/articles?sort=-tags.count'
//! # 200 [{"id":2,"title":"Queries","tags":["rust","sql"]},{"id":1,"title":"Ownership","tags":[]}]
//! curl -g 'localhost:8000/articles?tags[has]=1'
//! # 200 [{"id":2,"title":"Queries","tags":["rust","sql"]}]
//! curl 'localhost:8000/tags/1?expand=articles'
//! # 200 {"id":1,"name":"rust","articles":[{"id":2,"title":"Queries","tags":["rust","sql"]}]}
//! ```

use std::error::Error;

use model_resource::{
    Api, Model, ModelSerializer, SerializerFields, Store, model_resource, serializer, serve,
};

/// Article with any number of tags.
#[derive(Model)]
struct Article {
    #[column(primary_key)]
    id: i64,
    title: String,
}

/// Tag of any number of articles.
#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
}

/// Join model. A row relates an article to a tag.
#[derive(Model)]
struct ArticleTag {
    #[column(primary_key)]
    id: i64,
    #[column(references = Article, on_delete = cascade)]
    article_id: i64,
    #[column(references = Tag, on_delete = cascade)]
    tag_id: i64,
}

struct ArticleSerializer;

#[serializer]
impl ModelSerializer for ArticleSerializer {
    type Model = Article;

    fn fields(fields: SerializerFields<Article>) -> SerializerFields<Article> {
        fields
            .many_to_many::<TagSerializer>("tags", ArticleTag::ARTICLE_ID, ArticleTag::TAG_ID)
            .as_member("tags", Tag::NAME)
            .ordered("tags", Tag::NAME.asc())
            .always("tags")
    }
}

struct TagSerializer;

#[serializer]
impl ModelSerializer for TagSerializer {
    type Model = Tag;

    fn fields(fields: SerializerFields<Tag>) -> SerializerFields<Tag> {
        fields.many_to_many::<ArticleSerializer>("articles", ArticleTag::TAG_ID, ArticleTag::ARTICLE_ID)
    }
}

#[model_resource(Article, "/articles", "/articles/<int:id>", serializer = ArticleSerializer)]
struct ArticleResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>", serializer = TagSerializer)]
struct TagResource;

#[model_resource(ArticleTag, "/article-tags", "/article-tags/<int:id>")]
struct ArticleTagResource;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new("blog")
        .model_resource::<ArticleResource>()
        .model_resource::<TagResource>()
        .model_resource::<ArticleTagResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
