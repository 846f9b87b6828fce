//! Links of many-to-many relations that are written with their object.

use model_resource::{
    Api, CREATE, Caller, Model, ModelPolicy, ModelResource, ModelSerializer, Operations, PATCH,
    SerializerFields, Where, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "films")]
pub(crate) struct Film {
    #[column(primary_key)]
    pub(crate) id: i64,
    pub(crate) title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "genres")]
pub(crate) struct Genre {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(default = false)]
    is_secret: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "film_genres")]
pub(crate) struct FilmGenre {
    #[column(primary_key)]
    id: i64,
    #[column(references = Film, on_delete = cascade)]
    film_id: i64,
    #[column(references = Genre, on_delete = cascade)]
    genre_id: i64,
    #[column(default = false)]
    is_fixed: bool,
}

pub(crate) struct GenreSerializer;

#[serializer]
impl ModelSerializer for GenreSerializer {
    type Model = Genre;
}

/// Shows genres by name, always.
struct FilmSerializer;

#[serializer]
impl ModelSerializer for FilmSerializer {
    type Model = Film;

    fn fields(fields: SerializerFields<Film>) -> SerializerFields<Film> {
        fields
            .many_to_many::<GenreSerializer>("genres", FilmGenre::FILM_ID, FilmGenre::GENRE_ID)
            .as_member("genres", Genre::NAME)
            .always("genres")
            .writable("genres")
    }
}

struct FilmResource;

#[model_resource(Film, "/films", "/films/<int:id>", serializer = FilmSerializer)]
impl ModelResource for FilmResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// Writes genres by their keys, and shows them as objects on request.
struct KeyedSerializer;

#[serializer]
impl ModelSerializer for KeyedSerializer {
    type Model = Film;

    fn fields(fields: SerializerFields<Film>) -> SerializerFields<Film> {
        fields
            .many_to_many::<GenreSerializer>("genres", FilmGenre::FILM_ID, FilmGenre::GENRE_ID)
            .writable("genres")
    }
}

struct KeyedResource;

#[model_resource(Film, "/films", "/films/<int:id>", serializer = KeyedSerializer)]
impl ModelResource for KeyedResource {
    const PUBLIC: bool = true;
}

#[model_resource(Genre, "/genres", "/genres/<int:id>")]
pub(crate) struct GenreResource;

#[model_resource(FilmGenre, "/film-genres", "/film-genres/<int:id>")]
pub(crate) struct FilmGenreResource;

struct GenrePolicy;

impl ModelPolicy for GenrePolicy {
    type Model = Genre;

    fn visible(caller: &Caller) -> Where<Genre> {
        if caller.has_role("editor") {
            Where::all()
        } else {
            Genre::IS_SECRET.eq(false)
        }
    }
}

/// Authenticated callers link films, and unlink what is not fixed.
struct LinkPolicy;

impl ModelPolicy for LinkPolicy {
    type Model = FilmGenre;

