//! The `patchright_*` tools on a real browser, and the pause that they can begin.
use std::time::Duration;

use patchright_mcp::browser::proxy::Proxy;
use patchright_mcp::browser::{ContextOptions, NavigateOptions};
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::messages::Language;
use patchright_mcp::session::challenge::{VisitPurpose, detect_challenge};
use patchright_mcp::session::cooldown::CooldownScope;
use patchright_mcp::session::pacing::PacingOptions;
use serde_json::json;
use url::Url;

use crate::support::{drive, with_server};

const ARTICLE: &str = "<!doctype html><title>An article</title><nav><a href='/home'>Home</a></nav>\
    <main><h1>Heading</h1><p>See <a href='/more'>more</a>.</p><p style='display:none'>secret</p>\
    <table><tr><th>Name</th><th>Size</th></tr><tr><td>a</td><td>1</td></tr></table>\
    <pre><code class='language-js'>let x = 1;</code></pre><script>var y = 'script'</script></main>";

#[test]
fn a_page_is_fetched_as_markdown_with_its_main_content_first() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/article", ARTICLE);
        let url = site.url("/article");
        let answer = desk.call("patchright_fetch", json!({"url": url})).await;
        assert!(
            answer.text.starts_with(&format!("## An article\n\n**URL**: {url}\n\n--- ")),
            "{}",
            answer.text
        );
        let begin = format!(" ---\n# Heading\n\nSee [more]({}).", site.url("/more"));
        assert!(answer.text.contains(&begin), "{}", answer.text);
        for part in ["| Name", "```js\nlet x = 1;\n```", "[Home]("] {
            assert!(answer.text.contains(part), "{part} in:\n{}", answer.text);
        }
        assert!(answer.text.find("Heading") < answer.text.find("[Home]("), "{}", answer.text);
        assert!(!answer.text.contains("secret") && !answer.text.contains("script"), "{}", answer.text);
        assert!(!answer.is_error);
        let text = desk.call("patchright_fetch", json!({"url": url, "format": "text"})).await.text;
        assert!(text.contains("Heading\n") && !text.contains('<'), "{text}");
        let html = desk.call("patchright_fetch", json!({"url": url, "format": "html"})).await.text;
        assert!(html.contains("<!DOCTYPE html>\n<html") && html.contains("display:none"), "{html}");
        assert!(desk.client.workspace.tabs().is_empty(), "errands open no tabs of the client's");
    });
}

#[test]
fn each_visit_has_a_fresh_tab() {
    with_server(Settings::default(), async |desk, site| {
        let count = "sessionStorage.visits = 1 + Number(sessionStorage.visits ?? 0);\
            document.write(`visit ${sessionStorage.visits}, entry ${history.length}`)";
        site.page("/visits", &format!("<title>Visits</title><script>{count}</script>"));
        for _ in 0..3 {
            let answer = desk.call("patchright_fetch", json!({"url": site.url("/visits")})).await;
            assert!(answer.text.contains("visit 1, entry 2"), "{}", answer.text);
        }
    });
}

#[test]
fn a_spare_tab_closes_if_no_visit_uses_it() {
    with_server(Settings::default(), async |desk, _| {
        let workspace = &desk.client.workspace;
        let first = workspace.spare_or_new_tab().await.unwrap();
        workspace.replace_tab_by_spare(&first).await;
        let only_tab = || match &workspace.tabs()[..] {
            [tab] if tab.page != first => Some(tab.page.clone()),
            _ => None,
        };
        let spare = until("a spare tab", only_tab).await;
        assert_eq!(workspace.spare_or_new_tab().await.unwrap(), spare);
        workspace.replace_tab_by_spare(&spare).await;
        until("another spare tab", only_tab).await;
        until("no tab", || workspace.tabs().is_empty().then_some(())).await;
    });
}

