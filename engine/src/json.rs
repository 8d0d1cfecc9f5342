//! `JSON.stringify` of plain data.
//!
//! The engine's own function looks every property up by name, and does so twice where there is an indent. Plain objects and
//! arrays are written here from their slots instead (object_layout.rs); whatever could run JavaScript or is no plain data (a
//! `toJSON`, a getter, a replacer, a date, a cycle) makes the whole call the engine's, from the start: until then nothing
//! has happened that a program could see.
//!
//! The engine's overlay has a faster writer for data of one-byte texts without an indent (overlay/src/bao/WriteJson.h). It has
//! the first try if the last text was long; it begins with 15 ns that small data does not win back.

#[cfg(engine_overlay)]
use mozjs::jsapi::JS_GetStringLength;
use mozjs::jsapi::{JS, JSContext as RawContext, JSObject, Value};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::native::__native;
use crate::object_layout::{Entry, Layout, Raw, linear};
use crate::shared::{HEADER_BYTES, SharedString};
use crate::string::Chars;
use crate::value::PropertyAttributes;

#[cfg(engine_overlay)]
mod overlay {
    use std::cell::Cell;
    use std::ffi::c_int;

    use mozjs::jsapi::{JSContext, Value};

    unsafe extern "C" {
        /// Takes what a native function of JavaScript takes, and leaves its result in the same place.
        pub(super) fn BaoWriteJson(cx: *mut JSContext, argc: u32, vp: *mut Value, format: Format) -> c_int;
    }

    type Format = unsafe extern "C" fn(f64, *mut u8) -> usize;

    /// Writes a finite number that is not 0; gives the number of characters.
    ///
    /// # Safety
    /// There is room for 32 characters.
    pub(super) unsafe extern "C" fn format(number: f64, to: *mut u8) -> usize {
        let mut buffer = dragonbox_ecma::Buffer::new();
        let text = buffer.format_finite(number);
        // SAFETY: numbers have at most 25 characters.
        unsafe { to.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        text.len()
    }

    /// What [`BaoWriteJson`] gives where the result is there, and where there is an exception.
    pub(super) const WRITTEN: c_int = 0;
    pub(super) const FAILED: c_int = 2;

    /// A text of so many characters is long.
    pub(super) const LONG: usize = 256;

    thread_local! {
        /// Whether the last text of this thread was long: programs write the same data again and again.
        pub(super) static LAST_WAS_LONG: Cell<bool> = const { Cell::new(false) };
    }
}

/// Deeper data is left to the engine, which knows how much stack there is.
const MAX_DEPTH: usize = 200;
/// So many characters of memory for results are kept from one call to the next.
const KEPT: usize = 1 << 16;
/// Up to so many characters a result is copied by the engine.
const SHORT: usize = 512;

/// No string is this long.
const MAX_LENGTH: usize = (1 << 30) - 1;
/// Room for the header of a string buffer before the text, in bytes and in units.
const HEAD: [u8; HEADER_BYTES] = [0; HEADER_BYTES];
const WIDE_HEAD: [u16; HEADER_BYTES / 2] = [0; HEADER_BYTES / 2];

/// Text that is Latin-1 until it cannot be any more. Both vectors begin with room for the header of a string buffer.
#[derive(Default)]
struct Output {
    narrow: Vec<u8>,
    wide: Vec<u16>,
    is_wide: bool,
}

impl Output {
    /// Begins a text anew.
    fn clear(&mut self) {
        self.narrow.clear();
        self.narrow.extend_from_slice(&HEAD);
        self.wide.clear();
        self.wide.extend_from_slice(&WIDE_HEAD);
        self.is_wide = false;
    }

