//! Joins the texts of modules to one, and their maps.

use std::fmt::Write as _;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::graph::RUNTIME;
use crate::names::Names;
use crate::print::{Chunk, Exported, Mapping, Printed, export_name, member_text, quoted};
use crate::shake::Shaken;
use crate::{Declined, Format, Host, Options, Output};

pub(crate) fn join(
    host: &impl Host,
    chunk: Chunk,
    shaken: &Shaken,
    names: &Names,
    options: &Options,
) -> Result<Output, Declined> {
    let is_small = options.whitespace;
    let mut code = String::with_capacity(chunk.parts.iter().map(|part| part.text.len() + 64).sum::<usize>() + 4096);
    if let Some(line) = &chunk.hashbang {
        code.push_str("#!");
        code.push_str(line);
        code.push('\n');
    }
    code.push_str(&options.banner);
    for directive in &chunk.directives {
        let quote = if directive.contains('"') { '\'' } else { '"' };
        let end = if is_small { "" } else { "\n" };
        let _ = write!(code, "{quote}{directive}{quote};{end}");
    }
    let mut imports = Vec::new();
    match options.format {
        Format::Esm => {
            for external in &shaken.external_order {
                let specifier = &chunk.externals[*external as usize];
                if !imports.contains(&specifier.to_string()) {
                    imports.push(specifier.to_string());
                }
                if chunk.stars.contains(specifier) && !shaken.externals.iter().any(|(other, _)| other == external) {
                    continue;
                }
                write_import(&mut code, *external, specifier, shaken, names, is_small);
            }
            for star in &chunk.stars {
                let _ = writeln!(code, "export * from {};", quoted(star));
            }
        }
        Format::Cjs => {
            if chunk.is_module {
                code.push_str("Object.defineProperty(exports, \"__esModule\", { value: true });\n");
            }
        }
        Format::Iife => code.push_str(if is_small { "(()=>{" } else { "(() => {\n" }),
    }
    let mut line = memchr::memchr_iter(b'\n', code.as_bytes()).count() as u32;
    let mut column = code[code.rfind('\n').map_or(0, |at| at + 1)..].encode_utf16().count() as u32;
    let mut starts = Vec::with_capacity(chunk.parts.len());
    for part in &chunk.parts {
        if part.text.is_empty() {
            starts.push((line, column));
            continue;
        }
        if !is_small {
            if line > 0 || !code.is_empty() {
                code.push('\n');
                line += 1;
            }
            let label = if part.number == RUNTIME { "bao:runtime".to_string() } else { host.label(&part.id) };
            let _ = writeln!(code, "//#region {label}");
            line += 1;
        }
        starts.push((line, column));
        code.push_str(&part.text);
        let lines = memchr::memchr_iter(b'\n', part.text.as_bytes()).count() as u32;
        line += lines;
        if is_small {
            let from = if lines == 0 { 0 } else { part.text.rfind('\n').map_or(0, |at| at + 1) };
            let units = part.text[from..].encode_utf16().count() as u32;
            column = if lines == 0 { column + units } else { units };
        } else {
            code.push_str("\n\n//#endregion");
            line += 2;
        }
    }
    if !is_small && !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    let mut exports: Vec<String> = chunk.exports.iter().map(|(name, _)| name.to_string()).collect();
    let has_imports = !imports.is_empty() || !chunk.stars.is_empty();
    write_exports(&mut code, &chunk, has_imports, options);
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    if options.format == Format::Iife {
        code.push_str("})();\n");
    }
    code.push_str(&options.footer);
    if chunk.entry_wrapper.is_some() && !chunk.is_esm && options.format == Format::Esm {
        exports.push("default".to_string());
    }
    let map = options.sourcemap.then(|| write_map(host, &chunk.parts, &starts, options));
    Ok(Output {
        code,
        map,
        modules: chunk.parts.iter().filter(|part| part.number != 0).map(|part| part.id.clone()).collect(),
        exports,
        imports,
    })
}

