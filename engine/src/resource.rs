//! Resource objects: Rust values that JavaScript holds.
//!
//! A resource object has no properties of its own and cannot be made by a program. It owns one [`Resource`]; the value
//! is dropped exactly once: after the object was collected, when [`Scope::take_resource`] took it out (closing it), or
//! at the latest when the context ends. That happens on the context's thread, unless the last reference is held by a
//! job of `#[op(blocking)]`, which only a `Send + Sync` value can be given to; and between tasks or where the next
//! resource or external buffer is made, never in the middle of another op.
//!
//! ```no_run
//! use engine::{Resource, op};
//! use std::cell::Cell;
//!
//! /// Opens a counter.
//! #[op]
//! fn open() -> Resource<Cell<f64>> {
//!     Resource::new(Cell::new(0.0))
//! }
//!
//! /// Adds to it. A value that is no counter, or a closed one, is a TypeError before this runs.
//! #[op]
//! fn add(counter: &Resource<Cell<f64>>, n: f64) -> f64 {
//!     counter.set(counter.get() + n);
//!     counter.get()
//! }
//! # engine::ops!(fn family "counter" { open, add });
//! # fn main() { family(); }
//! ```

use std::any::Any;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use mozjs::jsapi::{
    JS, JS_NewObject, JSCLASS_FOREGROUND_FINALIZE, JSCLASS_RESERVED_SLOTS_SHIFT, JSClass, JSClassOps, JSObject,
};
use mozjs::jsval::{PrivateValue, UndefinedValue};

use crate::error::{JsResult, OpError};
use crate::external::ExternalMemory;
use crate::handles::{Local, Scope};
use crate::native::{FromJs, FromJsAsync, IntoJs};

/// A reference to the value of a resource object. The value lives as long as the object or any reference.
pub struct Resource<T>(Arc<T>);

impl<T> Resource<T> {
    /// A value that becomes a resource object when an op returns it.
    pub fn new(value: T) -> Self {
        Resource(Arc::new(value))
    }

    /// The value itself, where this is the only reference.
    pub fn into_inner(self) -> Result<T, Self> {
        Arc::try_unwrap(self.0).map_err(Resource)
    }
}

impl<T> Clone for Resource<T> {
    fn clone(&self) -> Self {
        Resource(self.0.clone())
    }
}

impl<T> Deref for Resource<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A resource of whatever type that objects in several threads may hold; made by [`Scope::new_shared_resource`].
pub(crate) trait SharedResource: Send {
    /// A further object of it.
    fn object<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>>;
}

impl<T: Send + Sync + 'static> SharedResource for Resource<T> {
    fn object<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        scope.shared_resource_object(self.clone())
    }
}

/// An op's result: a resource object that structured clone shares between threads, whose value must be thread-safe.
pub struct Shared<T>(pub T);

impl<T: Send + Sync + 'static> IntoJs for Shared<T> {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        scope.new_shared_resource(self.0)
    }
}

fn share<T: Send + Sync + 'static>(value: &dyn Any) -> Option<Box<dyn SharedResource>> {
    Some(Box::new(value.downcast_ref::<Resource<T>>()?.clone()))
}

/// What the reserved slot of a resource object points to.
struct Held {
    /// A `Resource<T>`; `None` once it was taken.
    value: Option<Box<dyn Any>>,
    /// Of a resource that can be shared.
    share: Option<fn(&dyn Any) -> Option<Box<dyn SharedResource>>>,
    /// Bytes reported to the collector.
    bytes: usize,
    home: Arc<ExternalMemory>,
}

/// The slot of a value that goes with the resource.
const COMPANION: u32 = 1;

const MEMORY: JS::MemoryUse = JS::MemoryUse::Embedding2;

// A finalizer on the context's thread keeps the object out of the nursery as well, so memory can be associated with it.
static CLASS_OPS: JSClassOps = JSClassOps {
    addProperty: None,
    delProperty: None,
    enumerate: None,
    newEnumerate: None,
    resolve: None,
    mayResolve: None,
    finalize: Some(finalize),
    call: None,
    construct: None,
    trace: None,
};

struct ResourceClass(JSClass);
// SAFETY: immutable data.
unsafe impl Sync for ResourceClass {}

