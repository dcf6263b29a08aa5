//! Dragging: with the mouse, and with what the page puts into the drag where it lets the browser do it.
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::actionability::{ActionOptions, Need};
use super::element::ElementHandle;
use super::input::{Button, Mouse, Point};
use super::page::Page;
use super::world::World;
use crate::cdp::types::input::{DispatchDragEvent, DragData, DragIntercepted, DragItem, SetInterceptDrags};
use crate::cdp::{Event, Events};
use crate::error::Result;

/// How long the browser may take to hand over a drag that has begun.
const DRAG_LIMIT: Duration = Duration::from_secs(1);

impl ElementHandle {
    /// Drags the element onto another one.
    pub async fn drag_to(
        &self,
        target: &ElementHandle,
        options: &ActionOptions,
        target_options: &ActionOptions,
    ) -> Result<()> {
        let page = self.frame().page()?;
        let from = self.approach(Need::PRESSED, options).await?.point;
        let mouse = self.input(options)?.mouse();
        let worlds = [self.world().clone()];
        let carry = async |is_carried: bool| {
            // What the page drags itself may come to lie over the target.
            let need = Need { hit: is_carried, ..Need::POINTED };
            let to = target.look_until_clear(need, target_options).await?;
            match target_options.steps {
                _ if is_carried => {}
                Some(steps) => mouse.move_in_steps(to, steps).await?,
                None => mouse.move_to(to).await?,
            }
            Ok(to)
        };
        page.carry(from, &mouse, &worlds, carry).await
    }
}

/// What is dropped from outside the page.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// Paths of files.
    files: Vec<PathBuf>,
    /// Texts by their kinds, such as `text/plain`.
    data: Vec<(String, String)>,
}

impl ElementHandle {
    /// Drops something on the element, as if it came from another program.
    pub async fn drop_here(&self, dropped: &Dropped, options: &ActionOptions) -> Result<()> {
        const COPY: i64 = 1;
        let session = self.frame().page()?.session().clone();
        let to = self.look_until_clear(Need::POINTED, options).await?;
        let item = |(mime_type, data): &(String, String)| DragItem {
            mime_type: mime_type.clone(),
            data: data.clone(),
            ..DragItem::default()
        };
        let files: Vec<_> = dropped.files.iter().map(|path| path.display().to_string()).collect();
        let data = DragData {
            items: dropped.data.iter().map(item).collect(),
            files: Some(files).filter(|files| !files.is_empty()),
            drag_operations_mask: COPY,
        };
        for kind in ["dragEnter", "dragOver", "drop"] {
            session.call(drag_event(kind, to, data.clone())).await?;
        }
        Ok(())
    }
}

impl Page {
    /// Drags from one place in the viewport to another, in so many steps.
    pub async fn drag(&self, from: Point, to: Point, steps: u32) -> Result<()> {
        let mouse = self.input().mouse();
        let frames = self.frames();
        let worlds = join_all(frames.iter().map(super::Frame::utility)).await;
        // A frame without a document has nothing to drag.
        let worlds: Vec<_> = worlds.into_iter().filter_map(Result::ok).collect();
        let carry = async |is_carried: bool| {
            if !is_carried {
                mouse.move_in_steps(to, steps).await?;
            }
            Ok(to)
        };
        self.carry(from, &mouse, &worlds, carry).await
    }

    /// Presses at a point and lets go at the one that `carry` answers. `carry` is told whether the browser carries
    /// something; where it does not, the mouse has to be moved there. `worlds` are those of the frames that could begin.
    async fn carry(
        &self,
        from: Point,
        mouse: &Mouse,
        worlds: &[World],
        carry: impl AsyncFnOnce(bool) -> Result<Point>,
    ) -> Result<()> {
        let session = self.session();
        // The browser hands the drag to us instead of to the desktop, where it would wait for a real mouse.
        let mut intercepted = session.events(&[DragIntercepted::METHOD]);
        session.call(SetInterceptDrags { enabled: true }).await?;
        let carried = async {
            let data = pick_up(from, mouse, worlds, &mut intercepted).await?;
            let to = carry(data.is_some()).await?;
            let Some(data) = data else { return Ok(()) };
            let began = Instant::now();
            for (number, waypoint) in mouse.way_to(to).into_iter().enumerate() {
                sleep_until(began + waypoint.at).await;
                let kind = if number == 0 { "dragEnter" } else { "dragOver" };
                session.call(drag_event(kind, waypoint.point, data.clone())).await?;
            }
            for kind in ["dragOver", "drop"] {
                session.call(drag_event(kind, to, data.clone())).await?;
            }
            mouse.place(to);
            // The page hears of the drop, and not of the button that made it.
            mouse.forget(Button::Left);
            Ok(())
        };
        let carried = carried.await;
        let released = if mouse.is_down(Button::Left) { mouse.up(Button::Left, 1).await } else { Ok(()) };
        session.call(SetInterceptDrags { enabled: false }).await?;
        carried.and(released)
    }
}

/// Presses and begins to move. Answers what the page puts into the drag, if it lets the browser do it.
async fn pick_up(
    from: Point,
    mouse: &Mouse,
    worlds: &[World],
    intercepted: &mut Events,
) -> Result<Option<DragData>> {
    join_all(worlds.iter().map(|world| world.call::<()>("watchDrag", &[]))).await;
    if mouse.position() != from {
        mouse.move_to(from).await?;
    }
    mouse.down(Button::Left, 1).await?;
    // A drag begins after a few pixels.
    mouse.move_to(Point::new(from.x + 6.0, from.y + 4.0)).await?;
    mouse.move_to(Point::new(from.x + 12.0, from.y + 7.0)).await?;
    let dragged = join_all(worlds.iter().map(|world| world.call::<bool>("hasDragged", &[]))).await;
    if !dragged.iter().any(|dragged| matches!(dragged, Ok(true))) {
        return Ok(None);
    }
    let event = timeout(DRAG_LIMIT, intercepted.next()).await.ok().flatten();
    Ok(event.and_then(|event| event.read::<DragIntercepted>()).map(|event| event.data))
}

fn drag_event(kind: &'static str, at: Point, data: DragData) -> DispatchDragEvent {
    DispatchDragEvent { kind, x: at.x, y: at.y, data, ..DispatchDragEvent::default() }
}
