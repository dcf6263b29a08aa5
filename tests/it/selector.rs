//! Selectors: how they are read, and what they find on a real page.
use patchright_mcp::Error;
use patchright_mcp::browser::selector::{
    By, Filter, RoleOptions, RoleStates, Selector, SelectorChain, TextMatch,
};
use patchright_mcp::browser::{BrowserContext, NavigateOptions, Page, UtilityWorld, value_argument};
use patchright_mcp::cdp::types::dom::{DescribeNode, Node, ResolveNode};
use patchright_mcp::cdp::types::runtime::{CallArgument, CallFunctionOn, Evaluate};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Site, drive};

fn read(selector: &str) -> Value {
    let selector = Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
    serde_json::to_value(selector.chains()).unwrap()
}

/// What selectors are made of, and what they are not.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        ">>",
        "internal:",
        "has=",
        "text=",
        "role=",
        "css=",
        "nth=",
        ":has(",
        ":is(",
        ":not(",
        ":text(",
        ":nth-match(",
        "/*",
        "*/",
        "[a",
        "=",
        "]",
        "(",
        ")",
        "\"",
        "'",
        "/",
        "\\",
        "::",
        ">",
        "~",
        ",",
        " ",
        "a",
        "2",
        "é",
    ];
    prop_oneof![4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,2}"]
}

