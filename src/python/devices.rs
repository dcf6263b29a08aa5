//! Device descriptors for emulation, and paper formats.
use std::collections::BTreeMap;

use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use super::convert::Plain;
use crate::browser::{Device, Paper};

/// Returns the context options that emulate each device, by device name.
#[pyfunction]
pub(super) fn devices() -> BTreeMap<String, Plain> {
    Device::all().map(|device| (device.to_string(), Plain(options(device)))).collect()
}

fn options(device: Device) -> Value {
    let size = |(width, height): (u32, u32)| json!({"width": width, "height": height});
    let mut options = Map::new();
    if let Some(user_agent) = device.user_agent() {
        options.insert("user_agent".to_owned(), user_agent.into());
    }
    options.insert("viewport".to_owned(), size(device.viewport()));
    if let Some(screen) = device.screen() {
        options.insert("screen".to_owned(), size(screen));
    }
    options.insert("device_scale_factor".to_owned(), device.scale().into());
    options.insert("is_mobile".to_owned(), device.is_handheld().into());
    options.insert("has_touch".to_owned(), device.is_handheld().into());
    options.insert("default_browser_type".to_owned(), device.engine().into());
    Value::Object(options)
}

/// Returns the width and height in inches of a paper format such as `A4`; `None` for an unknown name.
#[pyfunction]
pub(super) fn paper_size(name: &str) -> Option<(f64, f64)> {
    Paper::named(name).map(Paper::size)
}
