//! The interfaces that bao implements.

/// The Node version whose interfaces bao implements.
pub const NODE_VERSION: &str = "25.8.1";
/// The Bun version whose interfaces bao implements.
pub const BUN_VERSION: &str = "1.4.5";
