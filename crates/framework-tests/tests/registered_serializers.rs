//! Purposes for which `#[serializer]` registers a serializer.

use model_resource_macros::{Model, serializer};
use model_resource_schema as schema;
use schema::draft::Draft;
use schema::errors::Errors;
use schema::query::Columns;
use schema::serializer::{ModelSerializer, RegisteredSerializer, SerializerRole, WriteMode};

#[derive(Model)]
#[model(crate = schema)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagSerializer;

#[serializer(crate = schema)]
impl ModelSerializer for TagSerializer {
    type Model = Tag;
    const FIELDS: Columns<Tag> = Columns::of(Tag::ID).and(Tag::NAME);
    const READ_ONLY: Columns<Self::Model> = Columns::of(Tag::ID);
}

struct TagListSerializer;

#[serializer(many, crate = schema)]
impl ModelSerializer for TagListSerializer {
    type Model = Tag;
}

struct NewTagSerializer;

#[serializer(create, crate = schema)]
impl ModelSerializer for NewTagSerializer {
    type Model = Tag;

    fn validate(_: &Draft<Tag>, _: WriteMode, errors: &mut Errors) {
        errors.add("name", "No more tags.");
    }
}

#[test]
fn the_argument_sets_the_purpose_of_the_serializer() {
    assert_eq!(TagSerializer::ROLE, SerializerRole::Single);
    assert_eq!(TagListSerializer::ROLE, SerializerRole::Many);
    assert_eq!(NewTagSerializer::ROLE, SerializerRole::Create);
}

#[test]
fn only_a_serializer_that_defines_validate_validates_the_whole_object() {
    assert_eq!(
        (TagSerializer::VALIDATES, NewTagSerializer::VALIDATES),
        (false, true)
    );
}
