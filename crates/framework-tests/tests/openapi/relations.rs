//! Relations in the document.

use model_resource::{Api, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

use crate::checked::Document;

#[derive(Debug, Clone, Model)]
#[model(table = "ships")]
struct Ship {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "flags")]
struct Flag {
    #[column(primary_key)]
    id: i64,
    name: String,
    motto: Option<String>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "ship_flags")]
struct ShipFlag {
    #[column(primary_key)]
    id: i64,
    #[column(references = Ship)]
    ship_id: i64,
    #[column(references = Flag)]
    flag_id: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "logbooks")]
struct Logbook {
    #[column(primary_key)]
    id: i64,
    #[column(references = Ship, unique)]
    ship_id: i64,
}

struct ShipSerializer;

#[serializer]
impl ModelSerializer for ShipSerializer {
    type Model = Ship;

    fn fields(fields: SerializerFields<Ship>) -> SerializerFields<Ship> {
        let flags = |fields: SerializerFields<Ship>, name| {
            fields.many_to_many::<FlagSerializer>(name, ShipFlag::SHIP_ID, ShipFlag::FLAG_ID)
        };
        let fields = flags(fields, "flags").describe("flags", "Flags of the ship.");
        let fields = flags(fields, "flagKeys").as_keys("flagKeys").always("flagKeys");
        let fields = flags(fields, "mottos")
            .as_member("mottos", Flag::MOTTO)
            .always("mottos");
        fields
            .has_one::<LogbookSerializer>("logbook", Logbook::SHIP_ID)
            .has_one::<LogbookSerializer>("logbookKey", Logbook::SHIP_ID)
            .as_keys("logbookKey")
            .always("logbookKey")
    }
}

struct FlagSerializer;

#[serializer]
impl ModelSerializer for FlagSerializer {
    type Model = Flag;
}

struct LogbookSerializer;

#[serializer]
impl ModelSerializer for LogbookSerializer {
    type Model = Logbook;
}

#[model_resource(Ship, "/ships", "/ships/<int:id>", serializer = ShipSerializer)]
struct ShipResource;

#[model_resource(Flag, "/flags", "/flags/<int:id>", serializer = FlagSerializer)]
struct FlagResource;

/// REL-12: relations have the types of their objects, keys and members, and responses agree with them.
#[tokio::test]
async fn relations_are_described_in_their_form() {
    let api = Api::new("harbour")
        .model_resource::<ShipResource>()
        .model_resource::<FlagResource>()
        .openapi();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO ships (name) VALUES ('Fram'), ('Gjoa');
         INSERT INTO flags (name, motto) VALUES ('red', 'ahead'), ('blue', NULL);
         INSERT INTO ship_flags (ship_id, flag_id) VALUES (1, 1), (1, 2);
         INSERT INTO logbooks (ship_id) VALUES (1);",
    );
    let document = Document(app.get("/openapi.json").await.expect(200).json());
    let ship = &document.schema("ShipFields")["properties"];
    assert_eq!(ship["flagKeys"]["items"]["type"], "integer");
    assert_eq!(ship["flagKeys"]["description"], "Keys of Flag objects.");
    assert_eq!(ship["mottos"]["items"]["type"], json!(["string", "null"]));
    assert_eq!(ship["logbookKey"]["type"], json!(["integer", "null"]));
    assert_eq!(
        ship["flags"]["description"],
        "Flags of the ship. Only with `expand=flags`."
    );
    assert_eq!(
        ship["flags"]["items"]["anyOf"][0],
        json!({"$ref": "#/components/schemas/Flag"})
    );
    let required = document.schema("Ship")["required"].as_array().unwrap();
    assert!(required.contains(&json!("mottos")) && !required.contains(&json!("flags")));
    let parameters = document.query_names("get", "/ships");
    assert!(
        parameters.contains(&"flags[has]") && parameters.contains(&"logbook[has]"),
        "{parameters:?}"
    );
    for path in [
        "/ships",
        "/ships?expand=flags,logbook",
        "/ships?flags[has]=1&sort=-flags.count&fields=mottos",
    ] {
        document.expect_documented("get", "/ships", &app.get(path).await.expect(200));
    }
    document.expect_documented(
        "get",
        "/ships/{id}",
        &app.get("/ships/2?expand=flags,logbook").await.expect(200),
    );
}
