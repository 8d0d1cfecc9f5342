//! Functions of addons that the bundler calls on threads of its own
//! (<https://bun.com/docs/bundler/plugins#native-plugins>): how they are found, and what guards their calls.

use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};

use engine::{Local, OpError, Scope, op};

use crate::crash;
use crate::modules;
use crate::thread::Thread;

/// Whether the thread whose addons they are has ended. Calls hold it for reading.
pub(crate) type Gate = Arc<RwLock<bool>>;

/// A function of an addon by its name, with the word that a program wants it to be given.
#[derive(Debug)]
pub struct PluginFunction {
    address: *mut c_void,
    /// What the addon calls itself; null if it has no text.
    name: *const libc::c_char,
    external: *mut c_void,
    gate: Gate,
}

// SAFETY: addresses of code and of texts that stay in the process, and a word that only the addon reads, which says by
// offering the function that it may be called on any thread.
unsafe impl Send for PluginFunction {}
// SAFETY: as above.
unsafe impl Sync for PluginFunction {}

impl PluginFunction {
    /// Finds a function of the addon that this process has loaded from a file. `external` is an external value of an addon, or
    /// undefined or null for none; the caller keeps it alive as long as it keeps this.
    ///
    /// # Errors
    /// A TypeError with Bun's words: the addon is no plugin, as it does not export `BUN_PLUGIN_NAME`; it has no such symbol;
    /// `external` is another value.
    pub fn find(
        scope: &mut Scope<'_>,
        file: &str,
        symbol: &str,
        external: Local<'_>,
    ) -> Result<PluginFunction, OpError> {
        let wrong = |text: String| OpError::type_error(text).code("ERR_INVALID_ARG_TYPE");
        let handle = modules::handle_of(file).ok_or_else(not_a_plugin)?;
        let name = modules::symbol(handle, c"BUN_PLUGIN_NAME").ok_or_else(not_a_plugin)?;
        let address = CString::new(symbol).ok().and_then(|name| modules::symbol(handle, &name));
        let address = address
            .ok_or_else(|| wrong(format!("Could not find the symbol \"{symbol}\" in the given napi module.")))?;
        let external = if external.is_undefined() || external.is_null() {
            ptr::null_mut()
        } else {
            let data = scope.external_data(external);
            data.ok_or_else(|| wrong("Expected external (3rd argument) to be a NAPI external".to_string()))?
        };
        // SAFETY: the interface gives the symbol this type: a text, or null.
        let name = unsafe { *name.cast::<*const libc::c_char>() };
        Ok(PluginFunction { address, name, external, gate: Thread::of(scope).gate.clone() })
    }

    /// What the addon calls itself.
    pub fn name(&self) -> String {
        if self.name.is_null() {
            return "<unknown>".to_string();
        }
        // SAFETY: a text of the addon's, which is never unloaded.
        unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
    }

    /// Calls `act` with the function and its word; `None` if the thread of the addon has ended, after which the word may lead
    /// nowhere. That thread waits with its end for `act`. A fault meanwhile is told with the addon's name.
    pub fn with<R>(&self, act: impl FnOnce(*mut c_void, *mut c_void) -> R) -> Option<R> {
        let is_ended = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        if *is_ended {
            return None;
        }
        crash::give_stack();
        let before = crash::PLUGIN.replace(self.name);
        let result = act(self.address, self.external);
        crash::PLUGIN.set(before);
        Some(result)
    }
}

fn not_a_plugin() -> OpError {
    OpError::type_error("onBeforeParse `napiModule` must be a Napi module which exports the `BUN_PLUGIN_NAME` symbol.")
}

/// Looks whether an addon, by its file, is a plugin of the bundler that has a function, which could be given `external`.
///
/// # Errors
/// Those of [`PluginFunction::find`].
#[op(ts(external = "unknown"))]
pub(crate) fn check_plugin<'s>(
    scope: &mut Scope<'s>,
    file: String,
    symbol: String,
    external: Local<'s>,
) -> Result<(), OpError> {
    PluginFunction::find(scope, &file, &symbol, external).map(drop)
}