/// Waits until a check returns a value.
async fn until<T>(what: &str, check: impl Fn() -> Option<T>) -> T {
    let polling = async {
        loop {
            match check() {
                Some(value) => break value,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), polling).await.unwrap_or_else(|_| panic!("{what}: never"))
}

#[test]
fn a_long_page_is_read_in_parts() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/long", &format!("<title>Long</title><p>{}</p>", "0123456789".repeat(50)));
        let ask = async |offset: usize| {
            let arguments = json!({"url": site.url("/long"), "offset": offset, "max_chars": 200});
            desk.call("patchright_fetch", arguments).await.text
        };
        let first = ask(0).await;
        assert!(first.contains(" ---\n0123456789"), "{first}");
        assert!(first.ends_with(" ---\n\n... [内容未完，共 500 个字符；用 offset=200 继续阅读]"), "{first}");
        let last = ask(400).await;
        assert!(last.contains(&format!(" ---\n{}\n--- ", "0123456789".repeat(10))), "{last}");
    });
}

#[test]
fn a_fetch_waits_for_what_the_page_loads_later() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/data", "late");
        site.page(
            "/app",
            "<title>App</title><p id=p>early</p><script>onload = () => setTimeout(() =>\
            fetch('/data').then(r => r.text()).then(text => { p.textContent = text; }), 50)</script>",
        );
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/app")})).await;
        assert!(answer.text.contains(" ---\nlate\n--- "), "{}", answer.text);
        site.page(
            "/slow",
            "<title>Slow</title><script>setTimeout(() => document.body.innerHTML =\
            '<p id=there>there it is</p>', 700)</script><body>",
        );
        let answer =
            desk.call("patchright_fetch", json!({"url": site.url("/slow"), "wait_for": "#there"})).await;
        assert!(answer.text.contains(" ---\nthere it is\n--- "), "{}", answer.text);
    });
}

#[test]
fn a_click_and_a_form_are_answered_with_the_page_that_they_led_to() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/start", "<title>Start</title><a id=go href='/end'>Go</a>\
            <form action='/end'><input name=a id=a><input type=checkbox id=c><button id=send>Send</button></form>");
        site.page(
            "/end",
            "<title>End</title><p id=q></p><script>q.textContent = 'got ' + location.search</script>",
        );
        let answer =
            desk.call("patchright_click", json!({"url": site.url("/start"), "selector": "#go"})).await;
        assert!(
            answer.text.starts_with(&format!(
                "## 点击后页面\n\n**URL**: {}\n**标题**: End\n\n--- ",
                site.url("/end")
            )),
            "{}",
            answer.text
        );
        let arguments =
            json!({"url": site.url("/start"), "fields": {"#a": "värde"}, "submit_selector": "#send"});
        let answer = desk.call("patchright_fill_form", arguments).await;
        assert!(answer.text.starts_with("## 表单提交结果\n\n**URL**: "), "{}", answer.text);
        assert!(answer.text.contains("got ?a=v%C3%A4rde"), "{}", answer.text);
    });
}

#[test]
fn a_script_is_answered_in_json_whatever_it_gives() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/x", "<title>X</title><script>var variable = {a: [1, 'b']}</script>");
        for (script, expected) in [
            ("0", "0"),
            ("false", "false"),
            ("''", "\"\""),
            ("[]", "[]"),
            ("undefined", "null"),
            ("document.title", "\"X\""),
            ("() => 1 + 1", "2"),
            ("return 7", "7"),
            ("await Promise.resolve(8)", "8"),
            ("variable", "{\n  \"a\": [\n    1,\n    \"b\"\n  ]\n}"),
        ] {
            let answer =
                desk.call("patchright_execute_js", json!({"url": site.url("/x"), "script": script})).await;
            let begin = format!("## JavaScript 执行结果\n\n**URL**: {}\n\n```\n", site.url("/x"));
            assert_eq!(answer.text, format!("{begin}{expected}\n```"), "{script}");
        }
    });
}

#[test]
fn a_screenshot_comes_with_its_title() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/x", "<title>X</title><p style='height: 3000px'>tall</p>");
        let shoot = async |full_page: bool| {
            desk.call("patchright_screenshot", json!({"url": site.url("/x"), "full_page": full_page})).await
        };
        let (viewport, full) = (shoot(false).await, shoot(true).await);
        assert_eq!(viewport.text, format!("截图: X ({})", site.url("/x")));
        let image = |reply: &crate::support::ToolAnswer| reply.result["content"][1].clone();
        assert_eq!(image(&viewport)["mimeType"], "image/png");
        assert!(image(&viewport)["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
        assert_ne!(image(&full)["data"], image(&viewport)["data"]);
    });
}

