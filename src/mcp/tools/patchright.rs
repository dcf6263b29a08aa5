//! The `patchright_*` tools. Each opens a page for one task. Descriptions are in Chinese, as in their specification.
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use url::Url;

use super::milliseconds;
use crate::Result;
use crate::browser::{ContentFormat, Page};
use crate::error::Error;
use crate::mcp::budget;
use crate::mcp::call::Call;
use crate::mcp::page_text::{self, inline_url, line_or_json};
use crate::mcp::reply::{Image, Reply};
use crate::mcp::tool::{FailedCall, StallPolicy, TABLESS_TRAITS, Tool, ToolEffect, Toolset, ToolsetTraits};
use crate::messages::Language;
use crate::messages::patchright::{self as texts, PatchrightTool};
use crate::session::Workspace;
use crate::session::visit::{self, VisitOptions, VisitResult, VisitTask};

/// The properties of this toolset.
pub(crate) const FAMILY: &ToolsetTraits = &ToolsetTraits {
    toolset: Toolset::Patchright,
    fail,
    lists_session: true,
    opens_own_page: true,
    ..TABLESS_TRAITS
};

/// The default maximum number of characters of a page in an answer.
const USUAL_CHARS: usize = 50_000;

/// 返回格式
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FetchFormat {
    Text,
    #[default]
    Markdown,
    Html,
}

/// 使用防检测浏览器抓取网页内容。
///
/// 适用场景：动态渲染的网页、会拦截普通抓取工具的网页、需要登录状态的网页。长内容可用 offset 分段读取。
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Fetch {
    /// 要抓取的网页 URL
    pub url: String,
    /// 等待出现的 CSS 选择器（可选，用于动态内容）
    pub wait_for: Option<String>,
    /// 返回格式：text（纯文本）、markdown（默认）、html
    #[serde(default)]
    pub format: FetchFormat,
    /// 超时（毫秒）
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
    /// 返回内容的起始字符（从 0 计）
    pub offset: Option<usize>,
    /// 最多返回的字符数
    pub max_chars: Option<usize>,
}

impl Tool for Fetch {
    const NAME: &'static str = "patchright_fetch";
    const TITLE: &'static str = "抓取网页";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let language = call.settings.language;
        let Some(url) =
            given(&self.url, RequiredArguments::Something, PatchrightTool::Fetch, language, reply)
        else {
            return Ok(());
        };
        let format = match self.format {
            FetchFormat::Text => ContentFormat::Text,
            FetchFormat::Markdown => ContentFormat::Markdown,
            FetchFormat::Html => ContentFormat::Html,
        };
        let wait_for = self.wait_for.filter(|selector| !selector.trim().is_empty());
        let visit = visit(call, url, VisitTask::Read { wait_for }, format, self.timeout).await?;
        let content = content(&visit, self.offset, self.max_chars, language, reply);
        reply.set_plain_text(texts::fetch_result(&line_or_json(&visit.title), &self.url, &content));
        Ok(())
    }
}

/// 使用防检测浏览器截取网页截图。
///
/// 适用场景：查看或留存网页的实际外观。
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Screenshot {
    /// 要截图的网页 URL
    pub url: String,
    /// 是否截取整个页面（包括滚动区域）
    #[serde(default)]
    pub full_page: bool,
    /// 超时（毫秒）
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
}

impl Tool for Screenshot {
    const NAME: &'static str = "patchright_screenshot";
    const TITLE: &'static str = "网页截图";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let language = call.settings.language;
        let Some(url) =
            given(&self.url, RequiredArguments::Something, PatchrightTool::Screenshot, language, reply)
        else {
            return Ok(());
        };
        let visit =
            visit(call, url, VisitTask::Picture { full_page: self.full_page }, MARKDOWN, self.timeout)
                .await?;
        reply.set_plain_text(texts::screenshot_result(language, &line_or_json(&visit.title), &self.url));
        reply.add_image(Image { base64: BASE64_STANDARD.encode(&visit.picture), mime_type: "image/png" });
        Ok(())
    }
}

