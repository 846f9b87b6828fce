//! The attributes and derives of model-resource. Each file is one macro: it parses, checks, and expands into what a
//! person could have written.

mod column_enum;
mod diagnostics;
mod handler_call;
mod model;
mod model_resource;
mod naming;
mod registration;
mod route;
mod schema_path;
mod serializer;
mod span;
mod suggest;
mod url;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// Makes a plain struct a model: its table, its columns, and a constant for each field (`User::EMAIL`).
///
/// ```
/// use jiff::Timestamp;
/// use model_resource_macros::Model;
/// use model_resource_schema::model::Model;
///
/// #[derive(Debug, Clone, Model)]
/// #[model(table = "users", crate = model_resource_schema)]
/// pub struct User {
///     #[column(primary_key)]
///     pub id: i64,
///     #[column(unique, email, max_length = 254)]
///     pub email: String,
///     pub first_name: Option<String>,
///     #[column(created)]
///     pub created_at: Timestamp,
/// }
///
/// assert_eq!(User::table().name, "users");
/// assert!(User::EMAIL.column().unique);
/// assert!(User::FIRST_NAME.column().nullable);
/// ```
///
/// `#[model(..)]` takes `table = ".."` (without it, the plural of the struct's name in snake_case),
/// `accept_snake_case` (clients may write `first_name` for `firstName`), and `crate = path` where the schema crate is
/// not found as `::model_resource::schema`.
///
/// `#[column(..)]` takes:
///
/// | Option | Meaning |
/// |---|---|
/// | `primary_key` | names the row: an `i32` or `i64` is counted by the database, a `Uuid` is made when the row is written |
/// | `primary_key = client` | the client assigns the key, of whatever type |
/// | `unique` | no two rows share a value |
/// | `min_length = 1`, `max_length = 200` | bounds of a `String` or `Vec<u8>` |
/// | `min = -1`, `max = "2024-12-31"` | bounds of numbers, decimals, dates, times and moments |
/// | `pattern = "[a-z]+"`, `choices = ["a", "b"]`, `email` | what a `String` may be |
/// | `default = false` | the value of a new row when the client names none |
/// | `precision = 10, scale = 2` | the digits of a `Decimal`, and how many of them stand after the point |
/// | `references = Other` | a foreign key; `on_delete` is `restrict` (the default), `cascade` or `set_null` |
/// | `created`, `updated` | the moment the row was made, or last changed |
/// | `slug(from = title)` | a URL-friendly form of another field, which follows its changes |
/// | `slug(from = title, stable)` | a URL-friendly form of another field, made once when the row is created |
/// | `hidden` | never leaves and never enters |
/// | `json = "givenName"` | the name in JSON, queries and errors, instead of the field's name in lowerCamelCase |
/// | `name = "given_name"` | the name of the column in the database, instead of the field's |
/// | `trim`, `lowercase` | changes a `String` before it is checked and stored |
/// | `message(unique = "This slug is taken.")` | other texts for built-in messages |
///
/// # Names
///
/// A column has three names: that of the field, which Rust code, `fields![..]` and the parameters of URLs use; that in JSON,
/// which bodies, responses, queries, CSV and errors use; and that in the database, which SQL and migrations use.
///
/// # Messages
///
/// The keys of `message(..)` are the codes of the messages: `required`, `null`, `type`, `min_length`, `max_length`, `min`,
/// `max`, `decimal_places`, `whole_digits`, `pattern`, `choice`, `email`, `null_character`, `unique` and `missing_reference`.
/// The text applies wherever the value comes from: one object, many objects, CSV, a handler, or a constraint of the
/// database. The text for `type` also replaces those of `decimal_places`, `whole_digits` and `null_character`, unless they
/// have their own.
///
/// ```
/// use model_resource_macros::Model;
/// use model_resource_schema::model::Model;
///
/// #[derive(Model)]
/// #[model(table = "posts", crate = model_resource_schema)]
/// struct Article {
///     #[column(primary_key)]
///     id: i64,
///     #[column(json = "headline", trim, min_length = 1, message(required = "Please enter a headline."))]
///     title: String,
///     #[column(slug(from = title, stable), unique, message(unique = "This slug is taken."))]
///     slug: String,
///     #[column(name = "writer", trim, lowercase, email)]
///     author: String,
/// }
///
/// let title = Article::TITLE.column();
/// assert_eq!((title.name, title.wire_name().as_str()), ("title", "headline"));
/// assert_eq!(title.required_message().text(), "Please enter a headline.");
/// assert_eq!(Article::AUTHOR.column().database_name, "writer");
/// ```
///
/// # Refused at start
///
/// A model whose options contradict each other is refused when it is registered or its table is created, with the remedy:
/// bounds that exclude each other, a default that the column's own checks reject, or a foreign key of another type than the
/// key that it references.
#[proc_macro_derive(Model, attributes(model, column))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    model::derive(&parse_macro_input!(input)).into()
}

/// Makes an enum without fields the type of a column, and readable from text.
///
/// A variant is called by its name with the first letter lower-cased, or as `#[column(name = "..")]` says.
///
/// ```
/// use model_resource_macros::ColumnEnum;
/// use model_resource_schema::column_type::ColumnType;
/// use model_resource_schema::value::ValueRef;
///
/// #[derive(Debug, PartialEq, ColumnEnum)]
/// #[column(crate = model_resource_schema)]
/// enum Color {
///     DarkRed,
///     #[column(name = "sky-blue")]
///     Blue,
/// }
///
/// assert_eq!(Color::DarkRed.to_value(), ValueRef::Text("darkRed"));
/// assert_eq!("sky-blue".parse(), Ok(Color::Blue));
/// let refused = "pink".parse::<Color>().unwrap_err();
/// assert_eq!(refused.to_string(), "Must be one of: darkRed, sky-blue.");
/// ```
#[proc_macro_derive(ColumnEnum, attributes(column))]
pub fn derive_column_enum(input: TokenStream) -> TokenStream {
    column_enum::derive(&parse_macro_input!(input)).into()
}

