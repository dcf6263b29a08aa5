//! Routing of `WebSockets`. CDP cannot intercept them, so a script replaces the page's `WebSocket` class.
//! This happens only on request, because a page can detect it.
use serde_json::Value;

use crate::browser::injected::as_function;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::ScriptWorld;
use crate::browser::scripts::value::JsValue;
use crate::error::{Error, Result};

const ROUTED: &str = include_str!("../injected/socket.js");

impl BrowserContext {
    /// Routes new `WebSocket`s through the function `name`, which this call [exposes](Self::expose).
    pub async fn route_web_sockets(&self, name: &str) -> Result<()> {
        self.expose(name, true, false).await?;
        let script = format!("({})({})", as_function(ROUTED), Value::from(name));
        self.add_init_script(script.clone()).await?;
        for frame in self.pages().iter().flat_map(crate::browser::objects::page::Page::frames) {
            let begin = format!("() => {{ {script} }}");
            match frame.realm(ScriptWorld::Main).await?.evaluate(&begin, &JsValue::Undefined).await {
                Ok(_) | Err(Error::DocumentGone | Error::FrameDetached) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Frame {
    /// Sends a command to a routed WebSocket of the page. `number` counts the commands from 0: the page runs
    /// them in this order, even if they arrive out of order.
    pub async fn send_web_socket_command(
        &self,
        name: &str,
        socket: f64,
        number: u32,
        what: &str,
        value: JsValue,
    ) -> Result<()> {
        let items = vec![
            JsValue::Text(name.to_owned()),
            JsValue::Number(socket),
            JsValue::Number(f64::from(number)),
            JsValue::Text(what.to_owned()),
            value,
        ];
        let act = "([name, ...rest]) => WebSocket[name]?.(...rest)";
        let realm = self.realm(ScriptWorld::Main).await?;
        realm.evaluate_despite_dialog(act, &JsValue::Array { number: 0, items }).await.map(drop)
    }
}
