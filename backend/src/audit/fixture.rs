//! The temporary database of the audit: the requested rows and the callers' accounts.

use std::time::Duration;

use model_resource::{ApiService, Date, Decimal, Json, Model, Store, Time, Timestamp, Uuid};
use model_resource_cli::Failure;

use crate::api::{Draft, Error};
use crate::app::{self, Settings};
use crate::audit::actors::Actor;
use crate::models::{Article, AuthSession, AuthToken, Category, Color, Comment, Sample, Tag, User};
use crate::security;

/// The account that owns the articles and credentials below.
pub(super) const OWNER: i64 = 100;
/// A category.
pub(super) const CATEGORY: i64 = 1;
/// The owner's published article.
pub(super) const PUBLISHED: i64 = 1;
/// The owner's unpublished article.
pub(super) const DRAFT: i64 = 2;
/// An unpublished article without an author. Anonymous callers have no account either, and must not match it.
const ORPHAN: i64 = 3;
/// A comment on the published article.
pub(super) const COMMENT: i64 = 1;
/// A comment on the draft.
pub(super) const DRAFT_COMMENT: i64 = 2;
/// A tag.
pub(super) const TAG: i64 = 1;
/// A sample.
pub(super) const SAMPLE: Uuid = Uuid::from_u128(1);
/// A token of the owner, other than the one that authenticates the request.
pub(super) const TOKEN: i64 = 100;
/// A session of the owner.
pub(super) const SESSION: i64 = 100;

/// The application on a database of its own, with the credential of one caller.
pub(super) struct Fixture {
    pub(super) service: ApiService,
    /// The caller's bearer token. `None` for anonymous callers.
    pub(super) token: Option<String>,
}

impl Fixture {
    /// Creates an in-memory database with all rows, dropped together with this value. All accounts share the password
    /// hash.
    pub(super) async fn for_person(person: Actor, password_hash: &str) -> Result<Self, Failure> {
        let store = app::open("sqlite::memory:").await?;
        let mut token = None;
        for actor in Actor::all() {
            if actor == Actor::Anonymous {
                continue;
            }
            let user = account(&store, actor, password_hash).await?;
            if actor == person {
                let mut draft = Draft::new();
                draft.set(AuthToken::NAME, "audit".to_owned());
                let (secret, _) = security::authenticator()
                    .issue_token(&store, &user, draft)
                    .await?;
                token = Some(secret);
            }
        }
        add_articles(&store).await?;
        add_others(&store).await?;
        add_credentials(&store).await?;
        let service = app::app(store, Settings::default());
        Ok(Self { service, token })
    }
}

async fn account(store: &Store, person: Actor, password_hash: &str) -> Result<User, Failure> {
    add(store, |user| {
        if person == Actor::Owner {
            user.set(User::ID, OWNER);
        }
        user.set(User::EMAIL, format!("{}@example.com", person.name()));
        user.set(User::USERNAME, person.name().to_owned());
        user.set(User::PASSWORD_HASH, password_hash.to_owned());
        user.set(User::IS_ACTIVE, person != Actor::Disabled);
        user.set(User::ROLES, person.roles());
    })
    .await
}

async fn add_articles(store: &Store) -> Result<(), Failure> {
    let articles = [
        (PUBLISHED, true, Some(OWNER)),
        (DRAFT, false, Some(OWNER)),
        (ORPHAN, false, None),
    ];
    for (id, published, author) in articles {
        add(store, |article| {
            article.set(Article::ID, id);
            article.set(Article::TITLE, format!("Article {id}"));
            article.set(Article::BODY, "A text.".to_owned());
            article.set(Article::PUBLISHED, published);
            article.set(Article::AUTHOR_ID, author);
        })
        .await?;
    }
    for (id, article) in [(COMMENT, PUBLISHED), (DRAFT_COMMENT, DRAFT)] {
        add(store, |comment| {
            comment.set(Comment::ID, id);
            comment.set(Comment::ARTICLE_ID, article);
            comment.set(Comment::NAME, "A reader".to_owned());
            comment.set(Comment::BODY, "I like it.".to_owned());
        })
        .await?;
    }
    Ok(())
}

async fn add_others(store: &Store) -> Result<(), Failure> {
    add(store, |category| {
        category.set(Category::ID, CATEGORY);
        category.set(Category::NAME, "Rust".to_owned());
    })
    .await?;
    add(store, |tag| {
        tag.set(Tag::ID, TAG);
        tag.set(Tag::NAME, "swift".to_owned());
    })
    .await?;
    let document = Json::new(&())?;
    add(store, |sample| {
        sample.set(Sample::ID, SAMPLE);
        sample.set(Sample::FLAG, true);
        sample.set(Sample::SMALL, 1);
        sample.set(Sample::NUMBER, 1);
        sample.set(Sample::BIG, 1);
        sample.set(Sample::SINGLE, 1.0);
        sample.set(Sample::RATIO, 1.0);
        sample.set(Sample::TEXT, "A text.".to_owned());
        sample.set(Sample::BLOB, vec![1]);
        sample.set(Sample::AMOUNT, Decimal::ONE);
        sample.set(Sample::DAY, Date::constant(2024, 2, 29));
        sample.set(Sample::CLOCK, Time::midnight());
        sample.set(Sample::MOMENT, Timestamp::UNIX_EPOCH);
        sample.set(Sample::TOKEN, Uuid::nil());
        sample.set(Sample::EXTRA, document);
        sample.set(Sample::COLOR, Color::Red);
    })
    .await?;
    Ok(())
}

/// Adds a token and a session of the owner. Their secrets are unknown, so they cannot authenticate.
async fn add_credentials(store: &Store) -> Result<(), Failure> {
    let now = Timestamp::now();
    let end = now + Duration::from_secs(24 * 3600);
    add(store, |token| {
        token.set(AuthToken::ID, TOKEN);
        token.set(AuthToken::NAME, "a program".to_owned());
        token.set(AuthToken::USER_KEY, OWNER.to_string());
        token.set(AuthToken::TOKEN_HASH, Vec::new());
        token.set(AuthToken::STAMP, Vec::new());
        token.set(AuthToken::EXPIRES_AT, end);
    })
    .await?;
    add(store, |session| {
        session.set(AuthSession::ID, SESSION);
        session.set(AuthSession::USER_KEY, OWNER.to_string());
        session.set(AuthSession::TOKEN_HASH, Vec::new());
        session.set(AuthSession::STAMP, Vec::new());
        session.set(AuthSession::USED_AT, now);
        session.set(AuthSession::EXPIRES_AT, end);
    })
    .await?;
    Ok(())
}

async fn add<M: Model>(store: &Store, fill: impl FnOnce(&mut Draft<M>)) -> Result<M, Failure> {
    let mut draft = Draft::new();
    fill(&mut draft);
    store.create(draft).await.map_err(|error| {
        let error = Error::from(error);
        format!("{}: {error}: {:?}", M::table().model, error.errors()).into()
    })
}
