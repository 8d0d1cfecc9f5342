//! Scopes, locals and globals: how Rust holds JavaScript values without GC hazards.
//!
//! Every context owns a *handle stack*: chunks of value slots at fixed addresses, traced as roots. A [`Scope`]
//! remembers the height of that stack when it was opened and cuts it back when it is dropped. A [`Local`] is the
//! address of one slot, with the scope's lifetime; since the collector updates slots in place, a `Local` is always
//! current. Making one is a bump of an index, which is what a native call costs.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::rc::Rc;

use mozjs::glue::CallValueRootTracer;
use mozjs::jsapi::{JS, JSContext as RawContext, JSObject, JSTracer, Value};
use mozjs::jsval::UndefinedValue;

use crate::context::ContextState;

const CHUNK: usize = 512;

/// The handle stack of one context. Slots never move in memory while they are live.
pub(crate) struct HandleStack {
    chunks: UnsafeCell<Vec<Box<[UnsafeCell<Value>; CHUNK]>>>,
    len: Cell<usize>,
    /// The chunk that was pushed to last and the address of its first slot, so that a push is a store and two additions.
    chunk: Cell<usize>,
    slots: Cell<*mut Value>,
}

impl HandleStack {
    pub(crate) fn new() -> Self {
        HandleStack {
            chunks: UnsafeCell::new(Vec::new()),
            len: Cell::new(0),
            chunk: Cell::new(usize::MAX),
            slots: Cell::new(std::ptr::null_mut()),
        }
    }

    #[inline]
    pub(crate) fn height(&self) -> usize {
        self.len.get()
    }

    #[inline]
    pub(crate) fn cut(&self, height: usize) {
        debug_assert!(height <= self.len.get());
        self.len.set(height);
        if height / CHUNK != self.chunk.get() {
            self.release(height);
        }
    }

    /// Frees the chunks above `height`. One spare chunk is kept so that a loop around a chunk boundary does not allocate
    /// each time.
    #[cold]
    fn release(&self, height: usize) {
        // SAFETY: single-threaded; no reference into the vector is held across this call.
        let chunks = unsafe { &mut *self.chunks.get() };
        chunks.truncate(height / CHUNK + 2);
        // The next push looks where its chunk is.
        self.chunk.set(usize::MAX);
    }

    /// Makes `chunk` the one that is pushed to.
    #[cold]
    fn select(&self, chunk: usize) {
        // SAFETY: single-threaded; the chunk boxes give slots a fixed address even when the vector grows.
        let chunks = unsafe { &mut *self.chunks.get() };
        if chunk == chunks.len() {
            chunks.push(Box::new([const { UnsafeCell::new(Value { asBits_: 0xfff9_8000_0000_0000 }) }; CHUNK]));
        }
        self.chunk.set(chunk);
        self.slots.set(chunks[chunk].as_ptr().cast_mut().cast());
    }

    #[inline(always)]
    pub(crate) fn push(&self, value: Value) -> NonNull<Value> {
        let index = self.len.get();
        if index / CHUNK != self.chunk.get() {
            self.select(index / CHUNK);
        }
        // SAFETY: the slot is in bounds of the chunk and nothing else refers to it while it lies above the top of the stack.
        unsafe {
            let slot = self.slots.get().add(index % CHUNK);
            *slot = value;
            self.len.set(index + 1);
            NonNull::new_unchecked(slot)
        }
    }

    /// Lays values out next to each other, as arguments of a call; `None` where there are too many for a chunk.
    pub(crate) fn push_run(&self, values: &[Local<'_>]) -> Option<*const Value> {
        if values.len() > CHUNK {
            return None;
        }
        while self.len.get() % CHUNK + values.len() > CHUNK {
            self.push(UndefinedValue());
        }
        let mut first = std::ptr::null();
        for (index, value) in values.iter().enumerate() {
            let slot = self.push(value.value());
            if index == 0 {
                first = slot.as_ptr().cast_const();
            }
        }
        Some(first)
    }

    /// # Safety
    /// Called by the collector only.
    pub(crate) unsafe fn trace(&self, trc: *mut JSTracer) {
        // SAFETY: nothing else borrows the chunks during a collection.
        let chunks = unsafe { &*self.chunks.get() };
        let mut left = self.len.get();
        for chunk in chunks {
            for slot in chunk.iter().take(left) {
                // SAFETY: slots below the height hold values.
                unsafe { CallValueRootTracer(trc, slot.get(), c"local".as_ptr()) };
            }
            left = left.saturating_sub(CHUNK);
        }
    }
}

/// The table behind [`Global`]: values rooted until their `Global` is dropped.
pub(crate) struct PersistentTable {
    slots: UnsafeCell<Vec<Value>>,
    free: UnsafeCell<Vec<u32>>,
}

impl PersistentTable {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(PersistentTable { slots: UnsafeCell::new(Vec::new()), free: UnsafeCell::new(Vec::new()) })
    }

