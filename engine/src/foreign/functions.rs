//! Functions and classes whose calls go to code outside of Rust.
//!
//! Such a function has one reserved slot with a small object, the *holder*, whose slots are the three words that the
//! callee is given and the number of the class that it belongs to. Both are the collector's: nothing has to be freed.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use mozjs::jsapi::{
    CallArgs, JS, JS_GetFunctionObject, JS_NewObject, JS_NewObjectForConstructor, JS_SetReservedSlot, JSClass,
    JSContext as RawContext, JSObject, NewFunctionByIdWithReserved, SetFunctionNativeReserved, Value,
};
use mozjs::jsval::{Int32Value, ObjectValue, UndefinedValue};
use mozjs::rooted;

use super::objects::{CLASS_SLOT, INSTANCE};
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// What the calls of a foreign function go to.
pub trait Callee {
    /// Answers a call with its result; undefined where that is `None`.
    ///
    /// # Errors
    /// The exception that the call ends with.
    fn call<'s>(scope: &mut Scope<'s>, call: &mut ForeignCall) -> JsResult<Option<Local<'s>>>;
}

/// What a foreign function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// A function as `function f() {}`: `new` makes an object for it.
    Plain,
    /// The constructor of the class of that number; instances are marked with it.
    Class(u32),
    /// A method that only instances of that class may be the receiver of; 0 for any receiver. Not a constructor.
    Method(u32),
}

/// One call of a foreign function.
pub struct ForeignCall {
    raw: CallArgs,
    vp: *mut Value,
    constructing: bool,
    /// The words that the function was made with.
    pub data: [*mut c_void; 3],
}

impl ForeignCall {
    /// Number of arguments.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw.argc_ as usize
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot of an argument below [`ForeignCall::len`]; valid for the time of the call.
    #[inline]
    pub fn argument(&self, index: usize) -> NonNull<c_void> {
        debug_assert!(index < self.len());
        // SAFETY: the engine's arguments lie one after the other.
        unsafe { NonNull::new_unchecked(self.raw.argv_.add(index).cast()) }
    }

    /// The slot of `this`, made an object as for a sloppy function: the global object for undefined and null.
    pub fn this(&self, scope: &mut Scope<'_>) -> JsResult<NonNull<c_void>> {
        // SAFETY: vp[1] is `this`, rooted by the engine.
        unsafe {
            let slot = self.vp.add(1);
            if !(*slot).is_object() {
                if (*slot).is_null_or_undefined() {
                    *slot = scope.global_object().value();
                } else {
                    let this = scope.local(*slot);
                    *slot = scope.to_object(this)?.value();
                }
            }
            Ok(NonNull::new_unchecked(slot.cast()))
        }
    }

    /// The slot of `new.target`; `None` for a call without `new`.
    pub fn new_target(&self) -> Option<NonNull<c_void>> {
        // SAFETY: behind the arguments of a construction lies its target.
        self.constructing.then(|| unsafe { NonNull::new_unchecked(self.raw.argv_.add(self.len()).cast()) })
    }
}

/// The words each in two halves, then the class.
const HOLDER_SLOTS: u32 = 7;
const CLASS_OF_HOLDER: u32 = 6;

pub(super) struct StaticClass(pub(super) JSClass);
// SAFETY: immutable data.
unsafe impl Sync for StaticClass {}

pub(super) const fn plain_class(name: &'static std::ffi::CStr, slots: u32) -> StaticClass {
    StaticClass(JSClass {
        name: name.as_ptr(),
        flags: slots << mozjs::jsapi::JSCLASS_RESERVED_SLOTS_SHIFT,
        cOps: ptr::null(),
        spec: ptr::null(),
        ext: ptr::null(),
        oOps: ptr::null(),
    })
}

static HOLDER: StaticClass = plain_class(c"Object", HOLDER_SLOTS);

/// # Safety
/// `object` is a live object of one of the classes of this folder, which has that reserved slot.
#[inline]
pub(super) unsafe fn slot(object: *mut JSObject, index: u32) -> Value {
    // SAFETY: js/public/shadow/Object.h: three words, then the fixed slots, of which there are as many as the class
    // reserves where these are few.
    unsafe { *object.cast::<Value>().add(3 + index as usize) }
}

/// A word that [`set_word`] has put into two slots from `index` on.
///
/// # Safety
/// As for [`slot`].
#[inline]
pub(super) unsafe fn word(object: *mut JSObject, index: u32) -> *mut c_void {
    // SAFETY: the caller's. Any word may be a program's pointer, so it is not kept as a private value, which has 48 bits.
    unsafe {
        let (low, high) = (slot(object, index).to_int32() as u32, slot(object, index + 1).to_int32() as u32);
        ptr::with_exposed_provenance_mut((u64::from(high) << 32 | u64::from(low)) as usize)
    }
}

/// # Safety
/// As for [`slot`].
pub(super) unsafe fn set_word(object: *mut JSObject, index: u32, word: usize) {
    let bits = word as u64;
    // SAFETY: the caller's.
    unsafe {
        JS_SetReservedSlot(object, index, &Int32Value(bits as i32));
        JS_SetReservedSlot(object, index + 1, &Int32Value((bits >> 32) as i32));
    }
}

