//! A folder of migrations that does not exist.

use model_resource::migrations;

fn main() {
    let _ = migrations!("no_such_folder");
}