    fn deletable(caller: &Caller) -> Where<FilmGenre> {
        if caller.is_authenticated() {
            FilmGenre::IS_FIXED.eq(false)
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

pub(crate) struct Cinema {
    pub(crate) app: TestApp,
    pub(crate) user: Client,
    editor: Client,
}

pub(crate) async fn cinema(api: Api) -> Cinema {
    let api = api
        .policy::<GenrePolicy>()
        .policy::<LinkPolicy>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let database = app.database();
    database.execute(
        "INSERT INTO genres (id, name, is_secret) VALUES (1, 'noir', false), (2, 'war', false), (3, 'spy', true), (4, 'new', false)",
    );
    database.execute("INSERT INTO films (id, title) VALUES (100, 'M'), (101, 'Z')");
    database.execute(
        "INSERT INTO film_genres (id, film_id, genre_id, is_fixed) VALUES
         (1000, 100, 1, false), (1001, 100, 2, false), (1002, 100, 3, false), (1003, 101, 1, true)",
    );
    let (user, editor) = (app.as_caller("1"), app.as_caller("2 editor"));
    Cinema { app, user, editor }
}

fn by_name() -> Api {
    Api::new("cinema").model_resource::<FilmResource>()
}

async fn genres(client: &Client, film: i64) -> Value {
    let film = client.get(&format!("/films/{film}")).await.expect(200).json();
    film["genres"].clone()
}

/// NST-12: an object is created with links to existing objects, by the member that the relation is shown as.
#[tokio::test]
async fn an_object_is_created_with_its_links() {
    let cinema = cinema(by_name()).await;
    let film = json!({"title": "Alphaville", "genres": ["war", "noir", "war"]});
    let created = cinema.user.post("/films", film).await.expect(201).json();
    assert_eq!(created["genres"], json!(["noir", "war"]));
    let read = cinema
        .user
        .get(&format!("/films/{}", created["id"]))
        .await
        .expect(200)
        .json();
    assert_eq!(read, created);
    let count = format!(
        "SELECT COUNT(*) FROM film_genres WHERE film_id = {}",
        created["id"]
    );
    assert_eq!(cinema.app.database().value::<u32>(&count), 2);
}

/// NST-12: a list replaces the links, and changes add and remove single ones. Equal links stay.
#[tokio::test]
async fn links_are_replaced_added_and_removed() {
    let cinema = cinema(by_name()).await;
    let put = json!({"title": "M", "genres": ["new", "noir"]});
    let film = cinema.user.put("/films/100", put).await.expect(200).json();
    assert_eq!(film["genres"], json!(["noir", "new"]));
    let kept = "SELECT COUNT(*) FROM film_genres WHERE id = 1000";
    assert_eq!(cinema.app.database().value::<u32>(kept), 1);
    // A link to an object that the caller does not see is left alone.
    assert_eq!(genres(&cinema.editor, 100).await, json!(["noir", "spy", "new"]));
    let change = json!({"genres": {"add": ["war", "noir"], "remove": ["new"]}});
    let film = cinema.user.patch("/films/100", change).await.expect(200).json();
    assert_eq!(film["genres"], json!(["noir", "war"]));
    cinema
        .user
        .patch("/films/100", json!({"title": "N"}))
        .await
        .expect(200);
    assert_eq!(genres(&cinema.user, 100).await, json!(["noir", "war"]));
    cinema
        .editor
        .patch("/films/100", json!({"genres": []}))
        .await
        .expect(200);
    assert_eq!(genres(&cinema.editor, 100).await, json!([]));
}

/// NST-12: without a member, links are written as keys.
#[tokio::test]
async fn links_are_written_as_keys() {
    let cinema = cinema(Api::new("cinema").model_resource::<KeyedResource>()).await;
    let created = cinema
        .user
        .post("/films", json!({"title": "x", "genres": [2, 1]}))
        .await
        .expect(201)
        .json();
    let names: Vec<&Value> = created["genres"]
        .as_array()
        .unwrap()
        .iter()
        .map(|genre| &genre["name"])
        .collect();
    assert_eq!(names, ["noir", "war"]);
    cinema
        .user
        .post("/films", json!({"title": "x", "genres": ["noir"]}))
        .await
        .expect(400);
    cinema
        .user
        .post("/films", json!({"title": "x", "genres": [{"id": 1}]}))
        .await
        .expect(400);
}

/// NST-13: objects that do not exist for the caller cannot be linked, and nothing tells them from missing ones.
#[tokio::test]
async fn invisible_objects_cannot_be_linked() {
    let cinema = cinema(by_name()).await;
    let before = cinema.app.database().rows();
    let film = |genre: &str| json!({"title": "x", "genres": ["noir", genre]});
    let hidden = cinema.user.post("/films", film("spy")).await.expect(400).json();
    let missing = cinema.user.post("/films", film("nope")).await.expect(400).json();
    assert_eq!(hidden, missing);
    assert!(hidden["errors"]["genres"]["1"].is_array(), "{hidden}");
    for change in [
        json!({"add": ["spy"]}),
        json!({"remove": ["spy"]}),
        json!({"remove": ["new"]}),
        json!({"update": ["war"]}),
    ] {
        cinema
            .user
            .patch("/films/100", json!({"genres": change}))
            .await
            .expect(400);
    }
    for genres in [
        json!("noir"),
        json!([1]),
        json!([null]),
        json!([["noir"]]),
        json!({"name": "noir"}),
    ] {
        cinema
            .user
            .post("/films", json!({"title": "x", "genres": genres}))
            .await
            .expect(400);
    }
    assert_eq!(cinema.app.database().rows(), before);
    cinema.editor.post("/films", film("spy")).await.expect(201);
}

/// NST-13: the policy of the join model applies.
#[tokio::test]
async fn the_policy_of_the_join_model_applies() {
    let cinema = cinema(by_name()).await;
    let before = cinema.app.database().rows();
    cinema
        .app
        .post("/films", json!({"title": "x", "genres": ["noir"]}))
        .await
        .expect(401);
    cinema
        .app
        .patch("/films/100", json!({"genres": []}))
        .await
        .expect(401);
    cinema
        .user
        .patch("/films/101", json!({"genres": []}))
        .await
        .expect(403);
    cinema
        .user
        .patch("/films/101", json!({"genres": {"remove": ["noir"]}}))
        .await
        .expect(403);
    let many = json!([{"id": 100, "genres": ["new"]}, {"id": 101, "genres": ["new"]}]);
    cinema.user.patch("/films", many).await.expect(403);
    assert_eq!(cinema.app.database().rows(), before);
    cinema
        .user
        .patch("/films/101", json!({"genres": ["noir", "war"]}))
        .await
        .expect(200);
}

/// NST-14: a declaration whose links cannot be written is rejected at startup.
#[tokio::test]
async fn links_that_cannot_be_written_are_rejected_at_startup() {
    struct ByTitle;

    #[serializer]
    impl ModelSerializer for ByTitle {
        type Model = Genre;

        fn fields(fields: SerializerFields<Genre>) -> SerializerFields<Genre> {
            fields
                .many_to_many::<FilmSerializer>("films", FilmGenre::GENRE_ID, FilmGenre::FILM_ID)
                .as_member("films", Film::TITLE)
                .writable("films")
        }
    }

    #[model_resource(Genre, "/genres", serializer = ByTitle)]
    struct ByTitleResource;

    let errors = startup_errors(Api::new("cinema").model_resource::<ByTitleResource>()).await;
    assert!(
        errors[0].contains("`title` of Film is not `unique`"),
        "{errors:?}"
    );
}
