//! `JSON.stringify` of plain data.
//!
//! The engine's own function looks every property up by name, and does so twice where there is an indent. Plain objects and
//! arrays are written here from their slots instead (layout.rs); whatever could run JavaScript or is no plain data (a
//! `toJSON`, a getter, a replacer, a date, a cycle) makes the whole call the engine's, from the start: until then nothing
//! has happened that a program could see.

use mozjs::jsapi::{JS, JSContext as RawContext, JSObject, Value};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::layout::{Entry, Layout, Raw, linear};
use crate::native::__native;
use crate::shared::{HEADER_BYTES, SharedString};
use crate::string::Chars;
use crate::value::PropertyAttributes;

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
struct Output {
    narrow: Vec<u8>,
    wide: Vec<u16>,
    is_wide: bool,
}

impl Output {
    fn ascii(&mut self, text: &[u8]) {
        if self.is_wide {
            self.wide.extend(text.iter().map(|&byte| u16::from(byte)));
        } else {
            self.narrow.extend_from_slice(text);
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
            self.narrow.extend_from_slice(bytes);
            self.narrow.push(b'"');
            return;
        }
        self.ascii(b"\"");
        match chars {
            Chars::Latin1(bytes) => self.latin1(bytes),
            Chars::Utf16(units) => {
                self.widen();
                self.utf16(units);
            }
        }
        self.ascii(b"\"");
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
        let mut text = [0; 32];
        // SAFETY: the engine writes at most 32 bytes, the last of them zero.
        unsafe { JS::NumberToString(number, &mut text) };
        let text = text.map(|byte| byte as u8);
        let length = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        self.ascii(&text[..length]);
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

/// Whether any byte needs an escape. Most strings are short, so that every byte counts.
fn has_special(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut marks = 0;
    for word in words {
        marks |= special_marks(u64::from_le_bytes(*word));
    }
    if rest.is_empty() {
        return marks != 0;
    }
    let last = if let Some(last) = bytes.last_chunk::<8>() {
        u64::from_le_bytes(*last)
    } else {
        let mut word = [b'a'; 8];
        word[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(word)
    };
    marks | special_marks(last) != 0
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

/// Shapes that are kept, and fields of them.
const MAX_SHAPES: usize = 8;
const MAX_FIELDS: usize = 4096;

struct Walk<'s> {
    layout: Layout,
    out: Output,
    /// One step of the indent; empty for none.
    gap: Vec<u8>,
    /// A line break and as many steps as were needed so far.
    lines: Vec<u8>,
    depth: usize,
    entries: Vec<Entry>,
    /// Shapes of objects written before, and of those written twice their part of `fields`; forgotten when something collects.
    shapes: Vec<(usize, Option<std::ops::Range<usize>>)>,
    /// Slots of properties, with the part of `names` that holds the name in quotes and the colon.
    fields: Vec<(u32, std::ops::Range<usize>)>,
    names: Vec<u8>,
    /// Prototypes of a plain object and of an array that are known to have no `toJSON`; forgotten when something collects.
    plain_proto: *mut JSObject,
    array_proto: *mut JSObject,
    _scope: std::marker::PhantomData<Local<'s>>,
}

/// # Safety
/// The result must not be used after anything that may collect.
unsafe fn raw(object: Local<'_>) -> Raw {
    unsafe { Raw::new(object.value().to_object()) }
}

impl<'s> Walk<'s> {
    fn new_line(&mut self) {
        if self.gap.is_empty() {
            return;
        }
        let length = 1 + self.depth * self.gap.len();
        while self.lines.len() < length {
            self.lines.extend_from_slice(&self.gap);
        }
        self.out.ascii(&self.lines[..length]);
    }

    /// Whether no `toJSON` can come from the prototypes from `first` on.
    fn has_plain_chain(&mut self, first: *mut JSObject, array: bool) -> bool {
        let known = if array { &mut self.array_proto } else { &mut self.plain_proto };
        if first == *known {
            return true;
        }
        let mut proto = first;
        while !proto.is_null() {
            // SAFETY: live, as the object is; nothing collects here.
            let object = unsafe { Raw::new(proto) };
            if !object.is_native()
                || object.class() != self.layout.plain && object.class() != self.layout.array
                || object.has_key(self.layout.to_json)
            {
                return false;
            }
            proto = object.proto();
        }
        *known = first;
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
        if !array && here.class() != self.layout.plain || !self.has_plain_chain(here.proto(), array) {
            return Ok(false);
        }
        self.depth += 1;
        let base = self.entries.len();
        let done = if array { self.elements(scope, object)? } else { self.properties(scope, object, base)? };
        self.entries.truncate(base);
        Ok(done)
    }

    fn elements(&mut self, scope: &mut Scope<'s>, array: Local<'s>) -> JsResult<bool> {
        // SAFETY: used before anything that may collect.
        let here = unsafe { raw(array) };
        let length = here.length();
        if here.initialized() != length || !here.has_only_length() {
            return Ok(false);
        }
        self.out.ascii(b"[");
        for index in 0..length {
            if index > 0 {
                self.out.ascii(b",");
            }
            self.new_line();
            // SAFETY: the address is read anew each time; the elements stay, as no JavaScript runs.
            let value = unsafe { raw(array).element(index) };
            if value.is_undefined() {
                self.out.ascii(b"null");
            } else if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        if length > 0 {
            self.new_line();
        }
        self.out.ascii(b"]");
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
        let place = self.shapes.iter().position(|known| known.0 == shape);
        if let Some(place) = place
            && let Some(fields) = self.shapes[place].1.clone()
        {
            return self.known_properties(scope, object, fields);
        }
        if !here.entries(&mut self.entries) {
            return Ok(false);
        }
        match place {
            Some(place) => self.learn(place, base),
            None if self.shapes.len() < MAX_SHAPES => self.shapes.push((shape, None)),
            None => {}
        }
        self.out.ascii(b"{");
        let mut any = false;
        for index in base..self.entries.len() {
            let entry = self.entries[index];
            if entry.key == self.layout.to_json {
                return Ok(false);
            }
            // SAFETY: the address is read anew each time; no property goes away, as no JavaScript runs.
            let value = unsafe { raw(object).slot(entry.slot) };
            if entry.is_symbol() || value.is_undefined() {
                continue;
            }
            if any {
                self.out.ascii(b",");
            }
            any = true;
            self.new_line();
            // SAFETY: names are atoms, which do not move, and the object keeps them alive.
            match unsafe { linear(entry.name()) } {
                Some(name) => self.out.quoted(&name),
                None => return Ok(false),
            }
            self.out.ascii(if self.gap.is_empty() { b":" } else { b": " });
            if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        if any {
            self.new_line();
        }
        self.out.ascii(b"}");
        Ok(true)
    }

    /// Keeps the properties of a shape, which are the entries from `base` on: lists of records are written from that.
    fn learn(&mut self, place: usize, base: usize) {
        if !self.gap.is_empty() || self.fields.len() > MAX_FIELDS {
            return;
        }
        let first = self.fields.len();
        for entry in &self.entries[base..] {
            if entry.is_symbol() {
                continue;
            }
            let mut text = Output { narrow: std::mem::take(&mut self.names), wide: Vec::new(), is_wide: false };
            let from = text.narrow.len();
            // SAFETY: names are atoms, which do not move, and the object keeps them alive.
            let known = match unsafe { linear(entry.name()) } {
                Some(name @ Chars::Latin1(_)) if entry.key != self.layout.to_json => {
                    text.quoted(&name);
                    text.ascii(b":");
                    true
                }
                _ => false,
            };
            self.names = text.narrow;
            if !known {
                self.fields.truncate(first);
                return;
            }
            self.fields.push((entry.slot, from..self.names.len()));
        }
        self.shapes[place].1 = Some(first..self.fields.len());
    }

    /// Writes an object of a shape that has been learned.
    fn known_properties(
        &mut self,
        scope: &mut Scope<'s>,
        object: Local<'s>,
        fields: std::ops::Range<usize>,
    ) -> JsResult<bool> {
        self.out.ascii(b"{");
        let mut any = false;
        for index in fields {
            let (slot, name) = self.fields[index].clone();
            // SAFETY: the address is read anew each time; no property goes away, as no JavaScript runs.
            let value = unsafe { raw(object).slot(slot) };
            if value.is_undefined() {
                continue;
            }
            if any {
                self.out.ascii(b",");
            }
            any = true;
            self.out.ascii(&self.names[name]);
            if !self.value(scope, value)? {
                return Ok(false);
            }
        }
        self.depth -= 1;
        self.out.ascii(b"}");
        Ok(true)
    }

    fn value(&mut self, scope: &mut Scope<'s>, value: Value) -> JsResult<bool> {
        if value.is_string() {
            // SAFETY: a live string; nothing collects while its characters are used.
            if let Some(chars) = unsafe { linear(value.to_string()) } {
                self.out.quoted(&chars);
                return Ok(true);
            }
            let height = scope.ctx().handles.height();
            let rope = scope.local(value);
            let chars = scope.chars(rope)?;
            self.out.quoted(&chars);
            self.plain_proto = std::ptr::null_mut();
            self.array_proto = std::ptr::null_mut();
            self.shapes.clear();
            scope.ctx().handles.cut(height);
            return Ok(true);
        }
        if value.is_number() {
            self.out.number(value);
        } else if value.is_boolean() {
            self.out.ascii(if value.to_boolean() { b"true" } else { b"false" });
        } else if value.is_null() {
            self.out.ascii(b"null");
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
        let (mut narrow, mut wide) = self.ctx().json_memory.take();
        narrow.clear();
        narrow.extend_from_slice(&HEAD);
        wide.clear();
        wide.extend_from_slice(&WIDE_HEAD);
        let mut walk = Walk {
            layout,
            out: Output { narrow, wide, is_wide: false },
            lines: vec![b'\n'],
            gap,
            depth: 0,
            entries: Vec::new(),
            shapes: Vec::new(),
            fields: Vec::new(),
            names: Vec::new(),
            plain_proto: std::ptr::null_mut(),
            array_proto: std::ptr::null_mut(),
            _scope: std::marker::PhantomData,
        };
        let done = walk.object(self, value);
        let Output { mut narrow, mut wide, is_wide } = walk.out;
        let result = match done {
            Err(exc) => Err(exc),
            Ok(false) => Ok(None),
            Ok(true) if is_wide => self.utf16_result(&mut wide).map(Some),
            Ok(true) => self.latin1_result(&mut narrow).map(Some),
        };
        if narrow.capacity() > KEPT {
            narrow = Vec::new();
        }
        if wide.capacity() > KEPT {
            wide = Vec::new();
        }
        self.ctx().json_memory.set((narrow, wide));
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
    // SAFETY: called by the engine as a native function: vp[0] is the callee, vp[1] is `this`.
    unsafe {
        __native::call(cx, argc, vp, |scope, args| {
            let (value, replacer, space) = (args.get(scope, 0), args.get(scope, 1), args.get(scope, 2));
            if value.is_object()
                && replacer.is_nullish()
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
