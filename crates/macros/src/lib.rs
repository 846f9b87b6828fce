//! Attributes and derives of model-resource. Each file is one macro: it parses, checks, and expands into code that
//! could be written by hand.

mod column_enum;
mod column_newtype;
mod diagnostics;
mod docs;
mod handler_call;
mod item_options;
mod migrations;
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

/// Derives a model from a plain struct: its table, its columns, and a constant for each field (`User::EMAIL`).
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
/// `accept_snake_case` (clients may write `first_name` for `firstName`), `unique(a, b)`, `index(a, b desc)` and
/// `check(name = condition)`, `view` (a read-only model of an existing database view), and `crate = path` where the schema
/// crate is not found as `::model_resource::schema`.
/// `unique(..)` and `index(..)` take `where = condition` and `name = ".."`, and `unique(..)` and `check(..)` take
/// `message = ".."`. A condition is a `Where<Self>`.
///
/// `#[column(..)]` takes:
///
/// | Option | Meaning |
/// |---|---|
/// | `primary_key` | the primary key: the database assigns an `i32` or `i64`, and a `Uuid` is generated on insert. A field `id` of these types needs no option |
/// | `primary_key = client` | a primary key of any type that the client assigns |
/// | `unique` | values must be unique |
/// | `min_length = 1`, `max_length = 200` | bounds of a `String` or `Vec<u8>` |
/// | `min = -1`, `max = "2024-12-31"` | bounds of numbers, decimals, dates, times and timestamps |
/// | `pattern = "[a-z]+"`, `choices = ["a", "b"]`, `email` | allowed values of a `String` |
/// | `transitions(Draft -> Sent \| Void)` | the allowed changes of an enum; `new -> Draft` limits the values of new rows |
/// | `default = false` | the value of a new row if the client sends none |
/// | `precision = 10, scale = 2` | the number of digits of a `Decimal`, and of those after the decimal point |
/// | `references = Other` | a foreign key; `on_delete` is `restrict` (the default), `cascade` or `set_null` |
/// | `created`, `updated` | the time of the row's creation or last change |
/// | `version` | an `i64` that every change increments |
/// | `soft_delete` | an `Option<Timestamp>`: deletions set it to the current time and keep the row |
/// | `slug(from = title)` | a URL-friendly form of another field, updated with it |
/// | `slug(from = title, stable)` | a URL-friendly form of another field, generated once when the row is created |
/// | `hidden` | clients can neither read nor write it |
/// | `label` | its value names a row for people, on pages |
/// | `flatten` | adds the columns of a struct with `#[derive(ColumnGroup)]` |
/// | `json = "givenName"` | the name in JSON, queries and errors, instead of the field's name in lowerCamelCase |
/// | `name = "given_name"` | the name of the column in the database, instead of the field's |
/// | `trim`, `lowercase`, `nfc` | normalizes a `String` before it is checked and stored |
/// | `message(unique = "This slug is taken.")` | custom texts for built-in messages |
///
/// # Names
///
/// A column has three names: that of the field, which Rust code and the parameters of URLs use; that in JSON,
/// which bodies, responses, queries, CSV and errors use; and that in the database, which SQL and migrations use.
///
/// # Messages
///
/// The keys of `message(..)` are the codes of the messages: `required`, `null`, `type`, `min_length`, `max_length`, `min`,
/// `max`, `decimal_places`, `whole_digits`, `pattern`, `choice`, `transition`, `email`, `null_character`, `unique` and
/// `missing_reference`.
/// The text applies wherever the value comes from: one object, several objects, CSV, a handler, or a constraint of
/// the database. The text for `type` also replaces those of `decimal_places`, `whole_digits` and `null_character`,
/// unless they have custom texts.
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
/// # Rejected at startup
///
/// A model whose options contradict each other is rejected when it is registered or its table is created, with the
/// remedy: bounds that exclude each other, a default that violates the column's own checks, or a foreign key of
/// another type than the referenced key.
#[proc_macro_derive(Model, attributes(model, column))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    model::derive(&parse_macro_input!(input)).into()
}

