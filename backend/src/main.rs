//! The program: the command line.

use std::process::ExitCode;

/// Requests allocate and free small objects on several threads. mimalloc does this in a third of the system allocator's
/// time. It does not use huge pages, which keep memory resident that was freed in part.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    backend::app::manage().run().await
}
