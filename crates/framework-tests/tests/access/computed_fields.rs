//! Computed fields with hidden and private source columns.

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelSerializer, SerializerFields, Where, model_resource,
    serializer,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "people")]
struct Person {
    #[column(primary_key)]
    id: i64,
    name: String,
    email: String,
    salary: i32,
}

#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(references = Person)]
    author_id: i64,
}

struct PersonSerializer;

#[serializer]
impl ModelSerializer for PersonSerializer {
    type Model = Person;

    fn fields(fields: SerializerFields<Person>) -> SerializerFields<Person> {
        fields
            .computed_from("initial", Columns::of(Person::NAME), |person| {
                person.name.chars().next()
            })
            .computed_from("emailDomain", Columns::of(Person::EMAIL), |person| {
                person.email.split('@').next_back().map(str::to_owned)
            })
            .computed_from(
                "yearly",
                Columns::of(Person::NAME).and(Person::SALARY),
                |person| format!("{}: {}", person.name, person.salary * 12),
            )
    }
}

struct LetterSerializer;

#[serializer]
impl ModelSerializer for LetterSerializer {
    type Model = Letter;

    fn fields(fields: SerializerFields<Letter>) -> SerializerFields<Letter> {
        fields.belongs_to::<PersonSerializer>("author", Letter::AUTHOR_ID)
    }
}

#[model_resource(Person, "/people", "/people/<int:id>")]
struct PersonResource;

#[model_resource(Letter, "/letters")]
struct LetterResource;

/// E-mail addresses are private, and salaries are hidden from all but admins.
struct PersonPolicy;

impl ModelPolicy for PersonPolicy {
    type Model = Person;

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn updatable(caller: &Caller) -> Where<Person> {
        caller.owned_by(Person::ID)
    }

    fn hidden(caller: &Caller) -> Columns<Person> {
        if caller.has_role("admin") {
            Columns::none()
        } else {
            Columns::of(Person::SALARY)
        }
    }

    fn private() -> Columns<Person> {
        Columns::of(Person::EMAIL)
    }

    fn shows_private(caller: &Caller) -> Where<Person> {
        if caller.has_role("admin") {
            Where::all()
        } else {
            caller.owned_by(Person::ID)
        }
    }
}

async fn people() -> TestApp {
    let api = Api::new("office")
        .authenticator(HeaderAuthenticator)
        .policy::<PersonPolicy>()
        .serializer::<PersonSerializer>()
        .model_resource::<PersonResource>()
        .serializer::<LetterSerializer>()
        .model_resource::<LetterResource>();
    let app = TestApp::with_api(api).await;
    let admin = app.as_caller("9 admin");
    for (name, domain) in [("Ann", "zoo"), ("Bob", "bank")] {
        let email = format!("{name}@{domain}.example");
        let person = json!({"name": name, "email": email, "salary": 1000});
        admin.post("/people", person).await.expect(201);
    }
    app.store.create(letter(2)).await.unwrap();
    app
}

fn letter(author: i64) -> model_resource::Draft<Letter> {
    let mut letter = model_resource::Draft::new();
    letter.set(Letter::AUTHOR_ID, author);
    letter
}

/// SER-54: a computed field is omitted if its source columns are invisible to the caller.
#[tokio::test]
async fn a_computed_field_is_omitted_if_its_columns_are_invisible() {
    let app = people().await;
    let (ann, bob) = (json!({"id": 1, "name": "Ann"}), json!({"id": 2, "name": "Bob"}));
    let with = |object: &Value, members: Value| {
        let mut object = object.clone();
        object
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        object
    };
    let public_ann = with(&ann, json!({"initial": "A"}));
    let public_bob = with(&bob, json!({"initial": "B"}));
    let own_ann = with(
        &public_ann,
        json!({"email": "Ann@zoo.example", "emailDomain": "zoo.example"}),
    );
    let of_admins = |object: &Value, domain: &str| {
        let name = object["name"].as_str().unwrap();
        let email = format!("{name}@{domain}");
        let members = json!({
            "email": email, "emailDomain": domain, "salary": 1000, "yearly": format!("{name}: 12000"),
        });
        with(object, members)
    };
    let (all_ann, all_bob) = (
        of_admins(&public_ann, "zoo.example"),
        of_admins(&public_bob, "bank.example"),
    );
    for (caller, ann, bob) in [
        (app.anonymous.clone(), &public_ann, &public_bob),
        (app.as_caller("1"), &own_ann, &public_bob),
        (app.as_caller("9 admin"), &all_ann, &all_bob),
    ] {
        caller.get("/people").await.expect_json(200, json!([ann, bob]));
        caller.get("/people/1").await.expect_json(200, ann.clone());
        caller.get("/people/2").await.expect_json(200, bob.clone());
        let lines = caller.get("/people?format=ndjson").await.expect(200).text();
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines, [ann.clone(), bob.clone()]);
        let letters = caller.get("/letters?expand=author").await.expect(200).json();
        assert_eq!(letters[0]["author"], *bob);
    }
    let own = app
        .as_caller("1")
        .patch("/people/1", json!({"name": "Ann"}))
        .await;
    own.expect_json(200, own_ann);
}

/// SER-54: in CSV the cell of such a field is empty, and a field with a hidden source column is absent.
#[tokio::test]
async fn a_computed_field_is_an_empty_cell_if_its_columns_are_invisible() {
    let app = people().await;
    let csv = app
        .as_caller("1")
        .get("/people?format=csv")
        .await
        .expect(200)
        .text();
    assert_eq!(
        csv,
        "id,name,email,initial,emailDomain\r\n1,Ann,Ann@zoo.example,A,zoo.example\r\n2,Bob,,B,\r\n"
    );
    app.as_caller("1").get("/people?fields=yearly").await.expect(400);
    app.as_caller("9 admin")
        .get("/people?fields=yearly")
        .await
        .expect(200);
}

struct CarelessSerializer;

#[serializer]
impl ModelSerializer for CarelessSerializer {
    type Model = Person;

    fn fields(fields: SerializerFields<Person>) -> SerializerFields<Person> {
        fields
            .computed_from("initial", Columns::of(Person::NAME), |person| {
                person.name.chars().next()
            })
            .computed("emailLength", |person| person.email.len())
    }
}

struct LetterOfCarelessSerializer;

#[serializer]
impl ModelSerializer for LetterOfCarelessSerializer {
    type Model = Letter;

    fn fields(fields: SerializerFields<Letter>) -> SerializerFields<Letter> {
        fields.belongs_to::<CarelessSerializer>("author", Letter::AUTHOR_ID)
    }
}

/// SER-55: a computed field of a model with private columns must declare its source columns, or the api does not start.
/// This also holds for a serializer that only a relation reaches.
#[tokio::test]
async fn a_computed_field_beside_private_columns_declares_its_columns() {
    let remedy = "the computed field `emailLength` of Person may show private columns to everybody: say what it is made from \
                  by `.computed_from(\"emailLength\", Columns::of(Person::..), ..)`";
    let api = || Api::new("office").policy::<PersonPolicy>();
    for careless in [
        api().serializer::<CarelessSerializer>(),
        api().serializer::<LetterOfCarelessSerializer>(),
    ] {
        assert_eq!(startup_errors(careless).await, [remedy]);
    }
    // Without private columns no declaration is needed.
    let open = Api::new("office").serializer::<CarelessSerializer>();
    TestApp::with_api(open.model_resource::<PersonResource>()).await;
}
