//! Declarations of serializers, with their checks and conversions.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::column_type::{ColumnType, TypeMismatch};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::{Field, Model, Record, Row};
use model_resource_schema::query::Columns;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{
    CompiledSerializer, ExtraField, ModelSerializer, RegisteredSerializer, SerializerFields, SerializerRole,
    WrappedSerializer, WriteMode, WriteRules,
};
use model_resource_schema::value::{Value, ValueRef};
use serde_json::json;

struct Person {
    id: i64,
    name: String,
    boss_id: Option<i64>,
    desk_id: Option<i64>,
}

impl Person {
    const NAME: Field<Self, String> = Field::at(1);
    const SHOUTED: Field<Self, Shouted> = Field::at(1);
    const BOSS_ID: Field<Self, Option<i64>> = Field::at(2);
    const DESK_ID: Field<Self, Option<i64>> = Field::at(3);
}

/// A type that accepts fewer values than its data type.
struct Shouted(String);

impl ColumnType for Shouted {
    const DATA_TYPE: DataType = DataType::Text;

    fn to_value(&self) -> ValueRef<'_> {
        self.0.to_value()
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Text(text) if text.to_uppercase() == text => Ok(Self(text.to_owned())),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        }
    }
}

impl Row for Person {
    fn value(&self, column: usize) -> ValueRef<'_> {
        match column {
            0 => self.id.to_value(),
            1 => self.name.to_value(),
            2 => self.boss_id.to_value(),
            _ => self.desk_id.to_value(),
        }
    }
}

impl Model for Person {
    fn table() -> &'static Table {
        static TABLE: Table = Table::new(
            "people",
            "Person",
            &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
                Column::new("name", DataType::Text),
                Column::new("boss_id", DataType::I64)
                    .nullable(true)
                    .references(Person::table, OnDelete::SetNull),
                Column::new("desk_id", DataType::I64)
                    .nullable(true)
                    .references(Desk::table, OnDelete::SetNull),
            ],
        );
        &TABLE
    }

    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self {
            id: i64::from_value(row.value(0))?,
            name: String::from_value(row.value(1))?,
            boss_id: Option::from_value(row.value(2))?,
            desk_id: Option::from_value(row.value(3))?,
        })
    }
}

struct Desk {
    id: i64,
    owner_id: i64,
}

impl Desk {
    const OWNER_ID: Field<Self, i64> = Field::at(1);
}

impl Row for Desk {
    fn value(&self, column: usize) -> ValueRef<'_> {
        if column == 0 {
            self.id.to_value()
        } else {
            self.owner_id.to_value()
        }
    }
}

impl Model for Desk {
    fn table() -> &'static Table {
        static TABLE: Table = Table::new(
            "desks",
            "Desk",
            &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
                Column::new("owner_id", DataType::I64).references(Person::table, OnDelete::Cascade),
            ],
        );
        &TABLE
    }

    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self {
            id: i64::from_value(row.value(0))?,
            owner_id: i64::from_value(row.value(1))?,
        })
    }
}

/// Implements a serializer with these declarations only.
macro_rules! serializer {
    ($name:ident, $model:ty, $declare:expr) => {
        struct $name;

        impl ModelSerializer for $name {
            type Model = $model;

            fn fields(fields: SerializerFields<$model>) -> SerializerFields<$model> {
                let declare: fn(SerializerFields<$model>) -> SerializerFields<$model> = $declare;
                declare(fields)
            }
        }

        impl RegisteredSerializer for $name {
            const ROLE: SerializerRole = SerializerRole::Single;
        }
    };
}

fn startup_error<S: RegisteredSerializer>() -> String {
    match CompiledSerializer::new::<S>() {
        Ok(_) => panic!("the serializer was taken"),
        Err(mistake) => mistake,
    }
}

#[test]
fn cyclic_nested_serializers_are_rejected_with_the_cycle() {
    serializer!(Alone, Person, |fields| fields
        .embed::<Alone>("boss", Person::BOSS_ID));
    serializer!(Sitting, Person, |fields| fields
        .embed::<Owned>("desk", Person::DESK_ID));
    serializer!(Owned, Desk, |fields| fields
        .embed::<WrappedSerializer<Sitting>>("owner", Desk::OWNER_ID));
    let mistake = startup_error::<Alone>();
    assert!(mistake.contains("form a cycle"), "{mistake}");
    assert!(mistake.contains("nest one without that field"), "{mistake}");
    let mistake = startup_error::<Sitting>();
    let places = ["Owned", " > ", "Sitting", " > ", "Owned"]
        .iter()
        .try_fold(0, |from, part| {
            mistake[from..].find(part).map(|at| from + at + part.len())
        });
    assert!(places.is_some(), "{mistake}");
}

#[test]
fn one_serializer_may_be_nested_in_several_places() {
    serializer!(Plain, Person, |fields| fields);
    serializer!(OfDesk, Desk, |fields| fields
        .embed::<Plain>("owner", Desk::OWNER_ID));
    serializer!(Full, Person, |fields| fields
        .embed::<Plain>("boss", Person::BOSS_ID)
        .embed::<OfDesk>("desk", Person::DESK_ID));
    assert_eq!(
        CompiledSerializer::new::<Full>()
            .unwrap()
            .projection()
            .relations()
            .len(),
        2
    );
}

