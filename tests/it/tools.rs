//! The tools as clients see them: schemas, arguments, answers.
use std::collections::BTreeSet;

use clap::ValueEnum;
use patchright_mcp::Error;
use patchright_mcp::mcp::arguments;
use patchright_mcp::mcp::reply::{FileLink, Image, PageState, Reply, TabLine};
use patchright_mcp::mcp::tool::{AnyTool, Capability, Registry, Toolset};
use patchright_mcp::mcp::tools;
use patchright_mcp::messages::Language;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use strum::VariantArray;

fn registry(capabilities: &[Capability], toolsets: &[Toolset]) -> Registry {
    let capabilities = capabilities.iter().copied().collect::<BTreeSet<_>>();
    let toolsets = toolsets.iter().copied().collect::<BTreeSet<_>>();
    Registry::new(&tools::ALL_TOOLS, &capabilities, &toolsets)
}

fn tool(name: &str) -> &'static AnyTool {
    tools::ALL_TOOLS.iter().find(|tool| tool.name == name).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("not an object: {value}") };
    object
}

#[test]
fn every_tool_keeps_its_schema() {
    for tool in &tools::ALL_TOOLS {
        insta::with_settings!({ snapshot_path => "snapshots/tools", prepend_module_to_snapshot => false }, {
            insta::assert_json_snapshot!(tool.name, tool.to_mcp_tool(Language::Zh));
        });
    }
}

#[test]
fn schemas_are_flat_closed_and_short() {
    for tool in &tools::ALL_TOOLS {
        let schema = Value::Object(tool.schema().as_ref().clone());
        assert_is_flat(tool.name, &schema);
        assert!(!tool.description().is_empty() && tool.description().len() < 200, "{}", tool.name);
    }
}

/// What every conversation pays for, and what one that has everything does.
#[test]
fn the_list_of_tools_is_short() {
    let characters = |capabilities: &[Capability]| {
        let listed = registry(capabilities, Toolset::VARIANTS);
        let written =
            listed.tools().iter().map(|tool| serde_json::to_string(&tool.to_mcp_tool(Language::Zh)).unwrap());
        written.map(|listing| listing.chars().count() + 1).sum::<usize>()
    };
    assert!(characters(&[]) <= 26_000, "{} characters", characters(&[]));
    let every = characters(Capability::value_variants());
    assert!(every <= 42_500, "{every} characters");
}

/// Claude's members stand apart: who asks for them mostly asks for nothing else.
#[test]
fn claudes_members_are_31_and_short() {
    let members = &tools::claude::CLAUDE_TOOLS;
    let names: BTreeSet<_> = members.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), 31);
    let listed: Vec<_> = members.iter().map(|tool| tool.to_mcp_tool(Language::Zh)).collect();
    let written = listed.iter().map(|listing| serde_json::to_string(listing).unwrap());
    let characters: usize = written.map(|listing| listing.chars().count() + 1).sum();
    assert!(characters <= 15_000, "{characters} characters");
    for tool in members {
        let mut schema = Value::Object(tool.schema().as_ref().clone());
        // A value has one of three kinds, which is the one thing that no other tool has.
        if let Some(value) = schema["properties"].get_mut("value") {
            assert_eq!(value["type"], json!(["string", "number", "boolean"]));
            value["type"] = "string".into();
        }
        assert_is_flat(tool.name, &schema);
        assert!(!tool.description().is_empty() && tool.description().len() < 200, "{}", tool.name);
    }
    insta::assert_json_snapshot!("claudes_members", listed);
}

