//! Presets of join models whose links are written with an object.

use model_resource::{
    Api, Caller, Draft, Model, ModelPolicy, ModelResource, ModelSerializer, SerializerFields, model_resource,
    serializer,
};
use serde_json::json;

use crate::linked_writes::{Film, FilmGenreResource, GenreResource, GenreSerializer, cinema};

#[derive(Debug, Clone, Model)]
#[model(table = "fans")]
struct Fan {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "film_fans")]
struct FilmFan {
    #[column(primary_key)]
    id: i64,
    #[column(references = Film, on_delete = cascade)]
    film_id: i64,
    #[column(references = Fan, on_delete = cascade)]
    fan_id: i64,
}

struct FanSerializer;

#[serializer]
impl ModelSerializer for FanSerializer {
    type Model = Fan;
}

struct FannedSerializer;

#[serializer]
impl ModelSerializer for FannedSerializer {
    type Model = Film;

    fn fields(fields: SerializerFields<Film>) -> SerializerFields<Film> {
        fields
            .many_to_many::<FanSerializer>("fans", FilmFan::FILM_ID, FilmFan::FAN_ID)
            .as_keys("fans")
            .always("fans")
            .writable("fans")
    }
}

struct FannedResource;

#[model_resource(Film, "/films", "/films/<int:id>", serializer = FannedSerializer)]
impl ModelResource for FannedResource {
    const PUBLIC: bool = true;
}

/// Callers link themselves.
struct FanPolicy;

impl ModelPolicy for FanPolicy {
    type Model = FilmFan;

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<FilmFan> {
        Draft::new().with(FilmFan::FAN_ID, caller.key::<i64>().unwrap_or(0))
    }
}

/// NST-13: a link cannot contradict the presets of the join model.
#[tokio::test]
async fn links_have_the_presets_of_the_join_model() {
    let api = Api::new("cinema")
        .policy::<FanPolicy>()
        .serializer::<GenreSerializer>()
        .model_resource::<FannedResource>()
        .model_resource::<GenreResource>()
        .model_resource::<FilmGenreResource>();
    let cinema = cinema(api).await;
    cinema
        .app
        .database()
        .execute("INSERT INTO fans (id, name) VALUES (1, 'ann'), (2, 'bob')");
    let before = cinema.app.database().rows();
    cinema
        .user
        .patch("/films/100", json!({"fans": {"add": [2]}}))
        .await
        .expect(403);
    cinema
        .user
        .patch("/films/100", json!({"fans": [1, 2]}))
        .await
        .expect(403);
    assert_eq!(cinema.app.database().rows(), before);
    let film = cinema
        .user
        .patch("/films/100", json!({"fans": {"add": [1]}}))
        .await
        .expect(200)
        .json();
    assert_eq!(film["fans"], json!([1]));
}
