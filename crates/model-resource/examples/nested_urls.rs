//! Parameters before the end of a URL limit every operation to the rows of a parent, and of its parent. The songs of
//! one playlist, and the ratings of one song of one playlist, are listed, created and found only below it. The
//! parameter at the end identifies a row by its primary key or by any other unique column.
//!
//! ```text
//! cargo run -p model-resource --example nested_urls
//!
//! curl localhost:8000/playlists --json '{"name": "Morning"}'
//! # 201 {"id":1,"name":"Morning"}
//! curl localhost:8000/playlists --json '{"name": "Evening"}'
//! # 201 {"id":2,"name":"Evening"}
//! curl localhost:8000/playlists/1/songs --json '{"title": "Here Comes the Sun"}' -i
//! # 201 {"id":1,"playlistId":1,"title":"Here Comes the Sun"}
//! # location: /playlists/1/songs/1
//! curl localhost:8000/playlists/2/songs --json '{"title": "Moon River"}'
//! # 201 {"id":2,"playlistId":2,"title":"Moon River"}
//! curl localhost:8000/playlists/1/songs
//! # 200 [{"id":1,"playlistId":1,"title":"Here Comes the Sun"}]
//! curl localhost:8000/playlists/1/songs/2
//! # 404 {"message":"Not found."}
//! curl localhost:8000/playlists/1/songs/2 -X DELETE
//! # 404 {"message":"Not found."}
//! curl localhost:8000/playlists/2/songs/2
//! # 200 {"id":2,"playlistId":2,"title":"Moon River"}
//! curl localhost:8000/playlists/3/songs
//! # 404 {"message":"Not found."}
//! curl localhost:8000/playlists/named/Morning
//! # 200 {"id":1,"name":"Morning"}
//! curl localhost:8000/playlists/1/songs/1/ratings --json '{"stars": 5}'
//! # 201 {"id":1,"songId":1,"stars":5}
//! curl localhost:8000/playlists/1/songs/1/ratings
//! # 200 [{"id":1,"songId":1,"stars":5}]
//! curl localhost:8000/playlists/2/songs/1/ratings
//! # 404 {"message":"Not found."}
//! curl localhost:8000/playlists/2 -X DELETE
//! # 204
//! curl localhost:8000/playlists/2/songs/2
//! # 404 {"message":"Not found."}
//! ```

use std::error::Error;

use model_resource::{Api, Model, ModelSerializer, Store, model_resource, serializer, serve};

/// Playlist for an occasion.
#[derive(Model)]
struct Playlist {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
}

/// Song of one playlist.
#[derive(Model)]
struct Song {
    #[column(primary_key)]
    id: i64,
    #[column(references = Playlist, on_delete = cascade)]
    playlist_id: i64,
    title: String,
}

/// Rating of a song.
#[derive(Model)]
struct Rating {
    #[column(primary_key)]
    id: i64,
    #[column(references = Song, on_delete = cascade)]
    song_id: i64,
    #[column(min = 1, max = 5)]
    stars: i32,
}

struct PlaylistSerializer;

#[serializer]
impl ModelSerializer for PlaylistSerializer {
    type Model = Playlist;
}

struct SongSerializer;

#[serializer]
impl ModelSerializer for SongSerializer {
    type Model = Song;
}

struct RatingSerializer;

#[serializer]
impl ModelSerializer for RatingSerializer {
    type Model = Rating;
}

#[model_resource(Playlist, "/playlists", "/playlists/<int:id>", "/playlists/named/<name>")]
struct PlaylistResource;

#[model_resource(
    Song,
    "/playlists/<int:playlist_id>/songs",
    "/playlists/<int:playlist_id>/songs/<int:id>"
)]
struct SongResource;

/// Ratings of a song. A rating exists here only if its song belongs to the playlist.
#[model_resource(Rating, "/playlists/<int:playlist_id>/songs/<int:song_id>/ratings")]
struct RatingResource;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new("music")
        .serializer::<PlaylistSerializer>()
        .model_resource::<PlaylistResource>()
        .serializer::<SongSerializer>()
        .model_resource::<SongResource>()
        .serializer::<RatingSerializer>()
        .model_resource::<RatingResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
