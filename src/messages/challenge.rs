//! Texts that ask a person to deal with a challenge, such as a login or a CAPTCHA.
use std::borrow::Cow;

use super::Language;

/// Translates the description of a challenge. Product names such as `reCAPTCHA` stay unchanged.
pub(super) fn translate_challenge(language: Language, what: &str) -> Cow<'_, str> {
    let status = what.strip_prefix("HTTP ").and_then(|rest| rest.strip_suffix(" with a challenge"));
    match (language, what, status) {
        (Language::En, ..) => what.into(),
        (_, "a page about unusual traffic", _) => "异常流量提示页".into(),
        (_, "a form that asks for a password", _) => "要求输入密码的表单".into(),
        (_, "a site that asks for a name and a password", _) => "要求用户名和密码的网站".into(),
        (_, _, Some(status)) => format!("HTTP {status} 人机检查").into(),
        _ => what.into(),
    }
}

/// The progress text while a person deals with a challenge at `link`.
pub fn waiting_at_link(language: Language, what: &str, link: &str, rest_seconds: u64) -> String {
    let what = translate_challenge(language, what);
    match language {
        Language::Zh => format!("等待用户在 {link} 完成操作（{what}），剩余 {rest_seconds} 秒"),
        Language::En => format!("waiting for the user at {link} ({what}), {rest_seconds} s left"),
    }
}

/// Asks the person to open the link, and to enter the code if there is one.
pub fn open_link_prompt(language: Language, what: &str, url: &str, link: &str, code: Option<&str>) -> String {
    let what = translate_challenge(language, what);
    match (language, code) {
        (Language::Zh, Some(code)) => {
            format!("页面 {url} 需要您本人操作（{what}）。请打开 {link} ，输入代码 {code}，完成后点“完成”。")
        }
        (Language::Zh, None) => format!("页面 {url} 需要您本人操作（{what}）。请在 {link} 完成操作。"),
        (Language::En, Some(code)) => format!(
            "The page {url} needs you ({what}). Open {link}, enter the code {code}, and press Done when you are finished."
        ),
        (Language::En, None) => {
            format!("The page {url} needs you ({what}). Please do it at {link}.")
        }
    }
}

/// The name of the agent in texts if the client has not reported its own.
pub fn default_agent_name(language: Language) -> &'static str {
    match language {
        Language::Zh => "一个助手",
        Language::En => "An assistant",
    }
}

/// The progress text while a person deals with a challenge in the browser window.
pub fn waiting_at_window(language: Language, what: &str, rest_seconds: u64) -> String {
    let what = translate_challenge(language, what);
    match language {
        Language::Zh => format!("等待用户在浏览器窗口中完成验证或登录（{what}），剩余 {rest_seconds} 秒"),
        Language::En => {
            format!(
                "waiting for the user to log in or verify in the browser window ({what}), {rest_seconds} s left"
            )
        }
    }
}

/// The question that is asked again while the challenge is not solved.
pub fn still_waiting_question(language: Language) -> &'static str {
    match language {
        Language::Zh => "仍在等待您完成操作。完成后请选择“接受”，或选择“接受”继续等待；选择“取消”则放弃。",
        Language::En => {
            "Still waiting for you. Accept when you are finished or to keep waiting; cancel to give up."
        }
    }
}

/// Asks the person to deal with the challenge in the browser window.
pub fn use_window_prompt(language: Language, what: &str, url: &str) -> String {
    let what = translate_challenge(language, what);
    match language {
        Language::Zh => {
            format!(
                "页面 {url} 需要您本人操作（{what}）。请在浏览器窗口中完成，然后选择“接受”；选择“取消”则放弃。"
            )
        }
        Language::En => format!(
            "The page {url} needs you ({what}). Please do it in the browser window, then accept; cancel to give up."
        ),
    }
}