fn write_import(code: &mut String, external: u32, specifier: &str, shaken: &Shaken, names: &Names, is_small: bool) {
    let (mut default, mut whole, mut members) = (None, None, Vec::new());
    for (index, (other, name)) in shaken.externals.iter().enumerate() {
        if *other != external {
            continue;
        }
        let local = &names.externals[index];
        match name.as_deref() {
            None => whole = Some(local),
            Some("default") => default = Some(local),
            Some(name) => {
                let text = export_name(name);
                members.push(if text == local.as_str() { text } else { format!("{text} as {local}") });
            }
        }
    }
    let from = quoted(specifier);
    let space = if is_small { "" } else { " " };
    if let Some(whole) = whole {
        match default.take() {
            Some(default) => {
                let _ = writeln!(code, "import {default},{space}* as {whole} from {from};");
            }
            None => {
                let _ = writeln!(code, "import * as {whole} from {from};");
            }
        }
        if members.is_empty() {
            return;
        }
    }
    let list = members.join(if is_small { "," } else { ", " });
    let _ = match (default, members.is_empty()) {
        (None, true) => writeln!(code, "import{space}{from};"),
        (Some(default), true) => writeln!(code, "import {default} from {from};"),
        (None, false) => writeln!(code, "import{space}{{{space}{list}{space}}}{space}from{space}{from};"),
        (Some(default), false) => {
            writeln!(code, "import {default},{space}{{{space}{list}{space}}}{space}from{space}{from};")
        }
    };
}

fn write_exports(code: &mut String, chunk: &Chunk, has_imports: bool, options: &Options) {
    let is_small = options.whitespace;
    let wrapper = match &chunk.entry_wrapper {
        Some(wrapper) if chunk.is_esm => {
            let _ = writeln!(code, "{wrapper}();");
            &None
        }
        wrapper => wrapper,
    };
    match (options.format, wrapper) {
        (Format::Esm, Some(wrapper)) => {
            let _ = writeln!(code, "export default {wrapper}();");
            return;
        }
        (Format::Cjs, Some(wrapper)) => {
            let _ = writeln!(code, "module.exports = {wrapper}();");
            return;
        }
        (Format::Iife, Some(wrapper)) => {
            let _ = writeln!(code, "{wrapper}();");
            return;
        }
        (Format::Iife, None) => return,
        _ => {}
    }
    if options.format == Format::Cjs {
        for (name, exported) in &chunk.exports {
            let target = member_text("exports", name);
            let _ = match exported {
                Exported::Name { name: local, is_live: false } => writeln!(code, "{target} = {local};"),
                Exported::Name { name: local, is_live: true } => writeln!(
                    code,
                    "Object.defineProperty(exports, {}, {{ enumerable: true, get: () => {local} }});",
                    quoted(name)
                ),
                Exported::Member(object, member) => writeln!(
                    code,
                    "Object.defineProperty(exports, {}, {{ enumerable: true, get: () => {} }});",
                    quoted(name),
                    member_text(object, member)
                ),
            };
        }
        return;
    }
    if chunk.exports.is_empty() {
        // What nobody exports from is a module all the same.
        let is_empty = chunk.parts.iter().all(|part| part.text.is_empty());
        if !is_empty && !has_imports && chunk.is_module && options.format == Format::Esm {
            code.push_str(if is_small { "export{};\n" } else { "export {};\n" });
        }
        return;
    }
    let mut list = Vec::new();
    let mut made = 0;
    for (name, exported) in &chunk.exports {
        let local = match exported {
            Exported::Name { name, .. } => name.to_string(),
            Exported::Member(object, member) => {
                // A name of its own: `$` in front is nobody else's.
                let local = format!("${made}_{object}");
                made += 1;
                let _ = writeln!(code, "var {local} = {};", member_text(object, member));
                local
            }
        };
        let name = export_name(name);
        list.push(if name == local { name } else { format!("{local} as {name}") });
    }
    let space = if is_small { "" } else { " " };
    let list = list.join(if is_small { "," } else { ", " });
    let _ = writeln!(code, "export{space}{{{space}{list}{space}}};");
}

/// The position in a map before a part.
#[derive(Clone, Copy, Default)]
struct State {
    source: i64,
    line: i64,
    column: i64,
    name: i64,
    /// The position in the result.
    to_line: u32,
    to_column: i64,
    /// Whether there is a mapping already.
    is_begun: bool,
}

