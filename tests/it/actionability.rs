//! What keeps an element from being acted on, and what does not.
use std::time::Duration;

use patchright_mcp::Error;
use patchright_mcp::browser::input::{ClickOptions, InputStyle, Rect};
use patchright_mcp::browser::{ActionOptions, Frame, Page, ScriptWorld, SnapshotTreeOptions};
use serde_json::json;

use crate::support::{drive, find, open};

const STYLES: [InputStyle; 2] = [InputStyle::Natural, InputStyle::Instant];

fn within(style: InputStyle, ms: u64) -> ActionOptions {
    ActionOptions { limit: Duration::from_millis(ms), style: Some(style), ..ActionOptions::default() }
}

async fn click(frame: &Frame, selector: &str, options: &ActionOptions) -> Result<(), Error> {
    find(frame, selector).await.click(&ClickOptions::default(), options).await
}

#[test]
fn an_obstacle_is_named_when_the_time_is_over() {
    let obstacles = [
        (
            "<div class='cookie bar' style='position:fixed;inset:0'><p>secret text</p></div><button id=x>B</button>",
            "was covered by <div.cookie>",
        ),
        ("<button id=x style='display:none'>B</button>", "was not visible"),
        ("<button id=x style='visibility:hidden'>B</button>", "was not visible"),
        ("<details><button id=x>B</button></details>", "was not visible"),
        ("<button id=x disabled>B</button>", "was disabled"),
        ("<fieldset disabled><button id=x>B</button></fieldset>", "was disabled"),
        ("<div aria-disabled=true><div role=button id=x>B</div></div>", "was disabled"),
        ("<button id=x style='position:fixed;left:-400px;top:90px'>B</button>", "was outside the viewport"),
        (
            "<div style='position:absolute;top:-300px'><button id=x>B</button></div>",
            "was outside the viewport",
        ),
        (
            "<style>@keyframes m { to { translate: 300px } } #x { animation: m 1s infinite alternate linear }</style><button id=x>B</button>",
            "was still moving",
        ),
        (
            "<style>#x { pointer-events: none }</style><main id=m style='height:100vh'><button id=x>B</button></main>",
            "lets the pointer through (pointer-events: none)",
        ),
        (
            "<dialog id=d>D</dialog><button id=x>B</button><script>d.showModal()</script>",
            "was covered by <dialog#d>",
        ),
    ];
    drive(async |context, site| {
        for style in STYLES {
            for (html, expected) in obstacles {
                let page = open(&context, &site, &format!("<!doctype html><body>{html}")).await;
                let error = click(page.main_frame(), "#x", &within(style, 700)).await.expect_err(html);
                assert_eq!(error.code(), "not_actionable", "{html}: {error}");
                assert_eq!(
                    error.to_string(),
                    format!("the element {expected} after 700 ms"),
                    "{style:?} {html}"
                );
                page.close().await.unwrap();
            }
        }
    });
}

/// Between two frames everything stands still, however long that takes.
#[test]
fn a_button_on_a_page_that_draws_once_in_a_second_is_seen_to_move() {
    let html = "<button id=x style='position:absolute'>B</button><script>
        var left = 0;
        (function draw() {
            x.style.left = (left += 40) % 400 + 'px';
            const end = performance.now() + 1100;
            while (performance.now() < end);
            requestAnimationFrame(draw);
        })();
        x.onclick = () => document.title = 'clicked';
    </script>";
    drive(async |context, site| {
        let page = open(&context, &site, html).await;
        let result = click(page.main_frame(), "#x", &within(InputStyle::Instant, 3500)).await;
        let Err(error) = result else {
            let seen = "[document.visibilityState, document.title, left, performance.now()].join()";
            panic!("no error: {:?}", page.main_frame().evaluate(seen, vec![], ScriptWorld::Main).await);
        };
        assert!(error.to_string().contains("was still moving"), "{error}");
    });
}

/// As where a machine is too busy to draw: what a style moves does not seem to.
#[test]
fn a_button_that_a_style_moves_is_seen_to_move_where_nothing_is_drawn() {
    let html = "<style>
            @keyframes slide { to { translate: 300px } }
            @keyframes fade { from { translate: 0 } to { translate: 0; opacity: 0.5 } }
            p { animation: slide 1s infinite alternate linear }
            #still { animation: fade 1s infinite alternate }
        </style>
        <p><button id=x>B</button></p><button id=still onclick=\"document.title = 'clicked'\">S</button>";
    drive(async |context, site| {
        let page = open(&context, &site, html).await;
        let frame = page.main_frame();
        frame.evaluate("self.requestAnimationFrame = () => 0", vec![], ScriptWorld::Isolated).await.unwrap();
        let error = click(frame, "#x", &within(InputStyle::Instant, 3800)).await.unwrap_err();
        assert!(error.to_string().contains("was still moving"), "{error}");
        click(frame, "#still", &within(InputStyle::Instant, 3800)).await.unwrap();
        assert_eq!(frame.title().await, "clicked");
    });
}

