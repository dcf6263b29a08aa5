//! Changing what a context pretends while its pages are there: another place, another screen, another way of drawing.
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::page::Page;
use crate::browser::options::emulation::{Geolocation, Media, Throttle, conditions, metrics, place};
use crate::cdp::types::emulation::SetCpuThrottlingRate;
use crate::cdp::types::network::{Headers, SetExtraHttpHeaders};
use crate::error::Result;

impl BrowserContext {
    /// Moves the context elsewhere, or back to where it is.
    pub async fn set_geolocation(&self, geolocation: Option<Geolocation>) -> Result<()> {
        self.change_emulation(|emulation| emulation.geolocation = geolocation);
        for page in self.pages() {
            page.session().call(place(geolocation)).await?;
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
            session.call(conditions(offline, throttle)).await?;
        }
        Ok(())
    }

    /// Sends these headers with each request from now on, beside those of a page itself.
    pub async fn set_extra_headers(&self, headers: Headers) -> Result<()> {
        self.change_options(|options| options.extra_headers = headers);
        for page in self.pages() {
            page.send_extra_headers().await?;
        }
        Ok(())
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
