//! Columns that are visible to a caller on some rows only.

use model_resource::{
    Api, CREATE, Caller, Columns, GET, Model, ModelPolicy, ModelResource, ModelSerializer, Operations, PATCH,
    SerializerFields, Where, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(unique)]
    email: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "posts")]
struct Post {
    #[column(primary_key)]
    id: i64,
    #[column(references = Member, on_delete = cascade)]
    author_id: i64,
    title: String,
}

struct MemberSerializer;

#[serializer]
impl ModelSerializer for MemberSerializer {
    type Model = Member;

    fn fields(fields: SerializerFields<Member>) -> SerializerFields<Member> {
        fields.has_many::<PostSerializer>("posts", Post::AUTHOR_ID)
    }
}

struct PostSerializer;

#[serializer]
impl ModelSerializer for PostSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields.belongs_to::<MemberSerializer>("author", Post::AUTHOR_ID)
    }
}

struct MemberResource;

#[model_resource(Member, "/members", "/members/<int:id>")]
impl ModelResource for MemberResource {
    const SEARCH: Columns<Member> = Columns::of(Member::NAME).and(Member::EMAIL);
    const BULK_METHODS: Operations = Operations::of([PATCH]);
}

struct PostResource;

#[model_resource(
    Post,
    "/posts",
    "/posts/<int:id>",
    "/authors/<member_email>/posts",
    "/authors/<member_email>/posts/<int:id>"
)]
impl ModelResource for PostResource {
    const PUBLIC: bool = true;
}

/// Serves members by their e-mail addresses.
struct AddressResource;

#[model_resource(Member, "/addresses", "/addresses/<email>")]
impl ModelResource for AddressResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, PATCH]);
}

/// Members see their own e-mail address, and admins all of them. Editors change every member.
struct MemberPolicy;

impl ModelPolicy for MemberPolicy {
    type Model = Member;

    fn updatable(caller: &Caller) -> Where<Member> {
        if caller.has_role("admin") || caller.has_role("editor") {
            Where::all()
        } else {
            caller.owned_by(Member::ID)
        }
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn private() -> Columns<Member> {
        Columns::of(Member::EMAIL)
    }

    fn shows_private(caller: &Caller) -> Where<Member> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            caller.owned_by(Member::ID)
        }
    }
}

fn api() -> Api {
    Api::new("club")
        .authenticator(HeaderAuthenticator)
        .serializer::<MemberSerializer>()
        .model_resource::<MemberResource>()
        .model_resource::<AddressResource>()
        .policy::<MemberPolicy>()
        .serializer::<PostSerializer>()
        .model_resource::<PostResource>()
}

/// Starts an app with Ann (1) and Bob (2), and a post of each.
async fn club() -> TestApp {
    let app = TestApp::with_api(api()).await;
    for (id, name) in [(1, "Ann"), (2, "Bob")] {
        let email = format!("{name}@{}.example", ["", "zoo", "bank"][id]);
        let member = app.post("/members", json!({"name": name, "email": email})).await;
        assert_eq!(member.expect(201).json(), json!({"id": id, "name": name}));
        let post = json!({"authorId": id, "title": format!("By {name}")});
        app.as_caller("1").post("/posts", post).await.expect(201);
    }
    app
}

