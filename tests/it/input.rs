//! What a page hears of the pointer and the keys.
use std::time::Duration;

use patchright_mcp::browser::input::{Button, ClickOptions, InputStyle, Modifier, Point};
use patchright_mcp::browser::{
    ActionOptions, ElementHandle, Frame, MultipleChoicePolicy, OptionChoice, Page, ScriptWorld,
};
use serde_json::{Value, json};

use crate::support::{Site, drive, find, open};

/// Writes every event of these types into `log`, as `[type, target, …]` with what `tell` makes of it.
fn logging(types: &str, tell: &str, body: &str) -> String {
    format!(
        "<!doctype html><body>{body}<script>var log = [];\
         for (const type of '{types}'.split(' ')) addEventListener(type, (event) => log.push([type, \
         event.target.id || event.target.nodeName || 'window', ...({tell})(event)]), true)</script>"
    )
}

async fn log(frame: &Frame) -> Vec<Value> {
    let log = frame.evaluate("log", vec![], ScriptWorld::Main).await.unwrap();
    log.as_array().unwrap().clone()
}

async fn value(page: &Page, expression: &str) -> Value {
    page.main_frame().evaluate(expression, vec![], ScriptWorld::Main).await.unwrap()
}

fn styled(style: InputStyle) -> ActionOptions {
    ActionOptions { style: Some(style), ..ActionOptions::default() }
}

const STYLES: [InputStyle; 2] = [InputStyle::Natural, InputStyle::Instant];

#[test]
fn a_page_sees_a_click_as_a_persons() {
    let types = "pointerover mouseover pointerdown mousedown focus pointerup mouseup click";
    drive(async |context, site| {
        for style in STYLES {
            let html = logging(
                types,
                "(e) => [e.isTrusted, e.button, e.buttons, e.detail]",
                "<button id=b style='margin:200px'>B</button>",
            );
            let page = open(&context, &site, &html).await;
            let button = find(page.main_frame(), "#b").await;
            button.click(&ClickOptions::default(), &styled(style)).await.unwrap();
            let received: Vec<Value> =
                log(page.main_frame()).await.into_iter().filter(|entry| entry[1] == "b").collect();
            assert_eq!(
                received,
                [
                    json!(["pointerover", "b", true, -1, 0, 0]),
                    json!(["mouseover", "b", true, 0, 0, 0]),
                    json!(["pointerdown", "b", true, 0, 1, 0]),
                    json!(["mousedown", "b", true, 0, 1, 1]),
                    json!(["focus", "b", true, null, null, 0]),
                    json!(["pointerup", "b", true, 0, 0, 0]),
                    json!(["mouseup", "b", true, 0, 0, 1]),
                    json!(["click", "b", true, 0, 0, 1]),
                ],
                "{style:?}"
            );
        }
    });
}

#[test]
fn a_natural_click_travels_misses_the_middle_and_holds() {
    drive(async |context, site| {
        let tell = "(e) => [e.clientX, e.clientY, e.screenX, e.screenY, e.timeStamp]";
        let body =
            "<button id=b style='position:absolute;left:700px;top:500px;width:160px;height:40px'>B</button>";
        // A busy browser hands several moves on as one event.
        let count = "<script>let moves = 0; addEventListener('pointermove', (e) => moves += e.getCoalescedEvents().length)</script>";
        let page =
            open(&context, &site, &logging("mousedown mouseup", tell, &format!("{body}{count}"))).await;
        let button = find(page.main_frame(), "#b").await;
        button.click(&ClickOptions::default(), &styled(InputStyle::Natural)).await.unwrap();
        let log = log(page.main_frame()).await;
        let moves = value(&page, "moves").await;
        assert!(moves.as_u64() >= Some(4), "{moves} moves");
        let down = &log[log.len() - 2];
        let up = &log[log.len() - 1];
        assert_eq!((&down[0], &up[0]), (&json!("mousedown"), &json!("mouseup")));
        let at = |entry: &Value, index: usize| entry[index].as_f64().unwrap();
        let (x, y) = (at(down, 2), at(down, 3));
        assert!((700.0..860.0).contains(&x) && (500.0..540.0).contains(&y), "{down}");
        assert!((x - 780.0).abs() >= 1.0 || (y - 520.0).abs() >= 1.0, "the exact middle: {down}");
        let held = at(up, 6) - at(down, 6);
        assert!((25.0..200.0).contains(&held), "held for {held} ms");
        // On the screen, the page begins below and beside what belongs to the window.
        let window =
            value(&page, "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]")
                .await;
        assert!((at(down, 4) - x - at(&window, 0)).abs() <= 8.0, "{down} {window}");
        assert!((at(down, 5) - y - at(&window, 1)).abs() <= 8.0, "{down} {window}");
    });
}