    pub(crate) fn insert(&self, value: Value) -> u32 {
        // SAFETY: single-threaded, and no reference is held across calls.
        let (slots, free) = unsafe { (&mut *self.slots.get(), &mut *self.free.get()) };
        if let Some(index) = free.pop() {
            slots[index as usize] = value;
            return index;
        }
        slots.push(value);
        (slots.len() - 1) as u32
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Value {
        // SAFETY: as above.
        unsafe { (&*self.slots.get())[index as usize] }
    }

    pub(crate) fn remove(&self, index: u32) {
        // SAFETY: as above.
        let (slots, free) = unsafe { (&mut *self.slots.get(), &mut *self.free.get()) };
        slots[index as usize] = UndefinedValue();
        free.push(index);
    }

    pub(crate) fn clear(&self) {
        // SAFETY: as above. Indices stay valid, so a `Global` dropped later does no harm.
        for slot in unsafe { &mut *self.slots.get() } {
            *slot = UndefinedValue();
        }
    }

    /// # Safety
    /// Called by the collector only.
    pub(crate) unsafe fn trace(&self, trc: *mut JSTracer) {
        // SAFETY: nothing else borrows the slots during a collection.
        for slot in unsafe { &mut *self.slots.get() } {
            // SAFETY: every slot holds a value, an unused one undefined.
            unsafe { CallValueRootTracer(trc, slot, c"persistent".as_ptr()) };
        }
    }
}

/// A value kept alive until dropped, on the thread of its context. Cloning makes a second root.
pub struct Global {
    table: Rc<PersistentTable>,
    index: u32,
}

impl Global {
    pub(crate) fn from_value(table: &Rc<PersistentTable>, value: Value) -> Self {
        Global { table: table.clone(), index: table.insert(value) }
    }

    /// Whether both are the same object, symbol or string in memory, or the same other primitive value.
    pub(crate) fn is(&self, value: Local<'_>) -> bool {
        self.table.get(self.index).asBits_ == value.value().asBits_
    }

    /// The value as a local of `scope`.
    #[inline]
    pub fn get<'s>(&self, scope: &mut Scope<'s>) -> Local<'s> {
        scope.local(self.table.get(self.index))
    }
}

impl Clone for Global {
    fn clone(&self) -> Self {
        Global::from_value(&self.table, self.table.get(self.index))
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        self.table.remove(self.index);
    }
}

/// A JavaScript value, valid as long as the scope it was made in. To keep one longer takes a [`Global`]:
///
/// ```no_run
/// fn keep(context: &mut engine::Context) -> engine::Global {
///     context.with(|scope| {
///         let value = scope.undefined();
///         scope.global(value)
///     })
/// }
/// ```
///
/// Without, it does not compile, from a context or from an inner scope:
///
/// ```compile_fail
/// fn keep(context: &mut engine::Context) -> engine::Local<'static> {
///     context.with(|scope| scope.undefined())
/// }
/// ```
///
/// ```compile_fail
/// fn keep<'s>(scope: &mut engine::Scope<'s>) -> engine::Local<'s> {
///     scope.nested(|inner| inner.undefined())
/// }
/// ```
///
/// Characters and bytes are borrowed from the scope, so nothing can collect while they are held:
///
/// ```compile_fail
/// fn hold(scope: &mut engine::Scope<'_>, value: engine::Local<'_>) -> usize {
///     let bytes = scope.bytes(value).unwrap_or_default();
///     scope.gc(engine::GcKind::Full);
///     bytes.len()
/// }
/// ```
///
/// Nor can an op that borrows an argument give part of it back:
///
/// ```compile_fail
/// #[engine::op]
/// fn first(bytes: &[u8]) -> &[u8] {
///     &bytes[..1]
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Local<'s> {
    slot: NonNull<Value>,
    _scope: PhantomData<(&'s (), *mut ())>,
}

