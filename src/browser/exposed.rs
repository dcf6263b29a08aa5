//! Functions that pages can call and somebody outside answers. No binding of the protocol is used: those do not survive a
//! navigation. Instead the page keeps a list of calls, and a call of ours waits in it for the next one.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::context::BrowserContext;
use super::events::PageEvent;
use super::frame::Frame;
use super::page::Page;
use super::value::JsValue;
use super::world::Scope;
use crate::error::{Error, Result};

const EXPOSED: &str = include_str!("injected/exposed.js");

/// A function that pages can call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    name: Arc<str>,
    /// Tells our calls of it from those of the page.
    token: Arc<str>,
}

/// A call that waits for its answer.
#[derive(Debug, Clone)]
pub struct Call {
    pub frame: Frame,
    pub name: Arc<str>,
    pub arguments: Vec<JsValue>,
    token: Arc<str>,
    number: f64,
}

impl Exposure {
    pub fn new(name: &str) -> Self {
        Self { name: Arc::from(name), token: uuid::Uuid::new_v4().to_string().into() }
    }

    /// A script that puts the function into a document.
    fn script(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        format!("({})({}, {})", EXPOSED.trim().trim_end_matches(';'), text(&self.name), text(&self.token))
    }

    /// Calls the function as only we do.
    fn ask(&self, what: &str) -> Vec<JsValue> {
        [&*self.name, &*self.token, what].map(|text| JsValue::Text(text.to_owned())).into()
    }
}

const ASK: &str = "([name, ...rest]) => globalThis[name](...rest)";

impl Call {
    /// Gives the page what it waits for.
    pub async fn answer(&self, value: Result<JsValue, JsValue>) -> Result<()> {
        let exposure = Exposure { name: self.name.clone(), token: self.token.clone() };
        let (what, value) = match value {
            Ok(value) => ("done", value),
            Err(error) => ("fail", error),
        };
        let mut items = exposure.ask(what);
        items.extend([JsValue::Number(self.number), value]);
        let realm = self.frame.realm(Scope::Main).await?;
        realm.evaluate(ASK, &JsValue::Array { number: 0, items }).await.map(drop)
    }
}

impl BrowserContext {
    /// Gives all pages of this context, and those to come, a function. Each call is told as an event of its page.
    pub async fn expose(&self, name: &str) -> Result<()> {
        let exposure = Exposure::new(name);
        self.add_init_script(exposure.script()).await?;
        self.remember_exposure(exposure.clone());
        for page in self.pages() {
            page.begin_to_serve(&exposure).await?;
        }
        Ok(())
    }
}

impl Page {
    /// Gives all documents of this page a function. Each call is told as an event.
    pub async fn expose(&self, name: &str) -> Result<()> {
        let exposure = Exposure::new(name);
        self.add_init_script(exposure.script()).await?;
        self.own(|own| own.exposures.push(exposure.clone()));
        self.begin_to_serve(&exposure).await
    }

    /// Puts the function into the documents that are there already.
    async fn begin_to_serve(&self, exposure: &Exposure) -> Result<()> {
        for frame in self.frames() {
            let script = format!("() => {{ {} }}", exposure.script());
            match frame.realm(Scope::Main).await?.evaluate(&script, &JsValue::Undefined).await {
                Ok(_) => self.serve(&frame, exposure.clone()),
                Err(Error::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Fetches the calls of a new document, if any function was exposed.
    pub(super) fn serve_document(&self, frame: &Frame) {
        for exposure in self.all_exposures() {
            self.serve(frame, exposure);
        }
    }

    /// The functions of this page, those of its context among them.
    fn all_exposures(&self) -> Vec<Exposure> {
        let mut exposures = self.context().exposures();
        exposures.extend(self.own(|own| own.exposures.clone()));
        exposures
    }

    /// Tells of each call of a function until its document is gone.
    fn serve(&self, frame: &Frame, exposure: Exposure) {
        let (page, frame, loader) = (self.downgrade(), frame.clone(), frame.loader());
        tokio::spawn(async move {
            while frame.loader() == loader {
                let Ok(JsValue::Array { items: calls, .. }) = frame.ask_exposed(&exposure, "next").await
                else {
                    return;
                };
                let Some(page) = page.upgrade() else { return };
                for call in calls {
                    let JsValue::Array { items, .. } = call else { return };
                    let [JsValue::Number(number), JsValue::Array { items: arguments, .. }] = items.as_slice()
                    else {
                        return;
                    };
                    page.tell(&PageEvent::Called(Call {
                        frame: frame.clone(),
                        name: exposure.name.clone(),
                        arguments: arguments.clone(),
                        token: exposure.token.clone(),
                        number: *number,
                    }));
                }
            }
        });
    }
}

impl Frame {
    async fn ask_exposed(&self, exposure: &Exposure, what: &str) -> Result<JsValue> {
        let ask = JsValue::Array { number: 0, items: exposure.ask(what) };
        self.realm(Scope::Main).await?.evaluate_unhindered(ASK, &ask).await
    }

    /// Waits until all calls of exposed functions, made up to now, were told.
    pub async fn until_served(&self) {
        const LIMIT: Duration = Duration::from_secs(1);
        let Ok(page) = self.page() else { return };
        for exposure in page.all_exposures() {
            // A document that has just come may not have the function yet.
            let _ = timeout(LIMIT, self.ask_exposed(&exposure, "told")).await;
        }
    }
}
