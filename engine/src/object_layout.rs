//! How plain objects and arrays lie in memory, for walks over data that must not call the engine for every property.
//!
//! The first words of objects and shapes are published (js/public/shadow/Object.h and Shape.h); property maps
//! (js/src/vm/PropMap.h), flags of objects (ObjectFlags.h) and the header of elements (NativeObject.h) are not. The
//! engine's version is pinned, and [`Scope::layout`] compares what is read here with what the engine itself says about
//! a few objects before anything relies on it: where they differ, callers get `None` and take their slow way. So does [`Scope::view_layout`] for the slots of typed arrays and ArrayBuffers.
//!
//! Nothing here collects, and no pointer may be kept across anything that does: objects, shapes and maps move.

use mozjs::jsapi::{JS, JS_AtomizeAndPinString, JS_IsArrayBufferViewObject, JSClass, JSObject, JSString, Value};

use crate::error::{Exc, JsResult};
use crate::foreign::ViewType;
use crate::handles::{Local, Scope};
use crate::string::Chars;
use crate::value::PropertyAttributes;

#[repr(C)]
struct RawObject {
    shape: *const RawShape,
    slots: *const Value,
    elements: *const Value,
}

#[repr(C)]
pub(crate) struct RawShape {
    base: *const RawBaseShape,
    immutable_flags: u32,
    object_flags: u32,
    _cache: usize,
    map: *const RawMap,
}

#[repr(C)]
struct RawBaseShape {
    class: *const JSClass,
    _realm: usize,
    proto: *mut JSObject,
}

const MAP_CAPACITY: usize = 8;
/// js/public/HeapAPI.h
const CHUNK_SIZE: usize = 1 << 20;

/// A property map; a compact one has `CompactInfos` behind the keys, any other one `LinkedInfos`.
#[repr(C)]
struct RawMap {
    flags: usize,
    keys: [u64; MAP_CAPACITY],
}

#[repr(C)]
struct CompactMap {
    map: RawMap,
    infos: [u16; MAP_CAPACITY],
}

#[repr(C)]
struct LinkedMap {
    map: RawMap,
    previous: *const RawMap,
    _table: usize,
    infos: [u32; MAP_CAPACITY],
}

#[repr(C)]
struct ElementsHeader {
    _flags: u32,
    initialized: u32,
    capacity: u32,
    length: u32,
}

const MAP_COMPACT: usize = 1 << 3;
const MAP_HAS_PREVIOUS: usize = 1 << 4;

/// Of a property: enumerable, accessor, and without a slot (the length of an array).
const ENUMERABLE: u32 = 1 << 1;
const ACCESSOR: u32 = 1 << 3;
const CUSTOM: u32 = 1 << 4;

/// Of an object: has integer keys that are no elements; has a well-known symbol (`Symbol.toStringTag`) as own key.
const INDEXED: u32 = 1 << 2;
const INTERESTING_SYMBOL: u32 = 1 << 3;

const KEY_TYPE: u64 = 7;
const KEY_VOID: u64 = 2;
const KEY_SYMBOL: u64 = 4;

/// The engine's classes of `{}` and `[]`.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) plain: *const JSClass,
    pub(crate) array: *const JSClass,
    /// The name `toJSON`, as keys of entries are.
    pub(crate) to_json: u64,
}

/// What machine code compares to read where the bytes of a typed array are (js/src/vm/ArrayBufferViewObject.h and ArrayBufferObject.h).
#[derive(Debug, Clone, Copy)]
pub struct ViewLayout {
    /// Addresses of the first and the last class of typed arrays of a fixed length whose bytes may be written; classes
    /// between them are such, too.
    pub first_class: u64,
    pub last_class: u64,
    /// Address of the class of ArrayBuffers that are not shared, resizable or immutable.
    pub buffer_class: u64,
}

impl ViewLayout {
    /// Distance of slot `n` of a view or buffer from the beginning of the object.
    const fn slot(n: usize) -> u8 {
        (size_of::<RawObject>() + n * size_of::<Value>()) as u8
    }

    /// Of a view: the buffer, an object if there is one; the number of elements; the address of the bytes.
    pub const BUFFER: u8 = Self::slot(VIEW_BUFFER);
    pub const LENGTH: u8 = Self::slot(VIEW_LENGTH);
    pub const DATA: u8 = Self::slot(VIEW_DATA);
    /// Of a buffer: flags, of which these bits are 0 if the bytes are within the object, which moves.
    pub const FLAGS: u8 = Self::slot(BUFFER_FLAGS);
    pub const OUTSIDE: u8 = 7;
}

