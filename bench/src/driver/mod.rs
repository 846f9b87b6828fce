//! The run: data, servers, rounds, reports.

mod answer;
mod articles;
mod check;
mod client;
mod data;
mod growth;
mod histogram;
mod html;
mod interrupt;
mod load;
mod models;
mod options;
mod pages;
mod process;
mod request;
mod round;
mod rows;
mod secured;

use std::time::Instant;

pub(crate) use options::Options;

use self::articles::Source;
use self::data::Data;
use self::options::Part;
use self::process::Programs;
use self::request::CLIENTS;
use self::round::Rounds;
use crate::outcome::{Failure, Outcome, Outcomes, Server, Work};
use crate::report::{self, Conditions};

pub(crate) async fn run(options: Options) -> Result<(), Failure> {
    let begin = Instant::now();
    let load_average = report::load_average();
    interrupt::watch()?;
    let programs = Programs::new(options.backend.clone(), options.baseline.clone())?;
    let mut outcomes = Outcomes::default();
    for &database in &options.databases() {
        let mut data = Data::new(database, &options.data, options.postgres.as_deref())?;
        let measured = measure(&options, &programs, &mut data, &mut outcomes).await;
        // Also after a failure, which is then the reported error.
        let cleared = data.clear().await;
        measured?;
        cleared?;
    }
    print!("\n{}", report::table(&outcomes));
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&outcomes.rows()?)? + "\n")?;
    }
    if options.is_whole() {
        let conditions = Conditions {
            is_quick: options.quick,
            load_average,
            rounds: options.rounds().count,
            longest: options.longest(),
            seconds: options.rounds().time.as_secs_f64(),
            command: options.command(),
        };
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

async fn measure(
    options: &Options,
    programs: &Programs,
    data: &mut Data,
    outcomes: &mut Outcomes,
) -> Result<(), Failure> {
    outcomes.versions.push(data.version().await?);
    if options.is_to_measure(Part::Articles) {
        compare(options, programs, data, outcomes).await?;
    }
    if options.is_to_measure(Part::Growth) {
        let measured = growth::measure(programs, data, options.sizes()).await?;
        outcomes.growth.extend(measured);
    }
    if options.is_to_measure(Part::Pages) {
        eprintln!(
            "{}: a table of {} rows",
            data.database().name(),
            options.longest()
        );
        let url = data.grow(&programs.backend, options.longest()).await?;
        if options.works().contains(&Work::Filtered) {
            let (work, servers, rounds) = (Work::Filtered, options.servers(), options.rounds());
            let measured =
                articles::measure(programs, data, &Source::Grown(&url), work, &servers, rounds).await?;
            outcomes.articles.extend(measured);
        }
        let (database, rows, rounds) = (data.database(), options.longest(), options.page_rounds());
        let measured = pages::measure(programs, database, &url, rows, rounds)?;
        outcomes.pages.extend(measured);
    }
    if options.is_to_measure(Part::Html) {
        let measured = html::measure(programs, data, options.rounds()).await?;
        outcomes.html.extend(measured);
    }
    if options.is_to_measure(Part::Secured) {
        let measured = secured::measure(programs, data, options.rounds()).await?;
        outcomes.secured.extend(measured);
    }
    if options.is_to_measure(Part::Keyed) {
        let servers = [Server::Backend, Server::Keyed, Server::KeyedByTime];
        let works = [Work::Create, Work::Patch];
        let measured = write(options.rounds(), programs, data, &works, &servers).await?;
        outcomes.keyed.extend(measured);
    }
    if options.is_to_measure(Part::Nested) {
        let measured = nested(options.rounds(), programs, data).await?;
        outcomes.nested.extend(measured);
    }
    if options.is_to_measure(Part::Models) {
        let (gets, starts) = models::measure(programs, data, options.rounds(), options.starts()).await?;
        outcomes.models.extend(gets);
        outcomes.starts.extend(starts);
        let document = models::document(programs, data, options.starts()).await?;
        outcomes.documents.push(document);
    }
    Ok(())
}

/// Measures nested writes by one client and by many.
async fn nested(rounds: Rounds, programs: &Programs, data: &mut Data) -> Result<Vec<Outcome>, Failure> {
    let (works, mut outcomes) = ([Work::Line, Work::Invoice], Vec::new());
    for clients in [1, CLIENTS] {
        let rounds = Rounds { clients, ..rounds };
        outcomes.extend(write(rounds, programs, data, &works, &[Server::Backend]).await?);
    }
    Ok(outcomes)
}

/// Measures workloads that write, on new databases.
async fn write(
    rounds: Rounds,
    programs: &Programs,
    data: &mut Data,
    works: &[Work],
    servers: &[Server],
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes = Vec::new();
    for &work in works {
        let rows = request::rows_of(work);
        data.seed(&programs.backend, &articles::original(rows), rows)
            .await?;
        if work == Work::Line {
            add_invoices(programs, data).await?;
        }
        let source = &Source::Articles;
        outcomes.extend(articles::measure(programs, data, source, work, servers, rounds).await?);
    }
    Ok(outcomes)
}

/// Compares the three servers.
async fn compare(
    options: &Options,
    programs: &Programs,
    data: &mut Data,
    outcomes: &mut Outcomes,
) -> Result<(), Failure> {
    for rows in [request::ROWS, request::FEW] {
        eprintln!("{}: seeding {rows} articles", data.database().name());
        data.seed(&programs.backend, &articles::original(rows), rows)
            .await?;
    }
    tag(programs, data).await?;
    for work in options.works().into_iter().filter(|work| *work != Work::Filtered) {
        let measured = articles::measure(
            programs,
            data,
            &Source::Articles,
            work,
            &options.servers(),
            options.rounds(),
        )
        .await?;
        outcomes.articles.extend(measured);
    }
    Ok(())
}

/// Adds tags to the articles of the short table.
async fn tag(programs: &Programs, data: &Data) -> Result<(), Failure> {
    add_to_tables_of_backend(programs, data, rows::TAGS).await
}

/// Adds the invoices of lines that are written one by one.
async fn add_invoices(programs: &Programs, data: &Data) -> Result<(), Failure> {
    add_to_tables_of_backend(programs, data, &rows::invoices(data.database())).await
}

/// Adds rows to tables beside the articles of the short table.
async fn add_to_tables_of_backend(programs: &Programs, data: &Data, sql: &str) -> Result<(), Failure> {
    let name = articles::original(request::FEW);
    // Creates the tables.
    drop(programs.serve(Server::Backend, &data.url(&name))?);
    data.add(&name, sql).await
}
