//! Commands that a test cannot run, whose fences have the tag `no_run`.

use super::command::words;

/// Commands that need another machine than the tests have, or that run the pages themselves.
const UNRUN: [&[&str]; 8] = [
    // Compiles a release build.
    &["cargo", "install"],
    // Runs the pages, or takes minutes, and is tested by a step of its own.
    &["cargo", "xtask"],
    // Needs the daemon of Docker, and images from outside.
    &["docker"],
    // Install the packages of Django from outside; `cargo xtask conformance` tests the applications that need them.
    &["python3", "-m", "venv"],
    &["/tmp/venv/bin/pip"],
    &["/tmp/venv/bin/python"],
    // Need systemd and its service.
    &["systemctl"],
    &["systemd-run"],
];

/// Commands that may be between those, because they change their folder or the files of the service.
const BESIDE: [&str; 6] = ["cd", "chmod", "chown", "cp", "install", "rm"];

/// Rejects a fence with the tag and a command that could run, and one without the tag and a command that cannot.
pub(super) fn check<'a>(marked: bool, commands: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let (unrun, run): (Vec<&str>, Vec<&str>) = commands.partition(|command| is_unrun(command));
    let is_beside = |command: &&str| words(command).next().is_some_and(|word| BESIDE.contains(&word));
    match (
        marked,
        unrun.first(),
        run.iter().find(|command| !is_beside(command)),
    ) {
        (false, Some(command), _) => Err(format!(
            "`{command}` cannot run in a test: give it a fence with the tag `no_run`"
        )),
        (true, None, _) => Err("the fence has the tag `no_run`, but its commands can run".to_owned()),
        (true, Some(_), Some(command)) => Err(format!(
            "`{command}` is in a fence with the tag `no_run`, but can run: give it another fence"
        )),
        (false, None, _) | (true, Some(_), None) => Ok(()),
    }
}

fn is_unrun(command: &str) -> bool {
    let begins_with = |start: &&[&str]| words(command).take(start.len()).eq(start.iter().copied());
    UNRUN.iter().any(begins_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_for_listed_commands_and_required_for_them() {
        let check = |marked, commands: &[&str]| check(marked, commands.iter().copied()).is_ok();
        assert!(check(true, &["cargo xtask test", "A=1 cargo xtask links"]));
        assert!(!check(false, &["ls", "cargo xtask test"]));
        assert!(!check(true, &["cargo run"]));
        assert!(!check(true, &["cargo install x", "cargo run"]));
        assert!(check(true, &["systemctl stop backend", "cp a b"]));
        assert!(check(
            true,
            &["cd django", "A=b /tmp/venv/bin/python manage.py test"]
        ));
        assert!(!check(true, &["cp a b"]));
        assert!(check(false, &["cp a b", "curl -s x"]));
    }
}
