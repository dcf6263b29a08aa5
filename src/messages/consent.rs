//! Texts that ask a person for consent.
use super::Language;

/// A kind of action that needs consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum GuardedAction {
    /// Submitting a form.
    Submit,
    /// Buying or paying.
    Purchase,
    /// A download.
    Download,
    /// An upload.
    Upload,
}

/// Asks whether the agent may do `what`, such as "upload a file".
pub fn consent_question(language: Language, what: &str) -> String {
    match language {
        Language::Zh => format!("是否允许？智能体想要{what}。"),
        Language::En => format!("Do you allow this? The agent wants to {what}."),
    }
}

pub fn click_description(language: Language, action: GuardedAction, name: &str, origin: &str) -> String {
    let named = if name.is_empty() { String::new() } else { format!(" {name}") };
    match (language, action) {
        (Language::Zh, GuardedAction::Purchase) => format!("在 {origin} 购买或付款：点击{named}"),
        (Language::Zh, _) => format!("向 {origin} 提交表单{named}"),
        (Language::En, GuardedAction::Purchase) => format!("buy or pay at {origin} by clicking{named}"),
        (Language::En, _) if name.is_empty() => format!("submit a form to {origin}"),
        (Language::En, _) => format!("submit a form to {origin} by clicking{named}"),
    }
}

pub fn unknown_action_description(language: Language, what: &str, origin: &str) -> String {
    match language {
        Language::Zh => format!("在 {origin} 执行可能提交或购买的操作：{what}"),
        Language::En => format!("do something at {origin} that may submit or buy: {what}"),
    }
}

pub fn tool_call_description(language: Language, tool: &str, origin: &str) -> String {
    match language {
        Language::Zh => format!("在 {origin} 操作：{tool}"),
        Language::En => format!("act at {origin}: {tool}"),
    }
}

pub fn upload_description(language: Language, names: &str, origin: &str) -> String {
    match language {
        Language::Zh => format!("向 {origin} 上传文件 {names}"),
        Language::En => format!("upload the files {names} to {origin}"),
    }
}

pub fn download_description(language: Language, name: &str, origin: &str) -> String {
    match language {
        Language::Zh => format!("保留从 {origin} 下载的文件 {name}"),
        Language::En => format!("keep the file {name}, downloaded from {origin}"),
    }
}
