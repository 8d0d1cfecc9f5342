//! Joins the texts of modules to one, and their maps.

use std::fmt::Write as _;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::names::Names;
use crate::print::{Chunk, Exported, Mapping, Printed, export_name, member_text, quoted};
use crate::shake::Shaken;
use crate::{Format, Linked, Options, Output};

/// Makes a result of the parts of a chunk. Gives where these stand in it, too.
pub(crate) fn join(chunk: &mut Chunk, linked: &Linked, options: &Options) -> (Output, Places) {
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
                let is_used = shaken.externals.iter().any(|(other, _)| other == external);
                let is_passed_on = chunk.stars.contains(specifier);
                if !is_used && !is_passed_on && !chunk.have_effects[*external as usize] {
                    continue;
                }
                if !imports.contains(&specifier.to_string()) {
                    imports.push(specifier.to_string());
                }
                if is_passed_on && !is_used {
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
    let head = code.len();
    if options.sourcemap {
        let line = memchr::memchr_iter(b'\n', code.as_bytes()).count() as u32;
        let column = code[code.rfind('\n').map_or(0, |at| at + 1)..].encode_utf16().count();
        encode_mappings(&mut chunk.parts, State::at(line, column as i64, head > 0, is_small), is_small);
    }
    let parts = &chunk.parts;
    let (map, ()) = rayon::join(
        || options.sourcemap.then(|| write_map(parts, options)),
        || write_parts(&mut code, parts, is_small),
    );
    let (map, map_head) = map.unzip();
    let map_end = map.as_ref().map_or(0, String::len);
    let places = Places { head, end: code.len(), map_head: map_head.unwrap_or(0), map_end };
    let mut exports: Vec<String> = chunk.exports.iter().map(|(name, _)| name.to_string()).collect();
    if chunk.entry_wrapper.is_some() && !chunk.is_esm && options.format == Format::Esm {
        exports.push("default".to_string());
    }
    let has_imports = !imports.is_empty() || !chunk.stars.is_empty();
    let mut output = Output { code, map, modules: Vec::new(), exports, imports };
    finish(&mut output, chunk, has_imports, options);
    (output, places)
}

/// Writes what is behind the modules and the mappings.
fn finish(output: &mut Output, chunk: &Chunk, has_imports: bool, options: &Options) {
    let code = &mut output.code;
    if !options.whitespace && !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    write_exports(code, chunk, has_imports, options);
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    if options.format == Format::Iife {
        code.push_str("})();\n");
    }
    code.push_str(&options.footer);
    if let Some(map) = &mut output.map {
        map.push_str("\"}");
    }
}

/// Where the modules begin and end in the texts of a result, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    head: usize,
    end: usize,
    /// Where the names begin in the map, and where the mappings end.
    map_head: usize,
    map_end: usize,
}

/// What a result has beside its texts, and where its modules stand in these.
#[derive(Debug)]
pub(crate) struct Joined {
    pub places: Places,
    pub exports: Vec<String>,
    pub imports: Vec<String>,
    /// The texts, once they have been given back.
    pub texts: Option<(String, Option<String>)>,
}

/// Comments around the text of a module.
const REGION: &str = "//#region ";
const END_OF_REGION: &str = "\n\n//#endregion";
/// What stands between the lists of a map.
const SOURCES: &str = "],\"sources\":[";
const CONTENTS: &str = "],\"sourcesContent\":[";
const MAPPINGS: &str = "],\"mappings\":\"";

