//! Handwritten SQL with bound parameters.

use std::borrow::Cow;

use model_resource_schema::column_type::ColumnType;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::{Field, Model};
use model_resource_schema::parameter::IntoValue;
use model_resource_schema::value::{Value, ValueRef};

use crate::coerce::coerce;
use crate::error::{Error, Result};

/// First words of statements that control the transaction or the session, which belong to the store.
const CONTROL: [&str; 22] = [
    "ABORT",
    "ATTACH",
    "BEGIN",
    "CLOSE",
    "COMMIT",
    "COPY",
    "DEALLOCATE",
    "DECLARE",
    "DETACH",
    "DISCARD",
    "END",
    "EXECUTE",
    "LISTEN",
    "PRAGMA",
    "PREPARE",
    "RELEASE",
    "RESET",
    "ROLLBACK",
    "SAVEPOINT",
    "SET",
    "START",
    "VACUUM",
];

/// One SQL statement with the values of its parameters, for queries that [`Query`](crate::Query) cannot express:
/// aggregates, joins, window functions, or an UPDATE of many rows.
///
/// [`Store::fetch`](crate::Store::fetch) returns its rows, [`Store::execute`](crate::Store::execute) the number of
/// changed rows. **Policies do not apply**: the statement reads and writes whatever its text says.
///
/// Parameters are `$1`, `$2` and so on, on every database; a parameter may occur several times. Values are never part
/// of the text, so that they cannot inject SQL. The text itself is in the SQL dialect of the database
/// ([`Store::dialect`](crate::Store::dialect)); it is prepared once per connection.
///
/// ```
/// # use model_resource_store::{Store, StoreResult};
/// use model_resource_store::Sql;
///
/// # #[tokio::main]
/// # async fn main() -> StoreResult<()> {
/// # let store = Store::open("sqlite::memory:").await?;
/// store.execute(Sql::new("CREATE TABLE scores (player TEXT NOT NULL, points INTEGER NOT NULL)")).await?;
/// for (player, points) in [("ann", 3), ("bob", 5), ("ann", 4)] {
///     let insert = Sql::new("INSERT INTO scores VALUES ($1, $2)").bind(player).bind(points);
///     assert_eq!(store.execute(insert).await?, 1);
/// }
/// let best = Sql::new("SELECT player, sum(points) AS total FROM scores GROUP BY player HAVING sum(points) > $1")
///     .bind(5);
/// let rows = store.fetch(best).await?;
/// assert_eq!(rows[0].get::<String>("player")?, "ann");
/// assert_eq!(rows[0].get::<i64>("total")?, 7);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "query")]
#[doc(alias = "raw")]
#[derive(Clone)]
pub struct Sql {
    text: Cow<'static, str>,
    parameters: Vec<Value>,
    /// First value that cannot be bound.
    mistake: Option<Error>,
}

