//! The figures as text, as Markdown and as a chart.

mod chart;
mod figures;
mod machine;
mod markdown;
mod table;
mod target;

use std::path::Path;

pub(crate) use markdown::Conditions;
pub(crate) use table::table;

use crate::outcome::{Failure, Outcome};

/// Writes the Markdown and the chart into a folder.
pub(crate) fn write(folder: &Path, outcomes: &[Outcome], conditions: &Conditions) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let has_profile = folder.join("profile.md").exists();
    std::fs::write(
        folder.join("README.md"),
        markdown::page(outcomes, conditions, has_profile),
    )?;
    std::fs::write(folder.join("chart.svg"), chart::svg(outcomes))?;
    Ok(())
}