const VIEW_BUFFER: usize = 0;
pub(crate) const VIEW_LENGTH: usize = 1;
pub(crate) const VIEW_DATA: usize = 3;
const BUFFER_FLAGS: usize = 3;

/// A property of a shape: its name and the slot with its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) slot: u32,
}

impl Entry {
    /// The name of a property that is no symbol: an atom.
    pub(crate) fn name(self) -> *mut JSString {
        self.key as *mut JSString
    }

    /// The key of a symbol, which does not move while it is alive.
    pub(crate) fn of_symbol(symbol: *mut JS::Symbol) -> u64 {
        symbol as u64 | KEY_SYMBOL
    }

    pub(crate) fn is_symbol(self) -> bool {
        self.key & KEY_TYPE == KEY_SYMBOL
    }

    /// Whether the name is a string that is no integer.
    pub(crate) fn is_name(self) -> bool {
        self.key & KEY_TYPE == 0
    }
}

/// Whether a cell is in the young generation: what it points to needs no note.
///
/// # Safety
/// There is a cell at `address`.
#[inline]
unsafe fn is_young_cell(address: usize) -> bool {
    // SAFETY: every cell is in a chunk of this size, whose first word is the list of such notes for the chunks of the young generation,
    // and null for others (js/public/HeapAPI.h).
    unsafe { *((address & !(CHUNK_SIZE - 1)) as *const usize) != 0 }
}

/// Whether a value is a cell of the young generation.
#[inline]
fn is_young(value: Value) -> bool {
    // SAFETY: a value that is live has its cell.
    value.is_gcthing() && unsafe { is_young_cell(value.to_gcthing() as usize) }
}

/// A live object whose layout is known, until the next collection.
#[derive(Clone, Copy)]
pub(crate) struct Raw(*const RawObject);

impl Raw {
    /// # Safety
    /// `object` is live, and the result is not used after anything that may collect.
    #[inline]
    pub(crate) unsafe fn new(object: *mut JSObject) -> Raw {
        Raw(object.cast_const().cast())
    }