    fn ascii(&mut self, text: &[u8]) {
        if self.is_wide {
            self.wide.extend(text.iter().map(|&byte| u16::from(byte)));
        } else {
            append(&mut self.narrow, text);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.is_wide {
            self.wide.push(u16::from(byte));
        } else {
            self.narrow.push(byte);
        }
    }

    fn widen(&mut self) {
        if !self.is_wide {
            self.wide.reserve(self.narrow.len() * 2);
            self.wide.extend(self.narrow[HEADER_BYTES..].iter().map(|&byte| u16::from(byte)));
            self.is_wide = true;
        }
    }

    /// A string as JSON writes it: in quotes, with escapes.
    fn quoted(&mut self, chars: &Chars<'_>) {
        if let Chars::Latin1(bytes) = chars
            && !self.is_wide
            && !has_special(bytes)
        {
            self.narrow.reserve(bytes.len() + 2);
            self.narrow.push(b'"');
            append(&mut self.narrow, bytes);
            self.narrow.push(b'"');
            return;
        }
        self.byte(b'"');
        match chars {
            Chars::Latin1(bytes) => self.latin1(bytes),
            Chars::Utf16(units) => {
                self.widen();
                self.utf16(units);
            }
        }
        self.byte(b'"');
    }

    fn latin1(&mut self, mut bytes: &[u8]) {
        loop {
            let plain = plain_prefix(bytes);
            if self.is_wide {
                self.wide.extend(bytes[..plain].iter().map(|&byte| u16::from(byte)));
            } else {
                self.narrow.extend_from_slice(&bytes[..plain]);
            }
            let Some(&byte) = bytes.get(plain) else { return };
            self.escape(u16::from(byte));
            bytes = &bytes[plain + 1..];
        }
    }

    fn utf16(&mut self, units: &[u16]) {
        let mut at = 0;
        while at < units.len() {
            let plain = units[at..].iter().take_while(|&&unit| !unit_is_special(unit)).count();
            self.wide.extend_from_slice(&units[at..at + plain]);
            at += plain;
            let Some(&unit) = units.get(at) else { return };
            if unit & 0xfc00 == 0xd800
                && let Some(&low) = units.get(at + 1)
                && low & 0xfc00 == 0xdc00
            {
                self.wide.extend_from_slice(&[unit, low]);
                at += 2;
                continue;
            }
            self.escape(unit);
            at += 1;
        }
    }

    #[cold]
    fn escape(&mut self, unit: u16) {
        let short = match unit {
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            0x22 => b'"',
            0x5c => b'\\',
            _ => {
                let digit = |shift: u16| b"0123456789abcdef"[usize::from(unit >> shift & 15)];
                self.ascii(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
                return;
            }
        };
        self.ascii(&[b'\\', short]);
    }

    fn integer(&mut self, number: i64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut left = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if number < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        self.ascii(&digits[at..]);
    }

    fn number(&mut self, value: Value) {
        if value.is_int32() {
            return self.integer(value.to_int32().into());
        }
        let number = value.to_number();
        if !number.is_finite() {
            return self.ascii(b"null");
        }
        if number == 0.0 {
            return self.byte(b'0');
        }
        self.ascii(dragonbox_ecma::Buffer::new().format_finite(number).as_bytes());
    }
}

fn unit_is_special(unit: u16) -> bool {
    unit < 0x20 || unit == 0x22 || unit == 0x5c || unit & 0xf800 == 0xd800
}

/// Whether any of eight bytes needs an escape: a mark in the highest bit of (at least) the first one that does.
fn special_marks(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    control | zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\')))
}

/// Fewer than eight bytes as one number, some of them twice; what is left over is a letter.
fn short_word(bytes: &[u8]) -> u64 {
    const LETTERS: u64 = 0x6161_6161_6161_6161;
    match *bytes {
        [] => LETTERS,
        [a] => LETTERS << 8 | u64::from(a),
        [a, b] => LETTERS << 16 | u64::from(b) << 8 | u64::from(a),
        [a, b, c] => LETTERS << 24 | u64::from(c) << 16 | u64::from(b) << 8 | u64::from(a),
        // Four to seven bytes: the halves overlap.
        _ => {
            let (first, last) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>());
            let half = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
            half(first) | half(last) << 32
        }
    }
}

/// Whether any byte needs an escape. Most strings are short, so that every byte counts.
fn has_special(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<8>() else { return special_marks(short_word(bytes)) != 0 };
    let mut marks = special_marks(u64::from_le_bytes(*last));
    for word in bytes.as_chunks::<8>().0 {
        marks |= special_marks(u64::from_le_bytes(*word));
    }
    marks != 0
}

/// Appends bytes of which there are mostly few: a call of memcpy costs more than they do.
#[inline]
fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = bytes.len();
    if length > 16 {
        out.extend_from_slice(bytes);
        return;
    }
    out.reserve(16);
    // SAFETY: there is room for 16 bytes behind the text; reads and writes stay within `length`, halves may overlap.
    unsafe {
        let (from, to) = (bytes.as_ptr(), out.as_mut_ptr().add(out.len()));
        if length >= 8 {
            let (first, last) =
                (from.cast::<u64>().read_unaligned(), from.add(length - 8).cast::<u64>().read_unaligned());
            to.cast::<u64>().write_unaligned(first);
            to.add(length - 8).cast::<u64>().write_unaligned(last);
        } else if length >= 4 {
            let (first, last) =
                (from.cast::<u32>().read_unaligned(), from.add(length - 4).cast::<u32>().read_unaligned());
            to.cast::<u32>().write_unaligned(first);
            to.add(length - 4).cast::<u32>().write_unaligned(last);
        } else if length > 0 {
            to.write(*from);
            to.add(length / 2).write(*from.add(length / 2));
            to.add(length - 1).write(*from.add(length - 1));
        }
        out.set_len(out.len() + length);
    }
}

/// Number of bytes at the beginning that need no escape.
fn plain_prefix(bytes: &[u8]) -> usize {
    let special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let (blocks, _) = bytes.as_chunks::<16>();
    // Without an early end inside, so that a block is a few vector instructions.
    let whole =
        blocks.iter().take_while(|block| !block.iter().fold(false, |any, &byte| any | special(byte))).count() * 16;
    whole + bytes[whole..].iter().take_while(|&&byte| !special(byte)).count()
}

/// Places for shapes (a power of two), and most fields of them.
const SHAPES: usize = 64;
const MAX_FIELDS: usize = 4096;
/// Prototypes that are kept; there are two in most programs.
const MAX_PROTOS: usize = 8;

/// A shape of objects that were written.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Its address; 0 for none.
    shape: usize,
    /// Its part of `fields`, once it has been met twice.
    fields: Option<(u32, u32)>,
}

