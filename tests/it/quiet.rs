//! What pages can notice, and cannot.
use patchright_mcp::browser::input::ClickOptions;
use patchright_mcp::browser::{
    ActionOptions, ActionTarget, BrowserContext, ContextOptions, NavigateOptions, Page, ScriptWorld,
    SettleOptions,
};
use patchright_mcp::mcp::settings::Settings;
use serde_json::{Value, json};

use crate::support::{Site, drive, find, open, with_server};

/// Gives what the place it runs in can see of the browser's identity.
const SEEN: &str = "async () => {
    const data = navigator.userAgentData;
    const names = ['architecture', 'bitness', 'formFactors', 'fullVersionList', 'model', 'platformVersion', 'uaFullVersion', 'wow64'];
    return JSON.stringify([navigator.userAgent, navigator.languages, navigator.platform, data && await data.getHighEntropyValues(names)]);
}";

/// A page that asks itself, frames of both kinds, workers of all three kinds, and a window that it opens.
fn places(site: &Site) {
    let script = |path: &str, text: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/javascript";
        site.answer(path, &format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()));
    };
    script("/worker.js", &format!("({SEEN})().then(seen => postMessage(seen))"));
    script("/shared.js", &format!("onconnect = e => ({SEEN})().then(seen => e.ports[0].postMessage(seen))"));
    script("/service.js", &format!("onmessage = e => ({SEEN})().then(seen => e.source.postMessage(seen))"));
    let tell = format!("<script>({SEEN})().then(seen => (opener || parent).postMessage(seen, '*'))</script>");
    site.page("/place", &tell);
    let hints = "Sec-CH-UA-Full-Version-List, Sec-CH-UA-Arch, Sec-CH-UA-Platform-Version";
    let html = "<button onclick=\"opened = window.open('/place')\">Open</button><iframe src='/place'></iframe><iframe src='OTHER/place'></iframe>
         <script>
            const told = {};
            const hear = place => e => told[place ?? (e.source === opened ? 'window' : e.origin)] = e.data;
            let opened;
            addEventListener('message', hear());
            new Worker('/worker.js').onmessage = hear('worker');
            new SharedWorker('/shared.js').port.onmessage = hear('shared worker');
            navigator.serviceWorker.onmessage = hear('service worker');
            navigator.serviceWorker.register('/service.js').then(r => navigator.serviceWorker.ready)
                .then(r => r.active.postMessage('?'));
         </script>";
    let html = html.replace("OTHER", &site.other(""));
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccept-CH: {hints}");
    site.answer("/", &format!("{head}\r\nContent-Length: {}\r\n\r\n{html}", html.len()));
}

/// What all the places see: one thing, or the test fails.
async fn seen_everywhere(context: &BrowserContext, site: &Site) -> (Page, Value) {
    places(site);
    let page = context.new_page().await.unwrap();
    page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
    find(page.main_frame(), "button")
        .await
        .click(&ClickOptions::default(), &ActionOptions::default())
        .await
        .unwrap();
    let own = page.main_frame().evaluate(SEEN, vec![], ScriptWorld::Main).await.unwrap();
    let others = "() => new Promise(done => {
        const end = performance.now() + 10000;
        (function look() {
            Object.keys(told).length < 6 && performance.now() < end ? setTimeout(look, 20) : done(told);
        })();
    })";
    let others = page.main_frame().evaluate(others, vec![], ScriptWorld::Main).await.unwrap();
    let [here, there] = [site.url(""), site.other("")];
    let expected = json!({ here: own, there: own, "window": own, "worker": own, "shared worker": own, "service worker": own });
    assert_eq!(others, expected);
    (page, serde_json::from_str(own.as_str().unwrap()).unwrap())
}

/// The header of this name in each request that has it.
fn headers(requests: &[String], name: &str) -> Vec<String> {
    let start = format!("\r\n{name}: ");
    let values = requests.iter().filter_map(|request| request.split(&start).nth(1)?.split("\r\n").next());
    values.map(str::to_owned).collect()
}

#[test]
fn a_browser_without_a_window_says_everywhere_that_it_is_an_ordinary_one() {
    drive(async |context, site| {
        let (page, seen) = seen_everywhere(&context, &site).await;
        let browser = context.browser().unwrap();
        let version = browser.version().product.rsplit('/').next().unwrap().to_owned();
        let hints = &seen[3];
        assert!(!seen.to_string().contains("Headless"), "{seen}");
        assert_eq!(hints["uaFullVersion"], json!(version));
        assert_eq!(hints["formFactors"], json!(["Desktop"]));
        assert_eq!(hints["bitness"], "64");
        assert_ne!(hints["architecture"], "");

        let brand = |brand: &Value| format!("{};v={}", brand["brand"], brand["version"]).to_lowercase();
        let list =
            |name: &str| hints[name].as_array().unwrap().iter().map(brand).collect::<Vec<_>>().join(", ");
        assert!(list("fullVersionList").contains(&version));
        // The frames and the window are asked for when the site's wish is known.
        let versions = headers(&site.requests(), "sec-ch-ua-full-version-list");
        assert!(versions.len() >= 3, "{versions:?}");
        assert_eq!(versions, vec![list("fullVersionList"); versions.len()]);
        let brands = headers(&site.requests(), "sec-ch-ua");
        assert_eq!(brands, vec![list("brands"); brands.len()]);

        // Without our word the browser names its brands itself: they have to be the same.
        let nothing = json!({ "userAgent": "" });
        page.session().call_raw("Emulation.setUserAgentOverride", &nothing, None).await.unwrap();
        page.goto(&site.url("/place"), &NavigateOptions::default()).await.unwrap();
        let own = page
            .main_frame()
            .evaluate("navigator.userAgentData.brands", vec![], ScriptWorld::Main)
            .await
            .unwrap();
        assert_eq!(own, hints["brands"]);
    });
}

