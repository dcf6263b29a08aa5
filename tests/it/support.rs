//! What the tests share: one browser, and a site on loopback that serves what a test says.
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use std::time::Duration;

use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{
    Browser, BrowserContext, ContextOptions, ElementHandle, Frame, NavigateOptions, Page, ScriptWorld,
};
use patchright_mcp::mcp::client::Client;
use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::progress::Progress;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::tool::{Registry, Toolset};
use patchright_mcp::mcp::tools;
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions, OwnerLimits};
use serde_json::{Value, json};
use strum::VariantArray as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// Runs a test on the one browser of this run, with a site and a context of its own.
pub fn drive<F: Future<Output = ()>>(test: impl FnOnce(BrowserContext, Site) -> F) {
    let _others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    RUNTIME.block_on(async {
        let browser = BROWSER.get_or_init(start).await;
        let context = browser.new_context(ContextOptions::default()).await.unwrap();
        test(context.clone(), Site::start().await).await;
        context.close().await.unwrap();
    });
}

/// Runs a test on a server of its own, with a site. The servers share one browser.
pub fn with_server<F: Future<Output = ()>>(settings: Settings, test: impl FnOnce(Desk, Site) -> F) {
    let _others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    run_server(settings, test);
}

/// Like [`with_server`], while no other test has a browser: for what takes the whole machine.
pub fn with_server_alone<F: Future<Output = ()>>(settings: Settings, test: impl FnOnce(Desk, Site) -> F) {
    let _nobody = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    run_server(settings, test);
}

static ALONE: RwLock<()> = RwLock::new(());

fn run_server<F: Future<Output = ()>>(settings: Settings, test: impl FnOnce(Desk, Site) -> F) {
    RUNTIME.block_on(async {
        let registry =
            Registry::new(&tools::ALL_TOOLS, &BTreeSet::new(), &Toolset::VARIANTS.iter().copied().collect());
        let dispatcher = Arc::new(Dispatcher::new(registry, ENGINE.clone(), settings));
        let client = Arc::new(dispatcher.new_client());
        let desk = Desk { dispatcher, client };
        test(desk.clone(), Site::start().await).await;
        desk.client.close().await;
    });
}

/// A server without a wire, and one client of it.
#[derive(Clone)]
pub struct Desk {
    pub dispatcher: Arc<Dispatcher>,
    pub client: Arc<Client>,
}

/// What a tool answered.
#[derive(Debug)]
pub struct ToolAnswer {
    pub text: String,
    pub is_error: bool,
    /// The answer as it would go over the wire.
    pub result: Value,
}

impl ToolAnswer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn structured(&self) -> &Value {
        &self.result["structuredContent"]
    }
}

impl Desk {
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        let Value::Object(arguments) = arguments else { panic!("not an object: {arguments}") };
        let progress = Progress::default();
        let never = CancellationToken::new();
        let call = self.dispatcher.call(&self.client, tool, arguments, &progress, &never);
        let result = serde_json::to_value(call.await.unwrap().into_result()).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        ToolAnswer { text, is_error: result["isError"] == true, result }
    }

    /// Opens a session and gives its id.
    pub async fn session(&self) -> String {
        let answer = self.call("create_session", json!({})).await;
        answer.json()["sessionId"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    // All tests of this process have the one browser.
    let limits = OwnerLimits { tabs: 2_000, contexts: 2_000, ..OwnerLimits::default() };
    let options = EngineOptions::new(BrowserSource::Launch(Box::new(launch_options())));
    // These tests keep all processors busy: a browser may get none for seconds.
    let hang_limit = Duration::from_secs(60);
    Engine::new(EngineOptions { limits, hang_limit, ..options })
});

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static BROWSER: OnceCell<Browser> = OnceCell::const_new();

/// How the shared browser is started.
pub fn launch_options() -> LaunchOptions {
    LaunchOptions {
        headless: Some(true),
        // The browser ends with this process, by its pipe; what its profile leaves stays out of the system's folder.
        temporary_folder: Some(env!("CARGO_TARGET_TMPDIR").into()),
        ..LaunchOptions::default()
    }
}

