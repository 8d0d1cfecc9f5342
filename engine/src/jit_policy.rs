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
    SCALED.store(steps(scale), Ordering::Relaxed);
}

/// The number of steps. What is too large is the largest one but one, as the engine takes that for its own default.
fn steps(scale: f64) -> u32 {
    ((f64::from(STEPS) * scale.max(1.0)) as u32).min(u32::MAX - 1)
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

#[cfg(test)]
mod tests {
    use super::{STEPS, steps};

    #[test]
    fn larger_scales_never_have_fewer_steps() {
        assert_eq!([steps(1.0), steps(1.5), steps(0.1)], [STEPS, STEPS * 3 / 2, STEPS]);
        // `u32::MAX` would be the engine's 10.
        assert_eq!([steps(1e9), steps(1e300)], [u32::MAX - 1; 2]);
    }
}
