//! Relations on pages: labels and links instead of keys and documents.

use model_resource::{Api, Model, ModelSerializer, Pages, SerializerFields, model_resource, serializer};
use test_support::TestApp;

use crate::page;

#[derive(Debug, Clone, Model)]
#[model(table = "songs")]
struct Song {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "singers")]
struct Singer {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "recordings")]
struct Recording {
    #[column(primary_key)]
    id: i64,
    #[column(references = Song, on_delete = cascade)]
    song_id: i64,
    #[column(references = Singer, on_delete = cascade)]
    singer_id: i64,
}

struct SongSerializer;

#[serializer]
impl ModelSerializer for SongSerializer {
    type Model = Song;

    fn fields(fields: SerializerFields<Song>) -> SerializerFields<Song> {
        let singers = |fields: SerializerFields<Song>, name| {
            fields.many_to_many::<SingerSerializer>(name, Recording::SONG_ID, Recording::SINGER_ID)
        };
        let fields = singers(fields, "singers");
        let fields = singers(fields, "singerKeys")
            .as_keys("singerKeys")
            .always("singerKeys");
        let fields = singers(fields, "names")
            .as_member("names", Singer::NAME)
            .always("names");
        singers(fields, "whole").always("whole")
    }
}

struct SingerSerializer;

#[serializer]
impl ModelSerializer for SingerSerializer {
    type Model = Singer;
}

#[model_resource(Song, "/songs", "/songs/<int:id>", serializer = SongSerializer)]
struct SongResource;

#[model_resource(Singer, "/singers", "/singers/<int:id>", serializer = SingerSerializer)]
struct SingerResource;

async fn app() -> TestApp {
    let api = Api::new("music")
        .model_resource::<SongResource>()
        .model_resource::<SingerResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO songs (title) VALUES ('Hymn'), ('Silence');
         INSERT INTO singers (name) VALUES ('Ann <b>'), ('Bob'), ('C'), ('D'), ('E'), ('F'), ('G');
         INSERT INTO recordings (song_id, singer_id) SELECT 1, id FROM singers;",
    );
    app
}

/// REL-11: a list shows related objects by their labels with links, and single members as they are, each escaped.
#[tokio::test]
async fn a_list_shows_related_objects_by_their_labels() {
    let app = app().await;
    let list = page(&app, "/songs").await;
    let links = "<a href=\"/singers/1\">Ann &lt;b&gt;</a>, <a href=\"/singers/2\">Bob</a>, ";
    assert_eq!(list.matches(links).count(), 2, "keys and objects: {list}");
    assert!(
        list.contains("Ann &lt;b&gt;, Bob, C, D, E, \u{2026} 2 more"),
        "{list}"
    );
    assert!(!list.contains("<b>"), "{list}");
}

/// REL-11: the page of an object also shows the relations through join models that are written on request.
#[tokio::test]
async fn the_page_of_an_object_shows_its_relations() {
    let app = app().await;
    let song = page(&app, "/songs/1").await;
    let links = "<a href=\"/singers/1\">Ann &lt;b&gt;</a>, <a href=\"/singers/2\">Bob</a>, ";
    assert_eq!(song.matches(links).count(), 3, "{song}");
    assert!(
        song.contains("<a href=\"/singers/7\">G</a>") && song.contains("Singer keys"),
        "{song}"
    );
    let silent = page(&app, "/songs/2").await;
    assert!(
        silent.contains("Singer keys") && !silent.contains("Bob"),
        "{silent}"
    );
}