#[test]
fn a_value_that_the_type_of_a_check_rejects_is_invalid() {
    serializer!(Checked, Person, |fields| fields
        .validate(Person::SHOUTED, |_, _| Ok::<(), String>(())));
    let serializer = CompiledSerializer::new::<Checked>().unwrap();
    for (body, expected) in [
        (r#"{"name": "ADA"}"#, json!({})),
        (r#"{"name": "Ada"}"#, json!({"name": ["Not a valid string."]})),
    ] {
        let mut draft = AnyDraft::new(Person::table());
        let errors = serializer
            .load(body, WriteMode::Create, &mut draft, &WriteRules::NONE)
            .unwrap();
        assert_eq!(json!(errors), expected, "{body}");
    }
}

#[test]
fn an_extra_field_that_its_type_rejects_is_invalid_and_sets_nothing() {
    serializer!(Converted, Person, |fields| fields.write_only(
        ExtraField::new("cry").into_column(Person::NAME, |Shouted(text)| text)
    ));
    let serializer = CompiledSerializer::new::<Converted>().unwrap();
    for (body, expected) in [
        (r#"{"cry": "HO"}"#, json!({})),
        (r#"{"cry": "ho"}"#, json!({"cry": ["Not a valid string."]})),
    ] {
        let mut draft = AnyDraft::new(Person::table());
        let mut errors = serializer
            .load(body, WriteMode::Update, &mut draft, &WriteRules::NONE)
            .unwrap();
        errors.merge(serializer.convert(&mut draft));
        assert_eq!(draft.is_set(1), errors.is_empty());
        assert_eq!(json!(errors), expected, "{body}");
    }
}

#[test]
fn a_check_that_would_never_run_is_rejected() {
    struct ReadOnly;
    impl ModelSerializer for ReadOnly {
        type Model = Person;
        const READ_ONLY: Columns<Person> = Columns::of(Person::NAME);
        fn fields(fields: SerializerFields<Person>) -> SerializerFields<Person> {
            fields.validate(Person::NAME, |_, _| Ok::<(), String>(()))
        }
    }
    struct Excluded;
    impl ModelSerializer for Excluded {
        type Model = Person;
        const EXCLUDE: Columns<Person> = Columns::of(Person::NAME);
        fn fields(fields: SerializerFields<Person>) -> SerializerFields<Person> {
            fields.validate(Person::NAME, |_, _| Ok::<(), String>(()))
        }
    }
    impl RegisteredSerializer for ReadOnly {
        const ROLE: SerializerRole = SerializerRole::Single;
    }
    impl RegisteredSerializer for Excluded {
        const ROLE: SerializerRole = SerializerRole::Single;
    }
    serializer!(Generated, Person, |fields| fields
        .validate(Field::<Person, i64>::at(0), |_, _| Ok::<(), String>(())));
    for (mistake, column) in [
        (startup_error::<ReadOnly>(), "`name`"),
        (startup_error::<Excluded>(), "`name`"),
        (startup_error::<Generated>(), "`id`"),
    ] {
        assert!(
            mistake.contains(column) && mistake.contains("never runs"),
            "{mistake}"
        );
    }
}

#[test]
fn an_extra_field_with_an_invalid_length_is_rejected() {
    serializer!(Contradicting, Person, |fields| fields.write_only(
        ExtraField::<_, String>::new("cry")
            .min_length(5)
            .max_length(3)
            .for_handler()
    ));
    serializer!(Number, Person, |fields| fields
        .write_only(ExtraField::<_, i64>::new("age").min_length(5).for_handler()));
    assert!(startup_error::<Contradicting>().contains("`cry`"));
    assert!(startup_error::<Number>().contains("`age`"));
}

#[test]
fn an_extra_field_that_needs_an_unknown_one_is_rejected() {
    serializer!(Lonely, Person, |fields| fields.write_only(
        ExtraField::<_, String>::new("cry").needs("name").for_handler()
    ));
    let error = startup_error::<Lonely>();
    assert!(error.contains("`cry` needs `name`"), "{error}");
}

#[test]
fn required_columns_and_extra_fields_reject_null() {
    serializer!(Crying, Person, |fields| fields
        .write_only(ExtraField::<_, String>::new("warCry").for_handler()));
    let serializer = CompiledSerializer::new::<Crying>().unwrap();
    let mut draft = AnyDraft::new(Person::table());
    let body = r#"{"name": null, "bossId": null, "warCry": null}"#;
    assert_eq!(
        json!(
            serializer
                .load(body, WriteMode::Create, &mut draft, &WriteRules::NONE)
                .unwrap()
        ),
        json!({"name": ["Name may not be null."], "warCry": ["War Cry may not be null."]})
    );
    assert!(draft.extra("warCry").is_none() && draft.is_set(2));
}

#[test]
fn a_computed_field_of_an_invalid_row_fails_instead_of_null() {
    serializer!(Greeting, Person, |fields| fields
        .computed("greeting", |person| format!("Hello {}", person.name)));
    let serializer = CompiledSerializer::new::<Greeting>().unwrap();
    let dump = |name: Value| {
        let row = Record::new(vec![Value::Int(1), name, Value::Null, Value::Null]);
        let mut out = Vec::new();
        let dumped = serializer.projection().dump(&mut out, &row, &Related::default());
        dumped.map(|()| String::from_utf8(out).unwrap())
    };
    let dumped = dump(Value::Text("Ada".to_owned())).unwrap();
    assert!(dumped.contains(r#""greeting":"Hello Ada""#), "{dumped}");
    let fault = dump(Value::Null).unwrap_err().to_string();
    assert!(fault.contains("`greeting`") && fault.contains("Text"), "{fault}");
}
