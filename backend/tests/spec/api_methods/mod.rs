//! Api methods.

mod foreign_keys;
mod misleading_urls;
mod parameter_names;
mod refused;
mod serializers;
mod urls;
mod views;

use backend::api::{Api, ModelSerializer};
use model_resource::{Blueprint, Model, model_resource, serializer};

const DESK: Blueprint = Blueprint::new("desk", "/desk");

#[derive(Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

fn notes(api: Api) -> Api {
    api.serializer::<NoteSerializer>()
        .model_resource::<NoteResource>()
}
