//! The program `model-resource`, which writes new applications and adds resources to them.

mod add_resource;
mod edit;
mod field;
mod field_type;
mod files;
mod names;
mod new_application;
mod resource_text;
mod test_text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use add_resource::AddResource;
use new_application::NewApplication;

/// Writes applications of model-resource
#[derive(Parser)]
#[command(name = "model-resource", version, after_help = AFTER_HELP)]
struct Program {
    #[command(subcommand)]
    command: ProgramCommand,
}

const AFTER_HELP: &str = "\
Examples:
  model-resource new library
  cd library
  model-resource add resource Book title:string isbn:string:unique pages:int?
  cargo run -- make-migration add_books";

#[derive(Subcommand)]
enum ProgramCommand {
    New(NewApplication),
    /// Adds to the application in the current folder
    Add {
        /// Folder of the application
        #[arg(long, value_name = "FOLDER", default_value = ".", global = true)]
        folder: PathBuf,
        #[command(subcommand)]
        addition: Addition,
    },
}

#[derive(Subcommand)]
enum Addition {
    Resource(AddResource),
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    match Program::parse().run() {
        Ok(written) => {
            print!("{written}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("model-resource: {failure}");
            ExitCode::FAILURE
        }
    }
}

impl Program {
    /// Runs the command and returns the report of what was written.
    fn run(self) -> Result<String, Failure> {
        match self.command {
            ProgramCommand::New(new) => new.run(),
            ProgramCommand::Add { folder, addition } => match addition {
                Addition::Resource(resource) => resource.run(&folder),
            },
        }
    }
}