    #[inline]
    fn shape(self) -> &'static RawShape {
        // SAFETY: an object has a shape; the lifetime is that of `Raw`, which `new` leaves to its caller.
        unsafe { &*(*self.0).shape }
    }

    /// Whether the object keeps its properties in slots (proxies do not).
    #[inline]
    pub(crate) fn is_native(self) -> bool {
        self.shape().immutable_flags & 1 << 4 != 0
    }

    #[inline]
    pub(crate) fn class(self) -> *const JSClass {
        // SAFETY: a shape has a base.
        unsafe { (*self.shape().base).class }
    }

    /// The prototype of a native object; null for none.
    pub(crate) fn proto(self) -> *mut JSObject {
        // SAFETY: as above.
        unsafe { (*self.shape().base).proto }
    }

    /// Address of what objects with the same properties in the same places share; good until something collects.
    pub(crate) fn shape_address(self) -> usize {
        std::ptr::from_ref(self.shape()).addr()
    }

    /// Says which properties there are and where, until the next collection and as long as the object is no dictionary.
    pub(crate) fn shape_pointer(self) -> *const RawShape {
        self.shape()
    }

    /// Whether the shape belongs to this object alone.
    pub(crate) fn is_dictionary(self) -> bool {
        self.shape().immutable_flags >> 4 & 3 == 3
    }

    /// Number of slots within the object.
    #[inline]
    pub(crate) fn fixed_slots(self) -> usize {
        (self.shape().immutable_flags >> 6 & 0x1f) as usize
    }

    #[inline]
    fn is_young(self) -> bool {
        // SAFETY: the object is live.
        unsafe { is_young_cell(self.0 as usize) }
    }

    /// Stores the next element of an array; false where it has no room.
    ///
    /// # Safety
    /// An array that nobody else has seen, with no elements from `index` on. Neither marking nor a collection of the young generation
    /// has to be told of `value`.
    #[inline]
    unsafe fn push_element(self, index: u32, value: Value) -> bool {
        // SAFETY: in bounds of the capacity, and what is overwritten is nothing.
        unsafe {
            let elements = (*self.0).elements.cast_mut();
            let header = elements.cast::<ElementsHeader>().sub(1);
            if (*header).initialized != index || (*header).capacity <= index {
                return false;
            }
            *elements.add(index as usize) = value;
            (*header).initialized = index + 1;
        }
        true
    }

    /// Stores a value into a slot that is undefined.
    ///
    /// # Safety
    /// The object has the slot; of `value` the same as for [`Raw::push_element`].
    #[inline]
    unsafe fn put_slot(self, slot: u32, value: Value) {
        let (slot, fixed) = (slot as usize, self.fixed_slots());
        // SAFETY: as in `slot`.
        unsafe {
            if slot < fixed {
                *self.0.add(1).cast::<Value>().cast_mut().add(slot) = value;
            } else {
                *(*self.0).slots.cast_mut().add(slot - fixed) = value;
            }
        }
    }

    /// Stores the next element of an array that is being filled in order; false where the array has no room, or is not young and the value
    /// is a cell.
    ///
    /// # Safety
    /// An array that nobody else has seen, with no elements from `index` on; `value` is live.
    #[inline]
    pub(crate) unsafe fn init_young_element(self, index: u32, value: Value) -> bool {
        // SAFETY: as the caller says; young objects need no barrier, nor does what is no cell.
        (!value.is_gcthing() || self.is_young()) && unsafe { self.push_element(index, value) }
    }

    /// Stores a value into a slot that is undefined; false where the object is not young and the value is a cell.
    ///
    /// # Safety
    /// The object has the slot, and `value` is live.
    #[inline]
    pub(crate) unsafe fn init_young_slot(self, slot: u32, value: Value) -> bool {
        let is_free = !value.is_gcthing() || self.is_young();
        if is_free {
            // SAFETY: as the caller says; young objects need no barrier, nor does what is no cell.
            unsafe { self.put_slot(slot, value) };
        }
        is_free
    }

    /// Stores a value into a slot that is undefined; false where the value is a cell and it or the object is young.
    ///
    /// # Safety
    /// The object has the slot, and `value` is live and was made since the last collection.
    #[inline]
    pub(crate) unsafe fn init_old_slot(self, slot: u32, value: Value) -> bool {
        if value.is_gcthing() && (self.is_young() || is_young(value)) {
            return false;
        }
        // SAFETY: as the caller says. What is new is not what a marking under way has still to find, and what is old needs no note.
        unsafe { self.put_slot(slot, value) };
        true
    }

    /// As [`Raw::init_young_element`] for an array that is not young; false also where the value is a young cell.
    ///
    /// # Safety
    /// As there, and `value` was made since the last collection.
    #[inline]
    pub(crate) unsafe fn init_old_element(self, index: u32, value: Value) -> bool {
        // SAFETY: as the caller says, and in `init_old_slot`.
        (!value.is_gcthing() || !self.is_young() && !is_young(value)) && unsafe { self.push_element(index, value) }
    }

    pub(crate) fn same_shape(self, other: Raw) -> bool {
        std::ptr::eq(self.shape(), other.shape())
    }

    /// Whether there are integer keys outside of the elements.
    pub(crate) fn is_indexed(self) -> bool {
        self.shape().object_flags & INDEXED != 0
    }

    /// Whether a well-known symbol is an own key.
    pub(crate) fn has_interesting_symbol(self) -> bool {
        self.shape().object_flags & INTERESTING_SYMBOL != 0
    }

    /// Whether there are no own properties but elements.
    pub(crate) fn has_no_properties(self) -> bool {
        self.shape().immutable_flags & 0xf == 0
    }

    /// Whether the one own property that is no element has no slot: `length` of an array.
    pub(crate) fn has_only_length(self) -> bool {
        let shape = self.shape();
        // SAFETY: the map of a native object with properties; a length of one is in the only map.
        unsafe {
            shape.immutable_flags & 0xf == 1
                && (*shape.map).flags & MAP_HAS_PREVIOUS == 0
                && info(shape.map, 0) & CUSTOM != 0
        }
    }

    /// Appends all properties to `out`, oldest first; false (and no promise about `out`) where one is an accessor, not
    /// enumerable or without a slot.
    pub(crate) fn entries(self, out: &mut Vec<Entry>) -> bool {
        let shape = self.shape();
        let (mut map, mut length) = (shape.map, (shape.immutable_flags & 0xf) as usize);
        let begin = out.len();
        // SAFETY: the map of a native object; all maps before the last one are full.
        unsafe {
            while length > 0 {
                for index in (0..length).rev() {
                    let key = (&(*map).keys)[index];
                    // A removed property.
                    if key == KEY_VOID {
                        continue;
                    }
                    let info = info(map, index);
                    if info & (ENUMERABLE | ACCESSOR | CUSTOM) != ENUMERABLE {
                        return false;
                    }
                    out.push(Entry { key, slot: info >> 8 });
                }
                if (*map).flags & (MAP_COMPACT | MAP_HAS_PREVIOUS) != MAP_HAS_PREVIOUS {
                    break;
                }
                map = (*map.cast::<LinkedMap>()).previous;
                length = MAP_CAPACITY;
            }
        }
        out[begin..].reverse();
        true
    }

    /// Whether there is an own property of this name, of whatever kind.
    pub(crate) fn has_key(self, key: u64) -> bool {
        let shape = self.shape();
        let (mut map, mut length) = (shape.map, (shape.immutable_flags & 0xf) as usize);
        // SAFETY: as above.
        unsafe {
            while length > 0 {
                if (&(*map).keys)[..length].contains(&key) {
                    return true;
                }
                if (*map).flags & (MAP_COMPACT | MAP_HAS_PREVIOUS) != MAP_HAS_PREVIOUS {
                    break;
                }
                map = (*map.cast::<LinkedMap>()).previous;
                length = MAP_CAPACITY;
            }
        }
        false
    }

    /// The value in a slot of [`Entry`].
    pub(crate) fn slot(self, slot: u32) -> Value {
        let (slot, fixed) = (slot as usize, self.fixed_slots());
        // SAFETY: the slot of a property exists; fixed ones follow the three words of the object.
        unsafe {
            if slot < fixed { *self.0.add(1).cast::<Value>().add(slot) } else { *(*self.0).slots.add(slot - fixed) }
        }
    }

    /// The value in a slot that the object's class reserves. The first four of those lie within the object, whatever its shape:
    /// machine code of the engine knows views by constant distances, too.
    #[inline]
    pub(crate) fn reserved_slot(self, slot: usize) -> Value {
        debug_assert!(slot < 4);
        // SAFETY: the class has that slot, and slots within the object follow its three words.
        unsafe { *self.0.add(1).cast::<Value>().add(slot) }
    }

    #[inline]
    fn header(self) -> &'static ElementsHeader {
        // SAFETY: native objects have elements, if shared empty ones, and a header before them.
        unsafe { &*(*self.0).elements.cast::<ElementsHeader>().sub(1) }
    }

    /// Number of elements that have been written, holes included.
    #[inline]
    pub(crate) fn initialized(self) -> u32 {
        self.header().initialized
    }

    /// `length` of an array.
    #[inline]
    pub(crate) fn length(self) -> u32 {
        self.header().length
    }

    /// An element below `initialized`; the magic value for a hole.
    #[inline]
    pub(crate) fn element(self, index: u32) -> Value {
        debug_assert!(index < self.initialized());
        // SAFETY: in bounds, as the caller says.
        unsafe { *(*self.0).elements.add(index as usize) }
    }
}