/// 在网页上点击指定元素。
///
/// 适用场景：展开内容、翻页、关闭提示。返回点击后的页面内容。
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Click {
    /// 目标网页 URL
    pub url: String,
    /// 要点击元素的 CSS 选择器
    pub selector: String,
    /// 超时（毫秒）
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
    /// 返回内容的起始字符（从 0 计）
    pub offset: Option<usize>,
    /// 最多返回的字符数
    pub max_chars: Option<usize>,
}

impl Tool for Click {
    const NAME: &'static str = "patchright_click";
    const TITLE: &'static str = "点击元素";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let language = call.settings.language;
        let Some(url) =
            given(&self.url, RequiredArguments::text(&self.selector), PatchrightTool::Click, language, reply)
        else {
            return Ok(());
        };
        let visit =
            visit(call, url, VisitTask::Click { selector: self.selector }, MARKDOWN, self.timeout).await?;
        let content = content(&visit, self.offset, self.max_chars, language, reply);
        reply.set_plain_text(texts::click_result(
            language,
            &line_or_json(&visit.title),
            &inline_url(&visit.url),
            &content,
        ));
        Ok(())
    }
}

/// 填写并提交网页表单。
///
/// 适用场景：搜索、登录、提交信息。返回结果页面的内容。
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FillForm {
    /// 表单页面 URL
    pub url: String,
    /// 字段映射，格式: {"CSS选择器": "值"}
    #[serde(deserialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub fields: Vec<(String, String)>,
    /// 提交按钮的 CSS 选择器（可选）
    pub submit_selector: Option<String>,
    /// 超时（毫秒）
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
    /// 返回内容的起始字符（从 0 计）
    pub offset: Option<usize>,
    /// 最多返回的字符数
    pub max_chars: Option<usize>,
}

impl Tool for FillForm {
    const NAME: &'static str = "patchright_fill_form";
    const TITLE: &'static str = "填写表单";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let language = call.settings.language;
        let blank = self.fields.iter().any(|(selector, _)| selector.trim().is_empty());
        let fields = match blank {
            _ if self.fields.is_empty() => RequiredArguments::Nothing,
            true => RequiredArguments::Blank,
            false => RequiredArguments::Something,
        };
        let Some(url) = given(&self.url, fields, PatchrightTool::FillForm, language, reply) else {
            return Ok(());
        };
        let submit = self.submit_selector.filter(|selector| !selector.trim().is_empty());
        let task = VisitTask::Fill { fields: self.fields, submit };
        let visit = visit(call, url, task, MARKDOWN, self.timeout).await?;
        let content = content(&visit, self.offset, self.max_chars, language, reply);
        reply.set_plain_text(texts::form_result(
            language,
            &line_or_json(&visit.title),
            &inline_url(&visit.url),
            &content,
        ));
        Ok(())
    }
}

/// Deserialises a map to pairs in the original order, in which the fields are filled.
fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let fields = Map::deserialize(deserializer)?;
    let read_pair = |(selector, value): (String, Value)| match value {
        Value::String(value) => Ok((selector, value)),
        _ => Err(de::Error::custom("a value is no string")),
    };
    fields.into_iter().map(read_pair).collect()
}

/// 在网页上执行 JavaScript 代码。
///
/// 适用场景：提取页面中的数据，读取页面变量。结果以 JSON 返回。
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExecuteJs {
    /// 目标网页 URL
    pub url: String,
    /// 要执行的 JavaScript 代码（应返回结果）
    pub script: String,
    /// 超时（毫秒）
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
}

impl Tool for ExecuteJs {
    const NAME: &'static str = "patchright_execute_js";
    const TITLE: &'static str = "执行 JavaScript";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let language = call.settings.language;
        let Some(url) = given(
            &self.url,
            RequiredArguments::text(&self.script),
            PatchrightTool::ExecuteJs,
            language,
            reply,
        ) else {
            return Ok(());
        };
        let visit = visit(call, url, VisitTask::Run { script: self.script }, MARKDOWN, self.timeout).await?;
        let value = visit.value.unwrap_or_default();
        let value =
            page_text::json(&budget::shortened_to_fit(&value, budget::MAX_LIST_CHARS).unwrap_or(value));
        reply.set_plain_text(texts::script_result(language, &self.url, &value));
        Ok(())
    }
}