/// A property of a known shape.
#[derive(Clone, Copy)]
struct Field {
    slot: u32,
    /// The part of `names` that holds the name in quotes and the colon.
    name: (u32, u32),
}

/// What is kept from one call to the next. Shapes and names do not move, but addresses of those that a full collection frees are used
/// again. A prototype may be young and move: whatever then has its address and its shape has no `toJSON` either.
pub(crate) struct Memory {
    out: Output,
    /// A line break and as many steps of the indent as were needed so far.
    lines: Vec<u8>,
    entries: Vec<Entry>,
    shapes: [Known; SHAPES],
    fields: Vec<Field>,
    names: Vec<u8>,
    /// Prototypes that have no `toJSON`, with the shapes that they had when that was looked at.
    protos: Vec<(*mut JSObject, usize)>,
    /// `ContextState::collections` when all that was learned.
    collection: u32,
}

impl Memory {
    fn new() -> Memory {
        Memory {
            out: Output::default(),
            lines: Vec::new(),
            entries: Vec::new(),
            shapes: [Known::default(); SHAPES],
            fields: Vec::new(),
            names: Vec::new(),
            protos: Vec::new(),
            collection: 0,
        }
    }

    /// Something may have collected: addresses mean nothing any more. Fields stay, as a walk may be going through them.
    fn forget(&mut self) {
        self.shapes = [Known::default(); SHAPES];
        self.protos.clear();
    }
}

struct Walk<'s> {
    layout: Layout,
    memory: Box<Memory>,
    /// One step of the indent; empty for none.
    gap: Vec<u8>,
    depth: usize,
    _scope: std::marker::PhantomData<Local<'s>>,
}

/// The place for a shape in a table.
fn place_of(shape: usize) -> usize {
    // Cells are some words apart.
    (shape >> 4 ^ shape >> 10) % SHAPES
}

/// # Safety
/// The result must not be used after anything that may collect.
unsafe fn raw(object: Local<'_>) -> Raw {
    // SAFETY: the caller uses it before anything can collect.
    unsafe { Raw::new(object.value().to_object()) }
}

impl<'s> Walk<'s> {
    fn new_line(&mut self) {
        if self.gap.is_empty() {
            return;
        }
        let length = 1 + self.depth * self.gap.len();
        let Memory { out, lines, .. } = &mut *self.memory;
        while lines.len() < length {
            lines.extend_from_slice(&self.gap);
        }
        out.ascii(&lines[..length]);
    }

