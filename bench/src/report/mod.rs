//! Reports as text, as Markdown and as a chart.

mod chart;
mod figures;
mod machine;
mod markdown;
mod parts;
mod table;
mod target;

use std::path::Path;

pub(crate) use machine::load_average;
pub(crate) use markdown::Conditions;
pub(crate) use table::table;

use crate::outcome::{Failure, Outcomes};

/// Writes the Markdown and the chart into a folder.
pub(crate) fn write(folder: &Path, outcomes: &Outcomes, conditions: &Conditions) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let has_profile = folder.join("profile.md").exists();
    std::fs::write(
        folder.join("README.md"),
        markdown::page(outcomes, conditions, has_profile),
    )?;
    std::fs::write(folder.join("chart.svg"), chart::svg(&outcomes.articles))?;
    Ok(())
}
