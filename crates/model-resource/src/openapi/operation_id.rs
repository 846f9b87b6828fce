//! Operation ids: unique names by which generated clients call the actions of an api.

use foldhash::{HashMap, HashSet};
use model_resource_schema::naming;

use crate::description::{ActionDescription, ApiDescription};
use crate::routing::Operation;

/// Ids of an api's actions by URL and method. They are made from the whole api, so that an action has the same id in the
/// documents of all callers.
pub(super) struct OperationIds(HashMap<(String, String), String>);

impl OperationIds {
    pub(super) fn of(api: &ApiDescription) -> Self {
        let mut taken = HashSet::default();
        let mut ids = HashMap::default();
        for action in api.actions.iter().filter(|action| action.route.method != "HEAD") {
            let id = free_id(action, &api.prefix, &mut taken);
            ids.insert((action.route.url.clone(), action.route.method.clone()), id);
        }
        Self(ids)
    }

    pub(super) fn get(&self, action: &ActionDescription) -> Option<&str> {
        let key = (action.route.url.clone(), action.route.method.clone());
        self.0.get(&key).map(String::as_str)
    }
}

/// Shortest id that is not taken: by the operation, then with the URL, then with a number.
fn free_id(action: &ActionDescription, prefix: &str, taken: &mut HashSet<String>) -> String {
    let base = base_id(action);
    let url = action.route.url.strip_prefix(prefix).unwrap_or(&action.route.url);
    let words = url
        .split('/')
        .filter(|word| !word.is_empty() && !word.contains('<'));
    let place: String = words.map(pascal_case).collect();
    let longer = format!("{base}At{place}");
    let numbered = (2_usize..).map(|number| format!("{longer}{number}"));
    let mut candidates = [base, longer.clone()].into_iter().chain(numbered);
    let id = candidates.find(|id| !taken.contains(id));
    let id = id.expect("the numbers do not end");
    taken.insert(id.clone());
    id
}

fn base_id(action: &ActionDescription) -> String {
    if let (true, Some(model)) = (action.restores, action.model) {
        return format!("restore{model}");
    }
    let (Some(operation), Some(model)) = (action.route.operation, action.model) else {
        return view_id(action);
    };
    let verb = verb(operation);
    // A request for many objects; POST takes one as well.
    let is_many = operation == Operation::List || (action.route.bulk && operation != Operation::Create);
    let object = if is_many {
        naming::plural(model)
    } else {
        model.to_owned()
    };
    format!("{verb}{object}")
}

/// Id of a view: its name, and the method if it answers several.
fn view_id(action: &ActionDescription) -> String {
    let name = naming::camel_case(&action.route.handler);
    match action.route.method.as_str() {
        "GET" | "POST" => name,
        method => format!("{name}{}", pascal_case(&method.to_lowercase())),
    }
}

fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create",
        Operation::List => "list",
        Operation::Get => "get",
        Operation::Put => "replace",
        Operation::Patch => "update",
        Operation::Delete => "delete",
    }
}

/// Converts `contact-submissions` to `ContactSubmissions`.
pub(super) fn pascal_case(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let capitalized = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    words.map(capitalized).collect()
}