/// SEC-46: an object has a private column only if it is visible to the caller, in every representation and relation.
#[tokio::test]
async fn a_private_column_is_returned_on_the_callers_own_rows_only() {
    let app = club().await;
    let ann = json!({"id": 1, "name": "Ann", "email": "Ann@zoo.example"});
    let bob = json!({"id": 2, "name": "Bob", "email": "Bob@bank.example"});
    let (public_ann, public_bob) = (json!({"id": 1, "name": "Ann"}), json!({"id": 2, "name": "Bob"}));
    for (caller, ann, bob) in [
        (app.anonymous.clone(), &public_ann, &public_bob),
        (app.as_caller("3"), &public_ann, &public_bob),
        (app.as_caller("3 editor"), &public_ann, &public_bob),
        (app.as_caller("1"), &ann, &public_bob),
        (app.as_caller("9 admin"), &ann, &bob),
    ] {
        caller.get("/members").await.expect_json(200, json!([ann, bob]));
        caller
            .get("/members?limit=1")
            .await
            .expect_json(200, json!([ann]));
        for (id, member) in [(1, ann), (2, bob)] {
            let url = format!("/members/{id}");
            caller.get(&url).await.expect_json(200, member.clone());
            let only = member
                .get("email")
                .map_or(json!({}), |email| json!({ "email": email }));
            let only_email = caller.get(&format!("{url}?fields=email")).await.expect(200);
            assert_eq!(only_email.json(), only);
            let lengths = [caller.head(&url).await, caller.get(&url).await];
            assert_eq!(
                lengths[0].header("content-length"),
                lengths[1].header("content-length")
            );
        }
        let posts = caller.get("/posts?expand=author").await.expect(200).json();
        let authors: Vec<&Value> = posts
            .as_array()
            .unwrap()
            .iter()
            .map(|post| &post["author"])
            .collect();
        assert_eq!(authors, [ann, bob]);
        let mut deep = caller
            .get("/members?expand=posts.author")
            .await
            .expect(200)
            .json();
        assert_eq!(deep[1]["posts"][0]["author"].take(), *bob);
        let lines = caller.get("/members?format=ndjson").await.expect(200).text();
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!([&lines[0], &lines[1]], [ann, bob]);
        let cell = |member: &Value| member["email"].as_str().unwrap_or_default().to_owned();
        let csv = caller.get("/members?format=csv").await.expect(200).text();
        let expected = format!("id,name,email\r\n1,Ann,{}\r\n2,Bob,{}\r\n", cell(ann), cell(bob));
        assert_eq!(csv, expected);
    }
}

/// SEC-46: no query reveals a private column, neither by its rows nor by their order.
#[tokio::test]
async fn a_private_column_cannot_be_queried_unless_it_is_visible_on_all_rows() {
    let app = club().await;
    let queries = [
        "/members?email=Bob@bank.example",
        "/members?email[contains]=bank",
        "/members?email[isnull]=false",
        "/members?sort=email",
        "/members?sort=-email&limit=1",
        "/members?sort=email&cursor=",
        "/members?or=(email=Bob@bank.example,id=7)",
        "/members?not=(email=Bob@bank.example)",
        "/posts?author.email[startswith]=B",
        "/posts?sort=author.email",
        "/posts?or=(author.email[contains]=bank)",
        "/members?posts.author.email[contains]=bank",
    ];
    for query in queries {
        for caller in [
            app.anonymous.clone(),
            app.as_caller("1"),
            app.as_caller("3 editor"),
        ] {
            let refused = caller.get(query).await.expect(400).text();
            assert!(!refused.contains(".example"), "{query}: {refused}");
        }
        app.as_caller("9 admin").get(query).await.expect(200);
    }
    let refused = app
        .as_caller("1")
        .get("/members?sort=email")
        .await
        .expect(400)
        .text();
    let reason = "is shown on some rows only, and cannot be compared or sorted by.";
    assert!(refused.contains(reason), "{refused}");
    for caller in [app.anonymous.clone(), app.as_caller("1"), app.as_caller("2")] {
        caller.get("/members?q=bank").await.expect_json(200, json!([]));
        let found = caller.get("/members?q=bob").await.expect(200).json();
        assert_eq!(found[0]["id"], 2);
    }
    let found = app.as_caller("9 admin").get("/members?q=bank").await.expect(200);
    assert_eq!(found.json()[0]["email"], "Bob@bank.example");
}

