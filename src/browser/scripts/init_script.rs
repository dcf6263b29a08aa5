//! Init scripts: they run in each new document before the document's own scripts, and can be removed.
use parking_lot::Mutex;

use super::exposed::{ContextScripts, ExposedFunction, PageScripts};
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::page::{Page, unless_closed};
use crate::cdp::CdpSession;
use crate::cdp::types::page::{AddScriptToEvaluateOnNewDocument, RemoveScriptToEvaluateOnNewDocument};
use crate::error::Result;

/// The hooks for init scripts and exposed functions.
pub(in crate::browser) struct ScriptHooks;

impl Hooks for ScriptHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<ContextScripts>();
    }

    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<PageScripts>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        if new.worker.is_some() {
            return;
        }
        let is_page = new.is_of_tab();
        let own = new.page.map(Page::extension::<PageScripts>);
        let of_context = new.context.extension::<ContextScripts>();
        let functions = |exposures: &Mutex<Vec<ExposedFunction>>| {
            let exposures = exposures.lock().clone();
            exposures.into_iter().filter_map(|one| one.script_for(is_page))
        };
        let mut sources: Vec<_> = of_context.opening.lock().iter().cloned().collect();
        sources.extend(functions(&of_context.exposures));
        sources.extend(new.context.options().init_scripts);
        if let Some(own) = own {
            sources.extend(functions(&own.exposures));
            sources.extend(own.init_scripts.lock().iter().cloned());
        }
        for source in sources {
            let script = AddScriptToEvaluateOnNewDocument {
                source,
                // The initial empty document of a new page exists already.
                run_immediately: is_page.then_some(true),
                ..AddScriptToEvaluateOnNewDocument::default()
            };
            new.session.send(script).ignore();
        }
    }

    fn on_document(&self, page: &Page, frame: &Frame) {
        page.serve_document(frame);
    }
}

/// A script that runs in new documents.
#[derive(Debug)]
pub struct InitScript {
    owner: Owner,
    source: String,
    /// The CDP sessions that had the script added, each with the browser's identifier for it.
    added: Vec<(CdpSession, String)>,
}

#[derive(Debug)]
enum Owner {
    Page(Page),
    Context(BrowserContext),
}

impl Page {
    /// Runs `source` in every new document of this page, before the document's own scripts.
    pub async fn add_init_script(&self, source: String) -> Result<InitScript> {
        self.context().expose_to_all_frames(&source).await?;
        self.expose_to_all_frames(&source).await?;
        self.extension::<PageScripts>().init_scripts.lock().push(source.clone());
        let added = add(&self.sessions(), &source).await?;
        Ok(InitScript { owner: Owner::Page(self.clone()), source, added })
    }
}

impl BrowserContext {
    /// Runs `source` in every new document of this context, before the document's own scripts.
    pub async fn add_init_script(&self, source: String) -> Result<InitScript> {
        self.expose_to_all_frames(&source).await?;
        for page in self.pages() {
            unless_closed(page.expose_to_all_frames(&source).await)?;
        }
        self.change_options(|options| options.init_scripts.push(source.clone()));
        let added = self.add_to_sessions(&source).await?;
        Ok(InitScript { owner: Owner::Context(self.clone()), source, added })
    }

    /// Runs `opening` in new documents before all other scripts. CDP sessions that have an older version of `opening`
    /// keep it and run `later` after it.
    pub(in crate::browser) async fn open_documents_with(&self, opening: String, later: String) -> Result<()> {
        let before = self.extension::<ContextScripts>().opening.lock().replace(opening.clone());
        self.add_to_sessions(if before.is_none() { &opening } else { &later }).await.map(drop)
    }

    async fn add_to_sessions(&self, source: &str) -> Result<Vec<(CdpSession, String)>> {
        let mut added = Vec::new();
        for page in self.pages() {
            let more = add(&page.sessions(), source).await.map(|more| added.extend(more));
            unless_closed(more)?;
        }
        Ok(added)
    }
}

async fn add(sessions: &[CdpSession], source: &str) -> Result<Vec<(CdpSession, String)>> {
    let mut added = Vec::with_capacity(sessions.len());
    for session in sessions {
        let script = AddScriptToEvaluateOnNewDocument {
            source: source.to_owned(),
            ..AddScriptToEvaluateOnNewDocument::default()
        };
        added.push((session.clone(), session.call(script).await?.identifier));
    }
    Ok(added)
}

impl InitScript {
    /// Removes the script from future documents. Pages that were opened after it was added keep it.
    pub async fn remove(&self) {
        let forget = |scripts: &mut Vec<String>| {
            if let Some(at) = scripts.iter().rposition(|script| *script == self.source) {
                scripts.remove(at);
            }
        };
        match &self.owner {
            Owner::Page(page) => forget(&mut page.extension::<PageScripts>().init_scripts.lock()),
            Owner::Context(context) => context.change_options(|options| forget(&mut options.init_scripts)),
        }
        for (session, identifier) in &self.added {
            let remove = RemoveScriptToEvaluateOnNewDocument { identifier: identifier.clone() };
            // If the session has ended, the script is gone as well.
            let _ = session.call(remove).await;
        }
    }
}
