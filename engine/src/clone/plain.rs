//! Plain data on its way to another thread (or to a copy): primitives, strings, plain objects and arrays of such, and the dates and
//! bytes of [`leaves`].
//!
//! The engine's serialiser looks at every property by name and writes every name with it. Here objects are read from their slots
//! (object_layout.rs), and the names of a shape are written once a message; the receiver makes objects of a shape that it has seen
//! before by the engine's own allocation, and fills their slots. Whatever is no plain data (an accessor, a hole, an object of a class that is the
//! host's) makes the whole value the engine's, from the start: until then nothing has happened that a program could see.
//!
//! A message is a list of words. A number, a boolean, null and undefined are the engine's own 64 bits. Everything else has a tag
//! in the bits that the engine leaves unused; what belongs to it follows, depth first. Objects and arrays are numbered in
//! the order in which they come, for those that are met again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::rc::Rc;

use mozjs::jsapi::{
    JS, JS_AtomizeStringN, JS_AtomizeUCStringN, JS_DefineElement, JS_DefinePropertyById2, JS_GetGCParameter,
    JS_NewStringCopyN, JS_NewUCStringCopyN, JSContext as RawContext, JSGCParamKey, JSObject, JSPROP_ENUMERATE,
    JSString, PropertyKey, Value,
};
use mozjs::jsval::{ObjectValue, StringValue};
use mozjs::rooted;
use mozjs_sys::jsgc::{RootKind, Rooted};

use crate::error::{Exc, JsResult};
use crate::handles::{Global, Local, Scope};
use crate::object_layout::{Entry, Layout, Raw, RawShape, linear};
use crate::shared::SharedString;
use crate::string::Chars;

mod leaves;

use leaves::LeafClasses;

const TAG: u64 = 0xffff << 48;
const KIND_SHIFT: u32 = 44;
const PAYLOAD: u64 = (1 << KIND_SHIFT) - 1;
/// Characters follow; the payload is their number.
const LATIN1: u64 = 0;
const TWO_BYTE: u64 = 1;
/// A string that is shared: its number.
const SHARED: u64 = 2;
/// An object: the number of its shape, whose names follow where it is new.
const OBJECT: u64 = 3;
/// An array: its length.
const ARRAY: u64 = 4;
/// An object or array that has come before: its number. Greater kinds are those of `leaves`.
const AGAIN: u64 = 5;

/// Strings of more bytes are shared, and buffers have them beside the message.
const INLINE_BYTES: usize = 1024;
/// Objects with more properties are the engine's.
const MAX_PROPERTIES: usize = 128;
/// So many shapes are remembered on either side.
const MAX_KNOWN: usize = 1024;
/// So many words of memory are kept for the next message.
const MAX_KEPT: usize = 1 << 16;

fn tagged(kind: u64, payload: usize) -> u64 {
    TAG | kind << KIND_SHIFT | payload as u64
}

/// A serialised value of plain data; any thread can read it, any number of times.
pub(super) struct Plain {
    words: Box<[u64]>,
    texts: Vec<SharedString>,
    blobs: Vec<Vec<u8>>,
}

impl Plain {
    /// The bytes beside the message, for its only reader.
    pub(super) fn take_blobs(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.blobs)
    }
}

/// Multiplies: for addresses and for words that are hashes already.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

type WordMap<V> = HashMap<u64, V, BuildHasherDefault<WordHasher>>;

/// A shape that was written.
struct Written {
    /// Number of words, number of names, then each name.
    names: Rc<[u64]>,
    slots: Rc<[u32]>,
    /// The message that it was written in last, and its number there.
    message: u64,
    number: usize,
}

/// A shape that was read: an object of it, from which others are made.
struct Template {
    names: Box<[u64]>,
    object: Global,
    /// See `alloc_kind`; `None` where objects are made property by property.
    kind: Option<u8>,
}