/// SEC-46: a URL with a private column finds a row only if the column is visible there; otherwise it is a 404.
#[tokio::test]
async fn a_url_does_not_confirm_a_guess_at_a_private_column() {
    let app = club().await;
    let new = json!({"name": "Cem", "email": "cem@zoo.example"});
    let created = app.post("/addresses", new).await.expect(201);
    assert_eq!(created.header("location"), "/members/3");
    for caller in [
        app.anonymous.clone(),
        app.as_caller("1"),
        app.as_caller("3 editor"),
    ] {
        for (guessed, missing) in [
            ("/addresses/Bob@bank.example", "/addresses/nobody@bank.example"),
            (
                "/authors/Bob@bank.example/posts",
                "/authors/nobody@bank.example/posts",
            ),
            (
                "/authors/Bob@bank.example/posts/2",
                "/authors/nobody@bank.example/posts/2",
            ),
        ] {
            let (guessed, missing) = (caller.get(guessed).await, caller.get(missing).await);
            assert_eq!(guessed.expect(404).body, missing.expect(404).body);
        }
        let name = json!({"name": "Robert"});
        caller
            .patch("/addresses/Bob@bank.example", name)
            .await
            .expect(404);
        let post = json!({"title": "Not by Bob"});
        caller
            .post("/authors/Bob@bank.example/posts", post)
            .await
            .expect(404);
    }
    for caller in [app.as_caller("2"), app.as_caller("9 admin")] {
        let bob = caller.get("/addresses/Bob@bank.example").await.expect(200).json();
        assert_eq!(bob["email"], "Bob@bank.example");
        let posts = caller
            .get("/authors/Bob@bank.example/posts")
            .await
            .expect(200)
            .json();
        assert_eq!(posts[0]["title"], "By Bob");
        caller.get("/authors/Bob@bank.example/posts/2").await.expect(200);
    }
    let name = json!({"name": "Robert"});
    let own = app
        .as_caller("2")
        .patch("/addresses/Bob@bank.example", name)
        .await;
    assert_eq!(own.expect(200).json()["name"], "Robert");
}

/// SEC-46: a caller who does not see a private column cannot change it, nor learn its value by trying.
#[tokio::test]
async fn a_private_column_is_changed_only_where_it_is_visible() {
    let app = club().await;
    let editor = app.as_caller("3 editor");
    let before = app.database().rows();
    for email in ["Ann@zoo.example", "new@zoo.example", "Bob@bank.example"] {
        let refused = editor
            .patch("/members/1", json!({"email": email}))
            .await
            .expect(403);
        assert!(!refused.text().contains("taken"));
        editor
            .put("/members/1", json!({"name": "Ann", "email": email}))
            .await
            .expect(403);
        let many = json!([{"id": 1, "email": email}]);
        editor.patch("/members", many).await.expect(403);
    }
    assert_eq!(app.database().rows(), before);
    let renamed = editor.patch("/members/1", json!({"name": "Anna"})).await;
    renamed.expect_json(200, json!({"id": 1, "name": "Anna"}));
    let many = json!([{"id": 1, "name": "Ann"}]);
    let renamed = editor.patch("/members", many).await;
    renamed.expect_json(200, json!([{"id": 1, "name": "Ann"}]));
    let own = app
        .as_caller("1")
        .patch("/members/1", json!({"email": "a@zoo.example"}))
        .await;
    own.expect_json(200, json!({"id": 1, "name": "Ann", "email": "a@zoo.example"}));
}

/// Would hide columns that URLs and relations use.
struct KeyPolicy;

impl ModelPolicy for KeyPolicy {
    type Model = Post;

    fn private() -> Columns<Post> {
        Columns::of(Post::TITLE).and(Post::AUTHOR_ID)
    }
}

/// Would need another query for each row.
struct FarPolicy;

impl ModelPolicy for FarPolicy {
    type Model = Post;

    fn private() -> Columns<Post> {
        Columns::of(Post::TITLE)
    }

    fn shows_private(_: &Caller) -> Where<Post> {
        Post::AUTHOR_ID.references(Member::NAME.eq("Ann".to_owned()))
    }
}

/// SEC-46: keys cannot be private, and the visibility of private columns must depend on the row alone.
#[tokio::test]
async fn private_keys_and_conditions_on_other_rows_are_rejected_at_startup() {
    assert_eq!(
        startup_errors(api().policy::<KeyPolicy>()).await,
        [
            "the policy of Post: `author_id` cannot be private, since URLs and relations lead over keys; hide it by \
             `hidden`"
        ]
    );
    assert_eq!(
        startup_errors(api().policy::<FarPolicy>()).await,
        ["the policy of Post: `shows_private` asks for rows of another model; compare columns of Post alone"]
    );
}