#[test]
fn what_has_stood_still_since_a_snapshot_need_not_be_watched_again() {
    let html =
        "<style>@keyframes slide { to { translate: 300px } } #later { animation: slide 1s 1000s }</style>
        <input type=checkbox id=later><input type=checkbox id=x style='position:absolute'><script>
            let left = 0;
            (function draw() {
                x.style.left = (left += 40) % 80 + 'px';
                requestAnimationFrame(draw);
            })();
        </script>";
    const FRAMES: &str =
        "(async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame) })()";
    drive(async |context, site| {
        let page = open(&context, &site, html).await;
        let frame = page.main_frame();
        let [still, moving] = [find(frame, "#later").await, find(frame, "#x").await];
        page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
        frame.evaluate(FRAMES, vec![], ScriptWorld::Isolated).await.unwrap();
        let error = moving.set_checked(true, &within(InputStyle::Instant, 800)).await.unwrap_err();
        assert!(error.to_string().contains("was still moving"), "{error}");
        // Nothing is drawn any more, so that what a style may move would count as moving.
        frame.evaluate("self.requestAnimationFrame = () => 0", vec![], ScriptWorld::Isolated).await.unwrap();
        still.set_checked(true, &within(InputStyle::Instant, 3800)).await.unwrap();
    });
}

#[test]
fn an_obstacle_that_goes_away_is_waited_for() {
    let later = [
        "<button id=x disabled>B</button><script>setTimeout(() => x.disabled = false, 200)</script>",
        "<button id=x style='display:none'>B</button><script>setTimeout(() => x.style = '', 200)</script>",
        "<div id=c style='position:fixed;inset:0'></div><button id=x>B</button><script>setTimeout(() => c.remove(), 200)</script>",
        "<style>@keyframes m { from { translate: 300px } } #x { animation: m 300ms linear }</style><button id=x>B</button>",
    ];
    drive(async |context, site| {
        for style in STYLES {
            for html in later {
                let html = format!(
                    "<!doctype html><body>{html}<script>x.onclick = () => clicked++; var clicked = 0</script>"
                );
                let page = open(&context, &site, &html).await;
                click(page.main_frame(), "#x", &within(style, 5000))
                    .await
                    .unwrap_or_else(|error| panic!("{html}: {error}"));
                let clicked = page.main_frame().evaluate("clicked", vec![], ScriptWorld::Main).await.unwrap();
                assert_eq!(clicked, json!(1), "{style:?} {html}");
                page.close().await.unwrap();
            }
        }
    });
}

