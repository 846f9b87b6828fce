//! `backend seed`: demo data.

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use model_resource::{Decimal, Store, Transaction};
use model_resource_cli::{Failure, OpenDatabase};

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
pub(super) struct Seed {
    /// Number of articles to add
    #[arg(long, default_value_t = 10_000)]
    articles: usize,
}

/// Adds articles in batches, each in one transaction.
pub(super) async fn seed(database: OpenDatabase, options: Seed) -> Result<(), Failure> {
    let store = &database.store;
    let categories = categories(store).await?;
    let bar = ProgressBar::new(options.articles as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} articles, {eta} left",
    )?);
    let mut written = 0;
    while written < options.articles {
        let batch = BATCH_ROWS.min(options.articles - written);
        let mut transaction = store.begin().await?;
        for number in written..written + batch {
            article(&mut transaction, number, &categories).await?;
        }
        transaction.commit().await?;
        written += batch;
        bar.set_position(written as u64);
    }
    bar.finish();
    println!("{} articles added to {}", options.articles, database.name);
    Ok(())
}

/// Creates the demo categories and tags unless they exist.
async fn categories(store: &Store) -> Result<Vec<i64>, Failure> {
    let mut keys = Vec::new();
    for name in ["Rust", "Databases", "Gardening", "Travel"] {
        let query = Category::query().filter(Category::NAME.eq(name.to_owned()));
        let category = match store.first(&query).await? {
            Some(category) => category,
            None => {
                let mut draft = Draft::new();
                draft.set(Category::NAME, name.to_owned());
                store.create(draft).await?
            }
        };
        keys.push(category.id);
    }
    for name in WORDS {
        let query = Tag::query().filter(Tag::NAME.eq(name.to_owned()));
        if store.first(&query).await?.is_none() {
            let mut draft = Draft::new();
            draft.set(Tag::NAME, name.to_owned());
            store.create(draft).await?;
        }
    }
    Ok(keys)
}

async fn article(transaction: &mut Transaction, number: usize, categories: &[i64]) -> Result<(), Failure> {
    let word = |offset: usize| WORDS[(number * 7 + offset * 5) % WORDS.len()];
    let mut draft = Draft::new();
    draft.set(Article::TITLE, format!("The {} {} {number}", word(0), word(1)));
    draft.set(Article::BODY, (0..20).map(word).collect::<Vec<_>>().join(" "));
    draft.set(
        Article::SUMMARY,
        Some(format!("About a {} {}.", word(2), word(3))),
    );
    draft.set(Article::PUBLISHED, !number.is_multiple_of(5));
    draft.set(Article::RATING, Some((number % 50) as f64 / 10.0));
    draft.set(Article::PRICE, Some(Decimal::new((number % 10_000) as i64, 2)));
    draft.set(Article::CATEGORY_ID, Some(categories[number % categories.len()]));
    let article = transaction.create(draft).await?;
    // Only on published articles: few callers see drafts.
    if number % 10 == 4 {
        let mut comment = Draft::new();
        comment.set(Comment::ARTICLE_ID, article.id);
        comment.set(Comment::NAME, "A reader".to_owned());
        comment.set(Comment::BODY, format!("I like the {}.", word(4)));
        transaction.create(comment).await?;
    }
    Ok(())
}