/// # Safety
/// `map` is live and has a property at `index`.
unsafe fn info(map: *const RawMap, index: usize) -> u32 {
    // SAFETY: the caller has a live map with a property at `index`; its flags say which form it has.
    unsafe {
        if (*map).flags & MAP_COMPACT != 0 {
            u32::from((&(*map.cast::<CompactMap>()).infos)[index])
        } else {
            (&(*map.cast::<LinkedMap>()).infos)[index]
        }
    }
}

/// The characters of a string that is no rope.
///
/// # Safety
/// A live string; the characters must not be used after anything that may collect.
pub(crate) unsafe fn linear<'a>(string: *mut JSString) -> Option<Chars<'a>> {
    const LINEAR: usize = 1 << 4;
    const INLINE: usize = 1 << 6;
    const LATIN1: usize = 1 << 10;
    // SAFETY: the caller has a live string; its flags say where the characters are.
    unsafe {
        let header = string.cast::<JS::shadow::String>();
        let flags = (*header).flags_;
        if flags & LINEAR == 0 {
            return None;
        }
        let length = flags >> 32;
        // The characters follow the first word, or it is followed by their address.
        let inline = header.cast::<usize>().add(1);
        let data = if flags & INLINE != 0 { inline.cast::<u8>() } else { *inline as *const u8 };
        if length == 0 {
            return Some(Chars::Latin1(&[]));
        }
        Some(if flags & LATIN1 != 0 {
            Chars::Latin1(std::slice::from_raw_parts(data, length))
        } else {
            Chars::Utf16(std::slice::from_raw_parts(data.cast(), length))
        })
    }
}

