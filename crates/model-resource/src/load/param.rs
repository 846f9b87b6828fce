//! `param_converter`: converts URL parameters to instances and query parameters to values.

use std::any::Any;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::model::{Model, Row};
use model_resource_store::RowKey;

use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, Error, LoadedObject, Next, Result};
use crate::query::only_value;
use crate::routing::{DELETE, GET, KeyColumn, Operations, key_column, not_unique};

/// Converts parameters before the handler runs.
///
/// ```
/// use model_resource::{one_of, param_converter, parse};
///
/// let decorator = param_converter()
///     .query("page", parse::<u32>())
///     .query("order", one_of([("newest", -1), ("oldest", 1)]))
///     .query("name", |text: &str| Ok::<_, String>(text.to_lowercase()));
/// ```
///
/// Handlers read the values with `cx.converted::<u32>("page")`. An absent parameter has no value. A parameter that
/// cannot be converted, or is given twice, is answered with 400.
pub fn param_converter() -> ParamConverter {
    ParamConverter::default()
}

/// Decorator that converts parameters; see [`param_converter`].
#[derive(Default, Clone)]
pub struct ParamConverter {
    models: Vec<(&'static str, &'static Table, usize)>,
    queries: Vec<(&'static str, Convert)>,
}

type Convert = Arc<dyn Fn(&str) -> std::result::Result<Box<dyn Any + Send + Sync>, String> + Send + Sync>;

impl ParamConverter {
    /// Converts a URL parameter to the instance of `M` that it identifies, or answers 404. Handlers read it with
    /// `cx.loaded::<M>()`. If the last parameter identifies an instance of the resource's own model, `get` and `delete`
    /// receive it, and `put_loader` and `patch_loader` merge the body into it.
    ///
    /// A parameter named after a unique column, such as `slug` or `article_slug` for the `slug` of `Article`,
    /// identifies the row by that column. A parameter that the URL of a resource binds to a row of `M` identifies that
    /// row. Any other parameter is the primary key.
    ///
    /// # Panics
    /// If the parameter is named after a column that is not unique.
    #[track_caller]
    pub fn model<M: Model>(mut self, parameter: &'static str) -> Self {
        let table = M::table();
        let column = match key_column(table, parameter) {
            KeyColumn::Found(column) => column,
            KeyColumn::Unknown => table.primary_key,
            KeyColumn::NotUnique => panic!("param_converter: {}", not_unique(table, parameter)),
        };
        self.models.push((parameter, table, column));
        self
    }

    /// Converts a query parameter with a function: [`parse`] for numbers and enums, [`one_of`] for a map, or a custom
    /// one.
    pub fn query<T, E>(
        mut self,
        name: &'static str,
        convert: impl Fn(&str) -> std::result::Result<T, E> + Send + Sync + 'static,
    ) -> Self
    where
        T: Any + Send + Sync,
        E: Display,
    {
        let convert = move |text: &str| match convert(text) {
            Ok(value) => Ok(Box::new(value) as Box<dyn Any + Send + Sync>),
            Err(error) => Err(error.to_string()),
        };
        self.queries.push((name, Arc::new(convert)));
        self
    }
}

/// Converter for [`ParamConverter::query`] by [`FromStr`]: integers, floats, enums with `#[derive(ColumnEnum)]`, dates.
pub fn parse<T: FromStr>() -> impl Fn(&str) -> std::result::Result<T, T::Err> {
    str::parse
}

/// Converter for [`ParamConverter::query`] by a map from text to value.
pub fn one_of<T: Clone, const N: usize>(
    choices: [(&'static str, T); N],
) -> impl Fn(&str) -> std::result::Result<T, String> {
    move |text| {
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| value.clone()).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

impl Decorator for ParamConverter {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let converter = self.clone();
        Box::pin(async move {
            for (name, convert) in &converter.queries {
                if let Some(text) = only_value(cx.query_string(), name)? {
                    let value = convert(text).map_err(|error| {
                        Error::bad_parameter(format!("The parameter \"{name}\" is not valid: {error}."))
                    })?;
                    cx.add_converted(name, value);
                }
            }
            for (parameter, table, column) in converter.models {
                load_instance(&mut cx, parameter, table, column).await?;
            }
            next.run(cx).await
        })
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "param_converter"
    }

    fn parameters(&self) -> Vec<&'static str> {
        self.models.iter().map(|(parameter, ..)| *parameter).collect()
    }

    fn query_parameters(&self) -> Vec<&'static str> {
        self.queries.iter().map(|(name, _)| *name).collect()
    }

    fn loads(&self, table: &'static Table) -> Operations {
        let mut tables = self.models.iter().map(|(_, table, _)| *table);
        if tables.any(|own| own.id() == table.id()) {
            [GET, DELETE].into()
        } else {
            Operations::NONE
        }
    }
}

/// Loads the instance that a parameter identifies. The object of the URL must be one that the caller may apply the
/// operation to, as with the automatic loader.
async fn load_instance(
    cx: &mut Context,
    parameter: &str,
    table: &'static Table,
    column: usize,
) -> Result<()> {
    let access = cx.access(table);
    let is_own = access.is_identified_by(parameter);
    let (key, mut rows) = match access.bound_rows(parameter)? {
        Some(bound) => bound,
        None => {
            let text = cx.params().get(parameter).ok_or_else(|| {
                Error::internal(format!("param_converter: the URL has no parameter `{parameter}`"))
            })?;
            let value = table.columns[column].data_type.parse(text);
            let value = table.columns[column].normalize(value.map_err(|_| Error::not_found())?);
            let rows = access.identified_by(column, access.rows())?;
            (RowKey::new(table, column, value), rows)
        }
    };
    if is_own {
        rows = access.permitted()?;
    }
    let unique_column = key.unique_column();
    let Some(found) = cx.store_unchecked().find_any(&rows, key.clone()).await? else {
        return Err(if is_own {
            access.why_not_permitted(access.scoped()?, key).await
        } else {
            Error::not_found()
        });
    };
    if is_own {
        cx.loaded_mut().url_value = unique_column.map(|column| found.value(column).to_value());
        cx.loaded_mut().object = Some(LoadedObject::Row(found.clone()));
    }
    cx.add_instance(table, found);
    Ok(())
}
