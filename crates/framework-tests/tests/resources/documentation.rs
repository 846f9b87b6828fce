//! Doc comments of models, resources and handlers in the description of an api.

use model_resource::schema::serializer::OutputValue;
use model_resource::{
    ActionDescription, Api, ApiDescription, ColumnEnum, Columns, Context, Draft, ExtraField, Model,
    ModelResource, ModelSerializer, Reply, Result, SerializerFields, model_resource, route, serializer,
};

/// Covering of a roof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Roof {
    /// Reed from the lake.
    Thatch,
    Slate,
}

/// A house
/// of the village.
///
/// Its *owner* keeps it.
#[derive(Debug, Clone, Model)]
struct CountryHouse {
    #[column(primary_key)]
    id: i64,
    /// Name over the door.
    #[column(max_length = 40, unique)]
    name: String,
    /// Everything else.
    history: Option<String>,
    roof: Option<Roof>,
    #[column(references = Owner)]
    owner_id: Option<i64>,
}

#[derive(Debug, Clone, Model)]
struct Owner {
    #[column(primary_key)]
    id: i64,
    #[column(max_length = 60)]
    name: String,
}

struct HouseSerializer;

#[serializer]
impl ModelSerializer for HouseSerializer {
    type Model = CountryHouse;

    fn fields(fields: SerializerFields<CountryHouse>) -> SerializerFields<CountryHouse> {
        fields
            .computed("initial", |house: &CountryHouse| house.name.chars().next())
            .describe("initial", "First letter of the name.")
            .belongs_to::<OwnerSerializer>("owner", CountryHouse::OWNER_ID)
            .describe("owner", "Who keeps the house.")
            .write_only(
                ExtraField::<_, String>::new("key")
                    .describe("Proof of ownership.")
                    .into_column(CountryHouse::HISTORY, Some),
            )
    }
}

struct OwnerSerializer;

#[serializer]
impl ModelSerializer for OwnerSerializer {
    type Model = Owner;
}

struct HouseResource;

/// Houses for rent.
#[model_resource(
    CountryHouse,
    "/houses",
    "/houses/<int:id>",
    "/houses/<name>",
    "/owners/<int:owner_id>/houses",
    serializer = HouseSerializer
)]
impl ModelResource for HouseResource {
    /// Builds a house. It takes a while.
    ///
    /// Owners are asked first.
    async fn create(cx: Context, house: Draft<CountryHouse>) -> Result<Reply> {
        cx.created(house).await
    }
}

struct OwnerResource;

#[model_resource(Owner, "/owners", "/owners/<int:id>", serializer = OwnerSerializer)]
impl ModelResource for OwnerResource {
    const SEARCH: Columns<Owner> = Columns::of(Owner::NAME);
}

/// Rings the bell! Nobody answers.
#[route("/bell", methods = [POST])]
async fn ring() -> &'static str {
    "ding"
}

#[route("/opening-hours")]
async fn opening_hours() -> &'static str {
    "never"
}

fn described() -> ApiDescription {
    let api = Api::new("village")
        .model_resource::<HouseResource>()
        .model_resource::<OwnerResource>()
        .route(ring)
        .route(opening_hours);
    api.compile().describe()
}

fn action<'d>(description: &'d ApiDescription, method: &str, url: &str) -> &'d ActionDescription {
    let mut actions = description.actions.iter();
    actions
        .find(|action| action.route.method == method && action.route.url == url)
        .unwrap()
}

/// OAS-6: doc comments of models, fields, enum variants and resources are in the description.
#[test]
fn models_and_fields_are_described_by_their_doc_comments() {
    let description = described();
    let house = description.model("CountryHouse").unwrap();
    assert_eq!(
        house.description,
        "A house\nof the village.\n\nIts *owner* keeps it."
    );
    assert_eq!(
        (house.label.as_str(), house.plural.as_str()),
        ("Country House", "Country Houses")
    );
    assert_eq!(
        description.resource("house_resource").unwrap().description,
        "Houses for rent."
    );
    assert_eq!(description.resource("owner_resource").unwrap().description, "");

    let create = action(&description, "POST", "/houses");
    let object = create.request.as_ref().unwrap();
    let input = |name: &str| object.input.iter().find(|input| input.name == name).unwrap();
    assert_eq!(input("name").description, "Name over the door.");
    assert_eq!(input("ownerId").label, "Owner Id");
    assert_eq!(input("roof").value_descriptions, ["Reed from the lake.", ""]);
    assert_eq!(input("key").description, "Proof of ownership.");
    assert!(input("name").is_unique && !input("name").is_long_text);
    assert!(!input("history").is_unique && input("history").is_long_text);

    let response = create.response.as_ref().unwrap();
    let output = |name: &str| response.output.iter().find(|output| output.name == name).unwrap();
    assert_eq!(output("history").description, "Everything else.");
    assert_eq!(output("initial").description, "First letter of the name.");
    assert_eq!(output("owner").description, "Who keeps the house.");
    let OutputValue::Column {
        value_descriptions, ..
    } = output("roof").value
    else {
        panic!("{:?}", output("roof"));
    };
    assert_eq!(value_descriptions, ["Reed from the lake.", ""]);
}

/// OAS-7: the doc comment of a view or a custom operation is its summary and description; others have a summary from
/// their names.
#[test]
fn actions_are_described_by_the_doc_comments_of_their_handlers() {
    let description = described();
    let texts = |method: &str, url: &str| {
        let action = action(&description, method, url);
        (action.summary.as_str(), action.description.as_str())
    };
    let rest = "It takes a while.\n\nOwners are asked first.";
    assert_eq!(texts("POST", "/houses"), ("Builds a house", rest));
    assert_eq!(texts("POST", "/bell"), ("Rings the bell!", "Nobody answers."));
    assert_eq!(texts("GET", "/opening-hours"), ("Opening hours", ""));
    assert_eq!(texts("GET", "/houses"), ("List country houses", ""));
    assert_eq!(texts("PATCH", "/owners/<int:id>"), ("Update an owner", ""));
    let below = texts("GET", "/owners/<int:owner_id>/houses");
    assert_eq!(below, ("List country houses of an owner", ""));
    assert_eq!(action(&description, "GET", "/houses").endpoint, "house_resource");
}

/// OAS-8: the description of a model has the URLs at which its objects are found and searched.
#[test]
fn a_model_is_described_with_the_urls_of_its_objects() {
    let description = described();
    let owner = description.model("Owner").unwrap();
    assert_eq!(owner.list_url.as_deref(), Some("/owners"));
    assert_eq!(owner.item_url.as_deref(), Some("/owners/<int:id>"));
    assert_eq!(
        (owner.item_key.as_deref(), owner.key.as_deref()),
        (Some("id"), Some("id"))
    );
    assert_eq!(owner.search, ["name"]);
    let house = description.model("CountryHouse").unwrap();
    assert_eq!(house.item_url.as_deref(), Some("/houses/<int:id>"));
    assert!(house.search.is_empty());
}

/// OAS-6: a description of a field that the serializer does not add is reported at startup.
#[test]
fn a_description_of_an_unknown_field_is_reported() {
    struct Misspelt;

    #[serializer]
    impl ModelSerializer for Misspelt {
        type Model = Owner;

        fn fields(fields: SerializerFields<Owner>) -> SerializerFields<Owner> {
            fields.describe("nmae", "Their name.")
        }
    }

    let errors = Api::new("village")
        .serializer::<Misspelt>()
        .try_compile()
        .unwrap_err();
    let text = errors.to_string();
    assert!(text.contains("`.describe(\"nmae\", ..)` or `.schema"), "{text}");
}