impl Scope<'_> {
    /// The layout, once it has been compared with what the engine says; `None` if they differ.
    #[inline]
    pub(crate) fn layout(&mut self) -> JsResult<Option<Layout>> {
        if let Some(known) = self.ctx().layout.get() {
            return Ok(known);
        }
        let found = self.nested(|scope| scope.find_layout())?;
        self.ctx().layout.set(Some(found));
        Ok(found)
    }

    /// Whether an array or typed array is known to have no enumerable properties but its elements. False says nothing:
    /// then the keys have to be looked at, which for a large array are many.
    pub(crate) fn has_only_elements(&mut self, object: Local<'_>) -> JsResult<bool> {
        let Some(layout) = self.layout()? else { return Ok(false) };
        let Some(raw) = self.raw(object).filter(|raw| raw.is_native()) else { return Ok(false) };
        // SAFETY: a live object, and the test does not collect.
        let is_view = object.object().is_some_and(|object| unsafe { JS_IsArrayBufferViewObject(object) });
        Ok(is_view && raw.has_no_properties()
            || raw.class() == layout.array && raw.has_only_length() && !raw.is_indexed())
    }

    fn raw(&self, object: Local<'_>) -> Option<Raw> {
        // SAFETY: live; used before anything collects.
        object.object().map(|object| unsafe { Raw::new(object) })
    }

    fn find_layout(&mut self) -> JsResult<Option<Layout>> {
        // Everything is defined, not set: a program may have setters in prototypes.
        let (small, large) = (self.new_object()?, self.new_object()?);
        let numbers = [100, 101, 102].map(|number| self.int(number));
        let array = self.new_array(&numbers)?;
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        for (index, name) in names.iter().enumerate() {
            let value = self.int(index as i32 + 100);
            self.define(large, name, value, PropertyAttributes::ALL)?;
            if index < 3 {
                self.define(small, name, value, PropertyAttributes::ALL)?;
            }
        }
        let (Some(raw_small), Some(raw_large), Some(raw_array)) = (self.raw(small), self.raw(large), self.raw(array))
        else {
            return Ok(None);
        };
        let mut entries = Vec::new();
        for (raw, count) in [(raw_small, 3), (raw_large, names.len())] {
            entries.clear();
            let right = raw.is_native()
                && raw.initialized() == 0
                && !raw.has_no_properties()
                && raw.entries(&mut entries)
                && entries.len() == count
                && entries.iter().enumerate().all(|(index, entry)| {
                    let value = raw.slot(entry.slot);
                    !entry.is_symbol() && value.is_int32() && value.to_int32() == index as i32 + 100
                });
            if !right {
                return Ok(None);
            }
        }
        let right = raw_array.is_native()
            && raw_array.has_only_length()
            && raw_array.initialized() == 3
            && raw_array.length() == 3
            && (0..3).all(|index| raw_array.element(index).to_int32() == index as i32 + 100)
            && raw_array.class() != raw_small.class()
            && raw_large.class() == raw_small.class();
        if !right {
            return Ok(None);
        }
        let (plain, array) = (raw_small.class(), raw_array.class());
        // SAFETY: the name is pinned: it lives and stays where it is. Nothing that was read before is used after it.
        let to_json = unsafe { JS_AtomizeAndPinString(self.cx, c"toJSON".as_ptr()) };
        if to_json.is_null() {
            return Err(Exc::pending());
        }
        let found = Layout { plain, array, to_json: to_json as u64 };
        // The flags: a hidden property, an accessor, an element and a well-known symbol.
        let (hidden, accessor, tagged) = (self.new_object()?, self.new_object()?, self.new_object()?);
        let one = self.int(1);
        self.define(hidden, "x", one, PropertyAttributes::HIDDEN)?;
        let function = self.class_object(mozjs::jsapi::JSProtoKey::JSProto_Object)?;
        self.define_accessor(accessor, "x", function, function)?;
        let symbol = self.string_tag();
        self.define_value(tagged, symbol, one, PropertyAttributes::ALL)?;
        let proto = self.prototype_of(hidden)?;
        let (Some(hidden), Some(accessor), Some(tagged)) = (self.raw(hidden), self.raw(accessor), self.raw(tagged))
        else {
            return Ok(None);
        };
        entries.clear();
        let right = !hidden.entries(&mut entries)
            && !accessor.entries(&mut entries)
            && !hidden.has_interesting_symbol()
            && tagged.has_interesting_symbol()
            && tagged.entries(&mut entries)
            && entries.last().is_some_and(|entry| entry.is_symbol())
            && proto.object() == Some(hidden.proto())
            && tagged.has_key(entries[0].key)
            && !tagged.has_key(found.to_json);
        Ok(right.then_some(found))
    }

    /// Where typed arrays have their bytes, once it has been compared with what the engine says; `None` if they differ.
    pub fn view_layout(&mut self) -> JsResult<Option<ViewLayout>> {
        if let Some(known) = self.ctx().view_layout.get() {
            return Ok(known);
        }
        let found = self.nested(|scope| scope.find_view_layout())?;
        self.ctx().view_layout.set(Some(found));
        Ok(found)
    }

    fn find_view_layout(&mut self) -> JsResult<Option<ViewLayout>> {
        use ViewType::*;
        /// More than an ArrayBuffer keeps within itself.
        const LARGE: usize = 4096;
        const TYPES: [ViewType; 12] =
            [Int8, Uint8, Int16, Uint16, Int32, Uint32, Float32, Float64, Uint8Clamped, BigInt64, BigUint64, Float16];
        let buffer_of = |scope: &mut Self, key, length: usize, most: Option<usize>| {
            let constructor = scope.class_object(key)?;
            let length = scope.number(length as f64);
            let Some(most) = most else { return scope.construct(constructor, &[length]) };
            let (options, most) = (scope.new_object()?, scope.number(most as f64));
            scope.define(options, "maxByteLength", most, PropertyAttributes::ALL)?;
            scope.construct(constructor, &[length, options])
        };
        let plain = mozjs::jsapi::JSProtoKey::JSProto_ArrayBuffer;
        let large = buffer_of(self, plain, LARGE, None)?;
        let small = buffer_of(self, plain, 8, None)?;
        let growing = buffer_of(self, plain, 8, Some(LARGE))?;
        let views = TYPES.map(|kind| self.new_view(kind, large, 8, 2));
        let of_small = self.new_view(Uint8, small, 0, 8)?;
        let of_growing = self.new_view(Uint8, growing, 0, 8)?;
        let rest = self.new_view(DataView, large, 8, 8)?;
        let mut classes = Vec::new();
        let Some(raw_large) = self.raw(large) else { return Ok(None) };
        for view in views {
            let view = view?;
            let (Some(raw), Some(slice)) = (self.raw(view), self.buffer_slice(view)) else { return Ok(None) };
            let buffer = raw.slot(VIEW_BUFFER as u32);
            let right = raw.fixed_slots() > VIEW_DATA
                && buffer.is_object()
                && large.object() == Some(buffer.to_object())
                && raw.slot(VIEW_LENGTH as u32).asBits_ == 2
                && raw.slot(VIEW_DATA as u32).asBits_ == slice.data.addr() as u64;
            if !right {
                return Ok(None);
            }
            classes.push(raw.class().addr());
        }
        classes.sort_unstable();
        let (first, last) = (classes[0], classes[TYPES.len() - 1]);
        let in_order = classes.iter().zip(0..).all(|(&class, n)| class == first + n * size_of::<JSClass>());
        let others = [of_growing, rest, large, small];
        let apart = others
            .iter()
            .all(|&other| self.raw(other).is_some_and(|raw| !(first..=last).contains(&raw.class().addr())));
        let outside = |scope: &Self, buffer: Local<'_>| {
            let flags = scope.raw(buffer).filter(|raw| raw.fixed_slots() > BUFFER_FLAGS)?.slot(BUFFER_FLAGS as u32);
            flags.is_int32().then(|| flags.to_int32() & i32::from(ViewLayout::OUTSIDE) != 0)
        };
        let buffer_class = raw_large.class();
        let right = in_order
            && apart
            && self.raw(small).is_some_and(|raw| raw.class() == buffer_class)
            && self.raw(growing).is_some_and(|raw| raw.class() != buffer_class)
            && outside(self, large) == Some(true)
            && outside(self, small) == Some(false);
        if !right {
            return Ok(None);
        }
        let moved = self.fixed_bytes(of_small)?;
        let found = self.raw(of_small).zip(moved).is_some_and(|(raw, moved)| {
            raw.slot(VIEW_DATA as u32).asBits_ == moved.data.addr() as u64 && outside(self, small) == Some(true)
        });
        self.detach(small)?;
        let empty = self.raw(of_small).is_some_and(|raw| raw.slot(VIEW_LENGTH as u32).asBits_ == 0);
        Ok((found && empty).then_some(ViewLayout {
            first_class: first as u64,
            last_class: last as u64,
            buffer_class: buffer_class.addr() as u64,
        }))
    }
}