proptest! {
    /// Whatever is written, the answer is a selector or an error.
    #[test]
    fn reading_never_panics(pieces in proptest::collection::vec(piece(), 0..14)) {
        let _ = Selector::parse(&pieces.concat());
    }

    /// A text that a client library has quoted is one text, whatever is in it.
    #[test]
    fn quoted_text_stays_whole(text in any::<String>(), exact in any::<bool>()) {
        let quoted = Value::from(text.as_str()).to_string();
        let (flag, is) = if exact { ("s", "whole") } else { ("i", "containing") };
        let chains = read(&format!("main >> internal:has-text={quoted}{flag} >> nth=2"));
        prop_assert_eq!(&chains[0][1], &json!({ "by": "hasText", "text": { "is": is, "text": text } }));
        prop_assert_eq!(&chains[0][2], &json!({ "by": "nth", "index": 2 }));
        let inner = Value::from(format!("internal:text={quoted}{flag}")).to_string();
        let chains = read(&format!("div >> internal:has={inner} >> nth=2"));
        prop_assert_eq!(&chains[0][1]["chain"][0], &json!({ "by": "text", "text": { "is": is, "text": text } }));
    }

    /// So is a text in an attribute, and a CSS string.
    #[test]
    fn quoted_values_stay_whole(text in any::<String>()) {
        let escaped = text.replace('\\', r"\\").replace('"', r#"\""#);
        let chains = read(&format!("internal:role=button[name=\"{escaped}\"s] >> a"));
        prop_assert_eq!(&chains[0][0]["name"]["text"], &Value::from(text.as_str()));
        let chains = read(&format!("internal:attr=[title=\"{escaped}\"i] >> a"));
        prop_assert_eq!(&chains[0][0]["value"]["text"], &Value::from(text.as_str()));
        let css: Vec<_> = text.chars().map(|character| format!("\\{:x} ", u32::from(character))).collect();
        let chains = read(&format!("p:has-text(\"{}\") >> a", css.concat()));
        let function = &chains[0][0]["list"][0][0]["functions"][0];
        prop_assert_eq!(&function["text"]["text"], &Value::from(text.replace('\0', "\u{fffd}")));
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason_that_repeats_nothing() {
    let deep = |open: &str, close: &str| format!("{}div{}", open.repeat(50), close.repeat(50));
    let mut quoted = "a".to_owned();
    for _ in 0..7 {
        quoted = format!("internal:has={}", Value::from(quoted));
    }
    assert!(Selector::parse(&quoted).is_ok());
    let selectors = [
        "",
        " ",
        ">>",
        "zebra >>",
        ">> zebra",
        "zebra=1",
        "zebra[",
        "zebra(",
        "zebra)",
        "zebra:has(",
        "zebra:has()",
        "zebra:not()",
        ":text(zebra)",
        ":text('a', 'b')",
        ":text()",
        ":text-matches()",
        ":nth-match(zebra)",
        ":nth-match(zebra, 0)",
        ":nth-match(2)",
        "zebra >",
        "zebra > > a",
        "zebra,,a",
        ",zebra",
        "zebra,",
        "'zebra",
        "zebra::before",
        "zebra /* a",
        "role=",
        "role=[name=x]",
        "role=button[",
        "role=button[name]",
        "role=button[zebra='x']",
        "role=button[name=]",
        "role=button[name='x]",
        "role=button[name*=/zebra/]",
        "role=button[name=/zebra]",
        "role=heading[level=zebra]",
        "role=button[pressed=zebra]",
        "role=button[exact]",
        "role=link[checked]",
        "role=button[level=1]",
        "nth=zebra",
        "nth=",
        "visible=zebra",
        "xpath=",
        "internal:has=zebra",
        r#"internal:has="zebra >> internal:control=enter-frame >> a""#,
        "internal:attr=[zebra]",
        "internal:attr=zebra",
        r#"internal:text="zebra"#,
        r#"internal:has="zebra=1""#,
        "internal:control=zebra",
        "internal:control=enter-frame >> a",
        "iframe >> internal:control=enter-frame",
        "*css=a >> internal:control=enter-frame >> b",
        "*css=a >> *css=b",
        "*css=a >> nth=1 >> b",
        "near=zebra",
        &deep(":is(", ")"),
        &deep(":has(", ")"),
        &deep(":left-of(", ")"),
        &deep(":near(", ", 5)"),
        &deep(":nth-match(", ", 1)"),
    ];
    for selector in selectors {
        let Err(error) = Selector::parse(selector) else { panic!("{selector:?} was read") };
        assert_eq!(error.code(), "invalid_selector");
        assert!(!error.to_string().contains("zebra"), "{error}");
    }
}

#[test]
fn a_frame_begins_a_chain_of_its_own() {
    let selector = "main >> iframe >> internal:control=enter-frame >> #inner >> internal:control=enter-frame >> role=button";
    let chains = read(selector);
    let parts: Vec<_> =
        chains.as_array().unwrap().iter().map(|chain| chain.as_array().unwrap().len()).collect();
    assert_eq!(parts, [2, 1, 1]);
    assert_eq!(chains[2][0], json!({ "by": "role", "role": "button", "hiddenToo": false }));
}

async fn open(context: &BrowserContext, site: &Site) -> (Page, UtilityWorld) {
    site.page("/select", include_str!("../pages/select.html"));
    let page = context.new_page().await.unwrap();
    page.goto(&site.url("/select"), &NavigateOptions::default()).await.unwrap();
    let world = page.main_frame().utility_world().await.unwrap();
    (page, world)
}

/// The ids of what is found, in order.
async fn find(world: &UtilityWorld, selector: &str) -> Result<String, Error> {
    let selector = Selector::parse(selector)?;
    let [chain] = selector.chains() else { panic!("one document is enough here") };
    select(world, chain, CallArgument::default()).await
}

async fn select(world: &UtilityWorld, chain: &SelectorChain, root: CallArgument) -> Result<String, Error> {
    let found = world
        .call_handle("select", vec![value_argument(chain), root])
        .await
        .map_err(Selector::from_script_error)?
        .unwrap();
    let ids = CallFunctionOn {
        function_declaration: "function () { return this.map((one) => one.id).join(' ') }".to_owned(),
        object_id: Some(found.id().to_owned()),
        return_by_value: Some(true),
        ..CallFunctionOn::default()
    };
    let ids = world.session().call(ids).await.unwrap().result.value.unwrap();
    Ok(ids.as_str().unwrap().to_owned())
}

#[test]
fn elements_are_found_by_what_a_person_knows_them_by() {
    drive(async |context, site| {
        let (page, _) = open(&context, &site).await;
        let frame = page.main_frame();
        let later = RoleOptions { name: Some("BUY L".into()), ..RoleOptions::default() };
        let states = RoleStates { level: Some(3), ..RoleStates::default() };
        let headings = RoleOptions { states, ..RoleOptions::default() };
        let pear = Filter { has_text: Some("PEAR".into()), ..Filter::default() };
        let plum = TextMatch::Pattern { source: "^plum t".to_owned(), flags: "i".to_owned() };
        for (locator, ids) in [
            (frame.by_role("button", &later), "apple-later"),
            (frame.by_role("heading", &headings), "apple-name pear-name plum-name level3"),
            (frame.by_text(TextMatch::exact("two words here")), "p2"),
            (frame.by_text(plum), "plum-name"),
            (frame.by_label("agree"), "agree"),
            (frame.by_placeholder("full"), "name"),
            (frame.by_placeholder(TextMatch::exact("full")), ""),
            (frame.by_alt_text(TextMatch::exact("Logo")), "logo"),
            (frame.by_title("sends"), "send"),
            (frame.by_test_id("pear"), "pear"),
            (frame.by(&By::selector(".card").filter(&pear)), "pear"),
            (frame.by(&By::role("heading", &headings).nth(-1)), "level3"),
        ] {
            let mut found = Vec::new();
            for element in locator.unwrap().all().await.unwrap() {
                found.push(element.attribute("id").await.unwrap().unwrap_or_default());
            }
            assert_eq!(found.join(" "), ids);
        }
    });
}

/// What each selector finds. Playwright 1.65 finds the same, but does not know `[exact]`, `label=`, `placeholder=`, `alt=`,
/// `title=` and `testid=`, and takes an `<h2>` for level 2 in spite of `aria-level`.
const FOUND: &[(&str, &str)] = &[
    // CSS.
    ("css=.card", "apple pear plum"),
    ("h1, h3", "welcome apple-name pear-name plum-name"),
    ("h3, h1", "welcome apple-name pear-name plum-name"),
    ("#main > .card > h3", "apple-name pear-name plum-name"),
    ("#outer >> .box i", "leaf"),
    ("#outer >> .box", "nested"),
    ("#outer >> css=:scope", "outer"),
    ("#outer >> css=:scope > div", "inner"),
    ("#outer >> css=> div", "inner"),
    ("#p1 >> css=+ p", "p2"),
    ("#p1 ~ p:empty", "p3"),
    ("p:has(+ p)", "p1 p2"),
    (".box:has(.box i)", "outer"),
    (".box:has(> i)", "nested"),
    ("div:has(> i):not(.box)", "inner"),
    (".card:has-text('PEAR')", "pear"),
    (".card:has-text('buy'):not(:has-text('Apple'))", "pear"),
    (":text('plum')", "plum-name"),
    ("button:text-is('Buy')", "apple-buy pear-buy"),
    ("button:text-matches('^buy$', 'i')", "apple-buy pear-buy"),
    (".card button:visible", "apple-buy apple-later pear-buy"),
    (":nth-match(.card button, 3)", "pear-buy"),
    (".card:is(:has-text('Pear'), :has-text('Plum'))", "pear plum"),
    ("input:checked", "agree"),
    ("/* all */ h1/* c */ em", "em"),
    // Text.
    ("text=welcome to the shop", "welcome"),
    ("text=buy >> nth=0", "apple-buy"),
    ("text='Buy'", "apple-buy pear-buy"),
    ("text=\"Plum\"", "plum-name"),
    ("text=/^plum t/i", "plum-name"),
    ("'words'", "b2"),
    ("text=it's >> nth=0", "quotes"),
    ("text=\"\\\"quotes\\\", it's >> here\"", "quotes"),
    ("text=Send order", "send"),
    ("internal:text=\"two words here\"s", "p2"),
    ("internal:text=\"TWO words\"i", "p2"),
    ("text=Buy here", ""),
    ("head >> text=/^$/", ""),
    ("text='Echo'", "echo echo-b"),
    // Paths.
    ("//h3[text()='Pear']", "pear-name"),
    ("(//button)[2]", "apple-later"),
    ("#pear >> //button", "pear-buy pear-gone"),
    ("#pear-buy >> ..", "pear"),
    ("#leaf >> xpath=ancestor::div", "outer inner nested"),
    // Roles.
    ("role=button[name='Buy']", "apple-buy pear-buy"),
    ("role=button[name='buy']", ""),
    ("role=button[name='buy' i]", "apple-buy pear-buy"),
    ("role=button[name='BUY'][exact=false]", "apple-buy apple-later pear-buy open-buy"),
    ("role=button[name=/^Buy l/]", "apple-later"),
    ("role=button[name^='Send']", "send"),
    ("role=button[disabled]", "apple-later"),
    ("role=button[pressed=mixed]", "toggle"),
    ("role=button[name='Unheard']", ""),
    ("role=button[name='Unheard'][include-hidden]", "unheard"),
    ("role=checkbox[checked]", "agree"),
    ("role=checkbox[checked=false]", "news"),
    ("role=heading[level=3]", "apple-name pear-name plum-name level3"),
    ("internal:role=button[name=\"BUY L\"i]", "apple-later"),
    ("internal:role=button[name=\"Buy\"s]", "apple-buy pear-buy"),
    ("internal:role=button[description=\"hint\"i]", "toggle"),
    ("internal:role=button[description=\"sends\"i]", "send"),
    ("role=textbox[name='E-mail']", "mail"),
    // Attributes and labels.
    ("id=pear", "pear"),
    ("data-testid=Plum", "plum"),
    ("data-testid=plum", ""),
    ("internal:testid=[data-testid=\"pear\"s]", "pear"),
    ("internal:testid=[data-testid=/^p/i]", "pear plum"),
    ("internal:attr=[placeholder=\"full\"i]", "name"),
    ("internal:attr=[placeholder=\"full\"s]", ""),
    ("internal:attr=[alt=\"Logo\"s]", "logo"),
    ("internal:label=\"agree\"i", "agree"),
    ("internal:label=\"Newsletter\"s", "news"),
    ("internal:label=\"message\"i", "text"),
    ("internal:label=\"E-mail\"s", "mail"),
    ("internal:label=/order/i", "form"),
    ("label=newsletter", "news"),
    ("placeholder=full", "name"),
    ("alt='Logo'", "logo"),
    ("title=sends", "send"),
    ("testid=pear", "pear"),
    // Chains.
    (".card >> button >> nth=1", "apple-later"),
    (".card >> nth=-1", "plum"),
    (".card >> nth=7", ""),
    (".card >> button >> visible=false", "pear-gone"),
    (".card >> internal:has=\"text=Pear\"", "pear"),
    (".card >> internal:has=\"h3 >> b\"", "plum"),
    (".card >> internal:has-not=\"button\"", "plum"),
    (".card >> internal:has-text=\"apple\"i", "apple"),
    (".card >> internal:has-not-text=\"buy\"i", "plum"),
    ("button >> internal:and=\".gone\"", "pear-gone"),
    ("h3 >> internal:and=\".card > *\"", "apple-name pear-name plum-name"),
    ("em >> internal:or=\"#body > h1\"", "welcome em"),
    (".card >> internal:chain=\"button >> nth=0\"", "apple-buy pear-buy"),
    (".card >> internal:chain=\"button\" >> nth=2", "pear-buy"),
    ("*css=.card >> text=Pear", "pear"),
    (".card >> *css=h3 >> b", "plum-name"),
    (".card >> internal:describe=\"cards\" >> nth=0", "apple"),
    // Shadow roots: after the children of their host, and after all around them.
    ("#open p", "in-deep"),
    ("#open > div > button", "open-buy"),
    ("css:light=#open button", ""),
    ("x-open:light(*)", "open"),
    (":light(button)", "apple-buy apple-later pear-buy pear-gone unheard"),
    ("#open >> *", "light in-open  open-buy deep in-deep"),
    ("p >> nth=-1", "in-deep"),
    ("text=Deep", "in-deep"),
    ("text=Light", "light"),
    ("x-open:has-text('inside')", "open"),
    ("x-open:has(#deep p)", "open"),
    ("role=button[name='Buy inside']", "open-buy"),
    ("#in-deep >> internal:or=\"#light\"", "light in-deep"),
];

#[test]
fn each_selector_finds_what_it_says() {
    drive(async |context, site| {
        let (_page, world) = open(&context, &site).await;
        for (selector, expected) in FOUND {
            let found = find(&world, selector).await.unwrap_or_else(|error| panic!("{selector}: {error}"));
            assert_eq!(found, *expected, "{selector}");
            let chain = &Selector::parse(selector).unwrap().chains()[0].clone();
            let count: usize = world.call("count", &[json!(chain), Value::Null]).await.unwrap();
            assert_eq!(count, if found.is_empty() { 0 } else { found.split(' ').count() }, "{selector}");
        }
    });
}

#[test]
fn a_search_stays_within_its_root() {
    drive(async |context, site| {
        let (_page, world) = open(&context, &site).await;
        let first = |selector: &str| {
            let chain = value_argument(&Selector::parse(selector).unwrap().chains()[0]);
            let world = world.clone();
            async move { world.call_handle("first", vec![chain, CallArgument::default()]).await.unwrap() }
        };
        let pear = first("#pear").await.unwrap();
        assert!(first("#none").await.is_none());
        for (selector, expected) in
            [("button", "pear-buy pear-gone"), ("main button", ""), ("text=Apple", ""), ("..", "main")]
        {
            let selector = Selector::parse(selector).unwrap();
            assert_eq!(select(&world, &selector.chains()[0], pear.argument()).await.unwrap(), expected);
        }
    });
}

#[test]
fn what_only_the_browser_can_judge_is_refused_too() {
    drive(async |context, site| {
        let (_page, world) = open(&context, &site).await;
        for selector in [
            "3zebra",
            ":zebra",
            ":zebra(a)",
            "[=x]",
            "p:has-text('a'):zebra",
            "//zebra[",
            "xpath=count(//zebra)",
            "text=/(/",
            "text=/zebra/q",
            "role=button[name=/(/]",
            "internal:attr=[title=/(/]",
        ] {
            let error = find(&world, selector).await.expect_err(selector);
            assert_eq!(error.code(), "invalid_selector", "{error:?}");
            assert!(!error.to_string().contains("zebra"), "{error}");
        }
    });
}

#[test]
fn a_closed_shadow_root_is_searched_once_it_is_known() {
    drive(async |context, site| {
        let (page, world) = open(&context, &site).await;
        assert_eq!(find(&world, "#closed p").await.unwrap(), "");
        let document = Evaluate { expression: "document".to_owned(), ..Evaluate::default() };
        let document = page.session().call(document).await.unwrap().result.object_id;
        let describe = DescribeNode {
            object_id: document,
            depth: Some(-1),
            pierce: Some(true),
            ..DescribeNode::default()
        };
        let closed = closed_root(&page.session().call(describe).await.unwrap().node).unwrap();
        let resolve = ResolveNode {
            backend_node_id: Some(closed),
            execution_context_id: Some(world.context_id()),
            ..ResolveNode::default()
        };
        let object_id = world.session().call(resolve).await.unwrap().object.object_id;
        let root = CallArgument { object_id, ..CallArgument::default() };
        world.call_with::<()>("adoptClosedRoot", vec![value_argument(&Value::Null), root]).await.unwrap();
        for selector in ["#closed p", "text=Secret", "body >> internal:text=\"secret\"i"] {
            assert_eq!(find(&world, selector).await.unwrap(), "in-closed", "{selector}");
        }
        assert_eq!(find(&world, "p >> nth=-1").await.unwrap(), "in-closed");
    });
}

/// The first closed shadow root below a node.
fn closed_root(node: &Node) -> Option<i64> {
    let roots = node.shadow_roots.iter().flatten();
    let closed = roots.clone().find(|root| root.shadow_root_type.as_deref() == Some("closed"));
    let below = || node.children.iter().flatten().chain(roots).find_map(closed_root);
    closed.map(|root| root.backend_node_id).or_else(below)
}

#[test]
fn a_search_leaves_no_trace_in_the_page() {
    drive(async |context, site| {
        let (page, world) = open(&context, &site).await;
        let before = page.main_frame().evaluate(
            "document.documentElement.outerHTML",
            vec![],
            patchright_mcp::browser::ScriptWorld::Main,
        );
        let before = before.await.unwrap();
        for (selector, _) in FOUND {
            find(&world, selector).await.unwrap();
        }
        let after = page.main_frame().evaluate(
            "document.documentElement.outerHTML",
            vec![],
            patchright_mcp::browser::ScriptWorld::Main,
        );
        assert_eq!(after.await.unwrap(), before);
    });
}