impl Sql {
    /// Creates a statement without values.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            text: text.into(),
            parameters: Vec::new(),
            mistake: None,
        }
    }

    /// Binds the next parameter: the first call binds `$1`.
    ///
    /// A decimal is bound with [`Sql::bind_field`], since its column determines how it is stored. The statement fails
    /// if a value cannot be bound.
    pub fn bind(self, value: impl IntoValue) -> Self {
        let value = value.into_value();
        let mistake = match &value {
            Value::Decimal(_) => Some("a decimal has the scale of its column: bind it with `bind_field`"),
            Value::Single(number) if !number.is_finite() => Some("the number is not finite"),
            Value::Double(number) if !number.is_finite() => Some("the number is not finite"),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Single(_) | Value::Double(_) => None,
            Value::Text(_) | Value::Bytes(_) | Value::Uuid(_) | Value::Json(_) => None,
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) => None,
        };
        let number = self.parameters.len() + 1;
        let mistake =
            mistake.map(|mistake| Error::Failed(format!("parameter ${number} of raw SQL: {mistake}")));
        self.push(value, mistake)
    }

    /// Binds the next parameter in the form that a column stores, such as a decimal of its scale.
    pub fn bind_field<M: Model, T: ColumnType>(self, field: Field<M, T>, value: impl Into<T>) -> Self {
        let value = value.into().to_value().to_value();
        match coerce(field.column(), &value).map(ValueRef::to_value) {
            Ok(value) => self.push(value, None),
            Err(error) => self.push(Value::Null, Some(error)),
        }
    }

    fn push(mut self, value: Value, mistake: Option<Error>) -> Self {
        self.parameters.push(value);
        self.mistake = self.mistake.or(mistake);
        self
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Copy of the text for the log, without the values, which may be secrets.
    pub(crate) fn logged_text(&self) -> Cow<'static, str> {
        self.text.clone()
    }

    pub(crate) fn parameters(&self) -> &[Value] {
        &self.parameters
    }

    /// Fails if the statement cannot be fetched or executed.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.clone());
        }
        let first = self.first_word();
        if first.is_empty() {
            return Err(Error::Failed("raw SQL without a statement".to_owned()));
        }
        if CONTROL.contains(&first.as_str()) {
            return Err(Error::Failed(format!(
                "raw SQL cannot begin with {first}: transactions and connections belong to the store (`Store::begin`)"
            )));
        }
        Ok(())
    }

    /// Fails if the statement only returns rows, and so cannot be executed.
    pub(crate) fn check_execute(&self) -> Result<()> {
        self.check()?;
        match self.first_word().as_str() {
            "SELECT" | "VALUES" | "TABLE" | "EXPLAIN" | "SHOW" => Err(Error::Failed(
                "the statement returns rows: use `fetch` instead of `execute`".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the statement defines tables or similar, so that no rows are counted.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_definition(&self) -> bool {
        !matches!(
            self.first_word().as_str(),
            "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "WITH" | "MERGE"
        )
    }

    /// Returns the first word in upper case, after spaces, comments and parentheses.
    fn first_word(&self) -> String {
        let before = |character: char| character.is_whitespace() || character == '(';
        let mut rest = self.text.trim_start_matches(before);
        loop {
            let comment = match rest.get(..2) {
                Some("--") => rest.split_once('\n'),
                Some("/*") => rest.split_once("*/"),
                _ => break,
            };
            rest = comment.map_or("", |(_, rest)| rest.trim_start_matches(before));
        }
        let word = rest
            .split(|character: char| !character.is_ascii_alphabetic())
            .next();
        word.unwrap_or_default().to_ascii_uppercase()
    }
}

/// Leaves the values out: they may be secrets, and this is logged.
impl std::fmt::Debug for Sql {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sql")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// Error for a write that was fetched outside of a transaction.
pub(crate) fn fetch_only_reads() -> Error {
    let message = "`fetch` only reads outside of a transaction: use `execute`, or begin a transaction";
    Error::Failed(message.to_owned())
}

/// Error for a wrong number of parameters.
#[cfg(feature = "sqlite")]
pub(crate) fn wrong_count(expected: usize, bound: usize) -> Error {
    Error::Failed(format!(
        "raw SQL has {expected} parameters, numbered from $1 without gaps, but {bound} values are bound"
    ))
}

/// A row of a handwritten statement, in the form in which the driver returned it.
pub(crate) trait RawRow {
    /// Names of the columns, in order.
    fn names(&self) -> impl Iterator<Item = &str>;

    /// Decodes a value. Returns `None` if it has another type.
    fn decode(&self, position: usize, kind: DataType) -> Option<ValueRef<'_>>;

    /// Name of the type that the database returned.
    fn type_name(&self, position: usize) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_transactions_and_sessions_are_rejected_behind_comments_too() {
        for text in [
            "COMMIT",
            " begin immediate",
            "-- why\n/* ; */ Rollback",
            "SET x = 1",
            "",
            "-- SELECT",
        ] {
            assert!(Sql::new(text).check().is_err(), "{text}");
        }
        for text in [
            "SELECT 1",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "((SELECT 1))",
            "/* x */INSERT",
        ] {
            assert_eq!(Sql::new(text).check(), Ok(()), "{text}");
        }
    }

    #[test]
    fn only_statements_without_a_result_are_executed() {
        for (text, is_executed) in [
            ("SELECT 1", false),
            ("(select 1)", false),
            ("DELETE FROM a", true),
        ] {
            assert_eq!(Sql::new(text).check_execute().is_ok(), is_executed, "{text}");
        }
    }
}
