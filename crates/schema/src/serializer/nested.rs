//! Relations whose objects clients write together with their parent.

use crate::column::Table;
use crate::errors::Errors;
use crate::message::{Message, code};
use crate::model::Model;
use crate::serializer::compiled::{CompiledSerializer, NestedInput, NestedRows};
use crate::serializer::json_array::read_items;
use crate::serializer::json_object::{Go, MalformedJson, read_object, repeated};
use crate::serializer::serializer_fields::SerializerFields;
use crate::value::Value;

/// Related objects of a body, as texts.
#[derive(Debug, PartialEq, Eq)]
pub enum NestedBody<'t> {
    /// All objects of the relation.
    All(Vec<&'t str>),
    /// Changes of some objects.
    Changes {
        /// New objects.
        add: Vec<&'t str>,
        /// New values of objects with their keys.
        update: Vec<&'t str>,
        /// Keys of objects.
        remove: Vec<&'t str>,
    },
}

impl NestedBody<'_> {
    /// Number of objects.
    pub fn len(&self) -> usize {
        match self {
            Self::All(objects) => objects.len(),
            Self::Changes { add, update, remove } => add.len() + update.len() + remove.len(),
        }
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<M: Model> SerializerFields<M> {
    /// Lets clients write a relation that was added before, together with its parent and in the same transaction: the
    /// objects of `has_many`, and the links of `many_to_many` to existing objects.
    ///
    /// The body contains the list of all objects: those with a key are updated, those without one are created, and those
    /// that are missing in the list are deleted. A body without the relation leaves them unchanged. A PATCH may instead
    /// contain an object of changes, with the lists `add`, `update` and `remove`. The policies of the related model apply
    /// to each object.
    ///
    /// Links are written as a list of keys, `"tags": [1, 2]`, or of the member that the relation is shown as,
    /// `"tags": ["rust", "sql"]`. The policies of the join model apply, and linked objects must be visible.
    ///
    /// ```
    /// use model_resource_schema::model::{Field, Model};
    /// use model_resource_schema::serializer::{ModelSerializer, SerializerFields};
    ///
    /// # fn fields<Invoice: Model, LineSerializer: ModelSerializer>(fields: SerializerFields<Invoice>, invoice_id: Field<LineSerializer::Model, i64>) -> SerializerFields<Invoice> {
    /// // {"customer": "Ann", "lines": [{"text": "Tea", "cents": 350}]}
    /// fields.has_many::<LineSerializer>("lines", invoice_id).writable("lines")
    /// # }
    /// ```
    pub fn writable(mut self, relation: &'static str) -> Self {
        self.added.writable.push(relation);
        self
    }
}

impl CompiledSerializer {
    /// Relations whose objects can be written together with their parent.
    pub fn nested_inputs(&self) -> &[NestedInput] {
        &self.nested
    }

    /// Key of a related object, if the text has one that is not null.
    pub fn nested_key(&self, object: &str) -> Result<Option<Value>, Errors> {
        let column = self.table().key();
        let name = column.wire_name();
        let input = self.inputs.iter().find(|input| input.is_named(&name));
        let mut found = None;
        let read = read_object(object, |key, value| {
            if key == name || input.is_some_and(|input| input.is_named(&key)) {
                found = Some(column.load(value));
                return Go::Stop;
            }
            Go::On
        });
        if read.is_err() {
            return Ok(None);
        }
        match found {
            None | Some(Ok(Value::Null)) => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(message)) => Err(Errors::field(name, message)),
        }
    }
}

impl NestedInput {
    /// Table of the rows that are written.
    pub fn table(&self) -> &'static Table {
        match &self.rows {
            NestedRows::Objects(serializer) => serializer.table(),
            NestedRows::Links(links) => links.table,
        }
    }

    /// Splits the text of the relation. `takes_changes` is whether the body may be an object of changes.
    pub fn split<'t>(
        &self,
        text: &'t str,
        takes_changes: bool,
        max: usize,
    ) -> Result<NestedBody<'t>, Message> {
        let text = text.trim_ascii();
        let malformed = |_: MalformedJson| self.expected(takes_changes);
        if text.starts_with('[') {
            return read_items(text, max.saturating_add(1))
                .map(NestedBody::All)
                .map_err(malformed);
        }
        if !takes_changes || !text.starts_with('{') {
            return Err(self.expected(takes_changes));
        }
        let (mut lists, mut is_known, mut twice) = ([None, None, None], true, None);
        let read = read_object(text, |key, value| {
            match MEMBERS.iter().position(|member| *member == key) {
                Some(member) if lists[member].is_some() => twice = Some(repeated(&key)),
                Some(member) => lists[member] = Some(value.get()),
                None => is_known = false,
            }
            Go::On
        });
        read.map_err(malformed)?;
        if !is_known || twice.is_some() {
            return Err(self.expected(takes_changes));
        }
        let items = |list: Option<&'t str>| match list {
            Some(list) => read_items(list, max.saturating_add(1)).map_err(malformed),
            None => Ok(Vec::new()),
        };
        let [add, update, remove] = lists;
        Ok(NestedBody::Changes {
            add: items(add)?,
            update: items(update)?,
            remove: items(remove)?,
        })
    }

    fn expected(&self, takes_changes: bool) -> Message {
        let text = match (&self.rows, takes_changes) {
            (_, false) => "Expected a list.",
            (NestedRows::Objects(_), true) => {
                "Expected a list, or an object with the lists \"add\", \"update\" and \"remove\"."
            }
            (NestedRows::Links(_), true) => {
                "Expected a list, or an object with the lists \"add\" and \"remove\"."
            }
        };
        Message::new(code::OBJECT, text)
    }
}

/// Members of an object of changes.
const MEMBERS: [&str; 3] = ["add", "update", "remove"];