#[test]
fn what_is_missing_or_wrong_is_reported_and_starts_no_pause() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/captcha/timeout", "<title>timeout captcha 验证码</title><p>authentication</p>");
        let url = site.url("/captcha/timeout");
        let refused = "http://127.0.0.1:1/authentication";
        for (tool, arguments, expected) in [
            ("patchright_fetch", json!({}), "错误: 请提供 URL"),
            ("patchright_fetch", json!({"url": ""}), "错误: 请提供 URL"),
            ("patchright_fetch", json!({"url": "ftp://timeout"}), "抓取失败: 无效的 URL 格式"),
            ("patchright_fetch", json!({"url": "x", "format": "xml"}), "错误: 参数无效\n- `format` must be"),
            ("patchright_screenshot", json!({}), "错误: 请提供 URL"),
            ("patchright_click", json!({"url": url}), "错误: 请提供 URL 和选择器"),
            ("patchright_click", json!({"url": url, "selector": " "}), "点击失败: 选择器不能为空"),
            ("patchright_fill_form", json!({"url": url, "fields": {}}), "错误: 请提供 URL 和字段"),
            ("patchright_fill_form", json!({"url": url, "fields": {"": "x"}}), "表单提交失败: 字段不能为空"),
            (
                "patchright_fill_form",
                json!({"url": url, "fields": {"a": 1}}),
                "错误: 参数无效\n- `fields.a` must be a string",
            ),
            ("patchright_execute_js", json!({"url": url}), "错误: 请提供 URL 和脚本"),
            ("patchright_execute_js", json!({"url": url, "script": " "}), "执行失败: 脚本不能为空"),
            (
                "patchright_execute_js",
                json!({"url": url, "script": "throw Error('timeout')"}),
                "执行失败: 脚本出错: Error: timeout",
            ),
            ("patchright_fetch", json!({"url": refused}), "抓取失败: 无法打开页面: net::ERR_"),
            (
                "patchright_fetch",
                json!({"url": url, "wait_for": "#captcha", "timeout": 4000}),
                "抓取失败: 未找到元素",
            ),
            (
                "patchright_click",
                json!({"url": url, "selector": "#timeout", "timeout": 4000}),
                "点击失败: 未找到元素",
            ),
            ("patchright_click", json!({"url": url, "selector": "p:timeout(("}), "点击失败: 选择器无法解析"),
        ] {
            let answer = desk.call(tool, arguments.clone()).await;
            assert!(answer.text.starts_with(expected), "{tool} {arguments}: {}", answer.text);
            assert!(answer.is_error, "{tool} {arguments}");
        }
        let answer = desk.call("patchright_fetch", json!({"url": url})).await;
        assert!(!answer.is_error, "{}", answer.text);
    });
}

#[test]
fn a_page_that_never_loads_pauses_all_tools() {
    with_server(Settings::default(), async |desk, site| {
        site.answer("/never", "HANG");
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/never"), "timeout": 2000})).await;
        assert!(
            answer.text.starts_with("⏸️ 操作需要用户验证但超时\n\n该工具将暂停 5 分钟，"),
            "{}",
            answer.text
        );
        assert!(!answer.is_error);
        assert_eq!(answer.structured(), &json!({"status": "login_timeout", "retryAfterSeconds": 300}));
        for (tool, arguments) in [
            ("patchright_screenshot", json!({"url": site.url("/never")})),
            ("patchright_click", json!({})),
            ("browser_navigate", json!({"url": site.url("/x")})),
            ("create_session", json!({})),
            ("navigate", json!({"nonsense": 1})),
            ("no_such_tool", json!({})),
        ] {
            let answer = desk.call(tool, arguments).await;
            assert!(
                answer.text.starts_with("⏸️ Patchright 浏览器工具暂时不可用\n\n"),
                "{tool}: {}",
                answer.text
            );
            assert!(answer.text.contains("冷却剩余: 4 分 5"), "{tool}: {}", answer.text);
            assert_eq!(answer.structured()["status"], "cooldown");
            assert!(answer.structured()["retryAfterSeconds"].as_i64().unwrap() > 290);
            assert!(!answer.is_error);
        }
    });
}

