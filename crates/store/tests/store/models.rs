//! Handwritten models of these tests.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::column_type::{ColumnType, TypeMismatch};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::model::{Field, Model, Row};
use model_resource_schema::value::{Value, ValueRef};

/// A category with a unique name and a unique slug.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Category {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) slug: String,
}

impl Category {
    pub(crate) const NAME: Field<Self, String> = Field::at(1);

    pub(crate) fn draft(name: &str) -> Draft<Self> {
        let mut draft = Draft::new();
        draft.set(Self::NAME, name.to_owned());
        draft
    }
}

impl Row for Category {
    fn value(&self, column: usize) -> ValueRef<'_> {
        match column {
            0 => self.id.to_value(),
            1 => self.name.to_value(),
            _ => self.slug.to_value(),
        }
    }
}

impl Model for Category {
    fn table() -> &'static Table {
        static TABLE: Table = Table::new(
            "categories",
            "Category",
            &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
                Column::new("name", DataType::Text).unique(),
                Column::new("slug", DataType::Text)
                    .role(ColumnRole::Slug("name"))
                    .unique(),
            ],
        );
        &TABLE
    }

    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self {
            id: i64::from_value(row.value(0))?,
            name: String::from_value(row.value(1))?,
            slug: String::from_value(row.value(2))?,
        })
    }
}

/// An article, which may have a category and may answer another article.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Article {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) views: i64,
    pub(crate) category_id: Option<i64>,
    pub(crate) reply_to: Option<i64>,
}

impl Article {
    pub(crate) const TITLE: Field<Self, String> = Field::at(1);
    pub(crate) const VIEWS: Field<Self, i64> = Field::at(2);
    pub(crate) const CATEGORY_ID: Field<Self, Option<i64>> = Field::at(3);
    pub(crate) const REPLY_TO: Field<Self, Option<i64>> = Field::at(4);

    pub(crate) fn draft(title: &str) -> Draft<Self> {
        let mut draft = Draft::new();
        draft.set(Self::TITLE, title.to_owned());
        draft
    }

    /// Creates a type-erased draft, as a request would.
    pub(crate) fn any(title: &str, category: Option<i64>) -> AnyDraft {
        let mut draft = AnyDraft::new(Self::table());
        draft.set(1, Value::Text(title.to_owned()));
        draft.set(3, category.map_or(Value::Null, Value::Int));
        draft
    }
}

impl Row for Article {
    fn value(&self, column: usize) -> ValueRef<'_> {
        match column {
            0 => self.id.to_value(),
            1 => self.title.to_value(),
            2 => self.views.to_value(),
            3 => self.category_id.to_value(),
            _ => self.reply_to.to_value(),
        }
    }
}

impl Model for Article {
    fn table() -> &'static Table {
        static TABLE: Table = Table::new(
            "articles",
            "Article",
            &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
                Column::new("title", DataType::Text),
                Column::new("views", DataType::I64).default("0"),
                Column::new("category_id", DataType::I64)
                    .nullable(true)
                    .references(Category::table, OnDelete::Restrict),
                Column::new("reply_to", DataType::I64)
                    .nullable(true)
                    .references(Article::table, OnDelete::SetNull),
            ],
        );
        &TABLE
    }

    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self {
            id: i64::from_value(row.value(0))?,
            title: String::from_value(row.value(1))?,
            views: i64::from_value(row.value(2))?,
            category_id: Option::from_value(row.value(3))?,
            reply_to: Option::from_value(row.value(4))?,
        })
    }
}

/// A table with one nullable column of each data type, and a UUID as key.
pub(crate) static SAMPLES: Table = Table::new(
    "samples",
    "Sample",
    &[
        Column::new("id", DataType::Uuid).role(ColumnRole::PrimaryKey(KeyGeneration::UuidV7)),
        Column::new("flag", DataType::Bool).nullable(true),
        Column::new("small", DataType::I16).nullable(true),
        Column::new("number", DataType::I32).nullable(true),
        Column::new("big", DataType::I64).nullable(true),
        Column::new("single", DataType::F32).nullable(true),
        Column::new("ratio", DataType::F64).nullable(true),
        Column::new("text", DataType::Text).nullable(true),
        Column::new("blob", DataType::Bytes).nullable(true),
        Column::new("amount", DataType::Text)
            .decimal(12, 4)
            .nullable(true),
        Column::new("day", DataType::Date).nullable(true),
        Column::new("clock", DataType::Time).nullable(true),
        Column::new("moment", DataType::Timestamp).nullable(true),
        Column::new("token", DataType::Uuid).nullable(true),
        Column::new("extra", DataType::Json).nullable(true),
        Column::new("color", DataType::Enum(&["red", "green"])).nullable(true),
        // A name that would be SQL if it were not quoted.
        Column::new("order", DataType::Text).nullable(true),
    ],
);
