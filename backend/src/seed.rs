//! `backend seed`: demo data.

use clap::Args;
use model_resource::{Decimal, Query, Transaction};
use model_resource_cli::{Failure, OpenDatabase, ProgressBar};

use crate::api::Draft;
use crate::models::{Article, Category, Comment, Tag};

const WORDS: [&str; 12] = [
    "swift", "quiet", "amber", "river", "stone", "garden", "winter", "copper", "lantern", "meadow", "harbor",
    "cedar",
];
/// Number of articles written per transaction.
const BATCH_ROWS: usize = 500;

/// Fills the database with demo data.
#[derive(Args)]
pub(crate) struct Seed {
    /// Number of articles to add
    #[arg(long, default_value_t = 10_000)]
    articles: usize,
}

/// Adds articles in batches, each in one transaction.
pub(crate) async fn seed(database: OpenDatabase, options: Seed) -> Result<(), Failure> {
    let store = &database.store;
    for name in WORDS {
        let (named, tag) = (Tag::NAME.eq(name), Draft::new().with(Tag::NAME, name));
        store.find_or_create(&Query::new().filter(named), tag).await?;
    }
    let mut categories = Vec::new();
    for name in ["Rust", "Databases", "Gardening", "Travel"] {
        let (named, category) = (Category::NAME.eq(name), Draft::new().with(Category::NAME, name));
        let category = store
            .find_or_create(&Query::new().filter(named), category)
            .await?;
        categories.push(category.id);
    }
    let mut progress = ProgressBar::new(options.articles, "articles");
    for first in (0..options.articles).step_by(BATCH_ROWS) {
        let mut transaction = store.begin().await?;
        for number in first..options.articles.min(first + BATCH_ROWS) {
            add_article(&mut transaction, number, &categories).await?;
            progress.advance(1);
        }
        transaction.commit().await?;
    }
    progress.finish();
    println!("{} articles added to {}", options.articles, database.name);
    Ok(())
}

async fn add_article(rows: &mut Transaction, number: usize, categories: &[i64]) -> Result<(), Failure> {
    let word = |offset: usize| WORDS[(number * 7 + offset * 5) % WORDS.len()];
    let article = Draft::new()
        .with(Article::TITLE, format!("The {} {} {number}", word(0), word(1)))
        .with(Article::BODY, (0..20).map(word).collect::<Vec<_>>().join(" "))
        .with(Article::SUMMARY, format!("About a {} {}.", word(2), word(3)))
        .with(Article::PUBLISHED, !number.is_multiple_of(5))
        .with(Article::RATING, (number % 50) as f64 / 10.0)
        .with(Article::PRICE, Decimal::new((number % 10_000) as i64, 2))
        .with(Article::CATEGORY_ID, categories[number % categories.len()]);
    let article = rows.create(article).await?;
    // Only on published articles: few callers see drafts.
    if number % 10 == 4 {
        let comment = Draft::new()
            .with(Comment::ARTICLE_ID, article.id)
            .with(Comment::NAME, "A reader")
            .with(Comment::BODY, format!("I like the {}.", word(4)));
        rows.create(comment).await?;
    }
    Ok(())
}
