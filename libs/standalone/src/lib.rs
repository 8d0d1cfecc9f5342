//! Executables with a program in them (`bao build --compile`): bao itself with the modules, their compiled code, source maps and
//! files of one program behind its own bytes.
//!
//! The bytes are a loadable segment of the ELF file, so that the system maps them with the executable: nothing is opened or read
//! to find out whether there is a program, and a file that may only be executed (mode 0111) runs too. [`payload`] has their
//! layout, [`elf`] puts them in. A program sees its files below [`ROOT`], through `libs/store`.

mod elf;
mod payload;

pub use elf::{Failure, Template, write};
pub use payload::{Autoload, Builder, Import, Module, Program, ROOT, activate, current};
