//! SpiderMonkey behind a safe API.
//!
//! This crate is the only room of bao where the engine's unsafe API is named. What leaves it:
//!
//! - [`Context`]: one JavaScript thread (engine context, heap, realm, microtask queue).
//! - [`Scope`] and [`Local`]: values on a rooted handle stack. A `Local<'s>` cannot outlive the scope it was made in
//!   (checked at compile time), and the slot it points to is traced and updated by the moving collector, so a stale
//!   pointer cannot be written down at all.
//! - [`Global`]: a value kept alive independently of scopes.
//! - [`op`]/[`ops!`] and [`OpError`]: Rust functions as native functions.
//! - [`Resource`]: a Rust value owned by a JavaScript object and dropped when that is collected.
//! - [`Stencil`]: compiled code as bytes. [`SharedString`]: ref-counted immutable characters shared between threads.

extern crate self as engine;

mod bindings;
mod buffer;
mod clone;
mod context;
mod coverage;
mod debugger;
mod deep_equal;
mod error;
mod external;
mod faults;
pub mod foreign;
mod global;
mod handles;
mod heap_graph;
mod helper_threads;
#[cfg(icu_data)]
mod icu_data;
mod inspect;
mod jit_policy;
mod json;
mod memory;
mod module;
mod native;
mod object_layout;
mod packed;
mod pins;
mod primitive;
mod profiler;
mod promise;
mod promise_hook;
mod realm;
mod resource;
mod rows;
mod shared;
mod stencil;
mod string;
mod tasks;
mod value;
mod vm_context;

pub use buffer::{BufferSlice, PinnedBytes, SharedCells, is_bytes_op, new_bytes_op, view_bytes_op};
pub use clone::{CloneBuffer, CloneError, Serialized, Transferred};
pub use context::{
    Context, ContextOptions, GcKind, Host, InterruptHandle, OpState, initialize, reset_time_zone, self_hosted_cache,
    shutdown,
};
pub use coverage::Counters;
pub use debugger::SignalInterrupt;
pub use deep_equal::TreeRules;
pub use engine_macros::{op, ops, ts_constants};
pub use error::{ErrorKind, Exc, JsResult, OpError, StackFrame};
pub use global::LazyGlobals;
pub use handles::{Global, Local, Scope};
pub use heap_graph::{CellKind, HeapCell, HeapEdge, HeapGraph};
pub use jit_policy::scale_jit_steps;
pub use memory::{Collection, HeapByRealm, HeapSizes};
pub use module::{ImportRequest, ModuleKind, ModuleRequest, ModuleStatus, Referrer};
#[doc(hidden)]
pub use mozjs::jsapi as __jsapi;
#[doc(hidden)]
pub use native::{__native, begin_blocking, begin_future};
pub use native::{
    Args, AsyncCompletion, BlockingJob, F64Array, Family, FromJs, FromJsAsync, IntoJs, JsStr, Latin1String, OpDecl,
    RawBytes, Utf16String, finish_async, finish_job, finish_ready,
};
pub use packed::unpack;
pub use primitive::Primitive;
pub use profiler::{CpuProfile, ProfileNode, ProfileSample, ProfiledFunction, monotonic_micros};
pub use promise::{PromiseState, enqueue_microtask_op};
pub use realm::RealmOptions;
pub use resource::{Resource, Shared};
pub use rows::{Column, RowSource, RowTemplate, TakeColumn};
pub use shared::SharedString;
pub use stencil::{CompileOptions, Stencil};
pub use tasks::{EngineTask, TaskSender, engine_tasks_pending};
pub use value::{ClassName, PropertyAttributes};
