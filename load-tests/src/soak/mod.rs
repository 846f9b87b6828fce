//! A soak: mixed load for a long time, while faults of the database come and go.

mod answers;
mod broken_clients;
mod faults;
mod load;
mod options;
mod report;
mod samples;
mod trial;

pub(crate) use options::SoakOptions;
pub(crate) use trial::run;
