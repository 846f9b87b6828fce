//! Loads objects with their related ones into drafts, for the body loaders and for serializers in handlers.

use std::sync::Arc;

use foldhash::HashMap;
use model_resource_schema::draft::{AnyDraft, ChildDraft, ChildDrafts, ChildPlace};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::message::Message;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::serializer::{CompiledSerializer, NestedBody, NestedInput, NestedRows, WriteMode};
use model_resource_schema::value::Value;

use crate::load::links::load_links;
use crate::load::read::{convert, read_limited};
use crate::load::related_rows::{MAX_CHILDREN, key_of, key_value, read_rows, too_many};
use crate::pipeline::{Context, Result};

/// Loads a JSON object with its related objects into a draft, within the limits of the URL and the caller's policies.
pub(crate) async fn read(
    cx: &Context,
    serializer: &CompiledSerializer,
    mode: WriteMode,
    draft: &mut AnyDraft,
    fixed: &[(usize, Value)],
    text: &str,
) -> Result<Errors> {
    let mut errors = read_limited(cx, serializer, mode, draft, fixed, text, None).await?;
    if !serializer.nested_inputs().is_empty() {
        errors.merge(Box::pin(load_children(cx, serializer, mode, draft)).await?);
    }
    Ok(errors)
}

/// Loads the related objects of a draft that a body has set, and returns their errors by path.
async fn load_children(
    cx: &Context,
    serializer: &CompiledSerializer,
    mode: WriteMode,
    draft: &mut AnyDraft,
) -> Result<Errors> {
    let mut errors = Errors::new();
    for (name, text) in draft.take_related_texts() {
        let mut inputs = serializer.nested_inputs().iter();
        let Some(input) = inputs.find(|input| input.name == name) else {
            continue;
        };
        if is_hidden(cx, input) {
            errors.add(name, Message::unknown());
            continue;
        }
        let body = match input.split(&text, mode == WriteMode::Update, MAX_CHILDREN) {
            Ok(body) => body,
            Err(message) => {
                errors.add(name, message);
                continue;
            }
        };
        if body.len() > MAX_CHILDREN {
            errors.add(name, too_many());
            continue;
        }
        let parent = draft.key().cloned();
        let (children, found) = match &input.rows {
            NestedRows::Objects(serializer) => {
                let loading = Loading::start(cx, input, serializer, parent, &body).await?;
                loading.load(body).await?
            }
            NestedRows::Links(links) => load_links(cx, input, links, parent, &body).await?,
        };
        errors.nest(name, found);
        draft.add_children(children);
    }
    Ok(errors)
}

/// State of loading the objects of one relation.
struct Loading<'a> {
    cx: &'a Context,
    serializer: &'a Arc<CompiledSerializer>,
    foreign_key: usize,
    /// Foreign key of the objects, if their parent exists.
    fixed: Vec<(usize, Value)>,
    /// Existing rows by the texts of their keys.
    existing: HashMap<String, Record>,
    children: ChildDrafts,
    errors: Errors,
}

impl<'a> Loading<'a> {
    /// Reads the existing rows that the body may be about.
    async fn start(
        cx: &'a Context,
        input: &'a NestedInput,
        serializer: &'a Arc<CompiledSerializer>,
        parent: Option<Value>,
        body: &NestedBody<'_>,
    ) -> Result<Self> {
        let table = serializer.table();
        let mut children = ChildDrafts::new(input.name, table, input.foreign_key);
        let mut existing = HashMap::default();
        let fixed = parent.map(|parent| (input.foreign_key, parent));
        if let Some((column, parent)) = &fixed {
            let rows = cx.access(table).rows().filter(*column, parent.clone());
            let rows = match body {
                NestedBody::All(_) => rows,
                NestedBody::Changes { update, remove, .. } => {
                    rows.restrict(keys_of(serializer, update, remove))
                }
            };
            let rows = read_rows(cx, input, rows).await?;
            if let NestedBody::All(_) = body {
                children.replaced = Some(rows.iter().map(|row| key_of(table, row)).collect());
            }
            let keyed = |row: Record| (url_text(row.value(table.primary_key)), row);
            existing.extend(rows.into_iter().map(keyed));
        }
        Ok(Self {
            cx,
            serializer,
            foreign_key: input.foreign_key,
            fixed: fixed.into_iter().collect(),
            existing,
            children,
            errors: Errors::new(),
        })
    }

    async fn load(mut self, body: NestedBody<'_>) -> Result<(ChildDrafts, Errors)> {
        match body {
            NestedBody::All(objects) => {
                for (index, object) in objects.into_iter().enumerate() {
                    let place = ChildPlace { member: None, index };
                    self.load_listed(place, object).await?;
                }
                let left = std::mem::take(&mut self.existing).into_values();
                let table = self.serializer.table();
                self.children.removed.extend(left.map(|row| key_of(table, &row)));
            }
            NestedBody::Changes { add, update, remove } => {
                let places = |member| {
                    move |index| ChildPlace {
                        member: Some(member),
                        index,
                    }
                };
                for (place, object) in (0..).map(places("add")).zip(add) {
                    self.create(place, object).await?;
                }
                for (place, object) in (0..).map(places("update")).zip(update) {
                    self.load_listed(place, object).await?;
                }
                for (place, key) in (0..).map(places("remove")).zip(remove) {
                    self.remove(place, key);
                }
            }
        }
        Ok((self.children, self.errors))
    }