unsafe extern "C" fn trampoline<C: Callee>(cx: *mut RawContext, argc: u32, vp: *mut Value) -> bool {
    // SAFETY: the engine calls natives with these three, on the thread of their context; the function has its holder.
    unsafe {
        let raw = CallArgs::from_vp(vp, argc);
        let holder = (*mozjs::jsapi::GetFunctionNativeReserved((*vp).to_object(), 0)).to_object();
        let data = [word(holder, 0), word(holder, 2), word(holder, 4)];
        let class = slot(holder, CLASS_OF_HOLDER).to_int32();
        let mut scope = Scope::enter(cx);
        let mut call = ForeignCall { raw, vp, constructing: (*vp.add(1)).is_magic(), data };
        if call.constructing {
            let object = JS_NewObjectForConstructor(cx, &INSTANCE.0, &call.raw);
            if object.is_null() {
                return false;
            }
            if class != 0 {
                JS_SetReservedSlot(object, CLASS_SLOT, &Int32Value(class));
            }
            *vp.add(1) = ObjectValue(object);
        } else if class < 0 && !is_instance(*vp.add(1), class) {
            scope.throw_type_error("Illegal invocation");
            return false;
        }
        scope.stress();
        match C::call(&mut scope, &mut call) {
            Ok(value) => {
                let value = value.map_or(UndefinedValue(), Local::value);
                *vp = if call.constructing && !value.is_object() { *vp.add(1) } else { value };
                true
            }
            Err(_) => false,
        }
    }
}

/// Whether `this` was made by the constructor whose methods carry `class` (negative).
unsafe fn is_instance(this: Value, class: i32) -> bool {
    if !this.is_object() {
        return false;
    }
    let object = this.to_object();
    // SAFETY: a live object; the class says what the slot is.
    unsafe {
        ptr::eq(mozjs::rust::get_object_class(object), &INSTANCE.0) && {
            let mark = slot(object, CLASS_SLOT);
            mark.is_int32() && mark.to_int32() == -class
        }
    }
}

impl<'s> Scope<'s> {
    /// A function whose calls go to `C` with `data`; `name` is a string.
    pub fn foreign_function<C: Callee>(
        &mut self,
        name: Local<'_>,
        data: [*mut c_void; 3],
        kind: FunctionKind,
    ) -> JsResult<Local<'s>> {
        let (class, flags) = match kind {
            FunctionKind::Plain => (0, mozjs::jsapi::JSFUN_CONSTRUCTOR),
            FunctionKind::Class(class) => (class as i32, mozjs::jsapi::JSFUN_CONSTRUCTOR),
            FunctionKind::Method(class) => (-(class as i32), 0),
        };
        // SAFETY: rooted handles; private values need no barrier.
        unsafe {
            rooted!(in(self.cx) let mut id: mozjs::jsapi::jsid);
            if !mozjs::jsapi::JS_ValueToId(self.cx, name.handle(), id.handle_mut().into()) {
                return Err(Exc::pending());
            }
            let holder = JS_NewObject(self.cx, &HOLDER.0);
            let holder = self.checked_object(holder)?;
            for (index, word) in data.into_iter().enumerate() {
                set_word(holder.value().to_object(), 2 * index as u32, word.expose_provenance());
            }
            JS_SetReservedSlot(holder.value().to_object(), CLASS_OF_HOLDER, &Int32Value(class));
            let function = NewFunctionByIdWithReserved(self.cx, Some(trampoline::<C>), 0, flags, id.get());
            if function.is_null() {
                return Err(Exc::pending());
            }
            let object = JS_GetFunctionObject(function);
            let function = self.checked_object(object)?;
            SetFunctionNativeReserved(function.value().to_object(), 0, holder.handle().ptr);
            if kind == FunctionKind::Plain || matches!(kind, FunctionKind::Class(_)) {
                self.give_prototype(function, matches!(kind, FunctionKind::Class(_)))?;
            }
            Ok(function)
        }
    }

    /// `function.prototype`, an object with `constructor`.
    fn give_prototype(&mut self, function: Local<'_>, is_class: bool) -> JsResult<()> {
        let prototype = self.new_object()?;
        self.define(prototype, "constructor", function, crate::PropertyAttributes::HIDDEN)?;
        let attributes =
            if is_class { crate::PropertyAttributes::FIXED } else { crate::PropertyAttributes::of(true, false, false) };
        self.define(function, "prototype", prototype, attributes)
    }

    /// `instance instanceof constructor`
    pub fn instance_of(&mut self, value: Local<'_>, constructor: Local<'_>) -> JsResult<bool> {
        let constructor = self.expect_object(constructor)?;
        let mut result = false;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let constructor = constructor);
            if !InstanceofOperator(self.cx, constructor.handle().into(), value.handle(), &mut result) {
                return Err(Exc::pending());
            }
        }
        Ok(result)
    }
}

unsafe extern "C" {
    #[link_name = "\u{1}_ZN2js18InstanceofOperatorEP9JSContextN2JS6HandleIP8JSObjectEENS3_INS2_5ValueEEEPb"]
    fn InstanceofOperator(
        cx: *mut RawContext,
        constructor: JS::HandleObject,
        value: JS::HandleValue,
        result: *mut bool,
    ) -> bool;
}