#[test]
fn clicks_come_with_button_count_and_modifiers() {
    let tell = "(e) => { e.preventDefault(); return [e.button, e.detail, e.ctrlKey, e.shiftKey] }";
    drive(async |context, site| {
        let html = logging("click dblclick auxclick contextmenu", tell, "<button id=b>B</button>");
        let page = open(&context, &site, &html).await;
        let button = find(page.main_frame(), "#b").await;
        for style in STYLES {
            value(&page, "log.length = 0").await;
            let options = styled(style);
            let double = ClickOptions { count: 2, ..ClickOptions::default() };
            button.click(&double, &options).await.unwrap();
            let middle = ClickOptions { button: Button::Middle, ..ClickOptions::default() };
            button.click(&middle, &options).await.unwrap();
            let held = ClickOptions {
                modifiers: vec![Modifier::Control, Modifier::Shift],
                ..ClickOptions::default()
            };
            button.click(&held, &options).await.unwrap();
            let right = ClickOptions { button: Button::Right, ..ClickOptions::default() };
            button.click(&right, &options).await.unwrap();
            let received = log(page.main_frame()).await;
            let received: Vec<Value> =
                received.into_iter().filter(|entry| entry[0] != "auxclick" || entry[2] == 1).collect();
            assert_eq!(
                received,
                [
                    json!(["click", "b", 0, 1, false, false]),
                    json!(["click", "b", 0, 2, false, false]),
                    json!(["dblclick", "b", 0, 2, false, false]),
                    json!(["auxclick", "b", 1, 1, false, false]),
                    json!(["click", "b", 0, 1, true, true]),
                    json!(["contextmenu", "b", 2, 0, false, false]),
                ],
                "{style:?}"
            );
        }
    });
}

#[test]
fn keys_carry_what_a_keyboard_gives_them() {
    let tell = "(e) => [e.key, e.code, e.keyCode, e.location, e.ctrlKey, e.shiftKey, e.isTrusted]";
    drive(async |context, site| {
        let html = logging("keydown keypress keyup", tell, "<input id=i autofocus>");
        let page = open(&context, &site, &html).await;
        let field = find(page.main_frame(), "#i").await;
        field.focus().await.unwrap();
        let keyboard = page.input().with_style(InputStyle::Instant).keyboard();
        keyboard.press("A").await.unwrap();
        keyboard.press("Control+a").await.unwrap();
        keyboard.press("Numpad7").await.unwrap();
        let received = log(page.main_frame()).await;
        let expected = [
            json!(["keydown", "i", "Shift", "ShiftLeft", 16, 1, false, true, true]),
            json!(["keydown", "i", "A", "KeyA", 65, 0, false, true, true]),
            json!(["keypress", "i", "A", "KeyA", 65, 0, false, true, true]),
            json!(["keyup", "i", "A", "KeyA", 65, 0, false, true, true]),
            json!(["keyup", "i", "Shift", "ShiftLeft", 16, 1, false, false, true]),
            json!(["keydown", "i", "Control", "ControlLeft", 17, 1, true, false, true]),
            json!(["keydown", "i", "a", "KeyA", 65, 0, true, false, true]),
            json!(["keyup", "i", "a", "KeyA", 65, 0, true, false, true]),
            json!(["keyup", "i", "Control", "ControlLeft", 17, 1, false, false, true]),
            json!(["keydown", "i", "7", "Numpad7", 103, 3, false, false, true]),
            json!(["keypress", "i", "7", "Numpad7", 55, 3, false, false, true]),
            json!(["keyup", "i", "7", "Numpad7", 103, 3, false, false, true]),
        ];
        assert_eq!(received, expected);
        assert_eq!(value(&page, "i.value").await, json!("7"), "Control+a selected what the 7 replaced");
    });
}

