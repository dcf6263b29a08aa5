//! Performance metrics. `getMetrics` serves as a ping, since a page's process answers it even while a script runs.
use super::Empty;

domain! {
    commands {
        "Performance.getMetrics" GetMetrics {} -> Empty
    }
    events {}
    objects {}
}
