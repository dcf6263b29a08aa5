//! The details of an error as JSON, for callers that write their own messages instead of parsing ours.
use std::time::Duration;

use serde_json::{Value, json};

use super::{Error, Obstacle, RAW_CDP_COMMAND_LABEL, SelectorFault};

impl Error {
    /// Returns the details of this error without its code, as a JSON object; empty if there are none.
    ///
    /// Names and values are as stable as codes: `obstacle`, `cover`, `waited_ms`, `found`, `needed`, `available`, `count`,
    /// `matches`, `fault`, `at`, `method`, `reason`, `name`, `target` and others. Times are in milliseconds.
    pub fn details(&self) -> Value {
        match self {
            Self::NotActionable { obstacle, waited } => of_obstacle(obstacle, *waited),
            Self::ElementNotFound { waited } | Self::NavigationSlow { waited } => {
                json!({ "waited_ms": ms(*waited) })
            }
            Self::NotUnique { count, previews, ways } => {
                let ways = ways.iter().map(|way| serde_json::from_str(way).unwrap_or(Value::Null));
                let matches =
                    previews.iter().zip(ways).map(|(preview, way)| json!({ "preview": preview, "way": way }));
                json!({ "count": count, "matches": matches.collect::<Vec<_>>() })
            }
            Self::InvalidSelector { fault, reason } => of_fault(*fault, reason),
            Self::WrongElement { found, needed } => {
                json!({ "found": found, "needed": <&str>::from(needed) })
            }
            Self::NoSuchOption { available } => json!({ "available": available }),
            Self::Protocol { method, message } => {
                let known = Some(method).filter(|method| **method != RAW_CDP_COMMAND_LABEL);
                json!({ "method": known, "reason": message })
            }
            Self::NoAnswer { method, waited } => json!({ "method": method, "waited_ms": ms(*waited) }),
            Self::Noticeable { method } => json!({ "method": method }),
            Self::NavigationFailed { reason }
            | Self::RequestFailed { reason }
            | Self::UrlRefused { reason }
            | Self::BrowserGone { reason }
            | Self::StateUnavailable { reason }
            | Self::BrowserLaunch { reason } => json!({ "reason": reason }),
            Self::BrowserNotListening => {
                json!({ "reason": "nothing listens at its address", "refused": true })
            }
            Self::Script { message } => json!({ "thrown": message }),
            Self::DialogOpen { kind, message } | Self::DialogElsewhere { kind, message } => {
                json!({ "kind": kind, "message": message })
            }
            Self::WaitRanOut { what, waited } => json!({ "what": what, "waited_ms": ms(*waited) }),
            Self::DownloadAway { waited } => {
                json!({ "what": "the end of a download", "waited_ms": ms(*waited) })
            }
            Self::AnswerLate { waited } => json!({ "what": "the answer", "waited_ms": ms(*waited) }),
            Self::NotExtracted { field, item, reason } => {
                json!({ "field": field, "item": item, "reason": reason })
            }
            Self::StaleRef { target, again } => json!({ "target": target, "again": again }),
            Self::UnknownKey { name } => json!({ "name": name }),
            Self::File { path, .. } => json!({ "path": path }),
            Self::InvalidArguments { problems } => json!({ "problems": problems }),
            _ => json!({}),
        }
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn of_obstacle(obstacle: &Obstacle, waited: Duration) -> Value {
    let mut facts = json!({ "obstacle": obstacle.code(), "waited_ms": ms(waited) });
    if let Obstacle::CoveredBy(cover) = obstacle {
        facts["cover"] = json!(cover);
    }
    if let Obstacle::Handled { by, finished } = obstacle {
        facts["handler"] = json!(by);
        facts["finished"] = json!(finished);
    }
    facts
}

fn of_fault(fault: SelectorFault, reason: &str) -> Value {
    let mut facts = json!({ "fault": <&str>::from(fault), "reason": reason });
    if let SelectorFault::Unexpected { at } = fault {
        facts["at"] = json!(at);
    }
    facts
}
