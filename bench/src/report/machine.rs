//! Description of the machine, without its name.

/// Returns the load average of the last minute.
pub(crate) fn load_average() -> String {
    let average = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    average.split(' ').next().unwrap_or_default().to_owned()
}

pub(super) fn description() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?
            .split_whitespace()
            .next()?
            .parse::<f64>()
            .ok()
    });
    let gib = kib.unwrap_or_default() / 1024.0 / 1024.0;
    format!("{model}, {cores} cores, {gib:.0} GiB, {}", std::env::consts::OS)
}