#[test]
fn what_other_families_wait_for_in_vain_starts_no_pause() {
    let mut settings = Settings::default();
    settings.timeouts.navigation = Duration::from_millis(2_500);
    with_server(settings, async |desk, site| {
        site.answer("/never", "HANG");
        let answer = desk.call("browser_navigate", json!({"url": site.url("/never")})).await;
        assert!(answer.is_error && answer.text.contains("did not load"), "{}", answer.text);
        let session = desk.session().await;
        let arguments = json!({"sessionId": session, "url": site.url("/never"), "timeout": 200});
        let answer = desk.call("navigate", arguments).await;
        assert_eq!(answer.json()["errorCode"], "NAVIGATION_FAILED");
        assert!(!desk.call("create_session", json!({})).await.is_error);
    });
}

#[test]
fn a_pause_of_the_patchright_tools_alone_leaves_the_others_be() {
    let settings =
        Settings { cooldown_scope: CooldownScope::Patchright, language: Language::En, ..Settings::default() };
    with_server(settings, async |desk, site| {
        site.answer("/never", "HANG");
        site.page("/x", "<title>X</title>");
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/never"), "timeout": 2000})).await;
        assert!(answer.text.starts_with("⏸️ The operation needed the user"), "{}", answer.text);
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/x")})).await;
        assert!(answer.text.starts_with("⏸️ The Patchright browser tools are"), "{}", answer.text);
        assert!(!desk.call("browser_navigate", json!({"url": site.url("/x")})).await.is_error);
    });
}

#[test]
fn of_two_calls_that_run_out_the_first_sets_the_start() {
    with_server(Settings::default(), async |desk, site| {
        site.answer("/never", "HANG");
        let fetch = async |timeout: u64| {
            desk.call("patchright_fetch", json!({"url": site.url("/never"), "timeout": timeout})).await
        };
        let (first, second) = tokio::join!(fetch(2000), fetch(3500));
        assert_eq!(first.structured()["status"], "login_timeout", "{}", first.text);
        assert_eq!(second.structured()["status"], "cooldown", "{}", second.text);
        assert!(second.structured()["retryAfterSeconds"].as_i64().unwrap() < 300);
    });
}

#[test]
fn without_a_window_a_challenge_is_reported_at_once() {
    with_server(Settings::default(), async |desk, site| {
        site.page(
            "/report",
            "<title>Sign in</title><form><input name=user><input type=password><button>In</button></form>",
        );
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/report")})).await;
        assert!(answer.is_error && answer.text.starts_with("抓取失败: 页面需要用户本人"), "{}", answer.text);
        let expected =
            json!({"kind": "login", "url": site.url("/report"), "what": "a form that asks for a password"});
        let expected = json!({"status": "wall", "wall": expected, "untrusted": ["wall.url"]});
        assert_eq!(answer.structured(), &expected);
        for (path, body, kind) in [
            (
                "/recaptcha",
                "<iframe width=304 height=78 src='https://www.google.com/recaptcha/api2/anchor?size=normal'></iframe>",
                "captcha",
            ),
            (
                "/hcaptcha",
                "<div><iframe width=400 height=600 src='https://newassets.hcaptcha.com/captcha/v1/x'></iframe></div>",
                "captcha",
            ),
            (
                "/turnstile",
                "<iframe width=300 height=65 src='https://challenges.cloudflare.com/cdn-cgi/x'></iframe>",
                "captcha",
            ),
            (
                "/geetest",
                "<div class='geetest_holder' style='width:300px;height:60px'>slide</div>",
                "captcha",
            ),
            ("/traffic", "<p>我们的系统检测到您的计算机网络中存在异常流量</p>", "unusual_traffic"),
        ] {
            site.page(path, &format!("<title>Wall</title>{body}"));
            let answer = desk.call("patchright_fetch", json!({"url": site.url(path)})).await;
            assert_eq!(answer.structured()["wall"]["kind"], kind, "{path}: {}", answer.text);
        }
        site.answer(
            "/challenge",
            "HTTP/1.1 403 Forbidden\r\ncf-mitigated: challenge\r\nContent-Length: 2\r\n\r\nno",
        );
        let answer = desk.call("patchright_fetch", json!({"url": site.url("/challenge")})).await;
        assert_eq!(answer.structured()["wall"]["kind"], "challenge", "{}", answer.text);
        // Who came to log in is not kept from it.
        let arguments =
            json!({"url": site.url("/report"), "fields": {"[name=user]": "me", "[type=password]": "x"}});
        let answer = desk.call("patchright_fill_form", arguments).await;
        assert!(!answer.is_error, "{}", answer.text);
    });
}

