//! Screenshots, window sizes, and printing to PDF.
use serde_json::{Value, json};

use super::answers::{Answer, Command, unknown};
use super::errors::Refusal;
use super::missing_features;
use super::runtime::ask_page;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    match method {
        "Page.getLayoutMetrics" => metrics(command).await,
        "Page.captureScreenshot" => capture(command).await,
        "Page.printToPDF" => print(command).await,
        _ => unknown(method),
    }
}

const MEASURE: &str = "() => { const root = document.documentElement, view = window.visualViewport, page = document.scrollingElement || root; \
    return { width: root ? root.clientWidth : innerWidth, height: root ? (document.compatMode === 'BackCompat' && document.body || root).clientHeight : innerHeight, \
    x: scrollX, y: scrollY, scale: view ? view.scale : 1, offsetX: view ? view.offsetLeft : 0, offsetY: view ? view.offsetTop : 0, \
    contentWidth: Math.max(page ? page.scrollWidth : 0, innerWidth), contentHeight: Math.max(page ? page.scrollHeight : 0, innerHeight) }; }";

/// Script that returns the scroll position and the viewport size, in CSS pixels.
const SEEN: &str = "() => [scrollX, scrollY, innerWidth, innerHeight]";

async fn metrics(command: Command<'_>) -> Answer {
    let measured = ask_page(command.driver, command.tab, MEASURE, Vec::new()).await?;
    let number = |name: &str| measured[name].as_f64().unwrap_or_default();
    Ok(json!({
        "cssLayoutViewport": {
            "pageX": number("x"), "pageY": number("y"),
            "clientWidth": measured["width"].as_u64(), "clientHeight": measured["height"].as_u64(),
        },
        "cssVisualViewport": {
            "offsetX": number("offsetX"), "offsetY": number("offsetY"), "pageX": number("x"), "pageY": number("y"),
            "clientWidth": number("width"), "clientHeight": number("height"), "scale": number("scale"),
        },
        "cssContentSize": {"x": 0, "y": 0, "width": number("contentWidth"), "height": number("contentHeight")},
    }))
}

/// Returns BiDi's image format for the `format` and `quality` of a command.
pub(super) fn kind_of(params: &Value) -> Value {
    let mut kind = json!({"type": format!("image/{}", params["format"].as_str().unwrap_or("png"))});
    if let Some(quality) = params["quality"].as_f64() {
        kind["quality"] = (quality / 100.0).into();
    }
    kind
}

async fn capture(command: Command<'_>) -> Answer {
    let params = command.params;
    let kind = kind_of(params);
    let mut ask = json!({"context": command.tab, "origin": "viewport", "format": kind});
    let clip = &params["clip"];
    let scale = clip["scale"].as_f64().unwrap_or(1.0);
    if clip.is_object() {
        let side = |name: &str| clip[name].as_f64().unwrap_or_default();
        let (mut x, mut y, width, height) = (side("x"), side("y"), side("width"), side("height"));
        // For `document`, Firefox clips to the root element, which in quirks mode may not fill the viewport.
        let seen = ask_page(command.driver, command.tab, SEEN, Vec::new()).await?;
        let [left, top, across, down] = [0, 1, 2, 3].map(|at| seen[at].as_f64().unwrap_or_default());
        let is_seen = x >= left && y >= top && x + width <= left + across && y + height <= top + down;
        if is_seen {
            (x, y) = (x - left, y - top);
        } else {
            ask["origin"] = "document".into();
        }
        ask["clip"] = json!({"type": "box", "x": x, "y": y, "width": width, "height": height});
    }
    let answer = command.driver.ask("browsingContext.captureScreenshot", ask).await?;
    if (scale - 1.0).abs() < 0.001 {
        return Ok(answer);
    }
    let data = resized(command, answer["data"].as_str().unwrap_or_default(), &kind, scale).await?;
    Ok(json!({"data": data}))
}

/// Scales a screenshot (Base64) down in the page, since Firefox captures only at full size.
async fn resized(command: Command<'_>, data: &str, kind: &Value, scale: f64) -> Answer {
    const RESIZE: &str = "async (data, type, quality, scale) => { \
        const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0)); \
        const picture = await createImageBitmap(new Blob([bytes], { type })); \
        const [width, height] = [picture.width, picture.height].map(side => Math.max(1, Math.round(side * scale))); \
        const canvas = new OffscreenCanvas(width, height), pen = canvas.getContext('2d'); \
        pen.imageSmoothingQuality = 'high'; pen.drawImage(picture, 0, 0, width, height); \
        const blob = await canvas.convertToBlob({ type, quality }), reader = new FileReader(); \
        return new Promise((done, failed) => { reader.onload = () => done(reader.result.split(',')[1]); \
            reader.onerror = () => failed(reader.error); reader.readAsDataURL(blob); }); }";
    let arguments = vec![
        json!({"type": "string", "value": data}),
        json!({"type": "string", "value": kind["type"]}),
        json!({"type": "number", "value": kind["quality"].as_f64().unwrap_or(0.92)}),
        json!({"type": "number", "value": scale}),
    ];
    ask_page(command.driver, command.tab, RESIZE, arguments).await
}

async fn print(command: Command<'_>) -> Answer {
    const CENTIMETRES: f64 = 2.54;
    let params = command.params;
    if params["displayHeaderFooter"] == true {
        return Err(Refusal::Missing(missing_features::PDF_HEADER));
    }
    for (name, lack) in [
        ("generateTaggedPDF", missing_features::PDF_TAGS),
        ("generateDocumentOutline", missing_features::PDF_OUTLINE),
    ] {
        if params[name] == true {
            return Err(Refusal::Missing(lack));
        }
    }
    let inches = |name: &str, usual: f64| params[name].as_f64().unwrap_or(usual) * CENTIMETRES;
    let mut ask = json!({
        "context": command.tab,
        "background": params["printBackground"] == true,
        "orientation": if params["landscape"] == true { "landscape" } else { "portrait" },
        "scale": params["scale"].as_f64().unwrap_or(1.0),
        "page": {"width": inches("paperWidth", 8.5), "height": inches("paperHeight", 11.0)},
        "margin": {
            "top": inches("marginTop", 0.4), "bottom": inches("marginBottom", 0.4),
            "left": inches("marginLeft", 0.4), "right": inches("marginRight", 0.4),
        },
        "shrinkToFit": false,
    });
    if let Some(ranges) = params["pageRanges"].as_str().filter(|ranges| !ranges.trim().is_empty()) {
        let ranges: Vec<_> = ranges.split(',').map(|range| range.trim().replace(' ', "")).collect();
        ask["pageRanges"] = ranges.into();
    }
    command.driver.state().printing += 1;
    let printed = command.driver.ask("browsingContext.print", ask).await;
    command.driver.state().printing -= 1;
    printed
}
