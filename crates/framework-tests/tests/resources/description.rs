//! Compilation of an api, and its description as data.

use std::collections::HashSet;

use http::Method;
use model_resource::schema::data_type::DataType;
use model_resource::schema::serializer::{OutputValue, SerializerFields};
use model_resource::{
    ActionAccess, ActionDescription, Api, ApiDescription, CREATE, Caller, ColumnEnum, Columns, Date, Json,
    Model, ModelPolicy, ModelResource, ModelSerializer, Operations, Timestamp, Uuid, Where, model_resource,
    route, serializer,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Harbour {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Rig {
    Sloop,
    Ketch,
}

#[derive(Debug, Clone, Model)]
struct Boat {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 2, max_length = 40)]
    name: String,
    #[column(min = 1, max = 90)]
    length: i32,
    weight: f64,
    #[column(default = true)]
    afloat: bool,
    built: Option<Date>,
    seen: Option<Timestamp>,
    mark: Option<Uuid>,
    rig: Rig,
    papers: Option<Json>,
    #[column(references = Harbour)]
    harbour_id: Option<i64>,
}

struct BoatSerializer;

#[serializer]
impl ModelSerializer for BoatSerializer {
    type Model = Boat;
    const WRITE_ONLY: Columns<Boat> = Columns::of(Boat::MARK);

    fn fields(fields: SerializerFields<Boat>) -> SerializerFields<Boat> {
        fields.computed("title", |boat: &Boat| format!("SY {}", boat.name))
    }
}

struct BoatPolicy;

impl ModelPolicy for BoatPolicy {
    type Model = Boat;

    fn visible(_: &Caller) -> Where<Boat> {
        Where::all()
    }
}

struct BoatResource;

#[model_resource(Boat, "/boats", "/boats/<int:id>", "/harbours/<int:harbour_id>/boats", serializer = BoatSerializer, policy = BoatPolicy)]
impl ModelResource for BoatResource {
    const SEARCH: Columns<Boat> = Columns::of(Boat::NAME);
    const PAGE_SIZE: Option<u64> = Some(10);
    const BULK_METHODS: Operations = Operations::of([CREATE]);
    const MAX_BULK: usize = 50;
}

#[model_resource(Harbour, "/harbours", "/harbours/<int:id>")]
struct HarbourResource;

#[route("/tide", methods = [GET, POST])]
async fn tide() -> &'static str {
    "low"
}

fn api() -> Api {
    Api::new("port")
        .authenticator(HeaderAuthenticator)
        .model_resource::<BoatResource>()
        .model_resource::<HarbourResource>()
        .route(tide)
}

fn action<'d>(description: &'d ApiDescription, method: &str, url: &str) -> &'d ActionDescription {
    let mut actions = description.actions.iter();
    let found = actions.find(|action| action.route.method == method && action.route.url == url);
    found.unwrap()
}

/// REG-43: `try_compile` returns every mistake, also several of one resource; nothing panics.
#[test]
fn compiling_returns_every_mistake() {
    struct Fleet;

    #[model_resource(Boat, "/boats")]
    impl ModelResource for Fleet {
        const PAGE_SIZE: Option<u64> = Some(0);
    }

    struct Harbours;

    #[model_resource(Harbour, "/harbours", endpoint = "tide")]
    impl ModelResource for Harbours {
        const MAX_ROWS: Option<u64> = Some(0);
    }

    let broken = Api::new("port")
        .model_resource::<Fleet>()
        .model_resource::<Harbours>()
        .route(tide);
    let errors = broken.try_compile().unwrap_err();
    for part in [
        "PAGE_SIZE must be at least 1",
        "MAX_ROWS must be at least 1",
        "endpoint name `tide`",
    ] {
        let mut mistakes = errors.mistakes().iter();
        assert!(mistakes.any(|mistake| mistake.contains(part)), "{part}: {errors}");
    }
    assert_eq!(errors.mistakes().len(), 3, "{errors}");
    assert!(errors.to_string().starts_with("the api cannot be served:\n- "));

    let unstored = api().try_into_service().unwrap_err();
    assert_eq!(unstored.mistakes().len(), 1);
    assert!(unstored.to_string().contains("no store"), "{unstored}");
}

