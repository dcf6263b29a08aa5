//! Scripts that run in documents before the documents' own, and that can be taken back.
use super::context::BrowserContext;
use super::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::page::{AddScriptToEvaluateOnNewDocument, RemoveScriptToEvaluateOnNewDocument};
use crate::error::Result;

/// A script that documents to come begin with.
#[derive(Debug)]
pub struct InitScript {
    owner: Owner,
    source: String,
    /// Where the browser knows it, and by which name.
    added: Vec<(CdpSession, String)>,
}

#[derive(Debug)]
enum Owner {
    Page(Page),
    Context(BrowserContext),
}

impl Page {
    /// Runs `source` in every document of this page that is made from now on, before the document's own scripts.
    pub async fn add_init_script(&self, source: String) -> Result<InitScript> {
        self.context().widen_exposures(&source).await?;
        self.widen_exposures(&source).await?;
        self.own(|own| own.init_scripts.push(source.clone()));
        let added = add(&self.sessions(), &source).await?;
        Ok(InitScript { owner: Owner::Page(self.clone()), source, added })
    }
}

impl BrowserContext {
    /// Runs `source` in every document of this context that is made from now on, before the document's own scripts.
    pub async fn add_init_script(&self, source: String) -> Result<InitScript> {
        self.widen_exposures(&source).await?;
        for page in self.pages() {
            page.widen_exposures(&source).await?;
        }
        self.change_options(|options| options.init_scripts.push(source.clone()));
        let added = self.add_to_sessions(&source).await?;
        Ok(InitScript { owner: Owner::Context(self.clone()), source, added })
    }

    pub(super) async fn add_to_sessions(&self, source: &str) -> Result<Vec<(CdpSession, String)>> {
        let sessions: Vec<_> = self.pages().iter().flat_map(Page::sessions).collect();
        add(&sessions, source).await
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
    /// Documents to come begin without it. A page that opened since it was added keeps it.
    pub async fn remove(&self) {
        let forget = |scripts: &mut Vec<String>| {
            if let Some(at) = scripts.iter().rposition(|script| *script == self.source) {
                scripts.remove(at);
            }
        };
        match &self.owner {
            Owner::Page(page) => page.own(|own| forget(&mut own.init_scripts)),
            Owner::Context(context) => context.change_options(|options| forget(&mut options.init_scripts)),
        }
        for (session, identifier) in &self.added {
            let remove = RemoveScriptToEvaluateOnNewDocument { identifier: identifier.clone() };
            // Where the session has ended, the script has too.
            let _ = session.call(remove).await;
        }
    }
}
