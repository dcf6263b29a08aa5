//! Changing what a context pretends while its pages are there: another place, another screen, another way of drawing.
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::page::{Page, unless_closed};
use crate::browser::options::ContextOptions;
use crate::browser::options::emulation::{Geolocation, Media, Throttle, conditions, metrics, place};
use crate::browser::options::look::Look;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::{
    ClearDeviceMetricsOverride, SetCpuThrottlingRate, SetLocaleOverride, SetTimezoneOverride,
    SetTouchEmulationEnabled,
};
use crate::cdp::types::network::{Enable as NetworkEnable, Headers, SetExtraHttpHeaders};
use crate::error::{Error, Result};

impl BrowserContext {
    /// Moves the context elsewhere, or back to where it is.
    pub async fn set_geolocation(&self, geolocation: Option<Geolocation>) -> Result<()> {
        self.change_emulation(|emulation| emulation.geolocation = geolocation);
        for page in self.pages() {
            unless_closed(page.session().call(place(geolocation)).await.map(drop))?;
        }
        Ok(())
    }

    /// Takes the network away from the context, or gives it back.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        let throttle = self.options().emulation.throttle;
        self.set_network(offline, throttle).await
    }

    /// Takes the network away from the context, or makes it slow.
    pub async fn set_network(&self, offline: bool, throttle: Option<Throttle>) -> Result<()> {
        self.change_emulation(|emulation| {
            emulation.offline = offline;
            emulation.throttle = throttle;
        });
        for session in self.pages().iter().flat_map(Page::sessions) {
            unless_closed(session.call(conditions(offline, throttle)).await.map(drop))?;
        }
        Ok(())
    }

    /// Has the context look as it was made but for this change. What a page has learned before it keeps until it is loaded
    /// again.
    ///
    /// # Errors
    /// `invalid_arguments` for a time zone or a language that the browser does not know; then nothing has changed.
    pub async fn change_look(&self, change: impl FnOnce(&mut Look)) -> Result<()> {
        let before = self.options();
        let usual = before.emulation.usual.clone().unwrap_or_else(|| before.look());
        let mut look = usual.clone();
        change(&mut look);
        let was = before.look();
        if look == was {
            return Ok(());
        }
        self.try_look(&look, &was).await?;
        self.change_options(|options| {
            options.emulation.usual = (look != usual).then_some(usual);
            options.set_look(look.clone());
        });
        let options = self.options();
        for page in self.pages() {
            if let Some(size) = look.viewport {
                page.own(|own| own.viewport = None);
                page.session().call(metrics(&options, size)).await?;
            } else if was.viewport.is_some() {
                page.own(|own| own.viewport = None);
                page.session().call(ClearDeviceMetricsOverride {}).await?;
            }
            for session in page.sessions() {
                self.send_look(&session, &options, &look, &was).await?;
            }
        }
        Ok(())
    }

    /// Asks one page whether the browser knows the language and the zone.
    async fn try_look(&self, look: &Look, was: &Look) -> Result<()> {
        let Some(page) = self.pages().into_iter().next() else { return Ok(()) };
        let wrong = |problem: String| Error::InvalidArguments { problems: vec![problem] };
        if look.timezone != was.timezone {
            let timezone_id = look.timezone.clone().unwrap_or_default();
            let problem = format!("the browser knows no time zone {timezone_id:?}");
            match page.session().call(SetTimezoneOverride { timezone_id }).await {
                Err(Error::Protocol { .. }) => return Err(wrong(problem)),
                outcome => outcome.map(drop)?,
            }
        }
        if look.locale != was.locale {
            let set = SetLocaleOverride { locale: look.locale.clone() };
            if let Err(Error::Protocol { .. }) = page.session().call(set).await {
                let timezone_id = was.timezone.clone().unwrap_or_default();
                page.session().send(SetTimezoneOverride { timezone_id }).ignore();
                let locale = look.locale.as_deref().unwrap_or_default();
                return Err(wrong(format!("the browser knows no language {locale:?}")));
            }
        }
        Ok(())
    }

    async fn send_look(
        &self,
        session: &CdpSession,
        options: &ContextOptions,
        look: &Look,
        was: &Look,
    ) -> Result<()> {
        if look.has_touch != was.has_touch {
            let touch = SetTouchEmulationEnabled { enabled: look.has_touch, max_touch_points: None };
            session.call(touch).await?;
        }
        if look.user_agent != was.user_agent || look.locale != was.locale {
            // An empty one takes back what was claimed before.
            session.call(self.claim(options).unwrap_or_default()).await?;
        }
        if look.locale != was.locale {
            session.call(SetLocaleOverride { locale: look.locale.clone() }).await?;
        }
        if look.timezone != was.timezone {
            let timezone_id = look.timezone.clone().unwrap_or_default();
            session.call(SetTimezoneOverride { timezone_id }).await?;
        }
        Ok(())
    }

    /// Sends these headers with each request from now on, beside those of a page itself.
    pub async fn set_extra_headers(&self, headers: Headers) -> Result<()> {
        self.change_options(|options| options.extra_headers = headers);
        for page in self.pages() {
            unless_closed(page.send_extra_headers().await)?;
        }
        for worker in self.workers() {
            worker.session().send(self.headers_of(worker.page())).ignore();
        }
        Ok(())
    }

    /// What a page sends beside what the browser sends by itself, and its workers too; or what workers of no page send.
    fn headers_of(&self, page: Option<&Page>) -> SetExtraHttpHeaders {
        SetExtraHttpHeaders {
            headers: page.map_or_else(|| self.options().extra_headers, Page::extra_headers),
        }
    }

    /// Sends what a new worker needs to send these headers.
    pub(in crate::browser) fn begin_headers(&self, session: &CdpSession, page: Option<&Page>) {
        let set = self.headers_of(page);
        if !set.headers.is_empty() {
            // What watches over requests adds the headers, and it must be on.
            session.send(NetworkEnable::default()).ignore();
            session.send(set).ignore();
        }
    }
}

impl Page {
    /// Sends these headers with each request of this page from now on; they win over those of its context.
    pub async fn set_extra_headers(&self, headers: Headers) -> Result<()> {
        self.own(|own| own.headers = headers);
        self.send_extra_headers().await
    }

    async fn send_extra_headers(&self) -> Result<()> {
        let headers = self.extra_headers();
        for session in self.sessions() {
            session.call(SetExtraHttpHeaders { headers: headers.clone() }).await?;
        }
        for worker in self.context().workers().iter().filter(|worker| worker.page() == Some(self)) {
            worker.session().send(SetExtraHttpHeaders { headers: headers.clone() }).ignore();
        }
        Ok(())
    }

    /// Has documents drawn in another way.
    pub async fn emulate_media(&self, media: Media) -> Result<()> {
        self.own(|own| own.media = Some(media.clone()));
        for session in self.sessions() {
            session.call(media.command()).await?;
        }
        Ok(())
    }

    /// Gives the page so many times less of the processor; 1 for all of it.
    pub async fn slow_down(&self, times: f64) -> Result<()> {
        for session in self.sessions() {
            session.call(SetCpuThrottlingRate { rate: times }).await?;
        }
        Ok(())
    }

    /// Makes the page this large, in CSS pixels, whatever the size of its window; with the context's pixels and screen.
    pub async fn resize_viewport(&self, width: u32, height: u32) -> Result<()> {
        let options = self.context().options();
        let metrics = metrics(&options, (width, height));
        self.session().call(metrics).await?;
        self.own(|own| own.viewport = Some((width, height)));
        Ok(())
    }
}
