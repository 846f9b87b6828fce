//! Preconditions of a request on the version of its object (RFC 9110, section 13).

use std::time::SystemTime;

use http::{HeaderMap, StatusCode, header};
use model_resource_schema::column::{ColumnRole, Table};
use model_resource_schema::model::Row;
use model_resource_schema::serializer::ObjectVersion;
use model_resource_schema::value::ValueRef;

use crate::conditional::entity_tags::EntityTags;
use crate::conditional::row_tag::RowTag;
use crate::pipeline::{Context, Error, ErrorKind, Result};

/// Preconditions of a request that writes an object, or that reads it only in a certain version.
#[derive(Debug, Default)]
pub(crate) struct Preconditions {
    if_match: Option<EntityTags>,
    if_none_match: Option<EntityTags>,
    /// Second of the last change that the client knows, without `If-Match`.
    unmodified_since: Option<i64>,
    /// Version of an object of a bulk request.
    version: Option<ObjectVersion>,
}

impl Preconditions {
    /// Whether a write has any.
    pub(crate) fn are_in(cx: &Context) -> bool {
        Self::has_header(cx.headers()) || cx.extension::<ObjectVersion>().is_some()
    }

    /// Whether a request has a header with a precondition.
    pub(crate) fn has_header(headers: &HeaderMap) -> bool {
        [
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_UNMODIFIED_SINCE,
        ]
        .iter()
        .any(|name| headers.contains_key(name))
    }

    /// Reads those of a write. A header that cannot be read ends the request, because nothing is written against a
    /// precondition.
    pub(crate) fn of_write(cx: &Context) -> Result<Self> {
        let if_match = tags(cx.headers(), &header::IF_MATCH)?;
        Ok(Self {
            unmodified_since: match if_match {
                None => date(cx.headers(), &header::IF_UNMODIFIED_SINCE),
                Some(_) => None,
            },
            if_match,
            if_none_match: tags(cx.headers(), &header::IF_NONE_MATCH)?,
            version: cx.extension::<ObjectVersion>().cloned(),
        })
    }

    /// Reads those of a read; whether it is answered with 304 is decided when the response is known.
    pub(crate) fn of_read(headers: &HeaderMap) -> Result<Self> {
        let if_match = tags(headers, &header::IF_MATCH)?;
        Ok(Self {
            unmodified_since: match if_match {
                None => date(headers, &header::IF_UNMODIFIED_SINCE),
                Some(_) => None,
            },
            if_match,
            ..Self::default()
        })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        let has_tags = self.if_match.is_some() || self.if_none_match.is_some();
        !has_tags && self.unmodified_since.is_none() && self.version.is_none()
    }

    /// Ends the request with 412 and the current tag unless this version of a row fulfils all.
    pub(crate) fn check_row(&self, cx: &Context, table: &'static Table, row: &dyn Row) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let tag = cx.services().row_tags.tag(table, row);
        if self.unmodified_since.is_some() {
            let modified = shown_change(cx, table)?.and_then(|column| changed_at(row, column));
            self.check_change(&tag, modified)?;
        }
        if let Some(version) = &self.version
            && !is_version(version, &tag, table, row)?
        {
            return Err(failed("version", &tag));
        }
        self.check_tag(&tag)
    }

    /// Ends the request with 412 if the object was changed in a later second than the client knows.
    pub(crate) fn check_change(&self, tag: &RowTag, changed: Option<i64>) -> Result<()> {
        match (self.unmodified_since, changed) {
            (Some(since), Some(changed)) if changed > since => Err(failed("If-Unmodified-Since", tag)),
            _ => Ok(()),
        }
    }

    /// Ends the request with 412 unless an object with this tag fulfils those of the headers.
    pub(crate) fn check_tag(&self, tag: &RowTag) -> Result<()> {
        let is_other = |tags: &EntityTags| !tags.contain_strongly(tag);
        let is_same = |tags: &EntityTags| tags.contain_weakly(tag.as_bytes());
        if self.if_match.as_ref().is_some_and(is_other) {
            return Err(failed("If-Match", tag));
        }
        if self.if_none_match.as_ref().is_some_and(is_same) {
            let message = "The precondition of If-None-Match does not hold: the object has this version.";
            return Err(with_current(message, tag));
        }
        Ok(())
    }
}

/// Reads a header. One without tags ends the request.
fn tags(headers: &HeaderMap, name: &header::HeaderName) -> Result<Option<EntityTags>> {
    EntityTags::read(headers, name).map_err(|_| {
        Error::new(ErrorKind::BadRequest(format!(
            "The header {name} has no entity tags: send the ETag of the object with its quotes, or *."
        )))
    })
}

/// Reads the date of a header. As RFC 9110 requires, what is not a date is ignored.
pub(super) fn date(headers: &HeaderMap, name: &header::HeaderName) -> Option<i64> {
    let text = headers.get(name)?.to_str().ok()?;
    let date = httpdate::parse_http_date(text).ok()?;
    let since_1970 = date.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since_1970.as_secs()).ok()
}

/// Column with the time of the last change, if the table has one and the caller sees it.
pub(crate) fn shown_change(cx: &Context, table: &'static Table) -> Result<Option<usize>> {
    let mut columns = table.columns.iter();
    let Some(column) = columns.position(|column| column.role == ColumnRole::Updated) else {
        return Ok(None);
    };
    let is_shown = cx.access(table).written_projection()?.shows(column);
    Ok(is_shown.then_some(column))
}

/// Second of the last change of a row, in this column.
pub(crate) fn changed_at(row: &dyn Row, column: usize) -> Option<i64> {
    match row.value(column) {
        ValueRef::Timestamp(changed) => Some(changed.as_second()),
        _ => None,
    }
}

/// Whether a row has the version of an object in a bulk request.
fn is_version(version: &ObjectVersion, tag: &RowTag, table: &'static Table, row: &dyn Row) -> Result<bool> {
    let number = match version {
        ObjectVersion::Tag(text) => return Ok(tag.is(text)),
        ObjectVersion::Number(number) => number,
    };
    let column = table
        .version
        .filter(|version| table.columns[*version].role == ColumnRole::Version);
    match column {
        Some(column) => Ok(row.value(column) == ValueRef::Int(*number)),
        None => Err(Error::field(
            "version",
            "The versions of these objects have no numbers; send the ETag of the object.",
        )),
    }
}

fn failed(name: &str, tag: &RowTag) -> Error {
    let message = format!(
        "The precondition of {name} does not hold: the object has another version. Read it again, and repeat the change \
         with its ETag."
    );
    with_current(message, tag)
}

/// Error with the current tag of the object.
fn with_current(message: impl Into<String>, tag: &RowTag) -> Error {
    let error = Error::named("PreconditionFailed", StatusCode::PRECONDITION_FAILED, message);
    error.with_header(header::ETAG, tag.header())
}
