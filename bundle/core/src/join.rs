//! Joins the texts of modules to one, and their maps.

use std::fmt::Write as _;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::names::Names;
use crate::print::{Chunk, Exported, Mapping, Printed, export_name, member_text, quoted};
use crate::shake::Shaken;
use crate::{Format, Linked, Options, Output};

pub(crate) fn join(chunk: &mut Chunk, linked: &Linked, options: &Options) -> Output {
    let Linked { shaken, names, .. } = linked;
    let is_small = options.whitespace;
    let length = |part: &Printed| part.text.len() + part.label.len() + 32;
    let mut code = String::with_capacity(chunk.parts.iter().map(length).sum::<usize>() + 4096);
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
    let mut is_begun = !code.is_empty();
    for part in &chunk.parts {
        if part.text.is_empty() {
            starts.push((line, column));
            continue;
        }
        if !is_small {
            line += 1 + u32::from(is_begun);
        }
        starts.push((line, column));
        line += part.lines;
        if is_small {
            column = if part.lines == 0 { column + part.last_units } else { part.last_units };
        } else {
            line += 2;
        }
        is_begun = true;
    }
    if options.sourcemap {
        encode_mappings(&mut chunk.parts, &starts);
    }
    let parts = &chunk.parts;
    let (map, ()) = rayon::join(
        || options.sourcemap.then(|| write_map(parts, options)),
        || write_parts(&mut code, parts, is_small),
    );
    if !is_small && !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    let mut exports: Vec<String> = chunk.exports.iter().map(|(name, _)| name.to_string()).collect();
    let has_imports = !imports.is_empty() || !chunk.stars.is_empty();
    write_exports(&mut code, chunk, has_imports, options);
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
    Output {
        code,
        map,
        modules: chunk.parts.iter().filter(|part| part.number != 0).map(|part| part.id.clone()).collect(),
        exports,
        imports,
    }
}

/// Writes the texts of modules, each between comments that name it.
fn write_parts(code: &mut String, parts: &[Printed], is_small: bool) {
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        if !is_small {
            if !code.is_empty() {
                code.push('\n');
            }
            let _ = writeln!(code, "//#region {}", part.label);
        }
        code.push_str(&part.text);
        if !is_small {
            code.push_str("\n\n//#endregion");
        }
    }
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
                let local = loop {
                    let local = format!("${made}_{object}");
                    made += 1;
                    let is_in = |part: &Printed| memchr::memmem::find(part.text.as_bytes(), local.as_bytes()).is_some();
                    if !chunk.parts.iter().any(is_in) {
                        break local;
                    }
                };
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

/// The position in a map before a part, as far as the part's mappings depend on it: what they count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    /// What is added to the number of the last source and of the last name for the part's first.
    source: i64,
    name: i64,
    /// The last position in a source.
    line: i64,
    column: i64,
    /// Lines from the last mapping to the part's beginning.
    lines: u32,
    /// The column of the last mapping, if it is on the part's first line, and that of the part.
    last_column: i64,
    start_column: u32,
    /// Whether there is a mapping already.
    is_begun: bool,
}

/// Encodes the mappings of parts that begin at some positions.
fn encode_mappings(parts: &mut [Printed], starts: &[(u32, u32)]) {
    let mut states = Vec::with_capacity(parts.len());
    let (mut source, mut name) = (0, 0);
    let (mut last_source, mut last_name, mut line, mut column) = (0, 0, 0, 0);
    let (mut to_line, mut to_column, mut is_begun) = (0, 0, false);
    for (part, (start, start_column)) in parts.iter().zip(starts) {
        states.push(State {
            source: source - last_source,
            name: name - last_name,
            line,
            column,
            lines: start - to_line,
            last_column: if *start == to_line { to_column } else { 0 },
            start_column: *start_column,
            is_begun,
        });
        if let Some(last) = part.mappings.last() {
            last_source = source;
            line = i64::from(last[2]);
            column = i64::from(last[3]);
            if let Some(named) = part.mappings.iter().rev().find(|mapping| mapping[4] != u32::MAX) {
                last_name = name + i64::from(named[4]);
            }
            to_line = start + last[0];
            to_column = i64::from(last[1]) + if last[0] == 0 { i64::from(*start_column) } else { 0 };
            is_begun = true;
            source += 1;
            name += part.name_count as i64;
        }
    }
    // What was encoded for an earlier build is the same behind the same position.
    parts.par_iter_mut().zip(states.par_iter()).with_min_len(16).for_each(|(part, state)| {
        if part.encoded.as_ref().is_none_or(|(known, _)| known != state) {
            let mut text = String::new();
            encode(&mut text, &part.mappings, *state);
            part.encoded = Some((*state, text));
        }
    });
}

/// The source map (https://tc39.es/ecma426/) of parts whose mappings are encoded.
fn write_map(parts: &[Printed], options: &Options) -> String {
    let mapped = || parts.iter().filter(|part| !part.mappings.is_empty());
    let texts = || parts.iter().filter_map(|part| part.encoded.as_ref().map(|(_, text)| text));
    let length: usize = mapped().map(|part| part.names.len() + part.source_name.len() + part.content.len() + 3).sum();
    let mut map = String::with_capacity(length + texts().map(String::len).sum::<usize>() + 1024);
    let join = |map: &mut String, texts: &mut dyn Iterator<Item = &String>| {
        let mut is_first = true;
        for text in texts {
            if !std::mem::take(&mut is_first) {
                map.push(',');
            }
            map.push_str(text);
        }
    };
    map.push_str("{\"version\":3,\"file\":");
    json::quote(&options.file, &mut map);
    map.push_str(",\"names\":[");
    join(&mut map, &mut mapped().filter(|part| part.name_count > 0).map(|part| &part.names));
    map.push_str("],\"sources\":[");
    join(&mut map, &mut mapped().map(|part| &part.source_name));
    map.push_str("],\"sourcesContent\":[");
    join(&mut map, &mut mapped().map(|part| &part.content));
    map.push_str("],\"mappings\":\"");
    for text in texts() {
        map.push_str(text);
    }
    map.push_str("\"}");
    map
}

fn encode(text: &mut String, mappings: &[Mapping], state: State) {
    text.reserve(mappings.len() * 8 + 8);
    let (mut line, mut column, mut is_begun) = (state.line, state.column, state.is_begun);
    let (mut source, mut first_name) = (state.source, state.name);
    let (mut last_line, mut last_column) = (0, state.last_column);
    for [to_line, to_column, from_line, from_column, name] in mappings {
        let to_column = i64::from(*to_column) + if *to_line == 0 { i64::from(state.start_column) } else { 0 };
        let to_line = state.lines + to_line;
        if to_line > last_line {
            for _ in last_line..to_line {
                text.push(';');
            }
            last_line = to_line;
            last_column = 0;
        } else if is_begun {
            text.push(',');
        }
        is_begun = true;
        let (from_line, from_column) = (i64::from(*from_line), i64::from(*from_column));
        vlq(text, to_column - last_column);
        vlq(text, std::mem::take(&mut source));
        vlq(text, from_line - line);
        vlq(text, from_column - column);
        if *name != u32::MAX {
            vlq(text, i64::from(*name) + first_name);
            first_name = -i64::from(*name);
        }
        last_column = to_column;
        line = from_line;
        column = from_column;
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