/// The source map (https://tc39.es/ecma426/).
fn write_map(host: &impl Host, parts: &[Printed], starts: &[(u32, u32)], options: &Options) -> String {
    let mut states = Vec::with_capacity(parts.len());
    let mut state = State::default();
    let (mut source, mut name) = (0, 0);
    for (part, (line, column)) in parts.iter().zip(starts) {
        states.push((state, source, name));
        if let Some(last) = part.mappings.last() {
            state.source = source;
            state.line = i64::from(last[2]);
            state.column = i64::from(last[3]);
            if let Some(named) = part.mappings.iter().rev().find(|mapping| mapping[4] != u32::MAX) {
                state.name = name + i64::from(named[4]);
            }
            state.to_line = line + last[0];
            state.to_column = i64::from(last[1]) + if last[0] == 0 { i64::from(*column) } else { 0 };
            state.is_begun = true;
            source += 1;
            name += part.names.len() as i64;
        }
    }
    let pieces: Vec<(String, String)> = parts
        .par_iter()
        .zip(starts.par_iter())
        .zip(states.par_iter())
        .map(|((part, start), (state, source, name))| {
            let mut text = String::new();
            encode(&mut text, &part.mappings, *start, *state, *source, *name);
            let content = if part.mappings.is_empty() { String::new() } else { json_text(&part.source) };
            (text, content)
        })
        .collect();
    let length: usize = pieces.iter().map(|(text, content)| text.len() + content.len() + 64).sum();
    let mut map = String::with_capacity(length + 1024);
    map.push_str("{\"version\":3,\"file\":");
    map.push_str(&json_text(&options.file));
    map.push_str(",\"names\":[");
    let mut is_first = true;
    for name in parts.iter().filter(|part| !part.mappings.is_empty()).flat_map(|part| &part.names) {
        if !std::mem::take(&mut is_first) {
            map.push(',');
        }
        map.push_str(&json_text(name));
    }
    map.push_str("],\"sources\":[");
    let mut is_first = true;
    for part in parts.iter().filter(|part| !part.mappings.is_empty()) {
        if !std::mem::take(&mut is_first) {
            map.push(',');
        }
        map.push_str(&json_text(&host.source_name(&part.id)));
    }
    map.push_str("],\"sourcesContent\":[");
    let mut is_first = true;
    for (part, (_, content)) in parts.iter().zip(&pieces) {
        if part.mappings.is_empty() {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            map.push(',');
        }
        map.push_str(content);
    }
    map.push_str("],\"mappings\":\"");
    for (text, _) in &pieces {
        map.push_str(text);
    }
    map.push_str("\"}");
    map
}

fn encode(
    text: &mut String,
    mappings: &[Mapping],
    (start, start_column): (u32, u32),
    mut state: State,
    source: i64,
    first_name: i64,
) {
    text.reserve(mappings.len() * 8 + 8);
    for [line, column, from_line, from_column, name] in mappings {
        let to_line = start + line;
        let to_column = i64::from(*column) + if *line == 0 { i64::from(start_column) } else { 0 };
        if to_line > state.to_line {
            for _ in state.to_line..to_line {
                text.push(';');
            }
            state.to_line = to_line;
            state.to_column = 0;
        } else if state.is_begun {
            text.push(',');
        }
        state.is_begun = true;
        let (from_line, from_column) = (i64::from(*from_line), i64::from(*from_column));
        vlq(text, to_column - state.to_column);
        vlq(text, source - state.source);
        vlq(text, from_line - state.line);
        vlq(text, from_column - state.column);
        if *name != u32::MAX {
            let name = first_name + i64::from(*name);
            vlq(text, name - state.name);
            state.name = name;
        }
        state.to_column = to_column;
        state.source = source;
        state.line = from_line;
        state.column = from_column;
    }
}

fn vlq(text: &mut String, value: i64) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rest = if value < 0 { (value.unsigned_abs() << 1) | 1 } else { value.unsigned_abs() << 1 };
    loop {
        let digit = (rest & 31) as usize;
        rest >>= 5;
        text.push(DIGITS[if rest > 0 { digit | 32 } else { digit }] as char);
        if rest == 0 {
            break;
        }
    }
}

/// A text as JSON.
fn json_text(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut json = String::with_capacity(bytes.len() + bytes.len() / 16 + 2);
    json.push('"');
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escaped = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..=0x1f => {
                json.push_str(&text[from..at]);
                let _ = write!(json, "\\u{byte:04x}");
                from = at + 1;
                continue;
            }
            _ => continue,
        };
        json.push_str(&text[from..at]);
        json.push_str(escaped);
        from = at + 1;
    }
    json.push_str(&text[from..]);
    json.push('"');
    json
}