async fn start() -> Browser {
    Browser::launch(&launch_options(), ContextOptions::default(), &|_| ()).await.unwrap()
}

/// A new tab that shows `html`.
pub async fn open(context: &BrowserContext, site: &Site, html: &str) -> Page {
    site.page("/", html);
    let page = context.new_page().await.unwrap();
    page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
    page
}

/// The first element that a CSS selector finds.
pub async fn find(frame: &Frame, selector: &str) -> ElementHandle {
    frame.utility_world().await.unwrap().injected_script().await.unwrap();
    let number = format!("engine.refOf(document.querySelector({}))", json!(selector));
    let number = frame.evaluate(&number, vec![], ScriptWorld::Isolated).await.unwrap();
    let number = u32::try_from(number.as_u64().unwrap()).unwrap();
    ElementHandle::by_ref(frame, number).await.unwrap().unwrap()
}

/// The element with this id, wherever in the main frame's document it hides, closed shadow roots included.
pub async fn find_pierced(frame: &Frame, id: &str) -> ElementHandle {
    let (session, world) = (frame.session(), frame.utility_world().await.unwrap());
    let call =
        async |method: &str, parameters: Value| session.call_raw(method, &parameters, None).await.unwrap();
    let document = call("DOM.getDocument", json!({ "depth": -1, "pierce": true })).await;
    let node = node_with_id(&document["root"], id).unwrap();
    world.injected_script().await.unwrap();
    let context = world.context_id();
    let node = call("DOM.resolveNode", json!({ "backendNodeId": node, "executionContextId": context })).await;
    let number = call(
        "Runtime.callFunctionOn",
        json!({ "objectId": node["object"]["objectId"], "returnByValue": true,
                "functionDeclaration": "function() { return engine.refOf(this) }" }),
    )
    .await;
    let number = u32::try_from(number["result"]["value"].as_u64().unwrap()).unwrap();
    ElementHandle::by_ref(frame, number).await.unwrap().unwrap()
}

fn node_with_id(node: &Value, id: &str) -> Option<u64> {
    let attributes = node["attributes"].as_array().map(Vec::as_slice).unwrap_or_default();
    if attributes.chunks(2).any(|pair| pair[0] == "id" && pair[1] == id) {
        return node["backendNodeId"].as_u64();
    }
    let mut below =
        ["children", "shadowRoots"].into_iter().filter_map(|kind| node[kind].as_array()).flatten();
    below.find_map(|child| node_with_id(child, id))
}

type Pages = Arc<Mutex<HashMap<String, String>>>;
type Requests = Arc<Mutex<Vec<String>>>;

/// A site of two origins: `127.0.0.1` and `localhost` are different ones to a browser.
pub struct Site {
    port: u16,
    pages: Pages,
    requests: Requests,
}

impl Site {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages = Pages::default();
        let requests = Requests::default();
        let (served, seen) = (pages.clone(), requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone(), seen.clone()));
            }
        });
        Self { port, pages, requests }
    }

    /// Serves `html` at `path` from now on. `ORIGIN` and `OTHER` in it become the two origins.
    pub fn page(&self, path: &str, html: &str) {
        let html = html.replace("ORIGIN", &self.url("")).replace("OTHER", &self.other(""));
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8";
        self.answer(path, &format!("{head}\r\nContent-Length: {}\r\n\r\n{html}", html.len()));
    }

    /// Answers requests for `path` with these bytes. `HANG` at the start: with nothing.
    pub fn answer(&self, path: &str, response: &str) {
        self.pages.lock().unwrap().insert(path.to_owned(), response.to_owned());
    }

    /// The heads of all requests so far, in lower case.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same site under its other name.
    pub fn other(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }
}

async fn serve(mut stream: TcpStream, pages: Pages, requests: Requests) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read_exact(&mut byte).await.is_err() {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    requests.lock().unwrap().push(request.to_lowercase());
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    let path = path.split('?').next().unwrap_or("/").to_owned();
    let known = pages.lock().unwrap().get(&path).cloned();
    let answer = known.unwrap_or_else(|| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned());
    if answer.starts_with("HANG") {
        tokio::time::sleep(Duration::from_secs(60)).await;
        return;
    }
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}
