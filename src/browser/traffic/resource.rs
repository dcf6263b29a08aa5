//! Loads resources for a page through the browser, with its cookies, cache and proxy.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::browser::objects::frame::Frame;
use crate::cdp::types::network::{IoClose, IoRead, LoadNetworkResource, ResourceOptions};

impl Frame {
    /// Returns the content of a URL; `None` if loading fails or the content has more than `most` bytes.
    pub(in crate::browser) async fn load_resource(&self, url: &str, most: usize) -> Option<Vec<u8>> {
        let session = self.session();
        let load = LoadNetworkResource {
            url: url.to_owned(),
            options: ResourceOptions { disable_cache: false, include_credentials: true },
            frame_id: Some(self.id().to_owned()),
        };
        let loaded = session.call(load).await.ok()?.resource;
        let handle = loaded.stream.filter(|_| loaded.success)?;
        let mut bytes = Vec::new();
        let whole = loop {
            let Ok(piece) = session.call(IoRead { handle: handle.clone() }).await else { break false };
            match piece.base64_encoded {
                true => bytes.extend(BASE64_STANDARD.decode(&piece.data).unwrap_or_default()),
                false => bytes.extend(piece.data.as_bytes()),
            }
            if piece.eof || bytes.len() > most {
                break piece.eof;
            }
        };
        session.send(IoClose { handle }).ignore();
        whole.then_some(bytes)
    }
}
