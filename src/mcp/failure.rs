//! Answers to failed and refused calls, worded as each toolset specifies.
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::error::{Error, LiveViewLink};
use crate::mcp::reply::Reply;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{AnyTool, ToolsetTraits};
use crate::messages::{Language, cooldown as texts, login};
use crate::session::cooldown::{ActiveCooldown, Cooldown, CooldownScope, CooldownStartResult};

/// Returns the answer to a call during a cooldown; `None` if none is active, or the tool is not affected.
pub(super) fn paused(name: &str, cooldown: &Cooldown, settings: &Settings) -> Option<Reply> {
    let pauses = match settings.cooldown_scope {
        CooldownScope::All => true,
        CooldownScope::Patchright => name.starts_with("patchright_"),
    };
    pauses.then(|| cooldown.check()).flatten().map(|cooling| paused_reply(cooling, settings.language))
}

fn paused_reply(ActiveCooldown { remaining_seconds }: ActiveCooldown, language: Language) -> Reply {
    let mut reply = Reply::default();
    reply.set_plain_text(texts::cooldown_active(language, remaining_seconds));
    reply.set_structured(json!({ "status": "cooldown", "retryAfterSeconds": remaining_seconds }));
    reply
}

/// Writes the answer to a failed call. An error that counts as a login timeout starts a cooldown.
pub(super) fn report(
    error: &Error,
    tool: &AnyTool,
    arguments: &Map<String, Value>,
    cooldown: &Cooldown,
    settings: &Settings,
    reply: &mut Reply,
) {
    if login::is_login_timeout(cooldown_keyword(error, tool.family)) {
        *reply = match cooldown.start_if_inactive() {
            CooldownStartResult::AlreadyActive(cooling) => paused_reply(cooling, settings.language),
            CooldownStartResult::Now { period_seconds } => {
                let mut notice = Reply::default();
                notice.set_plain_text(texts::cooldown_started(settings.language, period_seconds));
                notice.set_structured(
                    json!({ "status": "login_timeout", "retryAfterSeconds": period_seconds }),
                );
                notice
            }
        };
        return;
    }
    tool.write_error(error, arguments, settings.language, reply);
    if !tool.family.is_about_sessions {
        report_challenge(error, reply);
    }
}

/// Adds the challenge to the structured answer, with the link that a person can open.
pub(super) fn report_challenge(error: &Error, reply: &mut Reply) {
    let Error::PersonNeeded { kind, challenge, url, link, .. } = error else { return };
    let mut json = json!({ "status": "wall", "wall": { "kind": kind, "what": challenge, "url": url }, "untrusted": ["wall.url"] });
    if let Some(link) = link {
        json["person"] = json!({ "url": link.url, "code": link.code, "expiresInSeconds": link.seconds });
        if tool_text_lacks(reply, &link.url) {
            reply.say(where_to_go(link));
        }
    }
    reply.set_structured(json);
}

/// Whether the answer's text does not contain the link yet, as that of the `patchright_*` tools does.
fn tool_text_lacks(reply: &Reply, url: &str) -> bool {
    !reply.text().contains(url)
}

fn where_to_go(link: &LiveViewLink) -> String {
    let code = link.code.as_ref().map(|code| format!(" and enter the code {code}")).unwrap_or_default();
    let minutes = link.seconds.div_ceil(60);
    format!(
        "Ask the user to open {}{code}, within {minutes} minutes. Call browser_ask_person to wait for them.",
        link.url
    )
}

/// A navigation timeout shorter than this does not start a cooldown.
const LEAST_WAIT: Duration = Duration::from_secs(2);

/// Returns the part of an error that is searched for cooldown keywords: no text of a page, URL or selector.
pub fn cooldown_keyword(error: &Error, family: &ToolsetTraits) -> &'static str {
    match error {
        Error::PersonAway { kind: "login", .. } => login::LOGIN_TIMED_OUT,
        Error::PersonAway { .. } => login::CHALLENGE_TIMED_OUT,
        Error::NavigationSlow { waited } if family.opens_own_page && *waited >= LEAST_WAIT => {
            login::PAGE_TIMED_OUT
        }
        other => other.code(),
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantNames;

    use super::*;
    use crate::mcp::tool::{BROWSER, TABLESS_TRAITS};

    const IN_OWN_PAGE: &ToolsetTraits = &ToolsetTraits { opens_own_page: true, ..TABLESS_TRAITS };

    #[test]
    fn no_code_is_a_keyword() {
        for code in Error::VARIANTS {
            assert!(!login::is_login_timeout(code), "{code}");
        }
    }

    #[test]
    fn only_a_page_that_ran_out_and_a_person_who_did_not_come_begin_a_pause() {
        let waited = Duration::from_secs(2);
        let begins = |error: &Error, family| login::is_login_timeout(cooldown_keyword(error, family));
        let slow = Error::NavigationSlow { waited };
        assert!(begins(&slow, IN_OWN_PAGE));
        assert!(!begins(&Error::NavigationSlow { waited: waited / 2 }, IN_OWN_PAGE));
        assert!(!begins(&slow, BROWSER));
        for kind in ["login", "captcha", "challenge", "unusual_traffic"] {
            assert!(begins(&Error::PersonAway { kind, waited }, BROWSER), "{kind}");
        }
        for error in [
            Error::ElementNotFound { waited },
            Error::Script { message: "timeout captcha 登录超时".to_owned() },
            Error::InvalidArguments { problems: vec!["timeout".to_owned()] },
            Error::NavigationFailed { reason: "net::ERR_CONNECTION_REFUSED authentication".to_owned() },
        ] {
            assert!(!begins(&error, IN_OWN_PAGE), "{error}");
        }
    }
}
