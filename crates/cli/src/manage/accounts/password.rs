//! Passwords from standard input.

use std::io::{BufRead, IsTerminal};

use model_resource_security::{Account, hash_password};

use crate::failure::Failure;

/// Reads a password from standard input and hashes it. It is never an argument, because every user of the machine can
/// list those.
pub(super) fn read_password_hash<A: Account>() -> Result<String, Failure> {
    let input = std::io::stdin();
    if input.is_terminal() {
        eprintln!("Password (shown as you type it):");
    }
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    A::check_password(password).map_err(|message| format!("the password on standard input: {message}"))?;
    Ok(hash_password(password.to_owned()))
}
