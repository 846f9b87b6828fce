//! The policies, called as functions.

use backend::models::{Article, Category, Comment, User};
use backend::policies::{ArticlePolicy, CategoryPolicy, CommentPolicy, UserPolicy};
use backend::security::ADMIN;
use model_resource::schema::query::AnyWhere;
use model_resource::{Caller, Model as _, ModelPolicy as _, now};

const ANN: i64 = 7;
const BOB: i64 = 8;

fn admin() -> Caller {
    Caller::of(1_i64).with_roles([ADMIN])
}

fn article(published: bool, author_id: Option<i64>) -> Article {
    Article {
        id: 1,
        title: "Snow".to_owned(),
        slug: "snow".to_owned(),
        body: String::new(),
        summary: None,
        published,
        rating: None,
        price: None,
        publish_date: None,
        category_id: None,
        author_id,
        created_at: now(),
        updated_at: now(),
    }
}

fn comment() -> Comment {
    Comment {
        id: 1,
        article_id: 1,
        name: "A reader".to_owned(),
        body: "I like it.".to_owned(),
        created_at: now(),
    }
}

fn user() -> User {
    User {
        id: ANN,
        email: "ann@example.com".to_owned(),
        username: "ann".to_owned(),
        first_name: None,
        last_name: None,
        password_hash: String::new(),
        is_active: true,
        roles: String::new(),
        created_at: now(),
        updated_at: now(),
    }
}

fn category() -> Category {
    Category {
        id: 1,
        name: "Rust".to_owned(),
        slug: "rust".to_owned(),
        created_at: now(),
        updated_at: now(),
    }
}

/// SEC-27
#[test]
fn drafts_are_seen_by_their_author_and_admins_alone() {
    for (caller, draft, orphan) in [
        (Caller::anonymous(), false, false),
        (Caller::of(BOB), false, false),
        (Caller::of(ANN), true, false),
        (Caller::of(ANN).with_roles(["editor"]), true, false),
        (admin(), true, true),
    ] {
        let sees = |article: &Article| ArticlePolicy::visible(&caller).matches(article);
        assert!(sees(&article(true, Some(ANN))) && sees(&article(true, None)));
        assert_eq!(sees(&article(false, Some(ANN))), draft, "{caller:?}");
        assert_eq!(sees(&article(false, None)), orphan, "{caller:?}");
    }
}

#[test]
fn visibility_is_one_comparison_for_anonymous_callers_and_none_for_admins() {
    let seen = |caller: Caller| ArticlePolicy::visible(&caller).into_any();
    let AnyWhere::Likely(one) = seen(Caller::anonymous()) else {
        panic!("{:?}", seen(Caller::anonymous()));
    };
    assert!(matches!(*one, AnyWhere::Compare(..)), "{one:?}");
    assert!(seen(admin()).is_all());
}

/// SEC-28
#[test]
fn articles_are_changed_and_deleted_by_their_author_and_admins_alone() {
    for (caller, own, orphan) in [
        (Caller::anonymous(), false, false),
        (Caller::of(BOB), false, false),
        (Caller::of(ANN), true, false),
        (admin(), true, true),
    ] {
        for rows in [
            ArticlePolicy::updatable(&caller),
            ArticlePolicy::deletable(&caller),
        ] {
            assert_eq!(rows.matches(&article(true, Some(ANN))), own, "{caller:?}");
            assert_eq!(rows.matches(&article(true, None)), orphan, "{caller:?}");
        }
    }
}

/// SEC-28
#[test]
fn a_new_article_belongs_to_its_creator_unless_an_admin_sets_the_author() {
    let may_create = |caller: Caller| ArticlePolicy::may_create(&caller);
    assert!(!may_create(Caller::anonymous()) && may_create(Caller::of(ANN)) && may_create(admin()));
    let author = |caller: Caller| ArticlePolicy::presets(&caller).get(Article::AUTHOR_ID);
    assert_eq!(author(Caller::of(ANN)), Some(Some(ANN)));
    assert_eq!(author(admin()), None);
}

/// SEC-29. Conditions on the article need a database and are tested elsewhere.
#[test]
fn anyone_comments_and_only_admins_change_comments() {
    for caller in [Caller::anonymous(), Caller::of(ANN)] {
        assert!(CommentPolicy::may_create(&caller));
        assert!(!CommentPolicy::updatable(&caller).matches(&comment()));
    }
    for rows in [
        CommentPolicy::visible(&admin()),
        CommentPolicy::updatable(&admin()),
        CommentPolicy::deletable(&admin()),
    ] {
        assert!(rows.matches(&comment()));
    }
}

/// SEC-45
#[test]
fn an_account_is_private_to_its_user_and_admins() {
    let public = [User::ID.position(), User::USERNAME.position()];
    let private = UserPolicy::private().into_any();
    for (position, column) in User::table().columns.iter().enumerate() {
        let is_public = public.contains(&position) || column.hidden;
        assert_eq!(private.contains(position), !is_public, "{}", column.name);
    }
    for (caller, sees, changes) in [
        (Caller::anonymous(), false, false),
        (Caller::of(BOB), false, false),
        (Caller::of(ANN), true, true),
        (admin(), true, false),
    ] {
        assert_eq!(
            UserPolicy::shows_private(&caller).matches(&user()),
            sees,
            "{caller:?}"
        );
        assert_eq!(
            UserPolicy::updatable(&caller).matches(&user()),
            changes,
            "{caller:?}"
        );
        assert!(UserPolicy::visible(&caller).matches(&user()));
        assert!(!UserPolicy::deletable(&caller).matches(&user()));
    }
}

/// SEC-30
#[test]
fn anyone_reads_categories_and_only_admins_write_them() {
    for (caller, writes) in [
        (Caller::anonymous(), false),
        (Caller::of(ANN), false),
        (admin(), true),
    ] {
        assert!(CategoryPolicy::visible(&caller).matches(&category()));
        assert_eq!(CategoryPolicy::may_create(&caller), writes);
        assert_eq!(CategoryPolicy::updatable(&caller).matches(&category()), writes);
        assert_eq!(CategoryPolicy::deletable(&caller).matches(&category()), writes);
    }
}
