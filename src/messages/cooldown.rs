//! Texts about the cooldown, in which tools pause after a login or verification timed out.
use super::Language;

/// The answer to a call while a cooldown is active.
pub fn cooldown_active(language: Language, remaining_seconds: i64) -> String {
    let (minutes, seconds) = (remaining_seconds / 60, remaining_seconds % 60);
    match language {
        Language::Zh => format!(
            "⏸️ Patchright 浏览器工具暂时不可用\n\n\
             上次操作需要用户登录验证但超时未完成（可能用户不在电脑前）。\n\
             冷却剩余: {minutes} 分 {seconds} 秒\n\n\
             **建议**: 如果这是新的对话，用户可能已经回来了，可以告知用户手动触发重试。\n\
             或者使用其他工具（如 fetch MCP）作为替代。"
        ),
        Language::En => format!(
            "⏸️ The Patchright browser tools are temporarily unavailable\n\n\
             The last operation needed the user to log in or verify, and timed out before that was done \
             (the user may be away from the computer).\n\
             Cooldown remaining: {minutes} min {seconds} s\n\n\
             **Suggestion**: if this is a new conversation, the user may be back by now; tell them that they can \
             retry.\n\
             Or use another tool (such as fetch MCP) instead."
        ),
    }
}

/// The answer to the call that started the cooldown.
pub fn cooldown_started(language: Language, period_seconds: i64) -> String {
    match language {
        Language::Zh => format!(
            "⏸️ 操作需要用户验证但超时\n\n\
             该工具将暂停 {}，避免重复打扰不在场的用户。\n\
             **注意**: 由于 MCP 协议限制，服务器无法检测对话边界。\n\
             如果用户开始新对话，可以建议用户等待冷却期结束或使用其他工具。",
            period(period_seconds, ["分钟", "分", "秒"])
        ),
        Language::En => format!(
            "⏸️ The operation needed the user to verify, and timed out\n\n\
             This tool pauses for {}, so as not to disturb an absent user again and again.\n\
             **Note**: because of a limitation of the MCP protocol, the server cannot tell where a conversation ends.\n\
             If the user starts a new conversation, suggest waiting until the cooldown is over, or using other tools.",
            period(period_seconds, ["min", "min", "s"])
        ),
    }
}

/// Formats a period, in whole minutes if possible.
fn period(seconds: i64, [only_minutes, minutes, rest]: [&str; 3]) -> String {
    match (seconds / 60, seconds % 60) {
        (whole, 0) => format!("{whole} {only_minutes}"),
        (0, seconds) => format!("{seconds} {rest}"),
        (whole, seconds) => format!("{whole} {minutes} {seconds} {rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_tells_all_that_requirements_3_1_to_3_5_ask_for() {
        let zh = cooldown_active(Language::Zh, 272);
        // Requirements 3.1 to 3.5: unavailable, how long, why, the user may be back, alternatives.
        for part in
            ["暂时不可用", "冷却剩余: 4 分 32 秒", "登录验证但超时未完成", "用户可能已经回来了", "fetch MCP"]
        {
            assert!(zh.contains(part), "{part} in {zh}");
        }
        let en = cooldown_active(Language::En, 272);
        for part in [
            "temporarily unavailable",
            "remaining: 4 min 32 s",
            "timed out",
            "may be back by now",
            "fetch MCP",
        ] {
            assert!(en.contains(part), "{part} in {en}");
        }
    }

    #[test]
    fn the_first_notice_tells_all_that_requirements_6_1_to_6_4_ask_for() {
        let zh = cooldown_started(Language::Zh, 300);
        // Requirements 6.1 to 6.4: what happened, for how long, the limitation, what to do.
        for part in
            ["需要用户验证但超时", "暂停 5 分钟", "MCP 协议限制，服务器无法检测对话边界", "使用其他工具"]
        {
            assert!(zh.contains(part), "{part} in {zh}");
        }
        let en = cooldown_started(Language::En, 300);
        for part in ["timed out", "pauses for 5 min,", "limitation of the MCP protocol", "using other tools"]
        {
            assert!(en.contains(part), "{part} in {en}");
        }
    }

    #[test]
    fn a_period_that_is_not_whole_minutes_is_reported_truthfully() {
        assert!(cooldown_started(Language::Zh, 3).contains("暂停 3 秒，"));
        assert!(cooldown_started(Language::Zh, 90).contains("暂停 1 分 30 秒，"));
        assert!(cooldown_started(Language::En, 90).contains("for 1 min 30 s,"));
    }
}
