//! Which lines of the scripts ran, and how often: the engine's own counts, in LCOV's format.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::handles::Scope;

static ENABLED: AtomicBool = AtomicBool::new(false);

// The engine's functions of js/public/experimental/CodeCoverage.h, for which there are no bindings. A returned UniqueChars is
// written to the place that the first argument names, as for every class with a destructor of its own.
unsafe extern "C" {
    static mut stderr: *mut libc::FILE;
    #[link_name = "_ZN2js18EnableCodeCoverageEv"]
    fn enable_code_coverage();
    #[link_name = "_ZN2js22GetCodeCoverageSummaryEP9JSContextPm"]
    fn get_code_coverage_summary(
        out: *mut *mut libc::c_char,
        cx: *mut mozjs::jsapi::JSContext,
        length: *mut usize,
    ) -> *mut *mut libc::c_char;
}

/// Has code counted. To be called before the first context is made; all code is then compiled at once, for what is not
/// compiled could not be told from what did not run.
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
    // SAFETY: sets a flag of the engine, before any thread of it exists. The C library's stream is the engine's alone (bao writes
    // to the descriptor): without this it would say for each function compiled late that everything is compiled early.
    unsafe {
        enable_code_coverage();
        let nowhere = libc::fopen(c"/dev/null".as_ptr(), c"w".as_ptr());
        if !nowhere.is_null() {
            stderr = nowhere;
        }
    }
}

/// Whether code is counted.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

impl Scope<'_> {
    /// The counts of all scripts of the realm, as LCOV's records with the engine's names of the files.
    pub fn coverage_summary(&mut self) -> Option<String> {
        if !is_enabled() {
            return None;
        }
        // SAFETY: valid places for the results; the text is the caller's, made by the engine's allocator, which is malloc.
        unsafe {
            let mut text = std::ptr::null_mut();
            let mut length = 0;
            get_code_coverage_summary(&raw mut text, self.cx, &raw mut length);
            if text.is_null() {
                return None;
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
            let summary = String::from_utf8_lossy(bytes).into_owned();
            libc::free(text.cast());
            Some(summary)
        }
    }
}
