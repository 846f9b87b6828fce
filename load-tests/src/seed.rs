//! The rows at the beginning.

use backend::api::Draft;
use backend::models::{AuthToken, User};
use backend::security::{ADMIN, UserSecurity, hash_password};
use model_resource::{Sql, SqlDialect, Store};

use crate::failure::Failure;

/// Password of all users.
pub(crate) const PASSWORD: &str = "correct horse";
/// Number of users who log in.
pub(crate) const USERS: u64 = 64;
/// Number of users who attack.
const ATTACKERS: u64 = 64;

/// Accounts and numbers of rows.
pub(crate) struct Seed {
    /// Bearer token of an admin.
    pub(crate) token: String,
    /// Keys of other users, with a bearer token of each.
    pub(crate) attackers: Vec<(i64, String)>,
    pub(crate) articles: u64,
}

/// Creates the tables and fills them.
pub(crate) async fn fill(url: &str, articles: u64, comments: u64) -> Result<Seed, Failure> {
    let store = backend::app::APPLICATION.open(url).await?;
    let hash = hash_password(PASSWORD.to_owned());
    let admin = store.create(user("admin", ADMIN, &hash)).await?;
    for number in 0..USERS {
        store.create(user(&format!("user{number}"), "", &hash)).await?;
    }
    let token = issue_token(&store, &admin).await?;
    let mut attackers = Vec::new();
    for number in 0..ATTACKERS {
        let attacker = store
            .create(user(&format!("attacker{number}"), "", &hash))
            .await?;
        attackers.push((attacker.id, issue_token(&store, &attacker).await?));
    }
    let now = match store.dialect() {
        SqlDialect::Sqlite => "0",
        SqlDialect::Postgres => "now()",
    };
    let published = match store.dialect() {
        SqlDialect::Sqlite => "1",
        SqlDialect::Postgres => "TRUE",
    };
    for sql in [
        format!(
            "INSERT INTO categories (name, slug, created_at, updated_at) \
             SELECT 'Category ' || n, 'category-' || n, {now}, {now} FROM ({}) AS s",
            numbers(&store, 100)
        ),
        format!(
            "INSERT INTO articles (title, slug, body, published, category_id, created_at, updated_at) \
             SELECT 'Title ' || n, 'title-' || n, 'A text about ' || n || '. {}', {published}, n % 100 + 1, {now}, {now} \
             FROM ({}) AS s",
            "Words and more words follow here. ".repeat(10),
            numbers(&store, articles)
        ),
        format!(
            "INSERT INTO comments (article_id, name, body, created_at) \
             SELECT n % {} + 1, 'Name ' || n, 'A comment of a few words, number ' || n, {now} FROM ({}) AS s",
            articles,
            numbers(&store, comments)
        ),
    ] {
        insert(&store, sql).await?;
    }
    Ok(Seed {
        token,
        attackers,
        articles,
    })
}

async fn issue_token(store: &Store, user: &User) -> Result<String, Failure> {
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "siege".to_owned());
    let (token, _) = UserSecurity::new().issue_token(store, user, token).await?;
    Ok(token)
}

/// Runs a statement that writes many rows, in a transaction.
async fn insert(store: &Store, sql: String) -> Result<(), Failure> {
    let transaction = store.begin().await?;
    transaction.execute(Sql::new(sql)).await?;
    Ok(transaction.commit().await?)
}

fn numbers(store: &Store, count: u64) -> String {
    match store.dialect() {
        SqlDialect::Sqlite => format!(
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {count}) SELECT n FROM t"
        ),
        SqlDialect::Postgres => format!("SELECT n FROM generate_series(1, {count}) AS n"),
    }
}

fn user(name: &str, roles: &str, hash: &str) -> Draft<User> {
    let mut user = Draft::new();
    user.set(User::EMAIL, format!("{name}@example.com"));
    user.set(User::USERNAME, name.to_owned());
    user.set(User::PASSWORD_HASH, hash.to_owned());
    user.set(User::ROLES, roles.to_owned());
    user
}
