//! Rows of a database as objects and arrays.
//!
//! All rows of a statement have the same names, so the names are looked up once: a [`RowTemplate`] holds an object that has them,
//! and every row is allocated with its shape and filled slot by slot (see object_layout.rs), without a property being defined. Where
//! that is not possible (integer names, very many columns, an object that was promoted while it was filled) a row is made
//! property by property.

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;

use mozjs::jsapi::{
    HandleValueArray, JS, JS_DefineElement, JS_DefinePropertyById2, JS_SetPrototype, JS_ValueToId,
    JSContext as RawContext, JSObject, JSPROP_ENUMERATE, JSString, NewArrayObject, Value,
};
use mozjs::jsval::{BooleanValue, DoubleValue, Int32Value, NullValue, ObjectValue, StringValue, UndefinedValue};
use mozjs::rooted;

use crate::clone::plain::{alloc_kind, new_object_of_kind};
use crate::error::{Exc, JsResult, OpError};
use crate::foreign::clip_time;
use crate::handles::{Global, Local, Scope};
use crate::object_layout::Raw;

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub enum Column<'a> {
    /// `null`
    Null,
    /// A number, rounded to the nearest double.
    Integer(i64),
    /// A BigInt.
    BigInteger(i64),
    /// A number.
    Real(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A `Date` of this many milliseconds since 1970; NaN is an invalid one.
    Date(f64),
    /// UTF-8; ill-formed sequences become U+FFFD.
    Text(&'a [u8]),
    /// Bytes that become a `Uint8Array` of their own.
    Blob(&'a [u8]),
}

/// What is made of the value of a column.
///
/// The way of a value from a database to an object is one function after inlining, in which each kind of value has a path of its own:
/// a [`Column`] that is given from one function to the next lies in memory, and reading there what was just written in other
/// widths takes as long as the rest of the way.
pub trait TakeColumn {
    /// What is made.
    type Taken;

    /// Makes something of a value. Implementations are `inline(always)`.
    fn take(self, column: Column<'_>) -> Self::Taken;
}

/// Where the values of a row come from.
pub trait RowSource {
    /// Gives the value of a column to `take`, in one call for each kind of value; an error ends the row. Implementations are
    /// `inline(always)`.
    fn column<T: TakeColumn>(&self, index: usize, take: T) -> Result<T::Taken, OpError>;
}

/// Makes the value of a column of a row; not rooted: to be stored before anything can collect.
struct Making<'m, 's> {
    scope: &'m mut Scope<'s>,
    /// Of the row, if it has one.
    template: Option<&'m RowTemplate>,
    is_old: bool,
}

impl TakeColumn for Making<'_, '_> {
    type Taken = JsResult<Value>;

    #[inline(always)]
    fn take(self, column: Column<'_>) -> JsResult<Value> {
        match (column, self.template) {
            (Column::Date(time), Some(template)) => self.scope.date_value_of(template, time, self.is_old),
            (column, _) => self.scope.unrooted(column, self.is_old),
        }
    }
}

/// The names of a row, and how an object of them is made.
pub struct RowTemplate {
    /// An object with all names; its values are undefined.
    example: Global,
    /// See `alloc_kind`; `None` where rows are made property by property.
    kind: Option<u8>,
    /// The slot of each column; of columns with one name the last is seen.
    slots: Box<[u32]>,
    /// The names as an array of strings.
    names: Global,
    /// A `Date`, made when the first one is needed.
    date: OnceCell<Option<Global>>,
}

/// Rows of one result from which on others are made outside of the area of new objects: they stay longer than it has room for them, and
/// would be copied.
const MANY: usize = 2048;

thread_local! {
    static IS_OLD: Cell<bool> = const { Cell::new(false) };
}

/// Ends what many rows have begun.
struct WhileNew;

impl Drop for WhileNew {
    fn drop(&mut self) {
        IS_OLD.set(false);
    }
}

// Functions of the engine that its public interface does not have in this form: they take where the cell is to be (js/src/gc/AllocKind.h,
// `Heap`; js/src/vm/JSObject.h, `NewObjectKind`).
unsafe extern "C" {
    #[link_name = "_ZN2js14NewStringCopyNILNS_7AllowGCE1EhEEP14JSLinearStringP9JSContextPKT0_mNS_2gc4HeapE"]
    fn new_string_copy(cx: *mut RawContext, chars: *const u8, length: usize, heap: u8) -> *mut JSString;
    #[link_name = "_ZN2js27NewDenseFullyAllocatedArrayEP9JSContextjNS_13NewObjectKindEPNS_2gc9AllocSiteE"]
    fn new_array_of_kind(cx: *mut RawContext, length: u32, kind: u32, site: *mut c_void) -> *mut JSObject;
}

const TENURED_OBJECT: u32 = 1;

/// Slots of a `Date`, and the kind of cell that has as many: see `alloc_kind`.
const DATE_SLOTS: usize = 8;
const DATE_KIND: u8 = 17;

const ENUMERABLE: u32 = JSPROP_ENUMERATE as u32;

impl<'s> Scope<'s> {
    /// A template for rows with these names. `prototype` is an object or null; without one, rows are plain objects.
    pub fn row_template(&mut self, names: &[String], prototype: Option<Local<'_>>) -> JsResult<RowTemplate> {
        let (kind, fixed) = alloc_kind(names.len());
        // SAFETY: rooted at once.
        let object = unsafe { new_object_of_kind(self.cx, kind, 0) };
        let object = self.checked_object(object)?;
        if let Some(prototype) = prototype {
            self.set_prototype(object, prototype)?;
        }
        let list = self.new_array(&[])?;
        let mut keys = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let key = self.nested(|scope| {
                let name = scope.string(name)?;
                let undefined = scope.undefined();
                // Defined, not set: no setter of a program runs here.
                // SAFETY: rooted handles. An atom does not move, and the object keeps it alive.
                unsafe {
                    rooted!(in(scope.cx) let names = list.value().to_object());
                    if !JS_DefineElement(scope.cx, names.handle().into(), index as u32, name.handle(), ENUMERABLE) {
                        return Err(Exc::pending());
                    }
                    rooted!(in(scope.cx) let raw = object.value().to_object());
                    rooted!(in(scope.cx) let mut id: mozjs::jsapi::jsid);
                    if !JS_ValueToId(scope.cx, name.handle(), id.handle_mut().into())
                        || !JS_DefinePropertyById2(
                            scope.cx,
                            raw.handle().into(),
                            id.handle().into(),
                            undefined.handle(),
                            ENUMERABLE,
                        )
                    {
                        return Err(Exc::pending());
                    }
                    Ok(id.get().asBits_ as u64)
                }
            })?;
            keys.push(key);
        }
        let known = self.layout()?.is_some();
        // SAFETY: live, and nothing collects meanwhile.
        let raw = unsafe { Raw::new(object.value().to_object()) };
        let mut entries = Vec::new();
        let good = known
            && !raw.is_dictionary()
            // A statement may repeat names: the cell is made for as many as there are columns.
            && raw.fixed_slots() == fixed
            && raw.initialized() == 0
            && raw.entries(&mut entries);
        let slots: Option<Box<[u32]>> = if good {
            keys.iter().map(|key| entries.iter().find(|entry| entry.key == *key).map(|entry| entry.slot)).collect()
        } else {
            None
        };
        Ok(RowTemplate {
            example: self.global(object),
            kind: slots.is_some().then_some(kind),
            slots: slots.unwrap_or_default(),
            names: self.global(list),
            date: OnceCell::new(),
        })
    }

    /// A `Date` like those that the program makes, where others can be made by its shape.
    #[cold]
    fn example_date(&mut self) -> Option<Global> {
        let date = self.new_date(0.0).ok()?;
        // SAFETY: live, and nothing collects meanwhile.
        let raw = unsafe { Raw::new(date.value().to_object()) };
        let is_usual = raw.is_native() && !raw.is_dictionary() && raw.fixed_slots() == DATE_SLOTS && !raw.is_indexed();
        is_usual.then(|| self.global(date))
    }

    /// A `Date` of milliseconds since 1970, not rooted.
    #[inline]
    fn date_value_of(&mut self, template: &RowTemplate, time: f64, is_old: bool) -> JsResult<Value> {
        let height = self.ctx().handles.height();
        let example = match template.date.get() {
            Some(example) => example,
            None => {
                let example = self.example_date();
                template.date.get_or_init(|| example)
            }
        };
        if let Some(example) = example {
            let example = example.get(self);
            let object = self.object_of_shape(example, DATE_KIND, is_old);
            self.ctx().handles.cut(height);
            if object.is_null() {
                return Err(Exc::pending());
            }
            let clipped = clip_time(time);
            let value = DoubleValue(clipped);
            // SAFETY: a new object of a class whose slots are undefined, the time in the first one; nothing has collected since.
            let stored = unsafe {
                let raw = Raw::new(object);
                if is_old { raw.init_old_slot(0, value) } else { raw.init_young_slot(0, value) }
            };
            if stored {
                return Ok(ObjectValue(object));
            }
        }
        let value = self.new_date(time)?.value();
        self.ctx().handles.cut(height);
        Ok(value)
    }

    /// An object with the values of a row.
    pub fn row_object(&mut self, template: &RowTemplate, row: &impl RowSource) -> JsResult<Local<'s>> {
        let out = self.undefined();
        let height = self.ctx().handles.height();
        let example = template.example.get(self);
        let made = match template.kind {
            Some(kind) => {
                let object = self.object_of_shape(example, kind, IS_OLD.get());
                if object.is_null() {
                    return Err(Exc::pending());
                }
                // SAFETY: the slot is ours, and nothing has collected since.
                unsafe { *Scope::out(out).ptr = ObjectValue(object) };
                self.fill_object(out, template, row)
            }
            None => self.slow_object(out, example, template, row),
        };
        self.ctx().handles.cut(height);
        made.map(|()| out)
    }

    #[inline]
    fn fill_object(&mut self, object: Local<'s>, template: &RowTemplate, row: &impl RowSource) -> JsResult<()> {
        let is_old = IS_OLD.get();
        for (index, &slot) in template.slots.iter().enumerate() {
            let value = self.column_value(row, index, Some(template), is_old)?;
            // SAFETY: an object with this slot that nobody else has seen; nothing has collected since `value` was made.
            let stored = unsafe {
                let raw = Raw::new(object.value().to_object());
                if is_old { raw.init_old_slot(slot, value) } else { raw.init_young_slot(slot, value) }
            };
            if !stored {
                self.define_column(object, template, index, value)?;
            }
        }
        Ok(())
    }

    /// Makes an object property by property, with the prototype of `example`.
    #[cold]
    fn slow_object(
        &mut self,
        out: Local<'s>,
        example: Local<'s>,
        template: &RowTemplate,
        row: &impl RowSource,
    ) -> JsResult<()> {
        let prototype = self.prototype_of(example)?;
        let object = self.new_object()?;
        // SAFETY: rooted handles; the slot is ours.
        unsafe {
            rooted!(in(self.cx) let raw = object.value().to_object());
            rooted!(in(self.cx) let proto = prototype.object().unwrap_or(std::ptr::null_mut()));
            if !JS_SetPrototype(self.cx, raw.handle().into(), proto.handle().into()) {
                return Err(Exc::pending());
            }
            *Scope::out(out).ptr = object.value();
        }
        let names = template.names.get(self);
        for index in 0..self.array_length(names)? {
            let value = self.column_value(row, index as usize, None, IS_OLD.get())?;
            self.define_column(out, template, index as usize, value)?;
        }
        Ok(())
    }

    #[cold]
    fn define_column(&mut self, object: Local<'_>, template: &RowTemplate, index: usize, value: Value) -> JsResult<()> {
        self.nested(|scope| {
            let value = scope.local(value);
            let names = template.names.get(scope);
            let name = scope.get_index(names, index as u32)?;
            // SAFETY: rooted handles.
            unsafe {
                rooted!(in(scope.cx) let raw = object.value().to_object());
                rooted!(in(scope.cx) let mut id: mozjs::jsapi::jsid);
                let (raw, key) = (raw.handle().into(), id.handle_mut());
                if !JS_ValueToId(scope.cx, name.handle(), key.into())
                    || !JS_DefinePropertyById2(scope.cx, raw, id.handle().into(), value.handle(), ENUMERABLE)
                {
                    return Err(Exc::pending());
                }
            }
            Ok(())
        })
    }

    /// An array with the values of a row of `columns` columns.
    pub fn row_array(&mut self, columns: usize, row: &impl RowSource) -> JsResult<Local<'s>> {
        let is_old = IS_OLD.get();
        // SAFETY: rooted at once. Arrays have less elements than 2^32: statements have at most 65,535 columns.
        let array = unsafe {
            if is_old {
                new_array_of_kind(self.cx, columns as u32, TENURED_OBJECT, std::ptr::null_mut())
            } else {
                JS::NewArrayObject1(self.cx, columns)
            }
        };
        let array = self.checked_object(array)?;
        let known = self.layout()?.is_some();
        for index in 0..columns {
            let value = self.column_value(row, index, None, is_old)?;
            // SAFETY: an array that nobody else has seen, filled in order; nothing has collected since `value` was made.
            let stored = known
                && unsafe {
                    let raw = Raw::new(array.value().to_object());
                    if is_old {
                        raw.init_old_element(index as u32, value)
                    } else {
                        raw.init_young_element(index as u32, value)
                    }
                };
            if !stored {
                self.nested(|scope| {
                    let value = scope.local(value);
                    rooted!(in(scope.cx) let raw = array.value().to_object());
                    // SAFETY: rooted handles.
                    let ok = unsafe {
                        JS_DefineElement(scope.cx, raw.handle().into(), index as u32, value.handle(), ENUMERABLE)
                    };
                    if ok { Ok(()) } else { Err(Exc::pending()) }
                })?;
            }
        }
        Ok(array)
    }

    /// The value of a column, not rooted: to be stored before anything can collect.
    #[inline(always)]
    fn column_value(
        &mut self,
        row: &impl RowSource,
        index: usize,
        template: Option<&RowTemplate>,
        is_old: bool,
    ) -> JsResult<Value> {
        match row.column(index, Making { scope: self, template, is_old }) {
            Ok(value) => value,
            Err(error) => Err(self.throw_op_error(&error)),
        }
    }

    #[inline(always)]
    fn unrooted(&mut self, column: Column<'_>, is_old: bool) -> JsResult<Value> {
        Ok(match column {
            Column::Null => NullValue(),
            Column::Boolean(value) => BooleanValue(value),
            Column::Integer(number) => match i32::try_from(number) {
                Ok(small) => Int32Value(small),
                Err(_) => DoubleValue(number as f64),
            },
            Column::Real(number) => {
                let small = number as i32;
                if f64::from(small).to_bits() == number.to_bits() {
                    Int32Value(small)
                } else {
                    // A NaN with other bits would read as another kind of value.
                    DoubleValue(if number.is_nan() { f64::NAN } else { number })
                }
            }
            Column::Text(bytes) if bytes.is_ascii() => {
                // SAFETY: the engine copies the characters.
                let string = unsafe { new_string_copy(self.cx, bytes.as_ptr(), bytes.len(), u8::from(is_old)) };
                if string.is_null() {
                    return Err(Exc::pending());
                }
                // SAFETY: a live string.
                StringValue(unsafe { &*string })
            }
            other => {
                // It is a new object or string, of which an old row needs a note: more than what rows that are not copied save.
                if is_old {
                    IS_OLD.set(false);
                }
                self.unrooted_slow(other)?
            }
        })
    }

    fn unrooted_slow(&mut self, column: Column<'_>) -> JsResult<Value> {
        let height = self.ctx().handles.height();
        let value = match column {
            Column::Text(bytes) => self.string_lossy(bytes)?.value(),
            Column::Blob(bytes) => self.uint8_array(bytes.to_vec())?.value(),
            Column::BigInteger(number) => self.bigint_i64(number)?.value(),
            Column::Date(time) => self.new_date(time)?.value(),
            Column::Null | Column::Boolean(_) | Column::Integer(_) | Column::Real(_) => UndefinedValue(),
        };
        self.ctx().handles.cut(height);
        Ok(value)
    }

    /// One value.
    pub fn column(&mut self, column: Column<'_>) -> JsResult<Local<'s>> {
        let value = self.unrooted(column, false)?;
        Ok(self.local(value))
    }

    /// An array of what `next` gives until it gives `None`. Rows from [`MANY`] on are made outside of the area of new objects, as long as
    /// all of their values can be; `before` is the number of those that the program has of the same result in other arrays.
    pub fn collect_array(
        &mut self,
        before: usize,
        mut next: impl for<'i> FnMut(&mut Scope<'i>) -> JsResult<Option<Local<'i>>>,
    ) -> JsResult<Local<'s>> {
        /// Roots are traced by every collection, so only so many wait for their place in the array.
        const WAITING: usize = 1 << 17;
        let _new = WhileNew;
        IS_OLD.set(before >= MANY);
        let cx = self.cx;
        rooted!(in(cx) let mut values = Vec::<Value>::new());
        let mut long: Option<Local<'s>> = None;
        let mut stored = 0;
        loop {
            let height = self.ctx().handles.height();
            let value = next(self)?.map(Local::value);
            self.ctx().handles.cut(height);
            if let Some(value) = value {
                values.push(value);
                if before + values.len() == MANY {
                    IS_OLD.set(true);
                }
                if values.len() < WAITING {
                    continue;
                }
            } else if long.is_none() {
                // SAFETY: the values are rooted.
                let object = unsafe {
                    let array = HandleValueArray { length_: values.len(), elements_: (*values).as_ptr() };
                    NewArrayObject(cx, &array)
                };
                return self.checked_object(object);
            }
            let array = match long {
                Some(array) => array,
                None => *long.insert(self.new_array(&[])?),
            };
            for index in 0..values.len() {
                // SAFETY: rooted handles.
                unsafe {
                    rooted!(in(cx) let raw = array.value().to_object());
                    rooted!(in(cx) let value = values[index]);
                    if !JS_DefineElement(cx, raw.handle().into(), stored, value.handle().into(), ENUMERABLE) {
                        return Err(Exc::pending());
                    }
                }
                stored += 1;
            }
            values.set(Vec::new());
            if value.is_none() {
                return Ok(array);
            }
        }
    }

    /// Gives the elements of an array to `each`, in their order, and their number. `None`, and nothing is given: it has more than `most`, or
    /// not all of them.
    #[inline]
    pub fn list_items(
        &mut self,
        array: Local<'_>,
        most: usize,
        mut each: impl FnMut(usize, Local<'s>),
    ) -> JsResult<Option<usize>> {
        // Before the address is taken: finding the layout out can collect, and the array can move.
        let layout = self.layout()?;
        let (Some(object), Some(layout)) = (array.object(), layout) else { return Ok(None) };
        // SAFETY: a live object; rooting values collects nothing.
        let raw = unsafe { Raw::new(object) };
        if !raw.is_native() || raw.class() != layout.array {
            return Ok(None);
        }
        let count = raw.initialized();
        if count != raw.length() || count as usize > most || (0..count).any(|index| raw.element(index).is_magic()) {
            return Ok(None);
        }
        for index in 0..count {
            let item = self.local(raw.element(index));
            each(index as usize, item);
        }
        Ok(Some(count as usize))
    }

    /// `array[index]`, without a property being looked up if the array has that element.
    #[inline]
    pub fn list_item(&mut self, array: Local<'_>, index: u32) -> JsResult<Local<'s>> {
        // Before the address is taken: finding the layout out can collect, and the array can move.
        let layout = self.layout()?;
        if let (Some(object), Some(layout)) = (array.object(), layout) {
            // SAFETY: a live object; nothing collects before the value is rooted.
            let raw = unsafe { Raw::new(object) };
            if raw.is_native() && raw.class() == layout.array && index < raw.initialized() {
                let value = raw.element(index);
                if !value.is_magic() {
                    return Ok(self.local(value));
                }
            }
        }
        self.get_index(array, index)
    }
}

impl Local<'_> {
    /// The value of a BigInt that has 64 bits or less; `None` for other BigInts and other values.
    pub fn as_i64_exact(self) -> Option<i64> {
        let mut number = 0;
        // SAFETY: a live BigInt; the test does not collect.
        let fits = self.is_bigint() && unsafe { JS::detail::BigIntIsInt64(self.value().to_bigint(), &mut number) };
        fits.then_some(number)
    }

    /// The low 64 bits of a BigInt; `None` for other values.
    pub fn as_i64_wrapping(self) -> Option<i64> {
        // SAFETY: a live BigInt; the conversion does not collect.
        self.is_bigint().then(|| unsafe { JS::ToBigInt64(self.value().to_bigint()) })
    }
}
