//! Texts of the schemas of request bodies.

use foldhash::HashMap;
use model_resource_schema::serializer::{InputSchema, ObjectSchema, WriteMode};

use crate::openapi::field;
use crate::openapi::json_writer::{JsonObjectWriter, text};
use crate::openapi::nested;

/// Writer of the schemas of bodies.
#[derive(Default)]
pub(super) struct BodyTexts<'d> {
    /// Fields by model and name, with the texts of their schemas. Most are the same in all bodies of a model.
    fields: HashMap<(&'static str, &'d str), Vec<FieldText<'d>>>,
    /// Buffer in which a text is written.
    buffer: Vec<u8>,
}

struct FieldText<'d> {
    field: &'d InputSchema,
    is_change: bool,
    text: Box<[u8]>,
}

impl<'d> BodyTexts<'d> {
    /// Text of the schema of a body that is loaded into an object, which responses show as `shown`.
    pub(super) fn schema(
        &mut self,
        object: &'d ObjectSchema,
        mode: WriteMode,
        shown: Option<&ObjectSchema>,
    ) -> Box<[u8]> {
        let is_change = mode == WriteMode::Update;
        let mut out = std::mem::take(&mut self.buffer);
        out.clear();
        let mut schema = JsonObjectWriter::new(&mut out);
        schema.member("type", "object");
        schema.object("properties", |properties| {
            for input in &object.input {
                let text = self.field(object.model, input, is_change, shown);
                properties.with(&input.name, |out| out.extend_from_slice(text));
            }
            for relation in &object.nested {
                properties.member(relation.name, &nested::schema(relation, mode));
            }
        });
        let required = object.input.iter().filter(|input| input.is_required);
        let required: Vec<&str> = required.map(|input| input.name.as_str()).collect();
        if !required.is_empty() {
            schema.member("required", &required);
        }
        if object.input.iter().any(|input| input.needs.is_some()) {
            schema.object("dependentRequired", |dependent| {
                for (input, needed) in object
                    .input
                    .iter()
                    .filter_map(|input| Some((input, input.needs?)))
                {
                    dependent.member(&input.name, &[needed]);
                }
            });
        }
        schema.member("additionalProperties", &false);
        schema.end();
        let text = out.as_slice().into();
        self.buffer = out;
        text
    }

    /// Text of the schema of a field.
    fn field(
        &mut self,
        model: &'static str,
        field: &'d InputSchema,
        is_change: bool,
        shown: Option<&ObjectSchema>,
    ) -> &[u8] {
        let known = self.fields.entry((model, &field.name)).or_default();
        let is_same = |known: &FieldText<'_>| {
            let has_same_default = known.is_change == is_change || field.default.is_none();
            has_same_default && known.field.is_same_apart_from_presence(field)
        };
        let position = known.iter().position(is_same).unwrap_or_else(|| {
            let mut schema = field::input(field, is_change);
            if shown.is_some_and(|shown| shown.output.iter().all(|member| member.name != field.name)) {
                schema.set("writeOnly", true);
            }
            known.push(FieldText {
                field,
                is_change,
                text: text(&schema).into(),
            });
            known.len() - 1
        });
        &known[position].text
    }
}
