//! What the browser measures of a page. Of use here is that a page answers in the midst of a script.
use super::Empty;

domain! {
    commands {
        "Performance.getMetrics" GetMetrics {} -> Empty
    }
    events {}
    objects {}
}