static CLASS: ResourceClass = ResourceClass(JSClass {
    name: c"Resource".as_ptr(),
    // The box, and the companion.
    flags: (2 << JSCLASS_RESERVED_SLOTS_SHIFT) | JSCLASS_FOREGROUND_FINALIZE,
    cOps: &CLASS_OPS,
    spec: ptr::null(),
    ext: ptr::null(),
    oOps: ptr::null(),
});

unsafe extern "C" fn finalize(_: *mut JS::GCContext, object: *mut JSObject) {
    // SAFETY: a dying object of our class, on the context's thread; its slot holds the box made in `new_resource`, or
    // nothing where the object was never finished.
    unsafe {
        let Some(held) = held_of(object) else { return };
        let Held { value, bytes, home, .. } = *Box::from_raw(held.as_ptr());
        JS::RemoveAssociatedMemory(object, bytes, MEMORY);
        if let Some(value) = value {
            home.give_back(value);
        }
    }
}

/// # Safety
/// `object` is a resource object.
#[inline]
unsafe fn held_of(object: *mut JSObject) -> Option<NonNull<Held>> {
    let mut slot = UndefinedValue();
    // SAFETY: the class has this slot.
    unsafe { mozjs::glue::JS_GetReservedSlot(object, 0, &mut slot) };
    if slot.is_undefined() { None } else { NonNull::new(slot.to_private().cast_mut().cast()) }
}

#[inline]
fn held(value: Local<'_>) -> Option<(*mut JSObject, NonNull<Held>)> {
    let object = value.object()?;
    // SAFETY: a live object; these reads do not collect. The class says what is in the slot.
    unsafe {
        if !ptr::eq(mozjs::rust::get_object_class(object), &CLASS.0) {
            return None;
        }
        held_of(object).map(|held| (object, held))
    }
}

impl<'s> Scope<'s> {
    /// An object that owns `value`.
    pub fn new_resource<T: 'static>(&mut self, value: T) -> JsResult<Local<'s>> {
        self.resource_object(Resource::new(value))
    }

    /// The same for a value that threads may share: structured clone of the object gives another one that holds the same value.
    pub fn new_shared_resource<T: Send + Sync + 'static>(&mut self, value: T) -> JsResult<Local<'s>> {
        self.shared_resource_object(Resource::new(value))
    }

    fn shared_resource_object<T: Send + Sync + 'static>(&mut self, resource: Resource<T>) -> JsResult<Local<'s>> {
        let object = self.resource_object(resource)?;
        if let Some((_, mut held)) = held(object) {
            // SAFETY: the object was just made.
            unsafe { held.as_mut() }.share = Some(share::<T>);
        }
        Ok(object)
    }

    /// What another thread can make an object of; `None` for what is no open resource of that kind.
    pub(crate) fn shared_resource(&self, value: Local<'_>) -> Option<Box<dyn SharedResource>> {
        let (_, held) = held(value)?;
        // SAFETY: the object is alive, and nothing that could close it runs meanwhile.
        let held = unsafe { held.as_ref() };
        held.share?(held.value.as_deref()?)
    }

    fn resource_object<T: 'static>(&mut self, resource: Resource<T>) -> JsResult<Local<'s>> {
        self.ctx().external.drop_returned();
        let home = self.ctx().external.clone();
        // SAFETY: rooted at once; a plain private value needs no barrier.
        unsafe {
            let object = JS_NewObject(self.cx, &CLASS.0);
            let local = self.checked_object(object)?;
            let held = Box::new(Held { value: Some(Box::new(resource)), share: None, bytes: 0, home });
            let slot = PrivateValue(Box::into_raw(held).cast_const().cast());
            mozjs::jsapi::JS_SetReservedSlot(local.value().to_object(), 0, &slot);
            Ok(local)
        }
    }