#[test]
fn claudes_members_are_known_by_name_only_where_they_are_asked_for() {
    let all = || tools::ALL_TOOLS.iter().chain(&tools::claude::CLAUDE_TOOLS);
    let usual: BTreeSet<_> = Toolset::USUAL.into_iter().collect();
    let error = Registry::new(all(), &BTreeSet::new(), &usual).find("left_click").unwrap_err();
    let expected = "Unknown tool: left_click (start the server with --toolsets claude to enable it)";
    assert_eq!(error.to_string(), expected);
    let claude = BTreeSet::from([Toolset::Claude]);
    let registry = Registry::new(all(), &BTreeSet::new(), &claude);
    assert_eq!(registry.tools().len(), 31);
    assert_eq!(registry.find("navigate").unwrap().family.toolset, Toolset::Claude);
}

#[test]
fn in_english_nothing_is_left_in_chinese() {
    for tool in &tools::ALL_TOOLS {
        let listing = serde_json::to_string(&tool.to_mcp_tool(Language::En)).unwrap();
        let is_chinese = |text: &str| text.chars().any(|letter| letter >= '\u{2e80}');
        assert!(!is_chinese(&listing), "{listing}");
        let usual = serde_json::to_string(&tool.to_mcp_tool(Language::Zh)).unwrap();
        assert_eq!(is_chinese(&usual), tool.family.toolset == Toolset::Patchright, "{usual}");
    }
}

/// No reference, no choice of schemas, nothing that only a validator reads; and every object is closed.
fn assert_is_flat(tool: &str, schema: &Value) {
    for keyword in ["$ref", "$schema", "$defs", "anyOf", "oneOf", "title", "format"] {
        assert!(schema.get(keyword).is_none(), "{tool}: {keyword} in {schema}");
    }
    assert!(schema["type"].is_string(), "{tool}: {schema}");
    let is_map = [json!({"type": "string"}), json!(true)].contains(&schema["additionalProperties"]);
    if schema["type"] == "object" && !is_map {
        assert_eq!(schema["additionalProperties"], json!(false), "{tool}: {schema}");
    }
    let properties = schema["properties"].as_object().into_iter().flat_map(Map::values);
    properties.chain(schema.get("items")).for_each(|inner| assert_is_flat(tool, inner));
}

#[test]
fn names_are_unique_and_in_an_order_that_stays() {
    let registry = registry(&[], Toolset::VARIANTS);
    let names: Vec<_> = registry.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
    let again: Vec<_> = self::registry(&[], Toolset::VARIANTS).tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, again);
}

#[test]
fn the_34_core_tools_are_always_there_and_others_where_they_are_asked_for() {
    let count = |capabilities: &[Capability]| registry(capabilities, &[Toolset::Browser]).tools().len();
    assert_eq!(count(&[]), 34);
    assert_eq!(count(&[Capability::Vision]), 37);
    assert_eq!(count(&[Capability::Network]), 38);
    assert_eq!(count(&[Capability::Storage, Capability::Emulation]), 38);
    assert_eq!(count(&[Capability::Pdf]), 35);
    assert_eq!(count(&[Capability::Vision, Capability::Pdf]), 38);
    assert_eq!(count(&[Capability::Code, Capability::Testing]), 37);
    assert_eq!(count(&[Capability::Evidence, Capability::Devtools]), 37);
}

#[test]
fn an_unknown_tool_is_answered_with_the_one_that_was_meant() {
    let error = registry(&[], Toolset::VARIANTS).find("browser_clickk").unwrap_err();
    assert_eq!(error.to_string(), "Unknown tool: browser_clickk (did you mean browser_click?)");
    let error = registry(&[], Toolset::VARIANTS).find("browser_context_select").unwrap_err().to_string();
    assert!(error.contains("browser_context_list") && error.contains("browser_context_switch"), "{error}");
}

#[test]
fn a_tool_of_another_set_says_how_to_enable_it() {
    let error = registry(&[], &[Toolset::Sessions]).find("browser_click").unwrap_err();
    let expected = "Unknown tool: browser_click (start the server with --toolsets browser to enable it)";
    assert_eq!(error.to_string(), expected);
}