#[test]
fn a_captcha_in_a_closed_shadow_root_is_a_challenge() {
    drive(async |context, site| {
        // The site answers for the others too, as their proxy. Most captchas' hosts are known to browsers as ones that are
        // only asked over HTTPS; this one is not.
        let frame = "http://static.geetest.com/frame";
        let page = |shown: &str| {
            format!(
                "<title>Shop</title><div></div><script>
                    document.querySelector('div').attachShadow({{ mode: 'closed' }}).innerHTML =
                        `<iframe width=300 height=65 style='{shown}' src='{frame}'></iframe>`
                </script>"
            )
        };
        site.page(frame, "<p>Verify</p>");
        site.page("http://shop.example/", &page(""));
        site.page("http://shop.example/hidden", &page("display: none"));
        let proxy = Proxy::new(&site.url(""), None, None, None).unwrap();
        let options = ContextOptions { proxy: Some(proxy), ..ContextOptions::default() };
        let context = context.browser().unwrap().new_context(options).await.unwrap();
        let tab = context.new_page().await.unwrap();
        for (path, expected) in [("", Some("GeeTest")), ("hidden", None)] {
            let url = Url::parse(&format!("http://shop.example/{path}")).unwrap();
            tab.goto(url.as_str(), &NavigateOptions::default()).await.unwrap();
            let challenge = detect_challenge(&tab, &url, VisitPurpose::Content).await.unwrap();
            assert_eq!(challenge.map(|challenge| challenge.what).as_deref(), expected, "{url}");
        }
        context.close().await.unwrap();
    });
}

#[test]
fn a_patchright_tool_works_in_a_session_that_is_named() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/x", "<title>X</title><script>document.cookie = 'a=1'</script>");
        let session = desk.session().await;
        let arguments = json!({"url": site.url("/x"), "sessionId": session});
        assert!(!desk.call("patchright_fetch", arguments).await.is_error);
        let arguments = json!({"function": "() => document.title + document.cookie", "sessionId": session});
        let answer = desk.call("browser_evaluate", arguments).await;
        assert!(answer.text.contains("Xa=1"), "{}", answer.text);
    });
}

#[test]
fn robots_are_respected_when_asked_for() {
    let politeness = PacingOptions { respect_robots: true, ..PacingOptions::default() };
    with_server(Settings { politeness, ..Settings::default() }, async |desk, site| {
        site.answer(
            "/robots.txt",
            "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\nUser-agent: *\nDisallow: /private\n",
        );
        site.page("/private/x", "<title>Private</title>");
        site.page("/x", "<title>Public</title>");
        let session = desk.session().await;
        let private = site.url("/private/x");
        let answer = desk.call("patchright_fetch", json!({"url": private})).await;
        assert!(answer.is_error && answer.text.contains("robots.txt"), "{}", answer.text);
        let answer = desk.call("browser_navigate", json!({"url": private})).await;
        assert!(answer.is_error && answer.text.contains("robots.txt"), "{}", answer.text);
        let answer = desk.call("navigate", json!({"url": private, "sessionId": session})).await;
        assert_eq!(answer.json()["errorCode"], "NAVIGATION_FAILED");
        assert!(!desk.call("patchright_fetch", json!({"url": site.url("/x")})).await.is_error);
    });
}
