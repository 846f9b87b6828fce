//! Api methods.

mod foreign_keys;
mod misleading_urls;
mod parameter_names;
mod serializers;
mod startup_errors;
mod urls;
mod views;

use model_resource::{Api, Blueprint, model_resource};

use crate::note::Note;

const DESK: Blueprint = Blueprint::new("desk", "/desk");

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

fn notes(api: Api) -> Api {
    api.model_resource::<NoteResource>()
}