/// Makes an enum without fields the type of a column, and parsable from text.
///
/// A variant's wire name is its name with the first letter in lower case, or that of `#[column(name = "..")]`. The enum is
/// stored as text; `#[column(postgres_type = "..")]` above it stores it in this enum type on PostgreSQL.
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

/// Makes a struct around one value the type of a column: `struct BookId(i64);`.
///
/// The column has the data type of the inner value. `#[column(..)]` above the struct takes:
///
/// | Option | Meaning |
/// |---|---|
/// | `validate = path` | a function `fn(&T) -> Result<(), E>` that accepts or rejects a value |
/// | `try_from` | converts by `TryFrom<T>`, which may also normalize the value |
/// | `precision = 10, scale = 2` | the digits of a `Decimal` |
///
/// The text of the error is the message for the client that sent the value.
///
/// ```
/// use model_resource_macros::ColumnType;
/// use model_resource_schema::column_type::ColumnType;
/// use model_resource_schema::value::ValueRef;
///
/// #[derive(ColumnType)]
/// #[column(try_from, crate = model_resource_schema)]
/// struct Isbn(String);
///
/// impl TryFrom<String> for Isbn {
///     type Error = &'static str;
///
///     fn try_from(text: String) -> Result<Self, Self::Error> {
///         let digits = text.replace('-', "");
///         if digits.len() == 13 { Ok(Self(digits)) } else { Err("Not a valid ISBN.") }
///     }
/// }
///
/// let isbn = Isbn::from_value(ValueRef::Text("978-3-16-148410-0")).unwrap();
/// assert_eq!(isbn.to_value(), ValueRef::Text("9783161484100"));
/// ```
#[proc_macro_derive(ColumnType, attributes(column))]
pub fn derive_column_type(input: TokenStream) -> TokenStream {
    column_newtype::derive(&parse_macro_input!(input)).into()
}

/// Makes a struct a group of columns that models share: `#[column(flatten)] base: Base` in a model adds its columns,
/// with a constant for each, as if they were written in the model.
///
/// The fields take the options of `#[derive(Model)]`. A group is used inside its crate.
///
/// ```
/// use jiff::Timestamp;
/// use model_resource_macros::{ColumnGroup, Model};
/// use model_resource_schema::model::Model;
///
/// #[derive(ColumnGroup)]
/// #[column(crate = model_resource_schema)]
/// struct Base {
///     #[column(primary_key)]
///     id: i64,
///     #[column(created)]
///     created_at: Timestamp,
/// }
///
/// #[derive(Model)]
/// #[model(crate = model_resource_schema)]
/// struct Loan {
///     #[column(flatten)]
///     base: Base,
///     reader: String,
/// }
///
/// let names: Vec<&str> = Loan::table().columns.iter().map(|column| column.name).collect();
/// assert_eq!(names, ["id", "created_at", "reader"]);
/// assert_eq!(Loan::CREATED_AT.column().name, "created_at");
/// ```
#[proc_macro_derive(ColumnGroup, attributes(column))]
pub fn derive_column_group(input: TokenStream) -> TokenStream {
    model::derive_group(&parse_macro_input!(input)).into()
}

/// Marks a serializer, so that it can be registered with an api: without arguments for single objects, `(many)` for
/// lists, `(create)` for loading on create.
///
/// ```
/// use model_resource_macros::{Model, serializer};
/// use model_resource_schema::query::Columns;
/// use model_resource_schema::serializer::{ModelSerializer, RegisteredSerializer, SerializerRole};
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
///     const EXCLUDE: Columns<Tag> = Columns::of(Tag::ID);
/// }
///
/// assert_eq!(TagSerializer::ROLE, SerializerRole::Many);
/// ```
#[proc_macro_attribute]
pub fn serializer(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(serializer::attribute(arguments.into(), &parse_macro_input!(item)))
}