/// Makes the result again after some parts have become others: these are by number in the chunk. The texts are those of the last
/// result, of which only what is of these parts changes. `None` if all has to be joined anew, with the parts that have changed.
pub(crate) fn patch(
    joined: &mut Joined,
    chunk: &mut Chunk,
    changed: Vec<(usize, Printed)>,
    options: &Options,
) -> Option<Output> {
    let places = &mut joined.places;
    let has_form = |(index, new): &(usize, Printed)| {
        let old = &chunk.parts[*index];
        old.text.is_empty() == new.text.is_empty()
            && old.mappings.is_empty() == new.mappings.is_empty()
            && (old.name_count == 0) == (new.name_count == 0)
            && (&old.label, &old.source_name) == (&new.label, &new.source_name)
            && old.encoded.is_some() == options.sourcemap
    };
    let texts = joined.texts.take().filter(|(code, map)| {
        code.len() >= places.end
            && map.is_some() == options.sourcemap
            && map.as_ref().is_none_or(|map| map.len() >= places.map_end)
            && changed.iter().all(has_form)
    });
    let Some((mut code, mut map)) = texts else {
        for (index, new) in changed {
            chunk.parts[index] = new;
        }
        return None;
    };
    code.truncate(places.end);
    if let Some(map) = &mut map {
        map.truncate(places.map_end);
    }
    for (index, mut new) in changed {
        let start = place_in_code(&chunk.parts, index, places.head, options.whitespace);
        replace(&mut code, start, chunk.parts[index].text.len(), &new.text);
        if let Some(map) = &mut map {
            patch_map(map, places.map_head, &mut chunk.parts, index, &mut new, options.whitespace);
        }
        chunk.parts[index] = new;
    }
    places.end = code.len();
    places.map_end = map.as_ref().map_or(0, String::len);
    let (exports, imports) = (joined.exports.clone(), joined.imports.clone());
    let mut output = Output { code, map, modules: Vec::new(), exports, imports };
    let has_imports = !output.imports.is_empty() || !chunk.stars.is_empty();
    finish(&mut output, chunk, has_imports, options);
    Some(output)
}

/// Where the text of a part begins in the code.
fn place_in_code(parts: &[Printed], index: usize, head: usize, is_small: bool) -> usize {
    let mut at = head;
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.text.is_empty()) {
        if number > index {
            break;
        }
        if !is_small {
            at += usize::from(at > 0) + REGION.len() + part.label.len() + 1;
        }
        if number == index {
            break;
        }
        at += part.text.len() + if is_small { 0 } else { END_OF_REGION.len() };
    }
    at
}

/// Puts what a map has of a part that has changed into the map, with the mappings behind it as far as they depend on it.
fn patch_map(map: &mut String, head: usize, parts: &mut [Printed], index: usize, new: &mut Printed, is_small: bool) {
    let (name_at, names) = place_in_list(parts, index, |part| (part.name_count > 0).then_some(&part.names));
    let (_, sources) = place_in_list(parts, index, |part| Some(&part.source_name));
    let (content_at, contents) = place_in_list(parts, index, |part| Some(&part.content));
    let contents_at = head + names + SOURCES.len() + sources + CONTENTS.len();
    let mappings_at = contents_at + contents + MAPPINGS.len();
    let length = |part: &Printed| part.encoded.as_ref().map_or(0, |(_, text)| text.len());
    let at = mappings_at + parts[..index].iter().map(length).sum::<usize>();
    let state = parts[index].encoded.as_ref().map_or_else(State::default, |(state, _)| *state);
    let (mut old, mut text) = (length(&parts[index]), String::new());
    encode(&mut text, &new.mappings, state);
    new.encoded = Some((state, text.clone()));
    let mut state = state.after(new, is_small);
    for part in &mut parts[index + 1..] {
        if part.encoded.as_ref().is_some_and(|(known, _)| *known == state) {
            break;
        }
        old += length(part);
        let mut own = String::new();
        encode(&mut own, &part.mappings, state);
        text.push_str(&own);
        part.encoded = Some((state, own));
        state = state.after(part, is_small);
    }
    // From the end on: what is before stays where it is.
    replace(map, at, old, &text);
    let part = &parts[index];
    if !part.mappings.is_empty() {
        replace(map, contents_at + content_at, part.content.len(), &new.content);
        if part.name_count > 0 {
            replace(map, head + name_at, part.names.len(), &new.names);
        }
    }
}

/// Where a part's text begins in a list of a map, and how long the list is. Parts without mappings are not in it.
fn place_in_list(parts: &[Printed], index: usize, text: impl Fn(&Printed) -> Option<&String>) -> (usize, usize) {
    let (mut at, mut length) = (0, 0);
    let mut is_first = true;
    for (number, part) in parts.iter().enumerate() {
        let Some(text) = text(part).filter(|_| !part.mappings.is_empty()) else { continue };
        length += usize::from(!std::mem::take(&mut is_first));
        if number == index {
            at = length;
        }
        length += text.len();
    }
    (at, length)
}

