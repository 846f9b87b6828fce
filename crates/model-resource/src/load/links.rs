//! Loads the links of a many-to-many relation in a body into drafts of the join model.

use foldhash::{HashMap, HashSet};
use model_resource_schema::draft::{AnyDraft, ChildDraft, ChildDrafts, ChildPlace};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::message::{Message, code};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::serializer::{NestedBody, NestedInput, NestedLinks};
use model_resource_schema::value::Value;

use crate::load::related_rows::{key_of, key_value, read_rows};
use crate::pipeline::{Context, Result};

/// Values of a body that name related objects, with their places.
type Named<'b> = Vec<(ChildPlace, &'b str)>;

/// Loads the links of one relation, and returns their errors by path.
pub(super) async fn load_links(
    cx: &Context,
    input: &NestedInput,
    links: &NestedLinks,
    parent: Option<Value>,
    body: &NestedBody<'_>,
) -> Result<(ChildDrafts, Errors)> {
    let mut children = ChildDrafts::new(input.name, links.table, input.foreign_key);
    let (linked, unlinked, mut errors) = named(body);
    let targets = Targets::find(cx, input, links, linked.iter().chain(&unlinked)).await?;
    let mut existing = Existing::find(cx, input, links, parent).await?;
    let mut kept = HashSet::default();
    for (place, text) in linked {
        match targets.key(text) {
            Some(key) if !kept.insert(url_text(key.borrow())) || existing.has(key) => {}
            Some(key) => {
                let mut draft = AnyDraft::new(links.table);
                draft.set(links.to, key.clone());
                children.created.push(ChildDraft { place, draft });
            }
            None => errors.merge(missing(place, links)),
        }
    }
    for (place, text) in unlinked {
        match targets.key(text).map(|key| existing.take(key)) {
            Some(rows) if !rows.is_empty() => children.removed.extend(rows),
            _ => errors.merge(missing(place, links)),
        }
    }
    if let NestedBody::All(_) = body
        && existing.is_known
    {
        children.replaced = Some(existing.keys.clone());
        let is_left = |key: &String| !kept.contains(key);
        children.removed = existing.visible(cx, input, links, is_left).await?;
    }
    Ok((children, errors))
}

/// Splits a body into values to link and values to unlink.
fn named<'b>(body: &NestedBody<'b>) -> (Named<'b>, Named<'b>, Errors) {
    let places = |member, texts: &[&'b str]| -> Named<'b> {
        let place = |(index, text): (usize, &&'b str)| (ChildPlace { member, index }, *text);
        texts.iter().enumerate().map(place).collect()
    };
    match body {
        NestedBody::All(texts) => (places(None, texts), Vec::new(), Errors::new()),
        NestedBody::Changes { add, update, remove } => {
            let mut errors = Errors::new();
            if !update.is_empty() {
                let text = "Links are added and removed, and have nothing to update.";
                errors.add("update", Message::new(code::OBJECT, text));
            }
            (places(Some("add"), add), places(Some("remove"), remove), errors)
        }
    }
}

/// Keys of the named objects that exist for the caller, by the texts of the values that name them.
struct Targets<'t> {
    links: &'t NestedLinks,
    keys: HashMap<String, Value>,
}

impl<'t> Targets<'t> {
    /// Finds all named objects by one statement.
    async fn find<'b>(
        cx: &Context,
        input: &NestedInput,
        links: &'t NestedLinks,
        named: impl Iterator<Item = &'b (ChildPlace, &'b str)>,
    ) -> Result<Self> {
        let (table, column) = (links.target, &links.target.columns[links.column]);
        let values: Vec<Value> = named.filter_map(|(_, text)| key_value(column, text)).collect();
        let mut keys = HashMap::default();
        if !values.is_empty() {
            let access = cx.access(table);
            let rows = access.identified_by(links.column, access.rows())?;
            let rows = rows.restrict(AnyWhere::one_of(table, links.column, values));
            let pair = |row: &Record| (url_text(row.value(links.column)), key_of(table, row));
            keys.extend(read_rows(cx, input, rows).await?.iter().map(pair));
        }
        Ok(Self { links, keys })
    }

    /// Key of the object that a text names.
    fn key(&self, text: &str) -> Option<&Value> {
        let column = &self.links.target.columns[self.links.column];
        let value = key_value(column, text)?;
        self.keys.get(&url_text(value.borrow()))
    }
}

/// Rows of the join model that the caller sees below a parent.
#[derive(Default)]
struct Existing {
    /// Whether there is a parent.
    is_known: bool,
    /// Keys of all rows.
    keys: Vec<Value>,
    /// Keys of rows by the text of the related object's key, with that key.
    by_target: HashMap<String, (Value, Vec<Value>)>,
}

impl Existing {
    async fn find(
        cx: &Context,
        input: &NestedInput,
        links: &NestedLinks,
        parent: Option<Value>,
    ) -> Result<Self> {
        let mut existing = Self::default();
        let Some(parent) = parent else {
            return Ok(existing);
        };
        existing.is_known = true;
        let rows = cx.access(links.table).rows().filter(input.foreign_key, parent);
        for row in read_rows(cx, input, rows).await? {
            let (key, target) = (key_of(links.table, &row), row.value(links.to));
            let entry = existing.by_target.entry(url_text(target));
            let (_, keys) = entry.or_insert_with(|| (target.to_value(), Vec::new()));
            keys.push(key.clone());
            existing.keys.push(key);
        }
        Ok(existing)
    }

    fn has(&self, target: &Value) -> bool {
        self.by_target.contains_key(&url_text(target.borrow()))
    }

    /// Takes out the rows that lead to an object.
    fn take(&mut self, target: &Value) -> Vec<Value> {
        let found = self.by_target.remove(&url_text(target.borrow()));
        found.map(|(_, keys)| keys).unwrap_or_default()
    }

    /// Keys of the rows that lead to objects which exist for the caller, of those that are meant.
    async fn visible(
        self,
        cx: &Context,
        input: &NestedInput,
        links: &NestedLinks,
        is_meant: impl Fn(&String) -> bool,
    ) -> Result<Vec<Value>> {
        let mut rows = self.by_target;
        rows.retain(|target, _| is_meant(target));
        let visible = cx.access(links.target).rows();
        if !visible.is_all() && !rows.is_empty() {
            let targets = rows.values().map(|(target, _)| target.clone()).collect();
            let visible = visible.restrict(AnyWhere::key_in(links.target, targets));
            let visible = read_rows(cx, input, visible).await?;
            let text = |row: &Record| url_text(row.value(links.target.primary_key));
            let visible: HashSet<String> = visible.iter().map(text).collect();
            rows.retain(|target, _| visible.contains(target));
        }
        Ok(rows.into_values().flat_map(|(_, keys)| keys).collect())
    }
}

fn missing(place: ChildPlace, links: &NestedLinks) -> Errors {
    let text = format!("{} does not exist.", links.target.model);
    let mut list = Errors::field(
        place.index.to_string(),
        Message::new(code::MISSING_REFERENCE, text),
    );
    if let Some(member) = place.member {
        let inner = std::mem::take(&mut list);
        list.nest(member, inner);
    }
    list
}
