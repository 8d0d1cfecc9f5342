//! Native half of `bun:ffi` (family `ffi`): libraries and their functions, callbacks, memory by address.
//!
//! Calls in both directions are machine code made here, for x86-64 with System V's calling convention: `thunk.rs` writes a native of the engine
//! for each C function, `code.rs` has stubs for callbacks, `abi.rs` what both share. The TypeScript half checks descriptions of functions;
//! that a description fits its C function nobody can check.

#[cfg(not(all(target_arch = "x86_64", unix)))]
compile_error!("calls of C functions are written for x86-64 and System V's calling convention only");

mod abi;
mod callback;
mod code;
mod function;
mod memory;
mod thread;
mod thunk;
mod types;
mod values;

pub use function::flush;
pub use thread::tear_down;

engine::ops!(pub fn family "ffi" {
    function::open,
    function::symbol,
    function::link,
    function::close,
    callback::callback,
    callback::close_callback,
    memory::ptr,
    memory::text,
    memory::array_buffer,
    memory::readers,
});