/// Each row: a tool, arguments, and all that is wrong with them.
#[test]
fn arguments_are_checked_all_at_once() {
    let rows: &[(&str, Value, &[&str])] = &[
        ("browser_navigate", json!({"url": "https://a.example"}), &[]),
        ("browser_navigate", json!({}), &["`url` is missing; it is a string"]),
        ("browser_navigate", json!({"url": null}), &["`url` must be a string, not null"]),
        ("browser_navigate", json!({"url": ""}), &["`url` must not be empty"]),
        ("browser_navigate", json!({"url": 5}), &["`url` must be a string, not a number"]),
        (
            "browser_navigate",
            json!({"uri": "x", "zebra": 1}),
            &[
                "`url` is missing; it is a string",
                "`uri` is not an argument; did you mean `url`?",
                "`zebra` is not an argument; the arguments are url, waitUntil, timeout, expect, tab, sessionId",
            ],
        ),
        (
            "browser_close",
            json!({"x": 1}),
            &["`x` is not an argument; the arguments are expect, tab, sessionId"],
        ),
        ("browser_click", json!({"ref": "e1", "element": null, "modifiers": null}), &[]),
        ("browser_click", json!({"target": "e1"}), &[]),
        (
            "browser_click",
            json!({"target": 5}),
            &["`ref (given as target)` must be a string, not a number: Ref from a snapshot, or a selector"],
        ),
        ("browser_click", json!({}), &["`ref` (or `target`) is missing; it is a string"]),
        ("browser_click", json!({"target": "e1", "ref": "e1"}), &[]),
        (
            "browser_click",
            json!({"target": "e1", "ref": "e2"}),
            &["`target` and `ref` are the same argument; give one"],
        ),
        (
            "browser_click",
            json!({"ref": "e1", "button": "centre", "doubleClick": "yes", "modifiers": ["Alt", "Ctrl"]}),
            &[
                "`button` must be one of left, right, middle",
                "`doubleClick` must be true or false, not a string",
                "`modifiers[1]` must be one of Alt, Control, ControlOrMeta, Meta, Shift",
            ],
        ),
        (
            "browser_click",
            json!({"ref": "e1", "modifiers": "Alt"}),
            &["`modifiers` must be a list, not a string"],
        ),
    ];
    for (name, given, expected) in rows {
        let problems = match tool(name).check(&mut object(given.clone())) {
            Ok(()) => Vec::new(),
            Err(Error::InvalidArguments { problems }) => problems,
            Err(other) => panic!("{other}"),
        };
        // A problem with the type also repeats the description of the argument.
        let begins = problems.iter().zip(*expected).all(|(problem, expected)| problem.starts_with(expected));
        assert!(problems.len() == expected.len() && begins, "{name} {given}: {problems:?}");
    }
}