/// Whether the required arguments other than the URL were given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequiredArguments {
    Nothing,
    Blank,
    Something,
}

impl RequiredArguments {
    fn text(text: &str) -> Self {
        match text {
            "" => Self::Nothing,
            blank if blank.trim().is_empty() => Self::Blank,
            _ => Self::Something,
        }
    }
}

/// Parses the URL of a call. Writes an error to `reply` if a required argument is missing or invalid.
fn given(
    url: &str,
    other: RequiredArguments,
    kind: PatchrightTool,
    language: Language,
    reply: &mut Reply,
) -> Option<Url> {
    if url.is_empty() || other == RequiredArguments::Nothing {
        reply.fail_with_text("invalid_arguments", texts::missing_argument(kind, language));
        return None;
    }
    let reason = match read_url(url) {
        None => texts::invalid_argument(PatchrightTool::Fetch, language),
        Some(_) if other == RequiredArguments::Blank => texts::invalid_argument(kind, language),
        Some(url) => return Some(url),
    };
    reply.fail_with_text("invalid_arguments", texts::failure(kind, language, reason));
    None
}

/// Parses an absolute `http` or `https` URL.
pub(crate) fn read_url(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

const MARKDOWN: ContentFormat = ContentFormat::Markdown;

async fn visit(
    call: &Call<'_>,
    url: Url,
    task: VisitTask,
    format: ContentFormat,
    timeout: Option<f64>,
) -> Result<VisitResult> {
    call.progress.note_page(&url);
    let limit = timeout.map(milliseconds);
    let options = VisitOptions {
        limit: limit.unwrap_or(call.settings.timeouts.navigation),
        settle: call.settings.timeouts.settle,
        patience: call.settings.timeouts.login,
        formats: &[format],
        pacing: &call.services.pacing,
        secrets: call.services.secrets(),
    };
    let person = call.person_contact();
    if call.session.is_some() {
        visit::dismiss_dialog(&call.workspace.get_or_open_page().await?).await?;
        let page = call.acquire_or_open_page().await?;
        call.progress.set_message("loading the page");
        return Ok(struck(call, visit::run(&page, &url, &task, options, &person).await?));
    }
    if call.client.scratch.engine().running_browser().is_none() {
        call.progress.set_message("starting the browser");
    }
    let tab = Tab(Some(call.client.scratch.spare_or_new_tab().await?));
    call.progress.set_message("loading the page");
    let visit = visit::run(tab.page()?, &url, &task, options, &person).await;
    if matches!(&visit, Err(Error::PersonNeeded { link: Some(_), .. })) {
        tab.leave_to_person(call);
    } else {
        tab.close(&call.client.scratch).await;
    }
    Ok(struck(call, visit?))
}

/// Redacts secrets in the page's contents, before these are split into parts.
fn struck(call: &Call<'_>, mut visit: VisitResult) -> VisitResult {
    visit.contents.iter_mut().for_each(|content| call.services.secrets().redact_text(content));
    visit
}

/// A page that is closed at the end of the call, even if the call fails.
struct Tab(Option<Page>);

impl Tab {
    fn page(&self) -> Result<&Page> {
        self.0.as_ref().ok_or(Error::PageClosed)
    }

    /// Keeps the page open until the person who was asked for help has finished, and then closes it.
    fn leave_to_person(mut self, call: &Call<'_>) {
        let handover = self.0.as_ref().and_then(|page| call.services.live.as_ref()?.handover_for_page(page));
        if let (Some(handover), Some(page)) = (handover, self.0.take()) {
            tokio::spawn(async move {
                handover.wait_for_end().await;
                page.close().await
            });
        }
    }

    async fn close(mut self, workspace: &Workspace) {
        if let Some(page) = &self.0 {
            workspace.replace_tab_by_spare(page).await;
        }
        // If the call is cancelled before, `drop` closes the page.
        self.0 = None;
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if let (Some(page), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async move { page.close().await });
        }
    }
}