/// What is kept from one message to the next.
#[derive(Default)]
pub(crate) struct Known {
    words: Vec<u64>,
    entries: Vec<Entry>,
    message: u64,
    written: Vec<Written>,
    /// Places in `written` by the address of the shape; good until a collection.
    by_shape: WordMap<u32>,
    collection: u32,
    templates: Vec<Template>,
    by_names: WordMap<u32>,
    /// `Object.prototype` of the realm that the templates are of.
    realm: Option<Global>,
    /// See [`Scope::set_clone_symbols`].
    symbols: Vec<(Global, u64)>,
    /// See [`Scope::expect_clone_marks`].
    marks: bool,
    /// Looked for at the first object that is no plain one; then `None` inside if bytes are the engine's.
    leaves: Option<Option<LeafClasses>>,
}

fn collections(cx: *mut RawContext) -> u32 {
    // SAFETY: a plain read of the context's counters, young and full collections together.
    unsafe { JS_GetGCParameter(cx, JSGCParamKey::JSGC_NUMBER) }
}

/// An object whose parts are being written or read.
struct Frame<'s> {
    object: Local<'s>,
    next: u32,
    count: u32,
    /// The place of its shape; none for an array.
    shape: Option<u32>,
}

// ---------------------------------------------------------------------------------------------------------------------

struct Writer<'s> {
    layout: Layout,
    object_proto: *mut JSObject,
    /// A prototype of which objects are plain data.
    known_proto: *mut JSObject,
    known: Known,
    shapes: usize,
    texts: Vec<SharedString>,
    blobs: Vec<Vec<u8>>,
    /// All objects in the order of their numbers.
    objects: Vec<Local<'s>>,
    /// Their addresses, and once they are many where they are found.
    addresses: Vec<usize>,
    index: WordMap<u32>,
    frames: Vec<Frame<'s>>,
    cx: *mut RawContext,
    /// Nothing is written any more: only whether something of the host's is in the value is looked at.
    engine: bool,
}

/// What has to clone a value.
pub(super) enum Outcome {
    /// Nothing: it is written.
    Plain(Plain),
    /// The engine's serialiser; nothing of the host's is in it.
    Engine,
    /// The engine's serialiser, but something of the host's may be in it.
    Host,
}

/// So many addresses are looked through one after the other.
const FEW: usize = 8;

impl<'s> Writer<'s> {
    /// The number of an object that has come before.
    fn find(&self, address: usize) -> Option<usize> {
        if self.addresses.len() <= FEW {
            return self.addresses.iter().position(|known| *known == address);
        }
        self.index.get(&(address as u64)).map(|number| *number as usize)
    }

