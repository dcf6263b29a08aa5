//! Performance metrics. Useful because a page answers even while a script runs.
use super::Empty;

domain! {
    commands {
        "Performance.getMetrics" GetMetrics {} -> Empty
    }
    events {}
    objects {}
}