    /// The value of a resource object; `None` where the value is none, is closed, or holds another type.
    pub fn resource<T: 'static>(&self, value: Local<'_>) -> Option<Resource<T>> {
        let (_, held) = held(value)?;
        // SAFETY: the object is alive, and nothing that could close it runs meanwhile.
        unsafe { held.as_ref() }.value.as_deref()?.downcast_ref::<Resource<T>>().cloned()
    }

    /// What `read` makes of the value of a resource object; `None` as for [`Scope::resource`], which counts another reference, for which
    /// the processor waits.
    #[inline]
    pub fn read_resource<T: 'static, R>(&self, value: Local<'_>, read: impl FnOnce(&T) -> R) -> Option<R> {
        let (_, held) = held(value)?;
        // SAFETY: the object is alive, and `read` cannot run anything that could close it: that needs the scope, which is borrowed.
        unsafe { held.as_ref() }.value.as_deref()?.downcast_ref::<Resource<T>>().map(|resource| read(resource))
    }

    /// Takes the value out of a resource object, which is closed from then on; `None` as for [`Scope::resource`].
    pub fn take_resource<T: 'static>(&mut self, value: Local<'_>) -> Option<Resource<T>> {
        let (object, mut held) = held(value)?;
        // SAFETY: the object is alive and `self` is borrowed exclusively, so no op holds a reference into it.
        unsafe {
            let held = held.as_mut();
            let taken = held.value.take()?;
            match taken.downcast::<Resource<T>>() {
                Ok(resource) => {
                    JS::RemoveAssociatedMemory(object, std::mem::take(&mut held.bytes), MEMORY);
                    Some(*resource)
                }
                Err(other) => {
                    held.value = Some(other);
                    None
                }
            }
        }
    }

    /// Tells the collector how many bytes outside its heap go with a resource object, in all. Worth it from some
    /// kilobytes: without, a program that drops many of them is collected too late.
    pub fn set_resource_bytes(&mut self, value: Local<'_>, bytes: usize) {
        let Some((object, mut held)) = held(value) else { return };
        // SAFETY: as above; what was added is removed with the same number.
        unsafe {
            let held = held.as_mut();
            if held.value.is_some() {
                JS::RemoveAssociatedMemory(object, held.bytes, MEMORY);
                held.bytes = bytes;
                JS::AddAssociatedMemory(object, bytes, MEMORY);
            }
        }
    }

    /// Lets a resource object keep a value alive, such as functions that its native half calls: what the value refers to may refer
    /// to the object without either living for ever, as they would with a [`crate::Global`].
    pub fn set_companion(&mut self, resource: Local<'_>, companion: Local<'_>) {
        if let Some((object, _)) = held(resource) {
            // SAFETY: the class has this slot; the call has the barriers.
            unsafe { mozjs::jsapi::JS_SetReservedSlot(object, COMPANION, &companion.value()) };
        }
    }

    /// What [`Scope::set_companion`] put there, else undefined.
    pub fn companion(&mut self, resource: Local<'_>) -> Local<'s> {
        let mut slot = UndefinedValue();
        if let Some((object, _)) = held(resource) {
            // SAFETY: the class has this slot.
            unsafe { mozjs::glue::JS_GetReservedSlot(object, COMPANION, &mut slot) };
        }
        self.local(slot)
    }

    /// Whether the value is a resource object, open or closed.
    pub fn is_resource(&self, value: Local<'_>) -> bool {
        held(value).is_some()
    }
}

fn wrong_type<T>() -> OpError {
    let name = std::any::type_name::<T>();
    let name = name.split('<').next().unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    OpError::type_error(format!("native function expected an open {name}")).code("ERR_INVALID_ARG_TYPE")
}

/// A counted reference, which keeps the value beyond the call.
impl<T: 'static> FromJsAsync for Resource<T> {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        scope.resource(value).ok_or_else(wrong_type::<T>)
    }
}

/// The reference that the object holds. Like all borrowed arguments it excludes a scope (`#[op]` sees to that), so
/// nothing can close or collect the object during the call.
impl<'a, T: 'static> FromJs<'a> for &'a Resource<T> {
    fn from_js(_: &mut Scope<'a>, value: Local<'a>) -> Result<Self, OpError> {
        let (_, held) = held(value).ok_or_else(wrong_type::<T>)?;
        // SAFETY: see above; the object is an argument, which the engine roots.
        let held: &'a Held = unsafe { &*held.as_ptr() };
        held.value.as_deref().and_then(|any| any.downcast_ref()).ok_or_else(wrong_type::<T>)
    }
}

/// A new object that owns the value.
impl<T: 'static> IntoJs for Resource<T> {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        scope.resource_object(self)
    }
}