    fn note(&mut self, address: usize) {
        self.addresses.push(address);
        match self.addresses.len().cmp(&(FEW + 1)) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                self.index.extend(self.addresses.iter().enumerate().map(|(number, at)| (*at as u64, number as u32)));
            }
            std::cmp::Ordering::Greater => {
                self.index.insert(address as u64, self.addresses.len() as u32 - 1);
            }
        }
    }

    /// After anything that may collect: objects may have moved, shapes may be others.
    fn look_again(&mut self) {
        let now = collections(self.cx);
        if now == self.known.collection {
            return;
        }
        self.known.collection = now;
        self.known.by_shape.clear();
        self.known_proto = ptr::null_mut();
        // SAFETY: a plain read.
        self.object_proto = unsafe { JS::GetRealmObjectPrototype(self.cx) };
        self.addresses.clear();
        self.index.clear();
        for number in 0..self.objects.len() {
            let address = self.objects[number].value().to_object() as usize;
            self.note(address);
        }
    }

    /// Whether an object with this prototype can be copied as a plain one: not so where a class of the host's says how.
    fn is_plain_proto(&mut self, first: *mut JSObject) -> bool {
        if first == self.object_proto || first.is_null() || first == self.known_proto {
            return true;
        }
        let mut proto = first;
        while !proto.is_null() && proto != self.object_proto {
            // SAFETY: live, as the object is; nothing collects here.
            let object = unsafe { Raw::new(proto) };
            if !object.is_native()
                || object.class() != self.layout.plain
                || object.has_interesting_symbol()
                || self.known.symbols.iter().any(|(_, key)| object.has_key(*key))
            {
                return false;
            }
            proto = object.proto();
        }
        self.known_proto = first;
        true
    }

    /// The place of the object's shape in `known.written`; `None` where it cannot be written.
    fn shape_of(&mut self, object: Raw) -> Option<u32> {
        let address = object.shape_address() as u64;
        if let Some(place) = self.known.by_shape.get(&address) {
            return Some(*place);
        }
        let mut entries = std::mem::take(&mut self.known.entries);
        entries.clear();
        let good = object.entries(&mut entries);
        entries.retain(|entry| !entry.is_symbol());
        let mut names = None;
        if good && entries.len() <= MAX_PROPERTIES {
            names = names_of(&entries);
        }
        let slots: Rc<[u32]> = entries.iter().map(|entry| entry.slot).collect();
        self.known.entries = entries;
        let place = self.known.written.len() as u32;
        self.known.written.push(Written { names: names?, slots, message: 0, number: 0 });
        // The shape of a dictionary is the object's own and may change with it.
        if !object.is_dictionary() {
            self.known.by_shape.insert(address, place);
        }
        Some(place)
    }

    /// Writes a string, flattened where it is a rope.
    fn string(&mut self, scope: &mut Scope<'s>, string: *mut JSString) -> JsResult<()> {
        // SAFETY: a live string; its characters are copied before anything can collect.
        if let Some(chars) = unsafe { linear(string) }
            && push_short(&mut self.known.words, &chars)
        {
            return Ok(());
        }
        let height = scope.ctx().handles.height();
        // SAFETY: live, and rooted by this.
        let value = scope.local(StringValue(unsafe { &*string }));
        if !push_short(&mut self.known.words, &scope.chars(value)?) {
            let shared = scope.share_string(value)?;
            self.known.words.push(tagged(SHARED, self.texts.len()));
            self.texts.push(shared);
        }
        scope.ctx().handles.cut(height);
        self.look_again();
        Ok(())
    }

    /// An object that is no plain data: false where it, or something in it, may be the host's.
    fn other(&mut self, object: Raw) -> bool {
        self.engine = true;
        if !object.is_native() {
            return true;
        }
        // Objects of the host's classes are plain ones by their class, apart from errors.
        // SAFETY: a class has a name.
        let name = unsafe { std::ffi::CStr::from_ptr((*object.class()).name) };
        let name = name.to_bytes();
        !matches!(
            name,
            b"Map" | b"Set" | b"Object" | b"Date" | b"RegExp" | b"DataView" | b"ArrayBuffer" | b"SharedArrayBuffer"
        ) && !name.ends_with(b"Array")
            && !name.ends_with(b"Error")
    }

    /// Gives an object its number.
    fn number(&mut self, object: Local<'s>) {
        self.objects.push(object);
        self.note(object.value().to_object() as usize);
    }

    /// Writes a value, of an object only what comes before its parts; false where something of the host's may be in it.
    fn value(&mut self, scope: &mut Scope<'s>, value: Value) -> JsResult<bool> {
        if value.is_string() {
            self.string(scope, value.to_string())?;
            return Ok(true);
        }
        if !value.is_object() {
            // A hole, a symbol, a large integer.
            self.engine |= !(value.is_number() || value.is_boolean() || value.is_null_or_undefined());
            self.known.words.push(value.asBits_);
            return Ok(true);
        }
        let address = value.to_object();
        if let Some(number) = self.find(address as usize) {
            self.known.words.push(tagged(AGAIN, number));
            return Ok(true);
        }
        // SAFETY: live, and nothing collects before the end.
        let object = unsafe { Raw::new(address) };
        // An array or an object with sparse elements.
        if !object.is_native() || object.is_indexed() {
            return Ok(self.other(object));
        }
        let frame = if object.class() == self.layout.array {
            let length = object.length();
            if object.initialized() != length || !object.has_only_length() {
                return Ok(self.other(object));
            }
            self.known.words.push(tagged(ARRAY, length as usize));
            Frame { object: scope.local(value), next: 0, count: length, shape: None }
        } else {
            // Integer keys come first and are rare.
            if object.class() != self.layout.plain {
                return self.leaf(scope, object, value);
            }
            if object.initialized() > 0 || !self.is_plain_proto(object.proto()) {
                return Ok(self.other(object));
            }
            let Some(place) = self.shape_of(object) else { return Ok(self.other(object)) };
            let shape = &mut self.known.written[place as usize];
            if shape.message == self.known.message {
                self.known.words.push(tagged(OBJECT, shape.number));
            } else {
                shape.message = self.known.message;
                shape.number = self.shapes;
                self.shapes += 1;
                self.known.words.push(tagged(OBJECT, shape.number));
                self.known.words.extend_from_slice(&shape.names);
            }
            Frame { object: scope.local(value), next: 0, count: shape.slots.len() as u32, shape: Some(place) }
        };
        self.number(frame.object);
        self.frames.push(frame);
        Ok(true)
    }

    fn run(&mut self, scope: &mut Scope<'s>, value: Value) -> JsResult<bool> {
        if !self.value(scope, value)? {
            return Ok(false);
        }
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == frame.count {
                self.frames.pop();
                continue;
            }
            let index = frame.next;
            frame.next += 1;
            // SAFETY: the address is read anew each time; no part goes away, as no JavaScript runs.
            let object = unsafe { Raw::new(frame.object.value().to_object()) };
            let part = match frame.shape {
                None => object.element(index),
                Some(place) => object.slot(self.known.written[place as usize].slots[index as usize]),
            };
            if !self.value(scope, part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Appends a string that is not too long for a copy.
fn push_short(words: &mut Vec<u64>, chars: &Chars<'_>) -> bool {
    let (kind, count, bytes, data) = match chars {
        Chars::Latin1(bytes) => (LATIN1, bytes.len(), bytes.len(), bytes.as_ptr()),
        Chars::Utf16(units) => (TWO_BYTE, units.len(), units.len() * 2, units.as_ptr().cast()),
    };
    if bytes > INLINE_BYTES {
        return false;
    }
    words.push(tagged(kind, count));
    push_bytes(words, data, bytes);
    true
}

/// Appends bytes, filled up to a whole word.
fn push_bytes(words: &mut Vec<u64>, data: *const u8, bytes: usize) {
    let count = bytes.div_ceil(8);
    words.reserve(count);
    let length = words.len();
    // SAFETY: reserved; all words are written, the last one with zeros first.
    unsafe {
        if count > 0 {
            *words.as_mut_ptr().add(length + count - 1) = 0;
        }
        ptr::copy_nonoverlapping(data, words.as_mut_ptr().add(length).cast::<u8>(), bytes);
        words.set_len(length + count);
    }
}

/// The names of properties as words; `None` where one is no string.
fn names_of(entries: &[Entry]) -> Option<Rc<[u64]>> {
    let mut words = vec![0, entries.len() as u64];
    for entry in entries {
        if !entry.is_name() {
            return None;
        }
        // SAFETY: names are atoms, which do not move, and a shape keeps them alive.
        if !push_short(&mut words, &unsafe { linear(entry.name()) }?) {
            return None;
        }
    }
    words[0] = words.len() as u64;
    Some(words.into())
}

impl Scope<'_> {
    /// Symbols that prototypes of the host's own classes have (one with a `Symbol.toStringTag` is taken for such a prototype as well): objects
    /// below them are no plain data.
    pub fn set_clone_symbols(&mut self, symbols: &[Local<'_>]) {
        let mut known = self.ctx().clones.take();
        for symbol in symbols.iter().filter(|symbol| symbol.is_symbol()) {
            let key = Entry::of_symbol(symbol.value().to_symbol());
            known.symbols.push((self.global(*symbol), key));
        }
        self.ctx().clones.set(known);
    }

    /// From now on objects may have marks that only the host knows of: none is plain data any more.
    pub fn expect_clone_marks(&mut self) {
        let mut known = self.ctx().clones.take();
        known.marks = true;
        self.ctx().clones.set(known);
    }

    /// Whether an object, which has its properties in slots, may be one of the host's by a mark or one of its symbols of its own.
    pub(in crate::clone) fn may_have_clone_marks(&mut self, object: Local<'_>) -> bool {
        let known = self.ctx().clones.take();
        // SAFETY: a live object; nothing collects here.
        let raw = unsafe { Raw::new(object.value().to_object()) };
        let may = known.marks || known.symbols.iter().any(|(_, key)| raw.has_key(*key));
        self.ctx().clones.set(known);
        may
    }

    /// Serialises `value` where it is an object or array of plain data, at any depth.
    pub(super) fn write_plain(&mut self, value: Local<'_>) -> JsResult<Outcome> {
        let Some(layout) = self.layout()? else { return Ok(Outcome::Host) };
        let height = self.ctx().handles.height();
        let mut known = self.ctx().clones.take();
        if known.marks {
            self.ctx().clones.set(known);
            return Ok(Outcome::Host);
        }
        known.words.clear();
        known.message += 1;
        let now = collections(self.cx);
        // While old cells are being swept, a new shape may have the address of one that is gone.
        // SAFETY: a plain read.
        let sweeping = unsafe { JS::IsIncrementalGCInProgress(self.cx) };
        if now != known.collection || sweeping || known.written.len() > MAX_KNOWN {
            known.by_shape.clear();
            known.written.clear();
            known.collection = now;
        }
        let mut writer = Writer {
            layout,
            // SAFETY: a plain read.
            object_proto: unsafe { JS::GetRealmObjectPrototype(self.cx) },
            known_proto: ptr::null_mut(),
            known,
            shapes: 0,
            texts: Vec::new(),
            blobs: Vec::new(),
            objects: Vec::new(),
            addresses: Vec::new(),
            index: WordMap::default(),
            frames: Vec::new(),
            cx: self.cx,
            engine: false,
        };
        let done = writer.run(self, value.value());
        let Writer { mut known, texts, blobs, engine, .. } = writer;
        let result = done.map(|done| match (done, engine) {
            (true, false) => Outcome::Plain(Plain { words: known.words.as_slice().into(), texts, blobs }),
            (true, true) => Outcome::Engine,
            (false, _) => Outcome::Host,
        });
        if known.words.capacity() > MAX_KEPT {
            known.words = Vec::new();
        }
        self.ctx().clones.set(known);
        self.ctx().handles.cut(height);
        result
    }
}

// ---------------------------------------------------------------------------------------------------------------------

// Functions of the engine that its public interface does not have. An object of a known shape is allocated with undefined in all its slots.
unsafe extern "C" {
    #[link_name = "_ZN2js31NewPlainObjectOptimizedFallbackEP9JSContextN2JS6HandleIPNS_11SharedShapeEEENS_2gc9AllocKindENS7_4HeapE"]
    fn new_object_of_shape(cx: *mut RawContext, shape: *const *const RawShape, kind: u8, heap: u8) -> *mut JSObject;
    #[link_name = "_ZN2js27NewPlainObjectWithAllocKindEP9JSContextNS_2gc9AllocKindENS_13NewObjectKindE"]
    pub(crate) fn new_object_of_kind(cx: *mut RawContext, kind: u8, new_kind: u32) -> *mut JSObject;
}

/// A shape as a root.
#[repr(transparent)]
#[derive(Clone, Copy)]
struct ShapeRoot(*const RawShape);

impl RootKind for ShapeRoot {
    type Vtable = ();
    const VTABLE: Self::Vtable = ();
    const KIND: JS::RootKind = JS::RootKind::Shape;
}

/// The engine's kind of cell for an object with so many properties (gc/AllocKind.h, gc/ObjectKind-inl.h), and the number of slots within it.
/// `Scope::template` compares the second with what the first gave.
pub(crate) fn alloc_kind(properties: usize) -> (u8, usize) {
    match properties {
        0 => (2, 0),
        1..=2 => (5, 2),
        3..=4 => (9, 4),
        5..=6 => (13, 6),
        7..=8 => (17, 8),
        9..=12 => (21, 12),
        _ => (25, 16),
    }
}

struct Reader<'s, 'm> {
    message: &'m Plain,
    /// The message's blobs, if nobody else reads it: taken one by one.
    own: Option<Vec<Vec<u8>>>,
    at: usize,
    known: Known,
    /// Templates by the number of the shape in this message.
    shapes: Vec<u32>,
    objects: Vec<Local<'s>>,
    frames: Vec<Frame<'s>>,
}

/// The bytes that begin at a word.
fn bytes_at(words: &[u64], at: usize, bytes: usize) -> *const u8 {
    words[at..at + bytes.div_ceil(8)].as_ptr().cast()
}

impl<'s> Reader<'s, '_> {
    fn take(&mut self) -> u64 {
        let word = self.message.words[self.at];
        self.at += 1;
        word
    }

    /// Stores a part that was just made into its object.
    fn store(&mut self, scope: &mut Scope<'s>, part: Value) -> JsResult<()> {
        let frame = self.frames.last_mut().expect("a part belongs to something");
        let index = frame.next;
        frame.next += 1;
        // SAFETY: a live object that nobody else has seen; nothing collects before the store.
        unsafe {
            let object = Raw::new(frame.object.value().to_object());
            let stored = match frame.shape {
                None => object.init_young_element(index, part),
                Some(place) if self.known.templates[place as usize].kind.is_some() => {
                    object.init_young_slot(index, part)
                }
                Some(_) => false,
            };
            if stored {
                return Ok(());
            }
        }
        // The object has become old: the engine has to know what it points to.
        let height = scope.ctx().handles.height();
        let part = scope.local(part);
        rooted!(in(scope.cx) let object = frame.object.value().to_object());
        let flags = u32::from(u16::from(JSPROP_ENUMERATE));
        // SAFETY: rooted handles.
        let ok = unsafe {
            match frame.shape {
                None => JS_DefineElement(scope.cx, object.handle().into(), index, part.handle(), flags),
                Some(place) => {
                    let template = self.known.templates[place as usize].object.get(scope);
                    let mut entries = Vec::new();
                    Raw::new(template.value().to_object()).entries(&mut entries);
                    rooted!(in(scope.cx) let name = PropertyKey { asBits_: entries[index as usize].key as usize });
                    JS_DefinePropertyById2(scope.cx, object.handle().into(), name.handle().into(), part.handle(), flags)
                }
            }
        };
        scope.ctx().handles.cut(height);
        if ok { Ok(()) } else { Err(Exc::pending()) }
    }

    /// The next value; of an object only what comes before its parts.
    fn value(&mut self, scope: &mut Scope<'s>) -> JsResult<Value> {
        let word = self.take();
        if word < TAG {
            return Ok(Value { asBits_: word });
        }
        let payload = (word & PAYLOAD) as usize;
        match (word & !TAG) >> KIND_SHIFT {
            LATIN1 => {
                let data = bytes_at(&self.message.words, self.at, payload);
                self.at += payload.div_ceil(8);
                // SAFETY: the engine copies the characters.
                string_value(unsafe { JS_NewStringCopyN(scope.cx, data.cast(), payload) })
            }
            TWO_BYTE => {
                let data = bytes_at(&self.message.words, self.at, payload * 2);
                self.at += (payload * 2).div_ceil(8);
                // SAFETY: as above.
                string_value(unsafe { JS_NewUCStringCopyN(scope.cx, data.cast(), payload) })
            }
            SHARED => {
                let height = scope.ctx().handles.height();
                let string = scope.shared_string(&self.message.texts[payload])?.value();
                scope.ctx().handles.cut(height);
                Ok(string)
            }
            OBJECT => {
                if payload == self.shapes.len() {
                    let count = self.message.words[self.at] as usize;
                    let place = scope.template(&mut self.known, &self.message.words[self.at..self.at + count])?;
                    self.at += count;
                    self.shapes.push(place);
                }
                let place = self.shapes[payload];
                let template = &self.known.templates[place as usize];
                let object = scope.object_like(template)?;
                let count = template.names[1] as u32;
                self.begin(scope, object, count, Some(place))
            }
            ARRAY => {
                // SAFETY: rooted at once.
                let array = unsafe { JS::NewArrayObject1(scope.cx, payload) };
                self.begin(scope, array, payload as u32, None)
            }
            AGAIN => Ok(self.objects[payload].value()),
            kind => self.leaf(scope, kind, payload),
        }
    }

    fn begin(&mut self, scope: &mut Scope<'s>, made: *mut JSObject, count: u32, shape: Option<u32>) -> JsResult<Value> {
        if made.is_null() {
            return Err(Exc::pending());
        }
        let object = scope.local(ObjectValue(made));
        self.objects.push(object);
        // It is stored into what it belongs to before its own parts come.
        self.frames.push(Frame { object, next: 0, count, shape });
        Ok(object.value())
    }

    fn run(&mut self, scope: &mut Scope<'s>) -> JsResult<Value> {
        let root = self.value(scope)?;
        let root = scope.local(root);
        while let Some(frame) = self.frames.last() {
            if frame.next == frame.count {
                self.frames.pop();
                continue;
            }
            let depth = self.frames.len();
            let part = self.value(scope)?;
            if self.frames.len() == depth {
                self.store(scope, part)?;
            } else {
                let inner = self.frames.pop().expect("just pushed");
                self.store(scope, part)?;
                self.frames.push(inner);
            }
        }
        Ok(root.value())
    }
}

fn string_value(string: *mut JSString) -> JsResult<Value> {
    // SAFETY: a live string; the caller stores it before anything collects.
    if string.is_null() { Err(Exc::pending()) } else { Ok(StringValue(unsafe { &*string })) }
}

impl<'s> Scope<'s> {
    /// The place of the template for these names.
    fn template(&mut self, known: &mut Known, names: &[u64]) -> JsResult<u32> {
        let mut hasher = WordHasher::default();
        names.iter().for_each(|word| hasher.write_u64(*word));
        let hash = hasher.finish();
        if let Some(&place) = known.by_names.get(&hash)
            && *known.templates[place as usize].names == *names
        {
            return Ok(place);
        }
        let template = self.new_template(names)?;
        let place = known.templates.len() as u32;
        known.templates.push(template);
        known.by_names.insert(hash, place);
        Ok(place)
    }

    fn new_template(&mut self, names: &[u64]) -> JsResult<Template> {
        let count = names[1] as usize;
        let (kind, fixed) = alloc_kind(count);
        // SAFETY: rooted at once.
        let object = unsafe { new_object_of_kind(self.cx, kind, 0) };
        let object = self.checked_object(object)?;
        rooted!(in(self.cx) let raw_object = object.value().to_object());
        let undefined = self.undefined();
        let mut at = 2;
        for _ in 0..count {
            let length = (names[at] & PAYLOAD) as usize;
            let bytes = if names[at] & !TAG == length as u64 { length } else { length * 2 };
            let data = bytes_at(names, at + 1, bytes);
            at += 1 + bytes.div_ceil(8);
            // SAFETY: the engine copies the characters; the atom is rooted before it is used.
            unsafe {
                let atom = if bytes == length {
                    JS_AtomizeStringN(self.cx, data.cast(), length)
                } else {
                    JS_AtomizeUCStringN(self.cx, data.cast(), length)
                };
                if atom.is_null() {
                    return Err(Exc::pending());
                }
                // The name is no integer, so the atom's address is the key.
                rooted!(in(self.cx) let name = PropertyKey { asBits_: atom as usize });
                let flags = u32::from(u16::from(JSPROP_ENUMERATE));
                if !JS_DefinePropertyById2(
                    self.cx,
                    raw_object.handle().into(),
                    name.handle().into(),
                    undefined.handle(),
                    flags,
                ) {
                    return Err(Exc::pending());
                }
            }
        }
        // SAFETY: live, and nothing collects meanwhile.
        let raw = unsafe { Raw::new(object.value().to_object()) };
        let mut entries = Vec::new();
        let good = !raw.is_dictionary()
            && raw.fixed_slots() == fixed
            && raw.entries(&mut entries)
            && entries.len() == count
            && entries.iter().enumerate().all(|(index, entry)| entry.slot as usize == index);
        Ok(Template { names: names.into(), object: self.global(object), kind: good.then_some(kind) })
    }

    /// A new object with the names of a template and undefined values, not rooted.
    fn object_like(&mut self, template: &Template) -> JsResult<*mut JSObject> {
        let height = self.ctx().handles.height();
        let object = match template.kind {
            Some(kind) => {
                let example = template.object.get(self);
                self.object_of_shape(example, kind, false)
            }
            // SAFETY: a plain call of the engine; the caller roots the result.
            None => unsafe { mozjs::jsapi::JS_NewPlainObject(self.cx) },
        };
        self.ctx().handles.cut(height);
        Ok(object)
    }

    /// A new object with the shape of `example`, which has this kind of cell, and undefined values; not rooted, and null where memory
    /// is out. With `is_old` it is not in the area of new objects.
    #[inline]
    pub(crate) fn object_of_shape(&mut self, example: Local<'_>, kind: u8, is_old: bool) -> *mut JSObject {
        // SAFETY: the shape is rooted while something may collect.
        unsafe {
            let shape = ShapeRoot(Raw::new(example.value().to_object()).shape_pointer());
            let mut root = Rooted::new_unrooted(shape);
            Rooted::add_to_root_stack(&raw mut root, self.cx);
            let object = new_object_of_shape(self.cx, (&raw const root.data).cast(), kind, u8::from(is_old));
            root.remove_from_root_stack();
            object
        }
    }

    /// The value of a message, in the current realm. `own` is what the message had in `blobs`, if nobody else reads it.
    pub(super) fn read_plain(&mut self, message: &Plain, own: Option<Vec<Vec<u8>>>) -> JsResult<Local<'s>> {
        let out = self.undefined();
        let height = self.ctx().handles.height();
        let mut known = self.ctx().clones.take();
        // SAFETY: a plain read, rooted at once.
        let realm = self.local_object(unsafe { JS::GetRealmObjectPrototype(self.cx) });
        if known.templates.len() > MAX_KNOWN || known.realm.as_ref().is_none_or(|known| !known.is(realm)) {
            known.templates.clear();
            known.by_names.clear();
            known.realm = Some(self.global(realm));
        }
        let mut reader =
            Reader { message, own, at: 0, known, shapes: Vec::new(), objects: Vec::new(), frames: Vec::new() };
        let result = reader.run(self);
        self.ctx().clones.set(reader.known);
        // SAFETY: the slot is ours; nothing collects between.
        let result = result.map(|value| unsafe { *Scope::out(out).ptr = value });
        self.ctx().handles.cut(height);
        result.map(|()| out)
    }
}
