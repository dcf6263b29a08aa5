//! Changes to the emulation of a context with open pages: geolocation, screen, media.
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::page::{Page, unless_closed};
use crate::browser::options::ContextOptions;
use crate::browser::options::emulation::{
    Geolocation, MediaEmulation, NetworkThrottle, conditions, metrics, place,
};
use crate::browser::options::look::DeviceProfile;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::{
    ClearDeviceMetricsOverride, SetCpuThrottlingRate, SetLocaleOverride, SetTimezoneOverride,
    SetTouchEmulationEnabled,
};
use crate::cdp::types::network::{Enable as NetworkEnable, Headers, SetExtraHttpHeaders};
use crate::error::{Error, Result};

impl BrowserContext {
    /// Sets the geolocation of the context's pages. `None` removes the override.
    pub async fn set_geolocation(&self, geolocation: Option<Geolocation>) -> Result<()> {
        self.change_emulation(|emulation| emulation.geolocation = geolocation);
        for page in self.pages() {
            unless_closed(page.session().call(place(geolocation)).await.map(drop))?;
        }
        Ok(())
    }

    /// Sets whether the context is offline. Keeps its network throttling.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        let throttle = self.options().emulation.throttle;
        self.set_network(offline, throttle).await
    }

    /// Sets whether the context is offline, and its network throttling. `None` removes the throttling.
    pub async fn set_network(&self, offline: bool, throttle: Option<NetworkThrottle>) -> Result<()> {
        self.change_emulation(|emulation| {
            emulation.offline = offline;
            emulation.throttle = throttle;
        });
        for session in self.pages().iter().flat_map(Page::sessions) {
            unless_closed(session.call(conditions(offline, throttle)).await.map(drop))?;
        }
        Ok(())
    }

    /// Changes the emulated device, language and time zone. `change` starts from the context's original
    /// values. Open pages may keep values that they have read until they are reloaded.
    ///
    /// # Errors `invalid_arguments` if the browser does not support the time zone or language. Nothing
    /// changes then.
    pub async fn update_emulation(&self, change: impl FnOnce(&mut DeviceProfile)) -> Result<()> {
        let before = self.options();
        let usual = before.emulation.usual.clone().unwrap_or_else(|| before.device_profile());
        let mut look = usual.clone();
        change(&mut look);
        let was = before.device_profile();
        if look == was {
            return Ok(());
        }
        self.try_look(&look, &was).await?;
        self.change_options(|options| {
            options.emulation.usual = (look != usual).then_some(usual);
            options.set_device_profile(look.clone());
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

    /// Checks in one open page whether the browser supports the new language and time zone.
    async fn try_look(&self, look: &DeviceProfile, was: &DeviceProfile) -> Result<()> {
        let Some(page) = self.pages().into_iter().next() else { return Ok(()) };
        let wrong = |problem: String| Error::InvalidArguments { problems: vec![problem] };
        if look.timezone != was.timezone {
            let timezone_id = look.timezone.clone().unwrap_or_default();
            let problem = format!("the browser does not support the time zone {timezone_id:?}");
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
                return Err(wrong(format!("the browser does not support the locale {locale:?}")));
            }
        }
        Ok(())
    }

    async fn send_look(
        &self,
        session: &CdpSession,
        options: &ContextOptions,
        look: &DeviceProfile,
        was: &DeviceProfile,
    ) -> Result<()> {
        if look.has_touch != was.has_touch {
            let touch = SetTouchEmulationEnabled { enabled: look.has_touch, max_touch_points: None };
            session.call(touch).await?;
        }
        if look.user_agent != was.user_agent || look.locale != was.locale {
            // An empty override restores the values of the browser itself.
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

    /// Sets the extra headers that all requests contain from now on.
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

    /// Returns the command that sets the extra headers of a page, or of workers without a page for `None`.
    fn headers_of(&self, page: Option<&Page>) -> SetExtraHttpHeaders {
        SetExtraHttpHeaders {
            headers: page.map_or_else(|| self.options().extra_headers, Page::extra_headers),
        }
    }

    /// Sends the extra headers to a new worker.
    pub(in crate::browser) fn begin_headers(&self, session: &CdpSession, page: Option<&Page>) {
        let set = self.headers_of(page);
        if !set.headers.is_empty() {
            // The `Network` domain adds the headers, so it must be enabled.
            session.send(NetworkEnable::default()).ignore();
            session.send(set).ignore();
        }
    }
}

impl Page {
    /// Sets extra headers for the requests of this page. They override the extra headers of the context.
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

    /// Emulates media features, such as the colour scheme, in this page.
    pub async fn emulate_media(&self, media: MediaEmulation) -> Result<()> {
        self.own(|own| own.media = Some(media.clone()));
        for session in self.sessions() {
            session.call(media.command()).await?;
        }
        Ok(())
    }

    /// Slows the page's CPU down by the factor `times`; 1 is full speed.
    pub async fn throttle_cpu(&self, times: f64) -> Result<()> {
        for session in self.sessions() {
            session.call(SetCpuThrottlingRate { rate: times }).await?;
        }
        Ok(())
    }

    /// Sets the viewport size in CSS pixels without resizing the window. Keeps the scale and screen size.
    pub async fn resize_viewport(&self, width: u32, height: u32) -> Result<()> {
        let options = self.context().options();
        let metrics = metrics(&options, (width, height));
        self.session().call(metrics).await?;
        self.own(|own| own.viewport = Some((width, height)));
        Ok(())
    }
}