#[test]
fn another_language_is_the_same_everywhere() {
    drive(async |context, site| {
        let options = ContextOptions { locale: Some("de-DE".to_owned()), ..ContextOptions::default() };
        let context = context.browser().unwrap().new_context(options).await.unwrap();
        let (_, seen) = seen_everywhere(&context, &site).await;
        assert_eq!(seen[1], json!(["de-DE", "de", "en-US", "en"]));
        assert_ne!(seen[3]["architecture"], "");
        // The browser itself asks for the script of a service worker.
        let mut requests = site.requests();
        requests.retain(|request| !request.starts_with("get /service.js"));
        let languages = headers(&requests, "accept-language");
        assert!(
            languages.iter().all(|language| language == "de-de,de;q=0.9,en-us;q=0.8,en;q=0.7"),
            "{languages:?}"
        );
        context.close().await.unwrap();
    });
}

#[test]
fn another_user_agent_comes_with_its_hints_and_platform() {
    drive(async |context, site| {
        let user_agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";
        let options = ContextOptions { user_agent: Some(user_agent.to_owned()), ..ContextOptions::default() };
        let context = context.browser().unwrap().new_context(options).await.unwrap();
        let page = open(&context, &site, "<iframe src='OTHER/frame'></iframe>").await;
        for frame in page.frames() {
            let seen = frame.evaluate(SEEN, vec![], ScriptWorld::Main).await.unwrap();
            let seen: Value = serde_json::from_str(seen.as_str().unwrap()).unwrap();
            assert_eq!(seen[0], user_agent);
            assert_eq!(seen[2], "Win32");
            assert_eq!(seen[3]["platform"], "Windows");
            assert_eq!(seen[3]["uaFullVersion"], "120.0.0.0");
        }
        let agents = headers(&site.requests(), "user-agent");
        assert_eq!(agents, vec![user_agent.to_lowercase(); agents.len()]);
        assert_eq!(headers(&site.requests(), "sec-ch-ua-platform")[0], "\"windows\"");
        context.close().await.unwrap();
    });
}

#[test]
fn a_dialog_is_answered_when_a_person_could_have_read_it() {
    drive(async |context, site| {
        let html = "<button onclick='const asked = performance.now(); confirm(\"Sure?\"); took = performance.now() - asked'></button>";
        let page = open(&context, &site, html).await;
        let frame = page.main_frame();
        let button = find(frame, "button").await;
        let took = async || {
            let took = frame.evaluate("took", vec![], ScriptWorld::Main).await.unwrap();
            took.as_f64().unwrap()
        };
        button.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap();
        page.until(Page::dialog).await.unwrap();
        page.answer_dialog(true, None).await.unwrap();
        assert!(took().await >= 250.0);
        // One that was answered before it came is looked at too, and the click waits for what follows.
        page.answer_next_dialog(true, None);
        let watch = page.watch_effects(ActionTarget::Pressed(&button)).await;
        button.click(&ClickOptions::default(), &ActionOptions::default()).await.unwrap();
        watch.settle(&SettleOptions::default()).await;
        assert!(took().await >= 250.0);
    });
}

#[test]
fn a_script_comes_into_a_world_without_anything_of_ours() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>T</title>").await;
        assert_eq!(page.title().await, "T");
        let ours = page.main_frame().evaluate("typeof engine", vec![], ScriptWorld::Isolated).await.unwrap();
        assert_eq!(ours, "undefined");
    });
}

#[test]
fn a_script_that_only_reads_is_not_seen_by_the_page() {
    with_server(Settings::default(), async |desk, site| {
        let trap = "<h1>Title</h1><script>
            var mine = 42, calls = [];
            for (const name of ['querySelector', 'querySelectorAll']) {
                const real = document[name];
                document[name] = function () { calls.push(name); return real.apply(this, arguments) };
            }
        </script>";
        site.page("/", trap);
        desk.call("browser_navigate", json!({ "url": site.url("/") })).await;
        let run = async |script: &str| {
            let answer = desk.call("browser_evaluate", json!({ "function": script })).await;
            assert!(!answer.is_error, "{answer:?}");
            answer.text
        };
        assert!(run("() => document.querySelector('h1').textContent").await.contains("Title"));
        assert!(run("[...document.querySelectorAll('h1')].length").await.contains('1'));
        assert!(run("mine").await.contains("42"));
        assert!(run("() => JSON.stringify(calls)").await.contains("[]"));
        // Whoever asks for what is the page's own is seen by it.
        run("() => { mine = document.querySelector('h1') }").await;
        assert!(run("() => JSON.stringify(calls)").await.contains("querySelector"));
    });
}
