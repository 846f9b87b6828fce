//! The run: data, servers, rounds, reports.

mod check;
mod client;
mod data;
mod histogram;
mod load;
mod options;
mod process;
mod request;
mod rounds;

use std::time::Instant;

pub(crate) use options::Options;

use self::data::Data;
use crate::outcome::{Failure, Outcome};
use crate::report::{self, Conditions};

pub(crate) async fn run(options: Options) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut outcomes = Vec::new();
    for &database in &options.databases() {
        let mut data = Data::new(database, &options.data, options.postgres.as_deref())?;
        let measured = measure(&options, &mut data, &mut outcomes).await;
        data.clear().await?;
        measured?;
    }
    let conditions = Conditions {
        rounds: options.rounds(),
        seconds: options.time().as_secs_f64(),
        command: options.command(),
    };
    print!("\n{}", report::table(&outcomes));
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&outcomes)? + "\n")?;
    }
    if options.is_whole() {
        report::write(&options.output, &outcomes, &conditions)?;
        println!("\nwritten to {}", options.output.display());
    } else {
        println!(
            "\nonly a part was measured, so {} stays as it is",
            options.output.display()
        );
    }
    println!("measured in {:.0} s", begin.elapsed().as_secs_f64());
    Ok(())
}

async fn measure(options: &Options, data: &mut Data, outcomes: &mut Vec<Outcome>) -> Result<(), Failure> {
    let (works, servers) = (options.works(), options.servers());
    for rows in [request::ROWS, request::FEW] {
        if works.iter().any(|work| request::rows_of(*work) == rows) {
            eprintln!("{}: seeding {rows} articles", data.database().name());
            data.seed(&options.backend, rows).await?;
        }
    }
    for work in works {
        let measured = rounds::measure(options, data, work, &servers).await?;
        outcomes.extend(measured);
    }
    Ok(())
}