impl Local<'_> {
    #[inline]
    pub(crate) fn value(self) -> Value {
        // SAFETY: the slot lies below the height of a live scope.
        unsafe { *self.slot.as_ptr() }
    }

    #[inline]
    pub(crate) fn handle(self) -> JS::HandleValue {
        // SAFETY: slots are traced roots.
        unsafe { JS::HandleValue::from_marked_location(self.slot.as_ptr()) }
    }

    #[inline]
    pub(crate) fn slot(self) -> NonNull<Value> {
        self.slot
    }

    /// Only for arguments of native calls, which the engine roots itself.
    #[inline]
    pub(crate) unsafe fn from_rooted_location(slot: *mut Value) -> Self {
        // SAFETY: the engine's arguments are never at address 0.
        Local { slot: unsafe { NonNull::new_unchecked(slot) }, _scope: PhantomData }
    }
}

/// A stretch of time in which values can be made and used: the right to touch the engine.
pub struct Scope<'s> {
    pub(crate) cx: *mut RawContext,
    pub(crate) state: NonNull<ContextState>,
    base: usize,
    _scope: PhantomData<&'s mut ()>,
}

impl<'s> Scope<'s> {
    /// # Safety
    /// `cx` is the context of this thread with its state attached; the lifetime must not exceed the caller's use.
    #[inline]
    pub(crate) unsafe fn enter(cx: *mut RawContext) -> Scope<'s> {
        // SAFETY: the caller passes the context of this thread, whose state is attached.
        let state = unsafe { ContextState::of(cx) };
        // SAFETY: the state lives as long as the context.
        let base = unsafe { state.as_ref() }.handles.height();
        Scope { cx, state, base, _scope: PhantomData }
    }

    /// A scope on top of what is open. It is not to be dropped: that would cut the stack to its present height.
    ///
    /// # Safety
    /// As for [`Scope::enter`], with the context's own state.
    #[inline]
    pub(crate) unsafe fn resume(cx: *mut RawContext, state: NonNull<ContextState>) -> Scope<'s> {
        Scope { cx, state, base: 0, _scope: PhantomData }
    }

    #[inline]
    pub(crate) fn ctx(&self) -> &ContextState {
        // SAFETY: the state lives as long as its context, which outlives every scope.
        unsafe { self.state.as_ref() }
    }

    /// Runs `f` in an inner scope whose locals are released at its end; for loops that make many values.
    pub fn nested<R>(&mut self, f: impl for<'i> FnOnce(&mut Scope<'i>) -> R) -> R {
        // SAFETY: same context and thread; the closure's lifetime parameter keeps inner locals inside.
        let mut inner = unsafe { Scope::enter(self.cx) };
        f(&mut inner)
    }

    /// Runs `f` in an inner scope and carries its one result out.
    pub fn escape<E>(
        &mut self,
        f: impl for<'i> FnOnce(&mut Scope<'i>) -> Result<Local<'i>, E>,
    ) -> Result<Local<'s>, E> {
        let out = self.local(UndefinedValue());
        let value = {
            // SAFETY: as in `nested`; the raw value is stored into the outer slot before anything can collect.
            let mut inner = unsafe { Scope::enter(self.cx) };
            f(&mut inner)?.value()
        };
        // SAFETY: the slot is ours and no reference to its content exists.
        unsafe { *out.slot.as_ptr() = value };
        Ok(out)
    }

    #[inline]
    pub(crate) fn local(&mut self, value: Value) -> Local<'s> {
        Local { slot: self.ctx().handles.push(value), _scope: PhantomData }
    }

    #[inline]
    pub(crate) fn local_object(&mut self, object: *mut JSObject) -> Local<'s> {
        self.local(mozjs::jsval::ObjectOrNullValue(object))
    }

    #[inline]
    pub(crate) fn out(local: Local<'s>) -> JS::MutableHandleValue {
        // SAFETY: slots are traced roots.
        unsafe { JS::MutableHandleValue::from_marked_location(local.slot.as_ptr()) }
    }

    /// Keeps `value` alive beyond this scope.
    pub fn global(&mut self, value: Local<'_>) -> Global {
        Global::from_value(&self.ctx().persistents, value.value())
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        self.ctx().handles.cut(self.base);
    }
}
