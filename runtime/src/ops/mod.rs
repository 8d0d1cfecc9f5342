//! Native families that need the runtime itself: the loop, the loader, the process, console, inspection.

pub mod bun_ops;
pub mod console_ops;
pub mod heap_snapshot;
pub mod inspect_ops;
pub mod loader_ops;
pub mod loop_ops;
pub mod process_ops;
pub mod process_sys;
pub mod source_map_ops;
pub mod test_ops;
pub mod v8_ops;
pub mod vm_ops;
