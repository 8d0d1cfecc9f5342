//! Text for terminals and pages.

pub mod ansi;
pub mod html;
pub mod width;
mod width_table;
