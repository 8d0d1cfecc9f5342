//! How long code stays in the interpreter before the engine makes machine code of it.

use std::sync::atomic::{AtomicU32, Ordering};

use mozjs::jsapi::{JS_SetGlobalJitCompilerOption, JSContext as RawContext, JSJitCompilerOption};

use crate::handles::Scope;

/// Calls and iterations before the baseline interpreter takes a script, not the engine's 10: what the start runs stays below, so that a
/// program that ends soon needs no machine code at all (overlay, lazy-machine-code).
const STEPS: u32 = 25;

/// The same for contexts that are made from now on.
static SCALED: AtomicU32 = AtomicU32::new(STEPS);

/// Multiplies by `scale`, at least 1, how often code runs before it leaves the interpreter, for contexts that are made from now on.
pub fn scale_jit_steps(scale: f64) {
    // What is too large for a number of steps is the largest one.
    SCALED.store((f64::from(STEPS) * scale.max(1.0)) as u32, Ordering::Relaxed);
}

/// Tells the engine.
///
/// # Safety
/// The context is this thread's.
pub(crate) unsafe fn apply(cx: *mut RawContext) {
    let option = JSJitCompilerOption::JSJITCOMPILER_BASELINE_INTERPRETER_WARMUP_TRIGGER;
    // SAFETY: the caller's; it is a number that the engine compares with.
    unsafe { JS_SetGlobalJitCompilerOption(cx, option, SCALED.load(Ordering::Relaxed)) };
}

impl Scope<'_> {
    /// Multiplies by `scale`, at least 1, how often code runs before it leaves the interpreter. Code that has left it stays as it is.
    /// This is one number for all threads of the process.
    pub fn set_jit_policy(&mut self, scale: f64) {
        scale_jit_steps(scale);
        // SAFETY: a scope has its thread's context.
        unsafe { apply(self.cx) };
    }
}