#[test]
fn shift_and_arrows_select_and_enter_submits() {
    drive(async |context, site| {
        let html = "<form onsubmit='event.preventDefault(); sent = true'><input id=i value=abcdef></form><script>var sent = false</script>";
        let page = open(&context, &site, html).await;
        let field = find(page.main_frame(), "#i").await;
        let options = styled(InputStyle::Instant);
        field.press("End", &options).await.unwrap();
        field.press("Shift+ArrowLeft", &options).await.unwrap();
        field.press("Shift+ArrowLeft", &options).await.unwrap();
        field.press("x", &options).await.unwrap();
        assert_eq!(value(&page, "i.value").await, json!("abcdx"));
        field.press("Enter", &options).await.unwrap();
        assert_eq!(value(&page, "sent").await, json!(true));
    });
}

#[test]
fn typing_has_a_rhythm_or_is_instant() {
    drive(async |context, site| {
        let page = open(&context, &site, &logging("keydown", "(e) => [e.timeStamp]", "<input id=i>")).await;
        let field = find(page.main_frame(), "#i").await;
        field.type_text("slowly typed", None, &styled(InputStyle::Natural)).await.unwrap();
        let times: Vec<f64> =
            log(page.main_frame()).await.iter().map(|entry| entry[2].as_f64().unwrap()).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|&gap| gap > 25.0), "faster than fingers: {gaps:?}");
        let gaps = || gaps.iter().copied();
        let (shortest, longest) = (gaps().fold(f64::MAX, f64::min), gaps().fold(0.0, f64::max));
        assert!(longest - shortest > 2.0, "a machine's rhythm: {shortest} to {longest}");

        let text = "é und 日本 – both, with 👍🏽!";
        field.fill(text, &styled(InputStyle::Instant)).await.unwrap();
        assert_eq!(value(&page, "i.value").await, json!(text));
        field.fill(text, &styled(InputStyle::Natural)).await.unwrap();
        assert_eq!(value(&page, "i.value").await, json!(text));
    });
}

#[test]
fn a_hand_that_has_arrived_waits_before_it_presses() {
    drive(async |context, site| {
        let html = logging("mousemove mousedown", "(e) => [e.timeStamp]", "<p>here</p>");
        let page = open(&context, &site, &html).await;
        let mouse = page.input().with_style(InputStyle::Natural).mouse();
        for (from, to) in [((300.0, 300.0), (400.0, 320.0)), ((200.0, 210.0), (220.0, 400.0))] {
            let [from, to] = [from, to].map(|(x, y)| Point::new(x, y));
            mouse.drag(from, to, None).await.unwrap();
        }
        mouse.move_to(Point::new(50.0, 60.0)).await.unwrap();
        mouse.down(Button::Left, 1).await.unwrap();
        mouse.up(Button::Left, 1).await.unwrap();
        let log = log(page.main_frame()).await;
        let waits: Vec<f64> = log
            .windows(2)
            .filter(|pair| pair[0][0] == "mousemove" && pair[1][0] == "mousedown")
            .map(|pair| pair[1][2].as_f64().unwrap() - pair[0][2].as_f64().unwrap())
            .collect();
        assert_eq!(waits.len(), 3, "{log:?}");
        assert!(waits.iter().all(|&wait| wait > 2.5), "{waits:?}");
    });
}

#[test]
fn a_key_is_held_however_slow_the_page_is() {
    drive(async |context, site| {
        let slow = "<input id=i onkeydown='for (const began = Date.now(); Date.now() - began < 80;) ;'>";
        let html = logging("keydown keyup", "(e) => [e.timeStamp]", slow);
        let page = open(&context, &site, &html).await;
        let field = find(page.main_frame(), "#i").await;
        field.type_text("slow", None, &styled(InputStyle::Natural)).await.unwrap();
        let log = log(page.main_frame()).await;
        let held: Vec<f64> =
            log.chunks(2).map(|key| key[1][2].as_f64().unwrap() - key[0][2].as_f64().unwrap()).collect();
        assert_eq!(held.len(), 4);
        assert!(held.iter().all(|&time| time > 12.0), "{held:?}");
    });
}

