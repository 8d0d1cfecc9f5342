//! The engine as code outside of Rust sees it: C functions that are given the addresses of handles, hold scopes open by
//! hand and keep pointers in objects (Node-API, ext/napi).
//!
//! A value that such code gets is the address of a slot of the handle stack (or of the engine's own argument slots),
//! which is what a [`Local`] is. The lifetimes that protect Rust are gone at that border: whoever makes a `Local` of an
//! address answers for it.

mod buffers;
mod code;
mod functions;
mod objects;
mod values;
mod weak;

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use mozjs::jsapi::{JS_ClearPendingException, JS_GetPendingException, JS_IsExceptionPending, JSContext as RawContext};

use crate::context::ContextState;
use crate::error::JsResult;
use crate::handles::{Local, Scope};

pub use crate::object_layout::ViewLayout;
pub use buffers::{BufferParts, ViewType};
pub use code::{CodeCallee, CodeEntries, ValueBits, value_bits};
pub use functions::{Callee, ForeignCall, FunctionKind};
pub(crate) use objects::is_external;
pub use objects::{Keys, TypeTag};
pub(crate) use values::clip_time;
pub use values::{BigIntWords, ExternalChars};
pub use weak::WeakId;
pub(crate) use weak::WeakTable;

/// The context of a thread, as code finds it again that was called without a scope.
#[derive(Clone, Copy)]
pub struct Anchor {
    cx: *mut RawContext,
    state: NonNull<ContextState>,
}

impl Anchor {
    /// A scope that adds to the innermost one that is open, and does not cut the handle stack when it is dropped.
    ///
    /// # Safety
    /// On the thread of a live context, with its realm entered; what is made in the scope is used no longer than the
    /// innermost open scope.
    #[inline]
    pub unsafe fn scope(self) -> ManuallyDrop<Scope<'static>> {
        // SAFETY: the caller's.
        ManuallyDrop::new(unsafe { Scope::resume(self.cx, self.state) })
    }
}

impl<'s> Local<'s> {
    /// The address of the value's slot.
    #[inline]
    pub fn address(self) -> NonNull<c_void> {
        self.slot().cast()
    }

    /// The value in a slot.
    ///
    /// # Safety
    /// The address came from [`Local::address`] or [`ForeignCall`], and the scope or call that it belongs to is open.
    #[inline]
    pub unsafe fn at(address: NonNull<c_void>) -> Local<'s> {
        // SAFETY: the caller's.
        unsafe { Local::from_rooted_location(address.as_ptr().cast()) }
    }

    /// Writes another value into this one's slot, for results that outlive the scope which they were made in.
    ///
    /// # Safety
    /// The slot is one of the handle stack that nobody else relies on.
    pub unsafe fn replace(self, value: Local<'_>) {
        // SAFETY: slots are traced roots; a plain store needs no barrier.
        unsafe { *self.slot().as_ptr() = value.value() };
    }
}

impl Scope<'_> {
    /// See [`Anchor`].
    #[inline]
    pub fn anchor(&self) -> Anchor {
        Anchor { cx: self.cx, state: self.state }
    }

    /// Height of the handle stack, for [`Scope::cut`].
    #[inline]
    pub fn height(&self) -> usize {
        self.ctx().handles.height()
    }

    /// Releases the handles made since the stack was `height` high.
    ///
    /// # Safety
    /// Nobody uses those handles any more, and no scope that was opened since is open.
    #[inline]
    pub unsafe fn cut(&mut self, height: usize) {
        self.ctx().handles.cut(height);
    }

    /// In stress mode, collects every so often: for natives that are not called through [`crate::op`].
    #[inline]
    pub fn stress(&self) {
        self.ctx().gc_stress();
    }

    /// Runs `f` with no exception pending, and has the one that is pending again afterwards.
    ///
    /// # Errors
    /// What `f` has thrown, unless an exception was pending before.
    pub fn while_pending(&mut self, f: impl FnOnce(&mut Self) -> JsResult<()>) -> JsResult<()> {
        // SAFETY: plain calls with a rooted out location.
        unsafe {
            if !JS_IsExceptionPending(self.cx) {
                return f(self);
            }
            let pending = self.undefined();
            if !JS_GetPendingException(self.cx, Scope::out(pending)) {
                return Ok(());
            }
            JS_ClearPendingException(self.cx);
            if let Err(exc) = f(self) {
                self.take_exception(exc);
            }
            self.throw(pending);
        }
        Ok(())
    }

    /// Tells the collector of memory outside of its heap that goes with objects of this context: `bytes` more, or less
    /// where negative.
    pub fn adjust_external(&mut self, bytes: i64) {
        self.ctx().external.adjust(bytes);
    }
}
