//! Mistakes in policies and authenticators, reported at startup.

use std::panic::catch_unwind;

use backend::api::Api;
use backend::app;
use backend::models::{Article, Category, Comment};
use backend::security::UserSecurity;
use model_resource::{Caller, ModelPolicy, Where};
use test_support::startup_errors;

/// References the article by a column that is not a foreign key.
struct MisledPolicy;

impl ModelPolicy for MisledPolicy {
    type Model = Comment;

    fn deletable(_: &Caller) -> Where<Comment> {
        Comment::ID.references(Where::<Article>::all())
    }
}

/// References a category by the foreign key of an article.
struct ConfusedPolicy;

impl ModelPolicy for ConfusedPolicy {
    type Model = Comment;

    fn visible(_: &Caller) -> Where<Comment> {
        Comment::ARTICLE_ID.references(Category::NAME.eq("Rust".to_owned()))
    }
}

fn panic_of<T>(register: fn() -> T) -> String {
    match catch_unwind(register) {
        Ok(_) => String::new(),
        Err(panic) => match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
        },
    }
}

/// SEC-33: a policy that follows a column other than a foreign key to its model is rejected at registration.
#[test]
fn a_policy_that_follows_no_foreign_key_is_rejected_at_startup() {
    assert_eq!(
        panic_of(|| Api::new("blog").policy::<MisledPolicy>()),
        "`id` of Comment is no foreign key to Article: give the one that is, or declare it \
         by #[column(references = Article)]"
    );
    assert_eq!(
        panic_of(|| Api::new("blog").policy::<ConfusedPolicy>()),
        "`article_id` of Comment is no foreign key to Category: give the one that is, or declare it \
         by #[column(references = Category)]"
    );
}

/// SEC-34: two authenticators are rejected, since their order should not decide.
#[tokio::test]
async fn two_authenticators_are_rejected_at_startup() {
    assert_eq!(
        startup_errors(app::api().authenticator(UserSecurity::new())).await,
        Vec::<String>::new()
    );
    let twice = app::api()
        .authenticator(UserSecurity::new())
        .authenticator(UserSecurity::new());
    assert_eq!(
        startup_errors(twice).await,
        ["the api has two authenticators: call `.authenticator(..)` once"]
    );
}

/// COR-5: only a valid, specific origin may write with a session.
#[test]
fn only_a_specific_origin_may_write_with_a_session() {
    let allowed = panic_of(|| UserSecurity::new().allow_origin("https://app.example"));
    assert_eq!(allowed, "");
    let path = panic_of(|| UserSecurity::new().allow_origin("https://app.example/"));
    assert!(
        path.starts_with("allow_origin: `https://app.example/` is not an origin: write scheme"),
        "{path}"
    );
    let any = panic_of(|| UserSecurity::new().allow_origin("*"));
    assert!(any.ends_with("name the origins"), "{any}");
}