#[test]
fn fill_replaces_what_is_there_in_every_kind_of_field() {
    let fields = [
        ("<input id=x value='old text'>", "new", "new"),
        ("<input id=x value='old text'>", "", ""),
        ("<input id=x value='old'>", "two\nlines", "twolines"),
        ("<input id=x type=password value=old>", "Secret 1!", "Secret 1!"),
        ("<input id=x type=email value=a@b.c>", "d@e.f", "d@e.f"),
        ("<input id=x type=number value=12>", "-3.5", "-3.5"),
        ("<input id=x type=date value=2020-01-31>", "2024-03-07", "2024-03-07"),
        ("<input id=x type=date max=2030-12-31>", "2024-03-07", "2024-03-07"),
        ("<input id=x type=date value=2020-01-31>", "", ""),
        ("<input id=x type=time>", "14:30", "14:30"),
        ("<input id=x type=time step=1>", "00:05:09", "00:05:09"),
        ("<input id=x type=datetime-local>", "2024-12-24T18:05", "2024-12-24T18:05"),
        ("<input id=x type=month>", "2024-11", "2024-11"),
        ("<input id=x type=week>", "2024-W10", "2024-W10"),
        ("<input id=x type=color>", "#E66465", "#e66465"),
        ("<input id=x type=range min=0 max=10>", "7", "7"),
        ("<input id=x type=range min=-1000 max=1000 step=5 style='width:80px'>", "-335", "-335"),
        ("<input id=x type=range min=0 max=1 step=any>", "0.123", "0.123"),
        ("<input id=x type=range dir=rtl>", "20", "20"),
        ("<textarea id=x>old\ntext</textarea>", "new\nlines\n", "new\nlines\n"),
        ("<label id=x>Label <input value=old></label>", "new", "new"),
        ("<div id=x contenteditable>old <b>text</b></div>", "new", "new"),
        ("<div id=x contenteditable>old</div>", "", ""),
    ];
    drive(async |context, site| {
        for style in STYLES {
            for (html, text, expected) in fields {
                let page =
                    open(&context, &site, &format!("<!doctype html><body style='margin:80px'>{html}")).await;
                let field = find(page.main_frame(), "#x").await;
                field
                    .fill(text, &styled(style))
                    .await
                    .unwrap_or_else(|error| panic!("{style:?} {html}: {error}"));
                let held = value(&page, "(f => f.value ?? f.innerText)(x.control ?? x)").await;
                let held = held.as_str().unwrap();
                let held = if html.contains("contenteditable") { held.trim_end() } else { held };
                assert_eq!(held, expected, "{style:?} {html}");
                page.close().await.unwrap();
            }
        }
    });
}

#[test]
fn what_a_field_can_tell_by_keys_it_hears_from_the_browser() {
    let fields = [
        ("<input id=x value=old>", "new"),
        ("<input id=x type=date>", "2024-03-07"),
        ("<input id=x type=time>", "14:30"),
        ("<input id=x type=range>", "83"),
        ("<textarea id=x></textarea>", "one\ntwo"),
        ("<div id=x contenteditable>old</div>", "new"),
    ];
    drive(async |context, site| {
        for style in STYLES {
            for (html, text) in fields {
                let page =
                    open(&context, &site, &logging("input change", "(e) => [e.isTrusted]", html)).await;
                find(page.main_frame(), "#x").await.fill(text, &styled(style)).await.unwrap();
                let received = log(page.main_frame()).await;
                assert!(!received.is_empty(), "{style:?} {html}");
                assert!(received.iter().all(|entry| entry[2] == true), "{style:?} {html} {received:?}");
                page.close().await.unwrap();
            }
        }
    });
}

#[test]
fn a_long_text_goes_in_at_once() {
    drive(async |context, site| {
        let html = logging("keydown input", "(e) => [e.isTrusted]", "<textarea id=x>old</textarea>");
        let page = open(&context, &site, &html).await;
        let text = "All work and no play. ".repeat(1000);
        let field = find(page.main_frame(), "#x").await;
        field.fill(&text, &ActionOptions::default()).await.unwrap();
        assert_eq!(value(&page, "x.value").await, json!(text));
        let inputs = log(page.main_frame()).await.iter().filter(|entry| entry[0] == "input").count();
        assert_eq!(inputs, 1);
    });
}