/// Returns the requested part of the page's text in a code block, and notes at which offset the rest begins.
fn content(
    visit: &VisitResult,
    offset: Option<usize>,
    most: Option<usize>,
    language: Language,
    reply: &mut Reply,
) -> String {
    let text = visit.contents.first().map_or("", String::as_str);
    let (part, goes_on) = part(text, offset.unwrap_or_default(), most);
    let goes_on = goes_on.map(|(end, all)| texts::continuation_note(language, end, all)).unwrap_or_default();
    let content = page_text::fenced(&part, texts::page_content_notice(language)) + &goes_on;
    reply.raise_char_limit(content.chars().count());
    content
}

/// Returns a part of a text and, if more follows, the offset of the rest and the length of the whole text.
fn part(text: &str, offset: usize, most: Option<usize>) -> (String, Option<(usize, usize)>) {
    let all = text.chars().count();
    let end = all.min(offset.saturating_add(most.filter(|most| *most > 0).unwrap_or(USUAL_CHARS)));
    let part = text.chars().skip(offset).take(end.saturating_sub(offset)).collect();
    (part, (end < all).then_some((end, all)))
}

/// Writes the answer to a failed call, in the configured language.
fn fail(&FailedCall { tool, arguments, error, language }: &FailedCall<'_>, reply: &mut Reply) {
    let (kind, needed) = match tool {
        Screenshot::NAME => (PatchrightTool::Screenshot, ""),
        Click::NAME => (PatchrightTool::Click, "selector"),
        FillForm::NAME => (PatchrightTool::FillForm, "fields"),
        ExecuteJs::NAME => (PatchrightTool::ExecuteJs, "script"),
        _ => (PatchrightTool::Fetch, ""),
    };
    let lacks = |name: &str| !name.is_empty() && arguments.get(name).is_none_or(Value::is_null);
    let text = match error {
        Error::InvalidArguments { .. } if lacks("url") || lacks(needed) => {
            texts::missing_argument(kind, language).to_owned()
        }
        Error::InvalidArguments { problems } => texts::argument_problems(language, problems),
        Error::Script { message } => {
            let message = page_text::text_or_json(&page_text::blank_invisible_chars(message));
            texts::failure(kind, language, &texts::error_description(language, &Error::Script { message }))
        }
        other => texts::failure(
            kind,
            language,
            &page_text::blank_invisible_chars(&texts::error_description(language, other)),
        ),
    };
    reply.fail_with_text(error.code(), text);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_those_of_web_pages() {
        for address in
            ["http://a.example", "https://a.example/x?y", "http://localhost:8080", "http://127.0.0.1:1/"]
        {
            assert!(read_url(address).is_some(), "{address}");
        }
        for address in
            ["", "a.example", "ftp://a.example", "file:///etc/passwd", "javascript:alert(1)", "https://"]
        {
            assert!(read_url(address).is_none(), "{address}");
        }
    }

    #[test]
    fn fields_keep_their_order() {
        let given = r##"{"url": "https://a.example", "fields": {"#z": "1", "#a": "2", "#m": "3"}}"##;
        let form: FillForm = serde_json::from_str(given).unwrap();
        let selectors: Vec<_> = form.fields.iter().map(|(selector, _)| selector.as_str()).collect();
        assert_eq!(selectors, ["#z", "#a", "#m"]);
    }

    proptest! {
        #[test]
        fn parts_make_the_whole(text in "[a-z√验 \n]{0,200}", most in 1..50_usize) {
            let mut read = String::new();
            let mut offset = 0;
            loop {
                let (shown, goes_on) = part(&text, offset, Some(most));
                read += &shown;
                let Some((end, _)) = goes_on else { break };
                offset = end;
            }
            prop_assert_eq!(read, text);
        }
    }
}
