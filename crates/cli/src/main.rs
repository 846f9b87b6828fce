//! `model-resource`: writes new applications, and adds resources to them.

use std::process::ExitCode;

fn main() -> ExitCode {
    model_resource_cli::scaffold::run()
}