#[test]
fn a_field_that_cannot_take_a_value_says_what_it_is() {
    let wrong = [
        (
            "<input id=x type=checkbox>",
            "a",
            "the element is a checkbox, but something to write text into is needed",
        ),
        (
            "<button id=x>B</button>",
            "a",
            "the element is a button, but something to write text into is needed",
        ),
        (
            "<input id=x type=date>",
            "yesterday",
            "the element is a date field, which takes a date such as 2024-03-07 or March 7, 2024",
        ),
        (
            "<input id=x type=number>",
            "many",
            "the element is a number field, which takes a number such as 1234.5",
        ),
        (
            "<input id=x type=range max=10>",
            "11",
            "the element is a slider from 0 to 10, which takes a number within its limits",
        ),
        (
            "<input id=x type=color>",
            "reddish",
            "the element is a colour field, which takes a colour such as #e66465 or red",
        ),
    ];
    drive(async |context, site| {
        for (html, text, expected) in wrong {
            let page = open(&context, &site, html).await;
            let error =
                find(page.main_frame(), "#x").await.fill(text, &ActionOptions::default()).await.unwrap_err();
            assert_eq!(error.code(), "wrong_element");
            assert_eq!(error.to_string(), expected);
        }
    });
}

#[test]
fn boxes_are_checked_by_a_click() {
    let controls = [
        "<input type=checkbox id=x>",
        "<style>#x { display: none }</style><input type=checkbox id=x><label for=x>Agree</label>",
        "<style>#x { opacity: 0; position: absolute }</style><label><input type=checkbox id=x><span>Agree</span></label>",
        "<div id=x role=checkbox aria-checked=false onclick='this.ariaChecked = this.ariaChecked !== \"true\"'>Agree</div>",
        "<label id=x><input type=checkbox> Agree</label>",
    ];
    drive(async |context, site| {
        for style in STYLES {
            for html in controls {
                let page = open(&context, &site, html).await;
                let control = find(page.main_frame(), "#x").await;
                let is_checked = "(c => c.checked ?? c.ariaChecked === 'true')(x.control ?? x)";
                for checked in [true, true, false] {
                    control
                        .set_checked(checked, &styled(style))
                        .await
                        .unwrap_or_else(|error| panic!("{html}: {error}"));
                    assert_eq!(value(&page, is_checked).await, json!(checked), "{style:?} {html}");
                }
                page.close().await.unwrap();
            }
        }
    });
}

#[test]
fn what_cannot_be_checked_says_so() {
    drive(async |context, site| {
        let html = "<input type=radio id=r checked><a id=a href=''>A</a>\
                    <input type=checkbox id=stubborn onclick='event.preventDefault()'>";
        let page = open(&context, &site, html).await;
        let options = ActionOptions::default();
        let radio = find(page.main_frame(), "#r").await.set_checked(false, &options).await.unwrap_err();
        assert_eq!(radio.to_string(), "the element is a radio button, but a checkbox or a switch is needed");
        let link = find(page.main_frame(), "#a").await.set_checked(true, &options).await.unwrap_err();
        assert_eq!(link.code(), "wrong_element");
        let stubborn =
            find(page.main_frame(), "#stubborn").await.set_checked(true, &options).await.unwrap_err();
        assert_eq!(stubborn.code(), "unsupported", "{stubborn}");
    });
}

const COLOURS: &str = "<option value=r>red<option value=g>green<option disabled value=n>none<option value=b> deep  blue <option value=y>yellow";

#[test]
fn options_are_chosen_by_value_label_and_index() {
    drive(async |context, site| {
        for style in STYLES {
            let html = logging(
                "input change",
                "(e) => [e.isTrusted, e.target.value]",
                &format!("<select id=x>{COLOURS}</select>"),
            );
            let page = open(&context, &site, &html).await;
            let select = find(page.main_frame(), "#x").await;
            let options = styled(style);
            let chosen = select
                .select_options(
                    &[OptionChoice::Any("deep blue".into())],
                    MultipleChoicePolicy::Refused,
                    &options,
                )
                .await
                .unwrap();
            assert_eq!(chosen, ["b"]);
            let trusted = style == InputStyle::Natural;
            let received = log(page.main_frame()).await;
            assert_eq!(
                received,
                [json!(["input", "x", trusted, "b"]), json!(["change", "x", trusted, "b"])],
                "{style:?}"
            );
            let chosen = select
                .select_options(&[OptionChoice::Value("g".into())], MultipleChoicePolicy::Refused, &options)
                .await
                .unwrap();
            assert_eq!(chosen, ["g"]);
            let chosen = select
                .select_options(&[OptionChoice::Index(0)], MultipleChoicePolicy::Refused, &options)
                .await
                .unwrap();
            assert_eq!(chosen, ["r"]);
            let missing = select
                .select_options(
                    &[OptionChoice::Any("pink".into())],
                    MultipleChoicePolicy::Refused,
                    &ActionOptions::within(Duration::from_millis(200)),
                )
                .await;
            let missing = missing.unwrap_err();
            assert_eq!(
                missing.to_string(),
                "there is no such option; the options are: \"red\", \"green\", \"none\", \"deep blue\", \"yellow\""
            );
        }
    });
}

