use model_resource::{Date, Model, Timestamp};

#[derive(Model)]
#[model(db_table = "articles")]
struct Article {
    #[column(primary_key = true)]
    id: i64,
    #[column(verbose_name = "Title", max_length = 200)]
    title: String,
    #[column(slug(from = "title"))]
    slug: String,
    #[column(null = true, blank = true)]
    subtitle: String,
    #[column(foreign_key = "users.id", related_name = "articles")]
    author_id: i64,
    #[column(references = Article, on_delete = protect)]
    previous_id: i64,
    #[column(auto_now_add)]
    created_at: Timestamp,
    #[column(default = today)]
    day: Date,
}

fn main() {}
