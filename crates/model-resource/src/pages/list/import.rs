//! Import of a file into a list.

use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::frame::Frame;
use crate::pages::required_headers::{requires_key, requires_version};
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;

/// Member of an object with its version.
const VERSION: &str = "version";

/// Page that imports a file.
#[derive(Serialize)]
pub(crate) struct ImportPage {
    frame: Frame,
    url: String,
    /// Whether it is sent with an `Idempotency-Key`.
    is_keyed: bool,
    fields: Vec<ImportField>,
    max: usize,
    /// Whether rows that exist can be changed by a file.
    can_update: bool,
    /// Versions of the rows in a file that changes them.
    versions: VersionsInFile,
    takes_csv: bool,
    key: String,
}

/// Column with the versions of the rows that a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum VersionsInFile {
    /// The rows can be changed in any version.
    Optional,
    /// The column is needed, and exports have it.
    Needed,
    /// Versions are needed, and no export has them.
    Missing,
}

impl VersionsInFile {
    fn of(update: Option<&ActionDescription>, list: &ActionDescription) -> Self {
        if !update.is_some_and(requires_version) {
            return Self::Optional;
        }
        let exported = list.response.as_deref();
        let mut names = exported.iter().flat_map(|schema| &schema.output);
        if names.any(|field| field.name == VERSION) {
            Self::Needed
        } else {
            Self::Missing
        }
    }
}

/// Column of a file.
#[derive(Serialize)]
struct ImportField {
    name: String,
    is_required: bool,
}

/// Makes the page. `None` if the caller cannot create several objects at once.
pub(crate) fn import_page(pages: &CompiledPages, site: &Site<'_>) -> Option<ImportPage> {
    let request = site.request;
    let create = request
        .action_of("POST")
        .filter(|action| action.max_bulk.is_some())?;
    let update = request.action_of("PATCH").filter(|action| action.route.bulk);
    let schema = create.request.as_deref()?;
    let inputs = schema.input.iter().filter(|input| input.preset.is_none());
    let fields = inputs.map(|input| ImportField {
        name: input.name.clone(),
        is_required: input.is_required,
    });
    let list = request.action.as_deref().unwrap_or(create);
    let title = format!("Import into {}", site.list_title(list));
    let versions = VersionsInFile::of(update, list);
    Some(ImportPage {
        versions,
        url: request.path.clone(),
        is_keyed: requires_key(create),
        fields: fields.collect(),
        max: create.max_bulk.unwrap_or_default(),
        can_update: update.is_some() && versions != VersionsInFile::Missing,
        takes_csv: cfg!(feature = "csv"),
        key: update
            .and_then(|action| action.bulk_key.clone())
            .unwrap_or_default(),
        frame: Frame::new(pages, site, title).of_form("Import"),
    })
}