#[test]
fn whatever_is_in_reach_is_clicked() {
    let reachable = [
        ("below", "<div style='height:4000px'></div><button id=x>B</button>"),
        (
            "above",
            "<button id=x>B</button><div style='height:4000px'></div><script>scrollTo(0, 3000)</script>",
        ),
        (
            "smooth scrolling",
            "<style>* { scroll-behavior: smooth }</style><div style='height:4000px'></div><button id=x>B</button>",
        ),
        (
            "a scrolled list",
            "<div style='height:1500px'></div><div style='height:150px;overflow:auto'><div style='height:900px'></div><button id=x>B</button><div style='height:900px'></div></div>",
        ),
        (
            "a list that is scrolled sideways",
            "<div style='width:200px;overflow:auto;white-space:nowrap'><span style='display:inline-block;width:1500px'>.</span><button id=x>B</button></div>",
        ),
        (
            "a list that only scripts scroll",
            "<div style='height:150px;overflow:hidden'><div style='height:900px'></div><button id=x>B</button></div>",
        ),
        (
            "a list that eats the wheel",
            "<div onwheel='event.preventDefault()' style='height:150px;overflow:auto'><div style='height:900px'></div><button id=x>B</button></div>",
        ),
        (
            "under a bar",
            "<header style='position:fixed;top:0;left:0;right:0;height:70%;background:#ccc'>H</header><div style='height:3000px'></div><button id=x>B</button><div style='height:3000px'></div>",
        ),
        (
            "half covered",
            "<div style='position:absolute;left:0;top:0;width:120px;height:60px;background:red;z-index:1'></div><button id=x style='position:absolute;left:20px;top:5px;width:300px;height:50px'>B</button>",
        ),
        (
            "a link that wraps",
            "<div style='width:120px'>some words before <a id=x href='javascript:void 0'>and a link that wraps over several lines</a></div>",
        ),
        (
            "a word in a button",
            "<style>span { pointer-events: none }</style><button onclick='clicked++'><span id=x>B</span></button>",
        ),
        (
            "a styled checkbox",
            "<style>#x { appearance: none; width: 20px; height: 20px } i { position: absolute; left: 0; width: 60px; height: 30px }</style><label><input id=x type=checkbox><i></i></label>",
        ),
        (
            "with a button in its middle",
            "<div id=x style='width:300px;height:100px;padding:1px;background:#eee'><span style='position:absolute;left:130px;top:48px'><button onclick='event.stopPropagation()'>other</button></span></div>",
        ),
        ("without a box", "<button id=x style='display:contents'>B</button>"),
        (
            "in a transformed box",
            "<div style='transform:scale(.5) rotate(20deg);height:2000px'><button id=x>B</button></div>",
        ),
        (
            "in a fixed box",
            "<div style='height:3000px'></div><div style='position:fixed;bottom:10px'><button id=x>B</button></div>",
        ),
        (
            "out of its box",
            "<div style='overflow:hidden;height:20px;width:20px'><button id=x style='position:absolute;left:300px;top:200px'>B</button></div>",
        ),
        (
            "fixed, out of its box",
            "<div style='overflow:hidden;height:20px;width:20px'><button id=x style='position:fixed;left:300px;top:200px'>B</button></div>",
        ),
        (
            "cut off by its box",
            "<div style='overflow:clip;height:30px'><button id=x style='height:500px'>B</button></div>",
        ),
        ("in quirks mode", "<!-- quirks --><div style='height:3000px'></div><button id=x>B</button>"),
        ("wider than the view", "<button id=x style='width:3000px;height:3000px'>B</button>"),
        (
            "a form that hides its methods",
            "<form id=x onsubmit='return false' style='height:3000px'><input name=getAttribute><input name=parentNode><input name=getBoundingClientRect></form>",
        ),
    ];
    drive(async |context, site| {
        for style in STYLES {
            for (what, html) in reachable {
                let quirks = if what == "in quirks mode" { "" } else { "<!doctype html>" };
                let html = format!(
                    "{quirks}<body>{html}<script>var clicked = 0; document.getElementById('x').addEventListener('click', () => clicked++)</script>"
                );
                let page = open(&context, &site, &html).await;
                click(page.main_frame(), "#x", &within(style, 4000))
                    .await
                    .unwrap_or_else(|error| panic!("{style:?} {what}: {error}"));
                let clicked = page.main_frame().evaluate("clicked", vec![], ScriptWorld::Main).await.unwrap();
                assert_eq!(clicked, json!(1), "{style:?} {what}");
                page.close().await.unwrap();
            }
        }
    });
}

#[test]
fn a_page_is_scrolled_by_the_wheel() {
    drive(async |context, site| {
        let html = "<!doctype html><body><div style='height:2600px'></div><button id=x>B</button>\
                    <script>var log = []; for (const type of ['wheel', 'scroll']) addEventListener(type, (event) => log.push(type))</script>";
        let page = open(&context, &site, html).await;
        click(page.main_frame(), "#x", &within(InputStyle::Natural, 4000)).await.unwrap();
        let log = page.main_frame().evaluate("log", vec![], ScriptWorld::Main).await.unwrap();
        assert_eq!(log[0], "wheel", "{log}");
        assert!(log.as_array().unwrap().contains(&json!("scroll")));
    });
}

#[test]
fn elements_in_frames_are_reached_through_all_of_them() {
    drive(async |context, site| {
        let button = "<body style='margin:0'><div style='height:700px'></div><button id=x onclick='clicked++'>B</button><script>var clicked = 0</script>";
        site.page("/inner", button);
        for origin in ["ORIGIN", "OTHER"] {
            site.page("/middle", &format!("<body><p style='height:500px'>M</p><iframe src='{origin}/inner' style='height:150px;border:9px solid;padding:3px'></iframe>"));
            for outer in ["ORIGIN", "OTHER"] {
                for style in STYLES {
                    let html = format!(
                        "<!doctype html><body><p style='height:1500px'>P</p><iframe src='{outer}/middle' style='height:250px;transform:scale(.8)'></iframe><p style='height:900px'>P</p>"
                    );
                    let page = open(&context, &site, &html).await;
                    let inner =
                        |page: &Page| page.frames().into_iter().find(|frame| frame.url().ends_with("/inner"));
                    let frame = page.until(inner).await.unwrap();
                    click(&frame, "#x", &within(style, 5000))
                        .await
                        .unwrap_or_else(|error| panic!("{style:?} {outer} {origin}: {error}"));
                    let clicked = frame.evaluate("clicked", vec![], ScriptWorld::Main).await.unwrap();
                    assert_eq!(clicked, json!(1), "{style:?} {outer} {origin}");
                    page.close().await.unwrap();
                }
            }
        }
    });
}

