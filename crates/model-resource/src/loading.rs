//! Loading JSON onto drafts: what the body loaders and the serializers in handlers share.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{Limits, Onto, Plan};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::heavy::heavy;

/// Reads a JSON object onto a draft, within what the URL and the caller's policies leave open.
pub(crate) fn read(
    cx: &Context,
    plan: &Plan,
    onto: Onto,
    draft: &mut AnyDraft,
    text: &str,
) -> Result<Errors> {
    let table = plan.table();
    let mut fixed = cx.scope(table)?;
    fixed.extend(draft.key().map(|key| (table.primary_key, key.clone())));
    let mut locked = cx.locked_columns(table);
    let mut given = cx.given(table);
    if onto != Onto::New {
        // Nobody gives away what they were given.
        locked.extend(given.drain(..).map(|(column, _)| column));
    }
    let limits = Limits {
        fixed: &fixed,
        given: &given,
        hidden: cx.hidden_columns(table),
        locked,
    };
    let loaded = plan.load(text, onto, draft, &limits);
    loaded.map_err(|malformed| Error::malformed(malformed.0))
}

/// Stores the extra inputs of a valid draft that belong into columns, away from the threads that serve requests.
pub(crate) async fn convert(plan: &Arc<Plan>, mut draft: AnyDraft) -> Result<(AnyDraft, Errors)> {
    if !plan.converts(&draft) {
        return Ok((draft, Errors::new()));
    }
    let plan = Arc::clone(plan);
    heavy(move || {
        let errors = plan.convert(&mut draft);
        (draft, errors)
    })
    .await
}