/// Serves a model at URLs: `#[model_resource([BLUEPRINT,] Model, "/url", .. [, methods = [..], endpoint = "..",
/// state = .., serializer = .. (or serializers = [..]), policy = .., scope(..), unscoped(..)])]`.
///
/// On a unit struct, nothing is overridden. On `impl ModelResource for ..`, the block may contain:
///
/// - the constants `INCLUDE_METHODS`, `EXCLUDE_METHODS`, `INCLUDE_DECORATORS`, `EXCLUDE_DECORATORS` and `PUBLIC`; for lists,
///   `SEARCH`, `AGGREGATE`, `PAGE_SIZE`, `MAX_ROWS`, `QUERY_BUDGET` and `QUERY_PARAMETERS`; for bulk writes, `BULK_METHODS`,
///   `FILTER_METHODS` and `MAX_BULK`; for writes, `INCREMENT`, `PUT_CREATES`, `MERGE_DUPLICATES`, `RESTORE`,
///   `REQUIRE_IF_MATCH` and `REQUIRE_IDEMPOTENCY_KEY`;
/// - the functions `method_decorators`, `page` and `representations`;
/// - the operations `create`, `delete`, `get`, `list`, `patch` and `put` as `async fn`;
/// - ordinary functions marked `#[helper]`.
///
/// For the description, `#[response(Type)]` above an operation names its reply, and
/// `#[response(adds = Type)]` members that the reply has beside those of the serializer.
///
/// An operation takes its arguments in any order; a type that is not available there is a compile error at that argument.
/// Axum extractors among the arguments receive the api's state of the type that `state` names, or else of the `T` of an
/// argument `State<T>`.
/// URL parameters are `<id>`, `<int:id>`, `<float:x>`, `<uuid:id>`, `<path:p>` and `<any(a,b):x>`.
///
/// A URL that ends with a parameter identifies one object. The parameter is named after the primary key or a unique column:
/// `/tags/<int:id>`, `/tags/<name>`, `/tags/<tag_name>`. Any other URL is that of a collection. A parameter before the end
/// filters the rows: by the foreign key of its name, by the only one that references the model it names (`user_id`,
/// `user_name`), or by that of the row which the next parameter identifies. If several match, choose one by
/// `scope(user_id = "article_id.author_id")`; `unscoped("tenant")` declares a parameter that filters nothing. Anything else
/// is rejected at startup.
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

/// Turns an `async fn` into a view:
/// `#[route([BLUEPRINT,] "/path", .. [, methods = [POST], endpoint = "..", guards = [..], decorators = [..],
/// state = .., request = .., response = .., responses = [..]])]`.
///
/// The function becomes a unit struct of the same name, which is registered with the api. It takes its arguments in any
/// order. Its guards, which authorize callers, run before its decorators; in both lists the first one is the outermost. All
/// of them run before the arguments are extracted. Several views may share a path, each with its own methods.
///
/// Axum extractors among the arguments receive the api's state of the type that `state` names, or else of the `T` of its
/// argument `State<T>`.
///
/// The doc comment of the function, and the types of its arguments and its reply, describe the view to clients.
/// `request = Type` and `response = Type` name types that the signature does not tell, and
/// `responses = [(409, "The name is taken.")]` other responses; they change nothing else.
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

/// Reads migrations from a folder of the package: `migrations!("migrations")`.
///
/// The folder has files such as `V1__models.sql`, and `V1__models.down.sql` with the statements that take it back, in the
/// folders `sqlite` and `postgres`. Files directly in the folder are for whichever database. The command
/// `make-migration` of `model-resource-cli` writes them.
///
/// A release build contains the files. A debug build reads the folder when the program starts, so that new files need no
/// build. Wrong names and two migrations of one version are compile errors.
///
/// ```
/// use model_resource::{SqlDialect, migrations};
///
/// let migrations = migrations!("../../backend/migrations");
/// assert_eq!(migrations.of(SqlDialect::Sqlite).unwrap()[0].label(), "V1__models");
/// ```
#[proc_macro]
pub fn migrations(path: TokenStream) -> TokenStream {
    finish(migrations::expand(&parse_macro_input!(path)))
}

fn finish(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