#[test]
fn several_options_are_chosen_in_a_list() {
    drive(async |context, site| {
        for style in STYLES {
            let many: Vec<_> = (0..40).map(|number| format!("<option>{number}")).collect();
            let body = format!("<select id=x multiple size=4><option selected>old{}</select>", many.concat());
            let page = open(&context, &site, &logging("change", "(e) => [e.isTrusted]", &body)).await;
            let select = find(page.main_frame(), "#x").await;
            let wanted = ["3", "38", "20"].map(|label| OptionChoice::Label(label.into()));
            let chosen =
                select.select_options(&wanted, MultipleChoicePolicy::Refused, &styled(style)).await.unwrap();
            assert_eq!(chosen, ["3", "20", "38"], "{style:?}");
            let trusted = log(page.main_frame()).await.iter().all(|entry| entry[2] == true);
            assert_eq!(trusted, style == InputStyle::Natural);
            let none =
                select.select_options(&[], MultipleChoicePolicy::Refused, &styled(style)).await.unwrap();
            assert!(none.is_empty());
            page.close().await.unwrap();
        }
        let page = open(&context, &site, &format!("<select id=x>{COLOURS}</select><p id=p>P</p>")).await;
        let two = [OptionChoice::Index(0), OptionChoice::Index(1)];
        let single = find(page.main_frame(), "#x")
            .await
            .select_options(&two, MultipleChoicePolicy::Refused, &ActionOptions::default())
            .await;
        assert_eq!(single.unwrap_err().code(), "wrong_element");
        let paragraph = find(page.main_frame(), "#p")
            .await
            .select_options(&two, MultipleChoicePolicy::Refused, &ActionOptions::default())
            .await;
        assert_eq!(paragraph.unwrap_err().code(), "wrong_element");
    });
}

#[test]
fn a_drag_carries_its_data() {
    let body = "<div id=a draggable=true style='width:80px;height:40px;background:red'>A</div>\
                <div id=m style='width:80px;height:40px;background:lime'>M</div>\
                <div id=b style='position:absolute;left:300px;top:1400px;width:100px;height:100px;background:blue'></div>\
                <script>a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'hello');\
                b.ondragover = (e) => e.preventDefault(); b.ondrop = (e) => got = e.dataTransfer.getData('text/plain'); var got = null</script>";
    drive(async |context, site| {
        for style in STYLES {
            let html =
                logging("mousedown dragstart dragenter drop dragend mouseup", "(e) => [e.isTrusted]", body);
            let page = open(&context, &site, &html).await;
            let target = find(page.main_frame(), "#b").await;
            let options = styled(style);
            find(page.main_frame(), "#a").await.drag_to(&target, &options, &options).await.unwrap();
            assert_eq!(value(&page, "got").await, json!("hello"), "{style:?}");
            let mut order: Vec<Value> =
                log(page.main_frame()).await.into_iter().map(|entry| entry[0].clone()).collect();
            // What lies on the way is entered, too.
            order.dedup();
            let expected = ["mousedown", "dragstart", "dragenter", "drop", "dragend"].map(Value::from);
            assert_eq!(order, expected, "{style:?}");
            value(&page, "log.length = 0").await;
            find(page.main_frame(), "#m").await.drag_to(&target, &options, &options).await.unwrap();
            assert_eq!(
                log(page.main_frame()).await,
                [json!(["mousedown", "m", true]), json!(["mouseup", "b", true])]
            );
            page.close().await.unwrap();
        }
    });
}