/// REG-44: the description has the URLs, methods, parameters, objects, constraints and access that are served.
#[test]
fn the_description_has_what_is_served() {
    let compiled = api().compile();
    let description = compiled.describe();
    let routes: Vec<_> = description
        .actions
        .iter()
        .map(|action| action.route.clone())
        .collect();
    assert_eq!(routes, compiled.routes());

    let create = action(&description, "POST", "/boats");
    assert_eq!((create.model, create.max_bulk), (Some("Boat"), Some(50)));
    assert_eq!(create.route.access, ActionAccess::Policy);
    let request = create.request.as_ref().unwrap();
    let input = |name: &str| request.input.iter().find(|input| input.name == name).unwrap();
    let (name, length) = (input("name"), input("length"));
    assert!(name.is_required && !name.nullable);
    assert_eq!(name.constraints.max_length, Some(40));
    assert_eq!(
        (
            length.constraints.min.as_deref(),
            length.constraints.max.as_deref()
        ),
        (Some("1"), Some("90"))
    );
    assert_eq!(input("harbourId").references, Some("Harbour"));
    assert_eq!(input("afloat").default, Some("true"));
    assert_eq!(input("rig").data_type, DataType::Enum(&["sloop", "ketch"]));
    assert!(!request.input.iter().any(|input| input.name == "id"));

    let response = create.response.as_ref().unwrap();
    let names: Vec<&str> = response
        .output
        .iter()
        .map(|output| output.name.as_str())
        .collect();
    assert!(names.contains(&"title") && !names.contains(&"mark"), "{names:?}");
    let title = response
        .output
        .iter()
        .find(|output| output.name == "title")
        .unwrap();
    assert_eq!(title.value, OutputValue::Computed);

    let below = action(&description, "GET", "/harbours/<int:harbour_id>/boats");
    let [parameter] = below.parameters.as_slice() else {
        panic!("{:?}", below.parameters);
    };
    assert_eq!(
        (
            parameter.name.as_str(),
            parameter.converter.as_str(),
            parameter.model
        ),
        ("harbour_id", "int", Some("Harbour"))
    );
    let list = below.list.as_ref().unwrap();
    assert_eq!(
        (list.page_size, list.search.as_slice()),
        (Some(10), ["name".to_owned()].as_slice())
    );
    assert!(
        below
            .media_types
            .iter()
            .any(|media_type| media_type == "text/csv")
    );

    let tide = |method| action(&description, method, "/tide").route.access;
    assert_eq!(tide("GET"), ActionAccess::Open);
    assert_eq!(tide("POST"), ActionAccess::PublicWrite);
    assert_eq!(
        action(&description, "POST", "/harbours").route.access,
        ActionAccess::Denied
    );
}

/// REG-45: a list accepts exactly the filters, operators and sort keys that the description names.
#[tokio::test]
async fn a_list_accepts_the_filters_that_are_described() {
    let description = api().compile().describe();
    let filters = &action(&description, "GET", "/boats")
        .list
        .as_ref()
        .unwrap()
        .filters;
    let app = TestApp::with_api(api()).await;
    let all = [
        "eq",
        "ne",
        "gt",
        "gte",
        "lt",
        "lte",
        "in",
        "nin",
        "contains",
        "icontains",
        "startswith",
        "endswith",
        "like",
        "ilike",
        "between",
        "isnull",
    ];
    assert_eq!(filters.len(), 10);
    for filter in filters {
        let value = match filter.data_type {
            DataType::Bool => "true",
            DataType::Date => "2026-01-02",
            DataType::Timestamp => "2026-01-02T03:04:05Z",
            DataType::Enum(names) => names[0],
            DataType::Text | DataType::Json => "a",
            _ => "1",
        };
        for operator in all {
            let value = match operator {
                "between" => format!("{value},{value}"),
                "isnull" => "true".to_owned(),
                _ => value.to_owned(),
            };
            let status = if filter.operators.contains(&operator) {
                200
            } else {
                400
            };
            let path = format!("/boats?{}[{operator}]={value}", filter.field);
            let answer = app.get(&path).await;
            assert_eq!(answer.status.as_u16(), status, "{path}: {answer:?}");
        }
    }
    for field in ["title", "mark", "nope"] {
        assert!(!filters.iter().any(|filter| filter.field == field));
        app.get(&format!("/boats?{field}=1")).await.expect(400);
    }
    let served: HashSet<Method> = description
        .actions
        .iter()
        .map(|action| action.route.method.parse().unwrap())
        .collect();
    assert!(served.contains(&Method::PATCH));
    app.post("/boats", json!({})).await.expect(401);
}
