//! Encodes request bodies, and decompresses response bodies.
use std::io::{self, Read};

use super::{ApiBody, MultipartField, failed, too_large};
use crate::error::Result;

/// Returns the encoded body and its content type.
pub(super) fn write(body: &ApiBody, has_type: bool) -> (Vec<u8>, String) {
    match body {
        ApiBody::Bytes(bytes) => (bytes.clone(), "application/octet-stream".to_owned()),
        ApiBody::Json(text) => (text.clone().into_bytes(), "application/json".to_owned()),
        ApiBody::Form(pairs) => {
            let mut written = url::form_urlencoded::Serializer::new(String::new());
            written.extend_pairs(pairs);
            (written.finish().into_bytes(), "application/x-www-form-urlencoded".to_owned())
        }
        ApiBody::Multipart(parts) => {
            debug_assert!(!has_type, "the boundary is only known here");
            multipart(parts)
        }
    }
}

fn multipart(parts: &[MultipartField]) -> (Vec<u8>, String) {
    let boundary = format!("----FormBoundary{}", uuid::Uuid::new_v4().simple());
    let quoted = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let mut written = Vec::new();
    for part in parts {
        written.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
        let name = quoted(&part.name);
        let head = match &part.file {
            None => format!("content-disposition: form-data; name=\"{name}\"\r\n\r\n"),
            Some((file, kind)) => format!(
                "content-disposition: form-data; name=\"{name}\"; filename=\"{}\"\r\ncontent-type: {kind}\r\n\r\n",
                quoted(file)
            ),
        };
        written.extend_from_slice(head.as_bytes());
        written.extend_from_slice(&part.content);
        written.extend_from_slice(b"\r\n");
    }
    written.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (written, format!("multipart/form-data; boundary={boundary}"))
}

/// Decompresses a body by its `Content-Encoding`. Returns an error if the result is larger than `most` bytes.
pub(super) fn unpacked(packed: Vec<u8>, encodings: &str, most: usize) -> Result<Vec<u8>> {
    let mut body = packed;
    // The header lists encodings in the order in which they were applied.
    for encoding in encodings.split(',').rev().map(|name| name.trim().to_ascii_lowercase()) {
        if body.is_empty() {
            return Ok(body);
        }
        let broken =
            |error: std::io::Error| failed(&format!("failed to decompress '{encoding}' encoding: {error}"));
        let plain = match encoding.as_str() {
            "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(&*body), most),
            // Some servers send raw DEFLATE data without the zlib header.
            "deflate" => read(flate2::read::ZlibDecoder::new(&*body), most)
                .or_else(|_| read(flate2::read::DeflateDecoder::new(&*body), most)),
            "br" => read(brotli_decompressor::Decompressor::new(&*body, 4096), most),
            _ => continue,
        };
        body = plain.map_err(broken)?;
        if body.len() > most {
            return Err(too_large(most));
        }
    }
    Ok(body)
}

/// Reads at most one byte more than the limit, so that the caller can detect when the limit is exceeded.
fn read(reader: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    reader.take(most as u64 + 1).read_to_end(&mut plain)?;
    Ok(plain)
}
