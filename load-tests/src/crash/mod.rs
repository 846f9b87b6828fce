//! Crashes: clients write, the server or its database is killed, and their journals are compared with the api.

mod comparison;
mod journal;
mod observation;
mod options;
mod plan;
mod report;
mod trial;
mod writer;

pub(crate) use options::CrashOptions;
pub(crate) use trial::run;