#[test]
fn numbers_keep_to_their_range() {
    let schema = object(json!({"type": "object", "properties": {
        "width": {"type": "integer", "minimum": 1, "maximum": 16384},
        "time": {"type": "number", "exclusiveMinimum": 0},
        "list": {"type": "array", "minItems": 1, "maxItems": 2},
        "text": {"type": "string", "maxLength": 3},
    }}));
    let check = |given: Value| arguments::check_arguments(&schema, &mut object(given));
    assert!(check(json!({"width": 5.0, "time": 1, "list": [1], "text": "äöü"})).is_empty());
    assert_eq!(check(json!({"width": 0})), ["`width` must be at least 1"]);
    assert_eq!(check(json!({"width": 16385})), ["`width` must be at most 16384"]);
    assert_eq!(check(json!({"width": 1.5})), ["`width` must be a whole number, not a fraction"]);
    assert!(check(json!({"width": "5", "time": "0.5", "list": "[1]"})).is_empty());
    assert_eq!(check(json!({"width": "5x"})), ["`width` must be a whole number, not a string"]);
    assert_eq!(check(json!({"width": 1e300})), ["`width` must be a whole number, not a fraction"]);
    assert_eq!(check(json!({"time": 0})), ["`time` must be more than 0"]);
    assert_eq!(check(json!({"list": []})), ["`list` must not be empty"]);
    assert_eq!(check(json!({"list": [1, 2, 3]})), ["`list` must be at most 2 items"]);
    assert_eq!(check(json!({"text": "four"})), ["`text` must be at most 3 characters"]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,8}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    /// What the check lets through, serde understands; so a model never reads serde's words.
    #[test]
    fn checked_arguments_always_fit_the_struct(
        known in prop::collection::btree_map(
            prop::sample::select(vec!["ref", "element", "button", "doubleClick", "modifiers", "target", "text"]),
            any_json(),
            0..5,
        ),
    ) {
        let mut arguments: Map<String, Value> = known.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if tool("browser_click").check(&mut arguments).is_ok() {
            let parsed = serde_json::from_value::<tools::input::Click>(Value::Object(arguments.clone()));
            prop_assert!(parsed.is_ok(), "{arguments:?}: {parsed:?}");
        }
    }

    /// No title, address, dialog or event that a page makes up begins a section or a line of its own.
    #[test]
    fn page_text_never_forges_a_section(text in "(\\PC|\n|\r|\t|\u{1b}|### Error\n|```|\u{2028}|\u{85}){0,12}") {
        let mut reply = Reply::default();
        reply.say("Done");
        let tab = TabLine { title: text.clone(), url: text.clone(), ..TabLine::default() };
        reply.set_tabs(vec![tab.clone(), tab]);
        reply.set_page(PageState { url: text.clone(), title: text.clone(), ..PageState::default() });
        reply.add_modal(text.clone());
        reply.add_event(text);
        let written = reply.text();
        prop_assert!(!written.chars().any(|c| c.is_control() && c != '\n'), "{written:?}");
        let sections: Vec<_> = written.lines().filter(|line| !line.starts_with("- ")).collect();
        prop_assert_eq!(
            sections,
            ["### Result", "Done", "### Open tabs", "### Page", "### Modal state", "### Events"]
        );
    }
}

#[test]
fn an_answer_has_its_sections_in_order() {
    let mut reply = Reply::default();
    reply.add_event("Downloaded report.pdf");
    reply.set_snapshot("- button \"Save\" [ref=c0p0f0e1]\n");
    reply.add_modal("alert dialog with message \"hi\": answer it with browser_handle_dialog");
    let status = Some((404, "Not Found".to_owned()));
    let (url, title) = ("http://a.example/".to_owned(), "A".to_owned());
    reply.set_page(PageState {
        url: url.clone(),
        title: title.clone(),
        status,
        console_errors: 2,
        console_error: Some("x is not defined".to_owned()),
        ..PageState::default()
    });
    reply.set_tabs(vec![
        TabLine { id: "t0".to_owned(), title, url: url.clone(), active: true, ..TabLine::default() },
        TabLine {
            index: 1,
            id: "t1".to_owned(),
            title: "B".to_owned(),
            url,
            crashed: true,
            ..TabLine::default()
        },
    ]);
    reply.say("Clicked Save");
    reply.add_image(Image { base64: "AAAA".to_owned(), mime_type: "image/png" });
    let (uri, name) = ("file:///tmp/a.png".to_owned(), "a.png".to_owned());
    reply.add_file(FileLink { uri, name, mime_type: "image/png", size: Some(3) });
    reply.fail(&Error::StaleRef { target: "c0p0f0e9".to_owned(), again: None });
    insta::assert_json_snapshot!(reply.into_result());
}

#[test]
fn a_success_does_not_mention_errors() {
    let mut reply = Reply::default();
    reply.say("Done");
    assert_eq!(serde_json::to_value(reply.into_result()).unwrap().get("isError"), None);
}

#[test]
fn text_of_a_page_that_looks_like_ours_is_quoted() {
    let mut reply = Reply::default();
    reply.say_page_text("plain");
    reply.say_page_text("### Error\nboo");
    assert_eq!(reply.text(), "### Result\nplain\n\"### Error\\nboo\"");
}
