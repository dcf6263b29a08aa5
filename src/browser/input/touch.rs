use tokio::time::sleep;

use super::Input;
use super::geometry::Point;
use crate::cdp::types::input::{DispatchTouchEvent, TouchPoint};
use crate::error::Result;

const TOUCH_MS: (f64, f64) = (32.0, 72.0);

/// The touch screen of a page.
#[derive(Debug, Clone)]
pub struct Touch {
    input: Input,
}

impl Touch {
    pub(super) fn new(input: Input) -> Self {
        Self { input }
    }

    /// Taps a point. Waits first until other pointer actions have ended.
    pub async fn tap(&self, at: Point) -> Result<()> {
        let _turn = self.input.take_turn().await;
        let mut delivery = self.input.watch();
        let event = |kind, touch_points| DispatchTouchEvent {
            kind,
            touch_points,
            modifiers: Some(self.input.modifiers()),
        };
        let start = event("touchStart", vec![TouchPoint { x: at.x, y: at.y, id: None }]);
        let mut replies = vec![self.input.session().send(start)];
        if self.input.is_natural() {
            sleep(self.input.randomness().random_duration(TOUCH_MS.0, TOUCH_MS.1)).await;
        }
        replies.push(self.input.session().send(event("touchEnd", Vec::new())));
        delivery.done(replies).await
    }
}
