//! Time of the processors that other virtual machines took.

/// Time of all processors since the start of the machine, in ticks.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProcessorTime {
    total: u64,
    stolen: u64,
}

impl ProcessorTime {
    /// Reads the time so far; nothing where the system does not tell.
    pub(crate) fn now() -> Self {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        Self::parse(text.lines().next().unwrap_or_default())
    }

    /// Parses `cpu user nice system idle iowait irq softirq steal guest guest_nice`.
    fn parse(line: &str) -> Self {
        let ticks = line.split_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = ticks.filter_map(|ticks| ticks.parse().ok()).collect();
        Self {
            total: ticks.iter().sum(),
            stolen: ticks.get(7).copied().unwrap_or_default(),
        }
    }

    /// Returns the part that was stolen since an earlier time.
    pub(crate) fn stolen_since(self, earlier: Self) -> f64 {
        let total = self.total.saturating_sub(earlier.total).max(1);
        self.stolen.saturating_sub(earlier.stolen) as f64 / total as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stolen_part_is_that_of_the_time_between() {
        let earlier = ProcessorTime::parse("cpu  100 0 100 700 0 0 0 100 50 0");
        let now = ProcessorTime::parse("cpu  150 0 120 820 0 0 0 110 70 0");
        assert!((now.stolen_since(earlier) - 0.05).abs() < 1e-9);
        assert!(
            ProcessorTime::parse("")
                .stolen_since(ProcessorTime::default())
                .abs()
                < 1e-9
        );
    }
}