/// Replaces some bytes. What is added leaves room for the next time, but not as much again.
fn replace(text: &mut String, at: usize, length: usize, new: &str) {
    let more = new.len().saturating_sub(length);
    if text.capacity() - text.len() < more {
        text.reserve_exact(more + ROOM);
    }
    text.replace_range(at..at + length, new);
}

/// Bytes that a text has room for beside what is in it, so that edits do not copy it.
const ROOM: usize = 64 << 10;

/// Writes the texts of modules, each between comments that name it.
fn write_parts(code: &mut String, parts: &[Printed], is_small: bool) {
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        if !is_small {
            if !code.is_empty() {
                code.push('\n');
            }
            let _ = writeln!(code, "{REGION}{}", part.label);
        }
        code.push_str(&part.text);
        if !is_small {
            code.push_str(END_OF_REGION);
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
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    /// What is added to the number of the last source and of the last name for the part's first.
    source: i64,
    name: i64,
    /// The last position in a source.
    line: i64,
    column: i64,
    /// Lines from the last mapping, or from the beginning, to the part.
    lines: u32,
    /// Columns from there, or from the beginning of the line, to the part.
    gap: i64,
    /// Whether there is a mapping already.
    is_begun: bool,
}

/// Lines from the end of a part's text to the next part, if white space stays.
const LINES_BETWEEN: u32 = 4;

impl State {
    /// Before the first part, which begins behind `line` lines and `column` columns, and if white space stays on a line of its own
    /// behind its comment.
    fn at(line: u32, column: i64, is_behind: bool, is_small: bool) -> State {
        let (lines, gap) = if is_small { (line, column) } else { (line + 1 + u32::from(is_behind), 0) };
        State { lines, gap, ..State::default() }
    }

    /// Behind a part that begins at this position.
    fn after(self, part: &Printed, is_small: bool) -> State {
        if part.text.is_empty() {
            return self;
        }
        let between = if is_small { 0 } else { LINES_BETWEEN };
        let units = i64::from(part.last_units);
        let Some([line, column, from_line, from_column, _]) = part.mappings.last().copied() else {
            let gap = if part.lines == 0 { self.gap + units } else { units };
            return State { lines: self.lines + part.lines + between, gap: if is_small { gap } else { 0 }, ..self };
        };
        let gap = if part.lines > line { units } else { units - i64::from(column) };
        let count = part.name_count as i64;
        let named = part.mappings.iter().rev().find(|mapping| mapping[4] != u32::MAX);
        State {
            source: 1,
            name: named.map_or(self.name + count, |mapping| count - i64::from(mapping[4])),
            line: i64::from(from_line),
            column: i64::from(from_column),
            lines: part.lines - line + between,
            gap: if is_small { gap } else { 0 },
            is_begun: true,
        }
    }
}

/// Encodes the mappings of parts, the first of which begins at a position.
fn encode_mappings(parts: &mut [Printed], first: State, is_small: bool) {
    let mut state = first;
    let mut states = Vec::with_capacity(parts.len());
    for part in &*parts {
        states.push(state);
        state = state.after(part, is_small);
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

/// The source map (https://tc39.es/ecma426/) of parts whose mappings are encoded, up to the end of these, and where its names begin.
fn write_map(parts: &[Printed], options: &Options) -> (String, usize) {
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
    let head = map.len();
    join(&mut map, &mut mapped().filter(|part| part.name_count > 0).map(|part| &part.names));
    map.push_str(SOURCES);
    join(&mut map, &mut mapped().map(|part| &part.source_name));
    map.push_str(CONTENTS);
    join(&mut map, &mut mapped().map(|part| &part.content));
    map.push_str(MAPPINGS);
    for text in texts() {
        map.push_str(text);
    }
    (map, head)
}

fn encode(text: &mut String, mappings: &[Mapping], state: State) {
    text.reserve(mappings.len() * 8 + 8);
    let (mut line, mut column, mut is_begun) = (state.line, state.column, state.is_begun);
    let (mut source, mut first_name) = (state.source, state.name);
    let (mut last_line, mut last_column) = (0, 0);
    for [to_line, to_column, from_line, from_column, name] in mappings {
        let to_column = i64::from(*to_column) + if *to_line == 0 { state.gap } else { 0 };
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