    /// Whether no `toJSON` can come from the prototypes from `proto` on.
    fn has_plain_chain(&mut self, mut proto: *mut JSObject) -> bool {
        while !proto.is_null() {
            // SAFETY: live, as the object is; nothing collects here.
            let object = unsafe { Raw::new(proto) };
            // A property that is added makes another shape.
            let known = (proto, object.shape_address());
            if !self.memory.protos.contains(&known) {
                if !object.is_native()
                    || object.class() != self.layout.plain && object.class() != self.layout.array
                    || object.has_key(self.layout.to_json)
                {
                    return false;
                }
                if self.memory.protos.len() == MAX_PROTOS {
                    self.memory.protos.clear();
                }
                self.memory.protos.push(known);
            }
            proto = object.proto();
        }
        true
    }

    /// Writes an object; false where it is no plain data.
    fn object(&mut self, scope: &mut Scope<'s>, object: Local<'s>) -> JsResult<bool> {
        // SAFETY: used before anything that may collect.
        let here = unsafe { raw(object) };
        if !here.is_native() || here.is_indexed() || self.depth == MAX_DEPTH {
            return Ok(false);
        }
        let array = here.class() == self.layout.array;
        if !array && here.class() != self.layout.plain || !self.has_plain_chain(here.proto()) {
            return Ok(false);
        }
        self.depth += 1;
        let base = self.memory.entries.len();
        let done = if array { self.elements(scope, object)? } else { self.properties(scope, object, base)? };
        self.memory.entries.truncate(base);
        Ok(done)
    }

