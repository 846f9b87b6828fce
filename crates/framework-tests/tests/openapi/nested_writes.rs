//! Relations whose objects are written with their parent, in the document.

use jsonschema::validator_for;
use model_resource::{
    Api, Model, ModelResource, ModelSerializer, SerializerFields, model_resource, serializer,
};
use serde_json::{Value, json};

use crate::checked::Document;

#[derive(Debug, Clone, Model)]
#[model(table = "convoys")]
struct Convoy {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "barges")]
struct Barge {
    #[column(primary_key)]
    id: i64,
    #[column(references = Convoy)]
    convoy_id: i64,
    #[column(min = 1)]
    tons: i64,
}

struct BargeSerializer;

#[serializer]
impl ModelSerializer for BargeSerializer {
    type Model = Barge;
}

struct ConvoySerializer;

#[serializer]
impl ModelSerializer for ConvoySerializer {
    type Model = Convoy;

    fn fields(fields: SerializerFields<Convoy>) -> SerializerFields<Convoy> {
        let fields = fields.has_many::<BargeSerializer>("barges", Barge::CONVOY_ID);
        fields.describe("barges", "From the bow.").writable("barges")
    }
}

struct ConvoyResource;

#[model_resource(Convoy, "/convoys", "/convoys/<int:id>", serializer = ConvoySerializer)]
impl ModelResource for ConvoyResource {
    const PUBLIC: bool = true;
}

/// NST-11: the schemas of bodies accept the related objects as the api does.
#[test]
fn bodies_have_the_related_objects() {
    let api = Api::new("river").model_resource::<ConvoyResource>().openapi();
    let document = Document(api.compile().openapi_document());
    let check = |name: &str, barges: Value, is_valid: bool| {
        let validator = validator_for(document.schema(name)).unwrap();
        let body = json!({"name": "x", "barges": barges});
        assert_eq!(validator.is_valid(&body), is_valid, "{name} {body}");
    };
    let (new, kept) = (json!({"tons": 3}), json!({"id": 7, "tons": 3}));
    check("ConvoyCreate", json!([new]), true);
    check("ConvoyCreate", json!([{"tons": 0}]), false);
    check("ConvoyCreate", json!([{}]), false);
    check("ConvoyCreate", json!({"add": [new]}), false);
    check("ConvoyReplace", json!([new, kept]), true);
    check("ConvoyReplace", json!([{"id": 7}]), false);
    check("ConvoyUpdate", json!([new, kept]), true);
    check(
        "ConvoyUpdate",
        json!({"add": [new], "update": [{"id": 7}], "remove": [8]}),
        true,
    );
    check("ConvoyUpdate", json!({"update": [{"tons": 3}]}), false);
    check("ConvoyUpdate", json!({"nope": []}), false);
    let described = &document.schema("ConvoyCreate")["properties"]["barges"]["description"];
    assert_eq!(described, "From the bow.");
}
