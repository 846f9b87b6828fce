//! Api methods.

mod foreign_keys;
mod misleading_urls;
mod parameter_names;
mod serializers;
mod startup_errors;
mod urls;
mod views;

use model_resource::{Api, Blueprint, Model, ModelSerializer, model_resource, serializer};

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