    fn elements(&mut self, scope: &mut Scope<'s>, array: Local<'s>) -> JsResult<bool> {
        // SAFETY: used before anything that may collect.
        let here = unsafe { raw(array) };
        let length = here.length();
        if here.initialized() != length || !here.has_only_length() {
            return Ok(false);
        }
        self.memory.out.byte(b'[');
        for index in 0..length {
            if index > 0 {
                self.memory.out.byte(b',');
            }
            self.new_line();
            // SAFETY: the address is read anew each time; the elements stay, as no JavaScript runs.
            let value = unsafe { raw(array).element(index) };
            if value.is_undefined() {
                self.memory.out.ascii(b"null");
            } else if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        if length > 0 {
            self.new_line();
        }
        self.memory.out.byte(b']');
        Ok(true)
    }

    fn properties(&mut self, scope: &mut Scope<'s>, object: Local<'s>, base: usize) -> JsResult<bool> {
        // SAFETY: used before anything that may collect.
        let here = unsafe { raw(object) };
        // Integer keys come first and are rare.
        if here.initialized() > 0 {
            return Ok(false);
        }
        let shape = here.shape_address();
        let place = place_of(shape);
        let known = self.memory.shapes[place];
        if known.shape == shape
            && self.gap.is_empty()
            && let Some(fields) = known.fields
        {
            return self.known_properties(scope, object, fields);
        }
        if !here.entries(&mut self.memory.entries) {
            return Ok(false);
        }
        if known.shape == shape {
            self.learn(place, base);
        } else {
            self.memory.shapes[place] = Known { shape, fields: None };
        }
        self.memory.out.byte(b'{');
        let mut any = false;
        for index in base..self.memory.entries.len() {
            let entry = self.memory.entries[index];
            if entry.key == self.layout.to_json {
                return Ok(false);
            }
            // SAFETY: the address is read anew each time; no property goes away, as no JavaScript runs.
            let value = unsafe { raw(object).slot(entry.slot) };
            if entry.is_symbol() || value.is_undefined() {
                continue;
            }
            if any {
                self.memory.out.byte(b',');
            }
            any = true;
            self.new_line();
            // SAFETY: names are atoms, which do not move, and the object keeps them alive.
            match unsafe { linear(entry.name()) } {
                Some(name) => self.memory.out.quoted(&name),
                None => return Ok(false),
            }
            self.memory.out.ascii(if self.gap.is_empty() { b":" } else { b": " });
            if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        if any {
            self.new_line();
        }
        self.memory.out.byte(b'}');
        Ok(true)
    }

    /// Keeps the properties of a shape, which are the entries from `base` on: records are written from that.
    fn learn(&mut self, place: usize, base: usize) {
        let Memory { entries, fields, names, shapes, .. } = &mut *self.memory;
        if !self.gap.is_empty() || fields.len() > MAX_FIELDS {
            return;
        }
        let first = fields.len();
        let mut text = Output { narrow: std::mem::take(names), ..Output::default() };
        let known = entries[base..].iter().filter(|entry| !entry.is_symbol()).all(|entry| {
            let from = text.narrow.len();
            // SAFETY: names are atoms, which do not move, and the object keeps them alive.
            match unsafe { linear(entry.name()) } {
                Some(name @ Chars::Latin1(_)) if entry.key != self.layout.to_json => text.quoted(&name),
                _ => return false,
            }
            text.byte(b':');
            fields.push(Field { slot: entry.slot, name: (from as u32, text.narrow.len() as u32) });
            true
        });
        *names = text.narrow;
        if known {
            shapes[place].fields = Some((first as u32, fields.len() as u32));
        } else {
            fields.truncate(first);
        }
    }

    /// Writes an object of a shape that has been learned.
    fn known_properties(
        &mut self,
        scope: &mut Scope<'s>,
        object: Local<'s>,
        (first, end): (u32, u32),
    ) -> JsResult<bool> {
        self.memory.out.byte(b'{');
        let mut any = false;
        for index in first..end {
            let Field { slot, name } = self.memory.fields[index as usize];
            // SAFETY: the address is read anew each time; no property goes away, as no JavaScript runs.
            let value = unsafe { raw(object).slot(slot) };
            if value.is_undefined() {
                continue;
            }
            if any {
                self.memory.out.byte(b',');
            }
            any = true;
            let Memory { out, names, .. } = &mut *self.memory;
            out.ascii(&names[name.0 as usize..name.1 as usize]);
            if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        self.memory.out.byte(b'}');
        Ok(true)
    }

    fn value(&mut self, scope: &mut Scope<'s>, value: Value) -> JsResult<bool> {
        if value.is_string() {
            // SAFETY: a live string; nothing collects while its characters are used.
            if let Some(chars) = unsafe { linear(value.to_string()) } {
                self.memory.out.quoted(&chars);
                return Ok(true);
            }
            let height = scope.ctx().handles.height();
            let rope = scope.local(value);
            let chars = scope.chars(rope)?;
            self.memory.out.quoted(&chars);
            self.memory.forget();
            scope.ctx().handles.cut(height);
            return Ok(true);
        }
        if value.is_number() {
            self.memory.out.number(value);
        } else if value.is_boolean() {
            self.memory.out.ascii(if value.to_boolean() { b"true" } else { b"false" });
        } else if value.is_null() {
            self.memory.out.ascii(b"null");
        } else if value.is_object() {
            let height = scope.ctx().handles.height();
            let object = scope.local(value);
            let done = self.object(scope, object)?;
            scope.ctx().handles.cut(height);
            return Ok(done);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

impl<'s> Scope<'s> {
    /// The indent that the third argument of `JSON.stringify` asks for; `None` for what is left to the engine.
    fn json_gap(&mut self, space: Local<'_>) -> JsResult<Option<Vec<u8>>> {
        if space.is_nullish() {
            return Ok(Some(Vec::new()));
        }
        if let Some(count) = space.as_number() {
            return Ok((0.0..=10.0).contains(&count).then(|| vec![b' '; count as usize]));
        }
        if !space.is_string() {
            return Ok(None);
        }
        Ok(match self.chars(space)? {
            Chars::Latin1(bytes) if bytes.len() <= 10 && bytes.is_ascii() => Some(bytes.to_vec()),
            _ => None,
        })
    }

    /// `JSON.stringify(value, null, space)`; `None` where it is not plain data.
    fn stringify_plain(&mut self, value: Local<'s>, space: Local<'s>) -> JsResult<Option<Local<'s>>> {
        let Some(layout) = self.layout()? else { return Ok(None) };
        let Some(gap) = self.json_gap(space)? else { return Ok(None) };
        let mut memory = self.ctx().json_memory.take().unwrap_or_else(|| Box::new(Memory::new()));
        memory.out.clear();
        memory.lines.clear();
        memory.lines.push(b'\n');
        memory.entries.clear();
        let now = self.ctx().collections.get();
        // While old cells are being swept, a new shape may have the address of one that is gone.
        // SAFETY: a plain read.
        let sweeping = unsafe { JS::IsIncrementalGCInProgress(self.cx) };
        if now != memory.collection || sweeping || memory.fields.len() > MAX_FIELDS {
            memory.forget();
            memory.fields.clear();
            memory.names.clear();
            memory.collection = now;
        }
        let mut walk = Walk { layout, memory, gap, depth: 0, _scope: std::marker::PhantomData };
        let done = walk.value(self, value.value());
        let mut memory = walk.memory;
        let Output { narrow, wide, is_wide } = &mut memory.out;
        #[cfg(engine_overlay)]
        overlay::LAST_WAS_LONG.set(matches!(done, Ok(true)) && narrow.len() >= HEADER_BYTES + overlay::LONG);
        let result = match done {
            Err(exc) => Err(exc),
            Ok(false) => Ok(None),
            Ok(true) if *is_wide => self.utf16_result(wide).map(Some),
            Ok(true) => self.latin1_result(narrow).map(Some),
        };
        if narrow.capacity() > KEPT {
            *narrow = Vec::new();
        }
        if wide.capacity() > KEPT {
            *wide = Vec::new();
        }
        self.ctx().json_memory.set(Some(memory));
        result
    }

    /// The string of what was written: a short one is copied, any other gets a buffer, which threads can share: of its own size, or for
    /// a long text the memory that it was written to.
    fn latin1_result(&mut self, text: &mut Vec<u8>) -> JsResult<Local<'s>> {
        if text.len() - HEADER_BYTES <= SHORT {
            return self.latin1_string(&text[HEADER_BYTES..]);
        }
        let shared = match text.len() - HEADER_BYTES {
            ..=KEPT => SharedString::from_latin1(&text[HEADER_BYTES..]),
            // The engine's own error.
            MAX_LENGTH.. => return self.latin1_string_owned(text.split_off(HEADER_BYTES)),
            _ => SharedString::adopt_latin1(std::mem::take(text)),
        };
        self.shared_string(&shared)
    }

    /// As [`Scope::latin1_result`].
    fn utf16_result(&mut self, text: &mut Vec<u16>) -> JsResult<Local<'s>> {
        let units = &text[WIDE_HEAD.len()..];
        if units.len() <= SHORT {
            return self.utf16_string(units);
        }
        let shared = match units.len() {
            ..=KEPT => SharedString::from_utf16(units),
            MAX_LENGTH.. => return self.utf16_string_owned(text.split_off(WIDE_HEAD.len())),
            _ => SharedString::adopt_utf16(std::mem::take(text)),
        };
        self.shared_string(&shared)
    }

    /// Replaces the engine's `JSON.stringify` in the realm of `json`, the object of that name.
    pub(crate) fn install_stringify(&mut self, json: Local<'s>) -> JsResult<()> {
        let original = self.get(json, "stringify")?;
        // SAFETY: the result is rooted at once; the slot holds the engine's function.
        let function = unsafe {
            let function = mozjs::jsapi::NewFunctionWithReserved(self.cx, Some(stringify), 3, 0, c"stringify".as_ptr());
            if function.is_null() {
                return Err(Exc::pending());
            }
            let object = self.checked_object(mozjs::jsapi::JS_GetFunctionObject(function))?;
            mozjs::jsapi::SetFunctionNativeReserved(object.value().to_object(), 0, original.handle().ptr);
            object
        };
        self.define(json, "stringify", function, PropertyAttributes::HIDDEN)
    }
}

/// `JSON.stringify(value, replacer, space)`
unsafe extern "C" fn stringify(cx: *mut RawContext, argc: u32, vp: *mut Value) -> bool {
    #[cfg(engine_overlay)]
    if overlay::LAST_WAS_LONG.get() {
        // SAFETY: called by the engine as a native function, as this one is.
        match unsafe { overlay::BaoWriteJson(cx, argc, vp, overlay::format) } {
            overlay::WRITTEN => {
                // SAFETY: the result is in the place of the callee; its length is a plain read.
                let is_long = unsafe { (*vp).is_string() && JS_GetStringLength((*vp).to_string()) >= overlay::LONG };
                overlay::LAST_WAS_LONG.set(is_long);
                return true;
            }
            overlay::FAILED => return false,
            _ => {}
        }
    }
    // SAFETY: called by the engine as a native function: vp[0] is the callee, vp[1] is `this`.
    unsafe {
        __native::call(cx, argc, vp, |scope, args| {
            let (value, replacer, space) = (args.get(scope, 0), args.get(scope, 1), args.get(scope, 2));
            if replacer.is_nullish()
                && let Some(text) = scope.stringify_plain(value, space)?
            {
                return Ok(text);
            }
            let original = *mozjs::jsapi::GetFunctionNativeReserved((*vp).to_object(), 0);
            let (original, this) = (scope.local(original), scope.local(*vp.add(1)));
            let mut all = Vec::new();
            for index in 0..args.len() {
                all.push(args.get(scope, index));
            }
            scope.call(original, this, &all)
        })
    }
}
