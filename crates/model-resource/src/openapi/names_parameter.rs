//! Query parameters with comma-separated names.

use std::borrow::Cow;

use serde::Serialize;

use crate::openapi::json_writer::JsonArrayWriter;

/// Query parameter with comma-separated names.
#[derive(Serialize)]
pub(super) struct NamesParameter<'d> {
    name: &'static str,
    #[serde(rename = "in")]
    location: &'static str,
    description: Cow<'d, str>,
    style: &'static str,
    explode: bool,
    schema: NamesSchema<'d>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NamesSchema<'d> {
    r#type: &'static str,
    items: NameSchema<'d>,
    min_items: usize,
    max_items: usize,
}

#[derive(Serialize)]
struct NameSchema<'d> {
    r#type: &'static str,
    r#enum: Vec<Cow<'d, str>>,
}

impl<'d> NamesParameter<'d> {
    pub(super) fn new(
        name: &'static str,
        description: impl Into<Cow<'d, str>>,
        names: Vec<Cow<'d, str>>,
        max: usize,
    ) -> Self {
        Self {
            name,
            location: "query",
            description: description.into(),
            style: "form",
            explode: false,
            schema: NamesSchema {
                r#type: "array",
                items: NameSchema {
                    r#type: "string",
                    r#enum: names,
                },
                min_items: 1,
                max_items: max,
            },
        }
    }

    /// Writes the parameter, if there is a name.
    pub(super) fn write(self, parameters: &mut JsonArrayWriter<'_>) {
        if !self.schema.items.r#enum.is_empty() {
            parameters.item(&self);
        }
    }
}