#[test]
fn what_covers_a_frame_covers_what_is_in_it() {
    drive(async |context, site| {
        site.page("/inner", "<button id=x>B</button>");
        for origin in ["ORIGIN", "OTHER"] {
            let html = format!(
                "<iframe src='{origin}/inner'></iframe><div id=veil style='position:fixed;inset:0'></div>"
            );
            let page = open(&context, &site, &html).await;
            let frame = page.frames().into_iter().nth(1).unwrap();
            for style in STYLES {
                let error = click(&frame, "#x", &within(style, 1000)).await.unwrap_err();
                assert_eq!(error.to_string(), "the element was covered by <div#veil> after 1 s", "{origin}");
            }
        }
    });
}

#[test]
fn closed_shadow_roots_are_no_hiding_place() {
    drive(async |context, site| {
        let html = "<div id=host></div><script>var clicked = 0; const root = host.attachShadow({mode: 'closed'});\
                    root.innerHTML = '<div id=inner></div>'; const deep = root.firstChild.attachShadow({mode: 'closed'});\
                    deep.innerHTML = '<p style=\"height:2000px\"></p><button id=x>B</button><input id=i>'; deep.getElementById('x').onclick = () => clicked++;</script>";
        let page = open(&context, &site, html).await;
        let button = crate::support::find_pierced(page.main_frame(), "x").await;
        let field = crate::support::find_pierced(page.main_frame(), "i").await;
        for (style, expected) in STYLES.into_iter().zip(1..) {
            button.click(&ClickOptions::default(), &within(style, 3000)).await.unwrap();
            let clicked = page.main_frame().evaluate("clicked", vec![], ScriptWorld::Main).await.unwrap();
            assert_eq!(clicked, json!(expected), "{style:?}");
            field.fill("inside", &within(style, 3000)).await.unwrap();
            assert_eq!(field.input_value().await.unwrap(), "inside");
        }
    });
}

#[test]
fn a_node_that_is_gone_is_never_a_neighbour() {
    drive(async |context, site| {
        let page = open(&context, &site, "<button id=x>X</button><button>Y</button>").await;
        let button = find(page.main_frame(), "#x").await.named("c0p0f0e7");
        page.main_frame().evaluate("x.remove()", vec![], ScriptWorld::Main).await.unwrap();
        let error = button.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap_err();
        assert_eq!(error.to_string(), "c0p0f0e7 is no longer on the page");
        let other = find(page.main_frame(), "button").await;
        page.reload(&patchright_mcp::browser::NavigateOptions::default()).await.unwrap();
        let error = other.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), "stale_ref");
    });
}

#[test]
fn an_open_dialog_is_reported_at_once() {
    drive(async |context, site| {
        let page =
            open(&context, &site, "<button id=x onclick='alert(1)'>B</button><button id=y>Y</button>").await;
        let other = find(page.main_frame(), "#y").await;
        click(page.main_frame(), "#x", &ActionOptions::default()).await.unwrap();
        page.until(Page::dialog).await.unwrap();
        let error = other.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), "dialog_open");
        page.answer_dialog(true, None).await.unwrap();
        other.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap();
    });
}

#[test]
fn boxes_are_reported_in_coordinates_of_the_page() {
    drive(async |context, site| {
        site.page("/inner", "<body style='margin:0'><div id=x style='position:absolute;left:10px;top:20px;width:30px;height:40px'></div>");
        let html = "<body style='margin:0'><iframe src='OTHER/inner' style='position:absolute;left:100px;top:200px;border:5px solid;padding:2px'></iframe>";
        let page = open(&context, &site, html).await;
        let frame = page.frames().into_iter().nth(1).unwrap();
        let found = find(&frame, "#x").await.bounding_box().await.unwrap();
        assert_eq!(found, Some(Rect { x: 117.0, y: 227.0, width: 30.0, height: 40.0 }));
    });
}
