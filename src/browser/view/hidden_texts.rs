//! Finds the positions of secret texts, which screenshots must mask.
use futures_util::future::join_all;
use serde_json::Value;

use crate::browser::input::{Point, Rect};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::value_argument;
use crate::error::{Error, Result};

/// The margin around a secret text that is masked too, in CSS pixels.
const MARGIN: f64 = 2.0;

impl Page {
    /// Whether there are texts that screenshots of this page must mask.
    pub(super) fn hides_texts(&self) -> bool {
        !self.context().hidden_texts().is_empty()
    }

    /// Returns the boxes of secret texts in the viewport; for a frame that does not answer, its whole box.
    pub(super) async fn hidden_text_boxes(&self) -> Result<Vec<Rect>> {
        let hidden_texts = self.context().hidden_texts();
        if hidden_texts.is_empty() {
            return Ok(Vec::new());
        }
        let arguments = hidden_texts.to_arguments();
        let frames = self.frames();
        let places = join_all(frames.iter().map(|frame| frame.hidden_text_boxes(&arguments))).await;
        let places: Vec<Vec<Rect>> = places.into_iter().collect::<Result<_>>()?;
        let wider = |Rect { x, y, width, height }| Rect {
            x: x - MARGIN,
            y: y - MARGIN,
            width: width + 2.0 * MARGIN,
            height: height + 2.0 * MARGIN,
        };
        Ok(places.into_iter().flatten().map(wider).collect())
    }

    /// Returns an error if the page shows a secret text, which PDF files and archives cannot mask.
    pub(super) async fn ensure_no_hidden_text(&self, what: &'static str) -> Result<()> {
        if self.hidden_text_boxes().await?.is_empty() { Ok(()) } else { Err(Error::SecretShown { what }) }
    }
}

impl Frame {
    async fn hidden_text_boxes(&self, arguments: &[Value; 2]) -> Result<Vec<Rect>> {
        let owners = match self.owners().await {
            Ok(owners) => owners,
            Err(error) if is_gone(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let places = async { self.utility_world().await?.call::<Vec<Rect>>("placesOf", arguments).await };
        let places = match (places.await, owners.first()) {
            (Ok(places), _) => places,
            (Err(error), _) if is_gone(&error) => return Ok(Vec::new()),
            (Err(_), Some(owner)) => return Ok(owner.bounding_box().await?.into_iter().collect()),
            (Err(error), None) => return Err(error),
        };
        let mut shown = Vec::with_capacity(places.len());
        for place in places {
            let mut corners =
                [Point::new(place.x, place.y), Point::new(place.x + place.width, place.y + place.height)];
            for owner in &owners {
                for corner in &mut corners {
                    *corner = owner.ask("fromFrame", vec![value_argument(corner)]).await?;
                }
            }
            let [Point { x, y }, end] = corners;
            shown.push(Rect { x, y, width: end.x - x, height: end.y - y });
        }
        Ok(shown)
    }
}

/// Whether the error means that the frame or element no longer exists, so that its texts are not visible.
fn is_gone(error: &Error) -> bool {
    matches!(error, Error::FrameDetached | Error::DocumentGone | Error::StaleRef { .. })
}
