//! What a person is told and asked at a wall.
use super::Language;

/// Tells what is waited for.
pub fn waiting(language: Language, what: &str, rest_seconds: u64) -> String {
    match language {
        Language::Zh => format!("等待用户在浏览器窗口中完成验证或登录（{what}），剩余 {rest_seconds} 秒"),
        Language::En => {
            format!(
                "waiting for the user to log in or verify in the browser window ({what}), {rest_seconds} s left"
            )
        }
    }
}

/// Asks the person to deal with it.
pub fn question(language: Language, what: &str, url: &str) -> String {
    match language {
        Language::Zh => {
            format!(
                "页面 {url} 需要您本人操作（{what}）。请在浏览器窗口中完成，然后选择“接受”；选择“取消”则放弃。"
            )
        }
        Language::En => format!(
            "The page {url} asks for you ({what}). Please deal with it in the browser window, then accept; cancel to give up."
        ),
    }
}