    /// Loads an object of a list: a change of the row that it names, or a new one.
    async fn load_listed(&mut self, place: ChildPlace, object: &str) -> Result<()> {
        if self.errors.is_full() {
            return Ok(());
        }
        let serializer = self.serializer;
        let key = match serializer.nested_key(object) {
            Ok(key) => key,
            Err(errors) => {
                self.add(place, errors);
                return Ok(());
            }
        };
        let is_new_parent = self.fixed.is_empty();
        let is_client_key = !serializer.table().key().is_generated();
        match key.map(|key| self.existing.remove(&url_text(key.borrow())).ok_or(key)) {
            Some(Ok(row)) => self.update(place, object, row).await,
            None if place.member.is_none() => self.create(place, object).await,
            Some(Err(_)) if place.member.is_none() && (is_client_key || is_new_parent) => {
                self.create(place, object).await
            }
            Some(Err(_)) => {
                self.add(place, missing(serializer));
                Ok(())
            }
            None => {
                let column = serializer.table().key();
                self.add(
                    place,
                    Errors::field(column.wire_name(), column.required_message()),
                );
                Ok(())
            }
        }
    }

    async fn create(&mut self, place: ChildPlace, object: &str) -> Result<()> {
        let draft = AnyDraft::new(self.serializer.table());
        if let Some(draft) = self.read(place, object, WriteMode::Create, draft).await? {
            self.children.created.push(ChildDraft { place, draft });
        }
        Ok(())
    }

    async fn update(&mut self, place: ChildPlace, object: &str, row: Record) -> Result<()> {
        let mode = match place.member {
            None => WriteMode::Replace,
            Some(_) => WriteMode::Update,
        };
        let draft = AnyDraft::of(self.serializer.table(), row);
        if let Some(draft) = self.read(place, object, mode, draft).await? {
            self.children.updated.push(ChildDraft { place, draft });
        }
        Ok(())
    }

    fn remove(&mut self, place: ChildPlace, key: &str) {
        let key = key_value(self.serializer.table().key(), key);
        match key.and_then(|key| self.existing.remove(&url_text(key.borrow())).map(|_| key)) {
            Some(key) => self.children.removed.push(key),
            None => self.add(place, missing(self.serializer)),
        }
    }

    /// Loads one object. Returns nothing if it has errors.
    async fn read(
        &mut self,
        place: ChildPlace,
        object: &str,
        mode: WriteMode,
        mut draft: AnyDraft,
    ) -> Result<Option<AnyDraft>> {
        if self.errors.is_full() {
            return Ok(None);
        }
        let (serializer, foreign_key) = (self.serializer, self.foreign_key);
        let mut fixed = self.fixed.clone();
        if let Some(key) = draft.key() {
            fixed.push((serializer.table().primary_key, key.clone()));
        }
        let text = serializer.alone(object);
        let limited = read_limited(
            self.cx,
            serializer,
            mode,
            &mut draft,
            &fixed,
            &text,
            Some(foreign_key),
        );
        let mut errors = Box::pin(limited).await?;
        if errors.is_empty() {
            (draft, errors) = convert(self.cx, serializer, draft).await?;
        }
        if errors.is_empty() {
            return Ok(Some(draft));
        }
        self.add(place, errors);
        Ok(None)
    }

    fn add(&mut self, place: ChildPlace, errors: Errors) {
        self.errors.merge(place.errors(errors));
    }
}

/// Whether the relation does not exist for the caller.
fn is_hidden(cx: &Context, input: &NestedInput) -> bool {
    let hides = |table, column| cx.access(table).hidden().contains(column);
    hides(input.table(), input.foreign_key)
        || match &input.rows {
            NestedRows::Objects(_) => false,
            NestedRows::Links(links) => hides(links.table, links.to) || hides(links.target, links.column),
        }
}

/// Condition of the rows whose keys occur in changes.
fn keys_of(serializer: &CompiledSerializer, update: &[&str], remove: &[&str]) -> AnyWhere {
    let updated = update
        .iter()
        .filter_map(|object| serializer.nested_key(object).ok().flatten());
    let column = serializer.table().key();
    let removed = remove.iter().filter_map(|key| key_value(column, key));
    AnyWhere::key_in(serializer.table(), updated.chain(removed).collect())
}

fn missing(serializer: &CompiledSerializer) -> Errors {
    let key = serializer.table().key();
    Errors::field(key.wire_name(), format!("{} does not exist.", key.label()))
}