/// Marks a serializer, so that an api can be given it: bare or `()` for single objects, `(many)` for lists, `(create)`
/// for loading on create.
///
/// The columns named in `FIELDS`, `EXCLUDE`, `READ_ONLY` and `WRITE_ONLY` are checked against the model's fields.
///
/// ```
/// use model_resource_macros::{Model, serializer};
/// use model_resource_schema::fields;
/// use model_resource_schema::serializer::{Fields, ModelSerializer, RegisteredSerializer, SerializerRole};
///
/// #[derive(Model)]
/// #[model(crate = model_resource_schema)]
/// struct Tag {
///     #[column(primary_key)]
///     id: i64,
///     name: String,
/// }
///
/// struct TagSerializer;
///
/// #[serializer(many, crate = model_resource_schema)]
/// impl ModelSerializer for TagSerializer {
///     type Model = Tag;
///     const EXCLUDE: Fields = fields![id];
/// }
///
/// assert_eq!(TagSerializer::ROLE, SerializerRole::Many);
/// ```
#[proc_macro_attribute]
pub fn serializer(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(serializer::attribute(arguments.into(), &parse_macro_input!(item)))
}

/// Puts a model behind URLs: `#[model_resource([BLUEPRINT,] Model, "/url", .. [, methods = [..], endpoint = "..",
/// state = .., scope(..), unscoped(..)])]`.
///
/// On a unit struct, nothing is overridden. On `impl ModelResource for ..`, the block may hold the attributes
/// `INCLUDE_METHODS`, `EXCLUDE_METHODS`, `INCLUDE_DECORATORS` and `EXCLUDE_DECORATORS`, those of its lists, `SEARCH`,
/// `PAGE_SIZE`, `MAX_ROWS` and `QUERY_PARAMETERS`, those of writes of many objects, `BULK_METHODS` and `MAX_BULK`, the functions
/// `method_decorators` and `representations`, the operations `create`, `delete`, `get`, `list`, `patch` and `put` as
/// `async fn`, and ordinary functions marked `#[helper]`.
///
/// An operation takes what it names, in any order; a type that is not supplied there is an error under that argument. The
/// extractors of axum among its arguments are given the api's state of the type that `state` names, or else of the `T` of an
/// argument `State<T>`.
/// Parameters of URLs are `<id>`, `<int:id>`, `<float:x>`, `<uuid:id>`, `<path:p>` and `<any(a,b):x>`.
///
/// A URL that ends with a parameter is that of one object, and the parameter is named after the primary key or a unique column:
/// `/tags/<int:id>`, `/tags/<name>`, `/tags/<tag_name>`. Any other URL is that of a collection. A parameter before the end
/// limits the rows, by the foreign key of its name, by the only one that leads to the model it names (`user_id`, `user_name`),
/// or by that of the row which the parameter to its right identifies. Where several fit, `scope(user_id =
/// "article_id.author_id")` says which; `unscoped("tenant")` says that one limits nothing. Anything else is refused at
/// start.
///
/// ```
/// use model_resource::{Context, Draft, Errors, Model, ModelResource, Reply, Result, model_resource};
///
/// #[derive(Model)]
/// pub struct Tag {
///     #[column(primary_key)]
///     pub id: i64,
///     pub name: String,
/// }
///
/// #[model_resource(Tag, "/plain-tags", "/plain-tags/<int:id>")]
/// pub struct PlainTagResource;
///
/// pub struct TagResource;
///
/// #[model_resource(Tag, "/tags", "/tags/<int:id>")]
/// impl ModelResource for TagResource {
///     async fn create(cx: Context, tag: Draft<Tag>, errors: Errors) -> Result<Reply> {
///         if !errors.is_empty() {
///             return cx.errors(errors);
///         }
///         cx.created(tag).await
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn model_resource(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(model_resource::attribute(
        arguments.into(),
        parse_macro_input!(item),
    ))
}

/// Makes an `async fn` a view:
/// `#[route([BLUEPRINT,] "/path", .. [, methods = [POST], endpoint = "..", guards = [..], decorators = [..],
/// state = ..])]`.
///
/// The function becomes a unit struct of its name, which is what the api is given. It takes what it names, in any
/// order. Its guards, which authorize callers, run outside its decorators; of each the first one listed is the outermost. All
/// of them run before the arguments are taken. Several views may have the same path, each with methods of its own.
///
/// The extractors of axum among its arguments are given the api's state of the type that `state` names, or else of the `T` of
/// its argument `State<T>`.
///
/// ```
/// use model_resource::{Api, Params, route};
/// use serde_json::{Value, json};
///
/// #[route("/greet/<name>", methods = [GET, POST])]
/// async fn greet(params: Params) -> Value {
///     json!({ "hello": params.get("name") })
/// }
///
/// let api = Api::new("api").route(greet);
/// ```
#[proc_macro_attribute]
pub fn route(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(route::attribute(arguments.into(), parse_macro_input!(item)))
}

fn finish(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
