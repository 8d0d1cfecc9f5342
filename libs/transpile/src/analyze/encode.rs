//! [`Info`] as bytes, for a disk cache.

use super::{FreeNames, ImportPhase, ImportRequest, Info, LiteralRequest, ModuleKind};
use crate::cjs::CjsExports;
use crate::sourcemap::{put_varint, take_varint};

/// Version of the format; the first byte.
const VERSION: u8 = 1;

impl Info {
    /// The bytes for a disk cache; [`Self::from_bytes`] reads them back.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let flags = [
            self.kind == ModuleKind::Esm,
            self.esm_syntax,
            self.import_meta,
            self.top_level_await,
            self.hashbang,
            self.use_strict,
            self.cjs_exports.is_some(),
        ];
        let flags = flags.iter().enumerate().fold(0u8, |bits, (i, flag)| bits | u8::from(*flag) << i);
        let mut out = vec![VERSION, flags, self.free.0];
        put_varint(&mut out, self.imports.len() as u32);
        for import in &self.imports {
            put_text(&mut out, &import.specifier);
            let phase = match import.phase {
                ImportPhase::Evaluation => 0,
                ImportPhase::Defer => 1,
                ImportPhase::Source => 2,
            };
            out.push(u8::from(import.namespace) | u8::from(import.star) << 1 | phase << 2);
            put_varint(&mut out, import.offset);
            put_varint(&mut out, import.attributes.len() as u32);
            for (key, value) in &import.attributes {
                put_text(&mut out, key);
                put_text(&mut out, value);
            }
            put_texts(&mut out, &import.names);
        }
        put_texts(&mut out, &self.exports);
        for requests in [&self.dynamic_imports, &self.requires] {
            put_varint(&mut out, requests.len() as u32);
            for request in requests {
                put_text(&mut out, &request.specifier);
                put_varint(&mut out, request.offset);
            }
        }
        if let Some(exports) = &self.cjs_exports {
            put_texts(&mut out, &exports.names);
            put_texts(&mut out, &exports.reexports);
        }
        out
    }

    /// Reads what [`Self::to_bytes`] wrote. `None` when the bytes are damaged or of another version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let [VERSION, flags, free, rest @ ..] = bytes else {
            return None;
        };
        let rest = &mut &*rest;
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let mut imports = Vec::new();
        for _ in 0..take_varint(rest)? {
            let specifier = take_text(rest)?;
            let (bits, tail) = rest.split_first()?;
            *rest = tail;
            let mut import = ImportRequest {
                specifier,
                namespace: bits & 1 == 1,
                star: bits & 2 == 2,
                phase: match bits >> 2 {
                    0 => ImportPhase::Evaluation,
                    1 => ImportPhase::Defer,
                    _ => ImportPhase::Source,
                },
                offset: take_varint(rest)?,
                ..ImportRequest::default()
            };
            for _ in 0..take_varint(rest)? {
                import.attributes.push((take_text(rest)?, take_text(rest)?));
            }
            import.names = take_texts(rest)?;
            imports.push(import);
        }
        let exports = take_texts(rest)?;
        let dynamic_imports = take_requests(rest)?;
        let requires = take_requests(rest)?;
        let cjs_exports = match flag(6) {
            true => Some(CjsExports { names: take_texts(rest)?, reexports: take_texts(rest)? }),
            false => None,
        };
        Some(Self {
            kind: if flag(0) { ModuleKind::Esm } else { ModuleKind::Cjs },
            esm_syntax: flag(1),
            import_meta: flag(2),
            top_level_await: flag(3),
            hashbang: flag(4),
            use_strict: flag(5),
            free: FreeNames(*free),
            imports,
            exports,
            dynamic_imports,
            requires,
            cjs_exports,
        })
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_varint(out, texts.len() as u32);
    for text in texts {
        put_text(out, text);
    }
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = take_varint(rest)? as usize;
    let text = rest.get(..length)?;
    *rest = &rest[length..];
    String::from_utf8(text.to_vec()).ok()
}

fn take_texts(rest: &mut &[u8]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for _ in 0..take_varint(rest)? {
        texts.push(take_text(rest)?);
    }
    Some(texts)
}

fn take_requests(rest: &mut &[u8]) -> Option<Vec<LiteralRequest>> {
    let mut list = Vec::new();
    for _ in 0..take_varint(rest)? {
        list.push(LiteralRequest { specifier: take_text(rest)?, offset: take_varint(rest)? });
    }
    Some(list)
}
