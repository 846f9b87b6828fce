//! The declared layers in `xtask/layers.txt`.

use crate::workspace::Outcome;

/// A crate: its folder, its permitted dependencies, and its modules from top to bottom.
#[derive(Debug, PartialEq)]
pub(super) struct Layers {
    pub(super) folder: String,
    pub(super) may_use: Vec<String>,
    pub(super) groups: Vec<Vec<String>>,
}

impl Layers {
    /// Returns the layer of a module, counted from the top, and the listed name that it belongs to: its own, or that of
    /// the nearest module around it.
    pub(super) fn level(&self, module: &[String]) -> Option<(usize, &str)> {
        (1..=module.len()).rev().find_map(|length| {
            let path = module[..length].join("::");
            let position = self.groups.iter().position(|group| group.contains(&path))?;
            let listed = self.groups[position].iter().find(|name| **name == path)?;
            Some((position, listed.as_str()))
        })
    }

    /// Whether a name is listed.
    fn lists(&self, name: &str) -> bool {
        self.groups.iter().flatten().any(|listed| listed == name)
    }
}

/// Parses `folder: dependencies` lines, each followed by indented lines with one group of modules.
pub(super) fn parse(text: &str) -> Outcome<Vec<Layers>> {
    let mut plan: Vec<Layers> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let fail = |what: &str| Err(format!("xtask/layers.txt:{}: {what}", number + 1));
        if content.trim().is_empty() {
            continue;
        }
        if content.starts_with(' ') {
            let Some(layers) = plan.last_mut() else {
                return fail("a group of modules before the first crate");
            };
            let group: Vec<String> = words(content);
            if let Some(twice) = group.iter().find(|name| layers.lists(name)) {
                return fail(&format!("module `{twice}` is in two groups"));
            }
            layers.groups.push(group);
        } else if let Some((folder, may_use)) = content.split_once(':') {
            plan.push(Layers {
                folder: folder.trim().into(),
                may_use: words(may_use),
                groups: Vec::new(),
            });
        } else {
            return fail("expected `folder: dependencies` or an indented group of modules");
        }
    }
    Ok(plan)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_belong_to_the_crate_above_them() {
        let plan = parse("# top first\na: b c\n    x\n    y z  # two\nb:\n").unwrap();
        assert_eq!(plan.len(), 2);
        assert_eq!(plan[0].may_use, ["b", "c"]);
        let level = |path: &str| plan[0].level(&words(&path.replace("::", " ")));
        assert_eq!(level("x"), Some((0, "x")));
        assert_eq!(level("z::inner"), Some((1, "z")));
        assert_eq!(level("w"), None);
        assert!(plan[1].groups.is_empty());
    }

    #[test]
    fn a_module_in_two_groups_is_rejected() {
        assert!(parse("a:\n  x\n  x\n").is_err());
    }
}
