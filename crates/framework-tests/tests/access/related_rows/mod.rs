//! Rows and columns that are invisible behind a relation cannot be learnt through it.

mod leaks;

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelSerializer, Pages, SerializerFields, Where,
    model_resource, serializer,
};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "items")]
struct Item {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "badges")]
struct Badge {
    #[column(primary_key)]
    id: i64,
    name: String,
    code: String,
    note: String,
    is_public: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "item_badges")]
struct ItemBadge {
    #[column(primary_key)]
    id: i64,
    #[column(references = Item, on_delete = cascade)]
    item_id: i64,
    #[column(references = Badge, on_delete = cascade)]
    badge_id: i64,
    is_public: bool,
}

struct BadgeSerializer;

#[serializer]
impl ModelSerializer for BadgeSerializer {
    type Model = Badge;

    fn fields(fields: SerializerFields<Badge>) -> SerializerFields<Badge> {
        fields
            .many_to_many::<ItemSerializer>("items", ItemBadge::BADGE_ID, ItemBadge::ITEM_ID)
            .has_many::<ItemBadgeSerializer>("joins", ItemBadge::BADGE_ID)
            .as_keys("joins")
            .always("joins")
    }
}

struct ItemBadgeSerializer;

#[serializer]
impl ModelSerializer for ItemBadgeSerializer {
    type Model = ItemBadge;
}

struct ItemSerializer;

#[serializer]
impl ModelSerializer for ItemSerializer {
    type Model = Item;

    fn fields(fields: SerializerFields<Item>) -> SerializerFields<Item> {
        let badges = |fields: SerializerFields<Item>, name| {
            fields.many_to_many::<BadgeSerializer>(name, ItemBadge::ITEM_ID, ItemBadge::BADGE_ID)
        };
        let fields = badges(fields, "badges").ordered("badges", Badge::CODE.asc());
        let fields = badges(fields, "badgeIds").as_keys("badgeIds").always("badgeIds");
        let fields = badges(fields, "names")
            .as_member("names", Badge::NAME)
            .always("names");
        let fields = badges(fields, "codes")
            .as_member("codes", Badge::CODE)
            .always("codes");
        let fields = badges(fields, "notes")
            .as_member("notes", Badge::NOTE)
            .always("notes");
        badges(fields, "byNote")
            .as_keys("byNote")
            .ordered("byNote", Badge::NOTE.asc())
    }
}

#[model_resource(Item, "/items", "/items/<int:id>", serializer = ItemSerializer)]
struct ItemResource;

#[model_resource(Badge, "/badges", "/badges/<int:id>", serializer = BadgeSerializer, policy = BadgePolicy)]
struct BadgeResource;

/// Admins see all badges and codes; notes are shown on the badge `own`.
struct BadgePolicy;

impl ModelPolicy for BadgePolicy {
    type Model = Badge;

    fn visible(caller: &Caller) -> Where<Badge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            Badge::IS_PUBLIC.eq(true)
        }
    }

    fn hidden(caller: &Caller) -> Columns<Badge> {
        if caller.has_role("admin") {
            Columns::none()
        } else {
            Columns::of(Badge::CODE)
        }
    }

    fn private() -> Columns<Badge> {
        Columns::of(Badge::NOTE)
    }

    fn shows_private(caller: &Caller) -> Where<Badge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            Badge::NAME.eq("own")
        }
    }
}

/// Join rows without a resource: admins see all, and blind callers do not see which badge they lead to.
struct ItemBadgePolicy;

impl ModelPolicy for ItemBadgePolicy {
    type Model = ItemBadge;

    fn visible(caller: &Caller) -> Where<ItemBadge> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            ItemBadge::IS_PUBLIC.eq(true)
        }
    }

    fn hidden(caller: &Caller) -> Columns<ItemBadge> {
        if caller.has_role("blind") {
            Columns::of(ItemBadge::BADGE_ID)
        } else {
            Columns::none()
        }
    }
}

/// Starts an api over rows that every caller sees.
async fn visible_world() -> TestApp {
    let api = Api::new("badges")
        .model_resource::<ItemResource>()
        .model_resource::<BadgeResource>()
        .policy::<ItemBadgePolicy>()
        .pages(Pages::new())
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO items (id, title) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');
         INSERT INTO badges (id, name, code, note, is_public) VALUES
             (1, 'plain', 'z', 'zz', TRUE), (3, 'own', 'y', 'yy', TRUE), (5, 'last', 'x', 'xx', TRUE);
         INSERT INTO item_badges (id, item_id, badge_id, is_public) VALUES
             (1, 1, 1, TRUE), (3, 1, 3, TRUE), (5, 2, 5, TRUE), (7, 3, 3, TRUE);",
    );
    app
}

/// Adds badges that only admins see, and join rows to visible and invisible badges that only admins see.
fn add_invisible(app: &TestApp) {
    app.database().execute(
        "INSERT INTO badges (id, name, code, note, is_public) VALUES
             (2, 'secret', 'a', 'aa', FALSE), (4, 'own', 'b', 'bb', FALSE);
         INSERT INTO item_badges (id, item_id, badge_id, is_public) VALUES
             (2, 1, 2, TRUE), (4, 2, 2, TRUE), (6, 2, 4, TRUE), (8, 4, 2, TRUE),
             (10, 2, 1, FALSE), (12, 3, 5, FALSE), (14, 4, 1, FALSE), (16, 2, 5, FALSE);",
    );
}
