//! Modules behind `data:` URLs.

use std::sync::Arc;

use engine::{JsResult, Local, ModuleKind as AttributeKind, OpError, Scope};
use resolve::{FileClass, ModuleFormat};
use transpile::ModuleKind;

use super::wrappers::add_wrapper;
use super::{add_esm, existing};
use crate::module_map::Body;
use crate::prepare;
use crate::source::Source;
use crate::state::RuntimeState;

pub(super) fn load_data_url<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    url: &str,
    body: &str,
    attribute: Option<AttributeKind>,
) -> JsResult<Local<'s>> {
    let Some((head, data)) = body.split_once(',') else {
        return Err(scope.throw_op_error(&OpError::type_error(format!("Invalid URL: {url}")).code("ERR_INVALID_URL")));
    };
    let mut parts = head.split(';').map(str::trim);
    let named = parts.next().unwrap_or("");
    let mime = named.to_ascii_lowercase();
    // An import that asks for text or JSON never runs what is there, whatever its type is, as with files (Bun).
    let wanted = match attribute {
        Some(AttributeKind::Text) => "text",
        Some(AttributeKind::Json) => "application/json",
        _ => mime.as_str(),
    };
    // What is taken for something else than its type says is another module.
    let is_text = attribute == Some(AttributeKind::Text);
    let key = if is_text || wanted != mime { format!("{wanted}:{url}") } else { url.to_string() };
    if let Some(module) = existing(scope, state, &key) {
        return Ok(module);
    }
    let bytes = percent_decode(data);
    let bytes = if head.to_ascii_lowercase().split(';').any(|part| part.trim() == "base64") {
        match base64_decode(&bytes) {
            Some(bytes) => bytes,
            None => {
                return Err(scope.throw_op_error(
                    &OpError::type_error(format!("Invalid base64 in data URL: {url}")).code("ERR_INVALID_URL"),
                ));
            }
        }
    } else {
        bytes
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let path: Arc<str> = url.into();
    match wanted {
        "text/javascript" | "application/javascript" | "application/x-javascript" => {
            let prepared = Source::plain(text, ModuleKind::Esm);
            add_esm(scope, state, Some(key), path.clone(), path, prepared)
        }
        "text/typescript" | "application/typescript" => {
            let prepared = prepare::prepare_as(scope, state, url, FileClass::Ts, ModuleFormat::Module, text)?;
            add_esm(scope, state, Some(key), path.clone(), path, prepared)
        }
        "application/json" => {
            let text = scope.string(&text)?;
            let value = scope.parse_json(text)?;
            let kept = scope.global(value);
            add_wrapper(scope, state, key, path.clone(), path, Body::Data(kept), &[])
        }
        _ if is_text => {
            let value = scope.string(&text)?;
            let kept = scope.global(value);
            add_wrapper(scope, state, key, path.clone(), path, Body::Data(kept), &[])
        }
        _ => {
            let named = if named.contains('/') { named } else { "null" };
            Err(scope.throw_op_error(
                &OpError::range_error(format!("Unknown module format: {named} for URL {url}"))
                    .code("ERR_UNKNOWN_MODULE_FORMAT"),
            ))
        }
    }
}

pub(super) fn base64_decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() * 3 / 4);
    let (mut acc, mut bits) = (0u32, 0);
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b if b.is_ascii_whitespace() => continue,
            _ => return None,
        };
        acc = acc << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((acc >> bits) as u8);
        }
    }
    Some(out)
}

pub(super) fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' && at + 2 < bytes.len() {
            let hex = std::str::from_utf8(&bytes[at + 1..at + 3]).ok();
            if let Some(byte) = hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
                out.push(byte);
                at += 3;
                continue;
            }
        }
        out.push(bytes[at]);
        at += 1;
    }
    out
}