#[test]
fn files_are_given_to_an_input() {
    drive(async |context, site| {
        let body = "<input type=file id=one style='display:none'><input type=file id=many multiple><button id=b>B</button>";
        let page = open(&context, &site, &logging("input change", "(e) => [e.isTrusted]", body)).await;
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a.txt", "b.txt"].map(|name| folder.path().join(name));
        std::fs::write(&first, "first").unwrap();
        std::fs::write(&second, "second").unwrap();
        let one = find(page.main_frame(), "#one").await;
        one.set_input_files(std::slice::from_ref(&first)).await.unwrap();
        assert_eq!(value(&page, "one.files[0].text()").await, json!("first"));
        assert_eq!(
            log(page.main_frame()).await,
            [json!(["input", "one", true]), json!(["change", "one", true])]
        );
        let both = [first, second];
        assert_eq!(one.set_input_files(&both).await.unwrap_err().code(), "wrong_element");
        let many = find(page.main_frame(), "#many").await;
        many.set_input_files(&both).await.unwrap();
        assert_eq!(value(&page, "many.files.length").await, json!(2));
        many.set_input_files(&[]).await.unwrap();
        assert_eq!(value(&page, "many.files.length").await, json!(0));
        let missing = many.set_input_files(&[folder.path().join("none")]).await.unwrap_err();
        assert_eq!(missing.code(), "file");
        let button = find(page.main_frame(), "#b").await.set_input_files(&both).await.unwrap_err();
        assert_eq!(button.to_string(), "the element is a button, but a file input is needed");
    });
}

#[test]
fn the_mouse_moves_in_steps_and_drags() {
    drive(async |context, site| {
        let page = open(
            &context,
            &site,
            &logging("pointermove mousedown mouseup", "(e) => [e.clientX, e.clientY]", ""),
        )
        .await;
        let mouse = page.input().with_style(InputStyle::Instant).mouse();
        mouse.move_to(Point::new(10.0, 10.0)).await.unwrap();
        value(&page, "log.length = 0").await;
        mouse.drag(Point::new(100.0, 100.0), Point::new(200.0, 50.0), Some(4)).await.unwrap();
        let received = log(page.main_frame()).await;
        assert_eq!(received.first().unwrap()[0], "pointermove");
        assert_eq!(received.last().unwrap(), &json!(["mouseup", "HTML", 200, 50]));
        assert_eq!(mouse.position(), Point::new(200.0, 50.0));
    });
}

/// An element by a CSS selector; see `support`.
async fn press_in(frame: &Frame, selector: &str) -> ElementHandle {
    let element = find(frame, selector).await;
    element.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap();
    element
}

#[test]
fn keys_and_lists_work_in_frames_of_other_processes() {
    drive(async |context, site: Site| {
        site.page("/inner", &format!("<body><input id=i><select id=s>{COLOURS}</select>"));
        let html = "<p style='height:900px'></p><iframe src='OTHER/inner' style='width:400px;height:200px;border:7px solid;padding:5px'></iframe>";
        let page = open(&context, &site, html).await;
        let frame = page.frames().into_iter().nth(1).unwrap();
        assert_ne!(frame.session().id(), page.session().id());
        let field = press_in(&frame, "#i").await;
        for style in STYLES {
            field.fill("Hello é", &styled(style)).await.unwrap();
            assert_eq!(field.input_value().await.unwrap(), "Hello é");
            let select = find(&frame, "#s").await;
            let label = if style == InputStyle::Natural { "deep blue" } else { "green" };
            select
                .select_options(
                    &[OptionChoice::Label(label.into())],
                    MultipleChoicePolicy::Refused,
                    &styled(style),
                )
                .await
                .unwrap();
            assert_eq!(select.input_value().await.unwrap(), label[..1].replace('d', "b"));
        }
    });
}

#[test]
fn a_tab_behind_another_one_hears_its_input() {
    drive(async |context, site| {
        let html = logging("click input", "(e) => [e.isTrusted]", "<button id=b>B</button><input id=i>");
        let page = open(&context, &site, &html).await;
        let other = open(&context, &site, "<p>in front").await;
        for style in STYLES {
            value(&page, "log.length = 0").await;
            let button = find(page.main_frame(), "#b").await;
            button.click(&ClickOptions::default(), &styled(style)).await.unwrap();
            find(page.main_frame(), "#i").await.fill("text", &styled(style)).await.unwrap();
            let received = log(page.main_frame()).await;
            assert_eq!(received[0], json!(["click", "b", true]), "{style:?}");
            assert_eq!(received.last().unwrap(), &json!(["input", "i", true]), "{style:?}");
            assert_eq!(value(&page, "i.value").await, json!("text"), "{style:?}");
        }
        assert!(!other.is_closed());
    });
}
