//! One column of every type, required and nullable.

use model_resource::{ColumnEnum, Date, Decimal, Json, Model, Time, Timestamp, Uuid};

/// The choices of an enum column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
pub enum Color {
    /// `"red"`
    Red,
    /// `"green"`
    Green,
    /// `"blue"`
    Blue,
}

/// Every type that a column can have.
#[derive(Debug, Clone, Model)]
#[model(table = "samples")]
pub struct Sample {
    /// The key, made here.
    #[column(primary_key)]
    pub id: Uuid,
    /// A required `bool`.
    pub flag: bool,
    /// A required `i16`.
    pub small: i16,
    /// A required `i32`.
    pub number: i32,
    /// A required `i64`.
    pub big: i64,
    /// A required `f32`.
    pub single: f32,
    /// A required `f64`.
    pub ratio: f64,
    /// A required `String`.
    pub text: String,
    /// A required `Vec<u8>`.
    pub blob: Vec<u8>,
    /// A required `Decimal`.
    #[column(precision = 12, scale = 4)]
    pub amount: Decimal,
    /// A required `Date`.
    pub day: Date,
    /// A required `Time`.
    pub clock: Time,
    /// A required `Timestamp`.
    pub moment: Timestamp,
    /// A required `Uuid`.
    pub token: Uuid,
    /// A required `Json`.
    pub extra: Json,
    /// A required `Color`.
    pub color: Color,
    /// A nullable `bool`.
    pub maybe_flag: Option<bool>,
    /// A nullable `i16`.
    pub maybe_small: Option<i16>,
    /// A nullable `i32`.
    pub maybe_number: Option<i32>,
    /// A nullable `i64`.
    pub maybe_big: Option<i64>,
    /// A nullable `f32`.
    pub maybe_single: Option<f32>,
    /// A nullable `f64`.
    pub maybe_ratio: Option<f64>,
    /// A nullable `String`.
    pub maybe_text: Option<String>,
    /// A nullable `Vec<u8>`.
    pub maybe_blob: Option<Vec<u8>>,
    /// A nullable `Decimal`.
    #[column(precision = 12, scale = 4)]
    pub maybe_amount: Option<Decimal>,
    /// A nullable `Date`.
    pub maybe_day: Option<Date>,
    /// A nullable `Time`.
    pub maybe_clock: Option<Time>,
    /// A nullable `Timestamp`.
    pub maybe_moment: Option<Timestamp>,
    /// A nullable `Uuid`.
    pub maybe_token: Option<Uuid>,
    /// A nullable `Json`.
    pub maybe_extra: Option<Json>,
    /// A nullable `Color`.
    pub maybe_color: Option<Color>,
}
