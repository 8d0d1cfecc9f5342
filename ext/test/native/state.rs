//! What a thread keeps for `bao test`, and what that changes in the module loader.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use engine::{GcKind, JsResult, Local, Scope, SharedCells, StackFrame, Stencil};
use runtime_core::limits::Limit;
use runtime_core::loader_hooks::{LoaderHooks, Replacement, ScriptText};
use runtime_core::source::Source;
use runtime_core::{RuntimeState, builtins, signals};
use transpile::{ModuleKind, SourceMap};

use crate::coverage;
use crate::watchdog::{self, NO_DEADLINE, Watchdog};

/// The state of `bao test` in one thread.
pub(crate) struct TestState {
    /// Whether exports of the modules loaded from now on can be replaced (`mock.module`).
    pub assignable: Cell<bool>,
    /// Whether the first text that looks as if it mocked modules makes exports assignable.
    pub mocks_expected: Cell<bool>,
    /// Ends test functions that do not come back.
    pub watchdog: RefCell<Option<Watchdog>>,
    /// Compiled files by path, if they are loaded again and again (`--isolate`).
    pub kept_code: RefCell<Option<HashMap<String, KeptCode>>>,
    /// Numbers of the counted files whose counters this thread has, see [`coverage`].
    counted: RefCell<HashSet<usize>>,
    /// See [`call_cells`](crate::call::call_cells).
    pub cells: SharedCells,
    /// Where the last test function threw.
    pub thrown: RefCell<Vec<StackFrame>>,
    /// Whether [`call`](crate::call::call) runs the microtasks now.
    pub runs_microtasks: Cell<bool>,
}

/// Code that is loaded several times in one process.
pub(crate) struct KeptCode {
    text: String,
    kind: ModuleKind,
    map: Option<SourceMap>,
    stencil: Stencil,
    /// See [`TestState::assignable`].
    assignable: bool,
}

impl TestState {
    /// That of this thread; the first call makes it known to the loader and to the engine's interrupt.
    pub(crate) fn of(scope: &mut Scope<'_>) -> Rc<TestState> {
        if let Some(known) = scope.state().get::<Rc<TestState>>() {
            return known.clone();
        }
        let state = Rc::new(TestState {
            assignable: Cell::default(),
            mocks_expected: Cell::default(),
            watchdog: RefCell::default(),
            kept_code: RefCell::default(),
            counted: RefCell::default(),
            cells: SharedCells::new(2),
            thrown: RefCell::default(),
            runs_microtasks: Cell::default(),
        });
        scope.state().put(state.clone());
        let runtime = RuntimeState::of(scope);
        runtime.limits.borrow_mut().push(state.clone());
        *runtime.loader_hooks.borrow_mut() = Some(state.clone());
        state
    }
}

impl Limit for TestState {
    fn is_reached(&self, _: &mut Scope<'_>) -> bool {
        self.watchdog.borrow().as_ref().is_some_and(Watchdog::is_over)
    }

    /// Goes on with the run if it was the watchdog that ended code, or a signal, or a heap that is full.
    fn recover(&self, scope: &mut Scope<'_>) -> bool {
        let runtime = RuntimeState::of(scope);
        if runtime.is_worker() || self.runs_microtasks.get() {
            return false;
        }
        let signal = watchdog::take_stop();
        let exhausted = scope.heap_exhausted();
        let short = watchdog::is_short();
        {
            let watchdog = self.watchdog.borrow();
            let Some(watchdog) = &*watchdog else { return false };
            if signal == 0 && !exhausted && !watchdog.is_over() {
                return false;
            }
            watchdog.restore(NO_DEADLINE);
        }
        watchdog::take_short();
        scope.clear_exhausted();
        if exhausted || short {
            scope.gc(GcKind::Full);
        }
        let none = scope.undefined();
        scope.set_async_context(none);
        let why = match signal {
            0 if exhausted => format!("memory {}", scope.heap_limit() >> 20),
            0 if short => "memory".to_string(),
            0 => "time".to_string(),
            number => signals::signal_name(number),
        };
        let told = scope.escape(|scope| {
            let why = scope.string(&why)?;
            builtins::call(scope, "internal/process/execution", "onStopped", &[why])
        });
        if let Err(exc) = told {
            scope.take_exception(exc);
            runtime.exit.set(Some(1));
            return false;
        }
        true
    }
}

impl LoaderHooks for TestState {
    fn replace(&self, scope: &mut Scope<'_>, script: &ScriptText<'_>) -> JsResult<Option<Replacement>> {
        if self.mocks_expected.get() && transpile::mentions_mocks(script.text) {
            self.mocks_expected.set(false);
            self.assignable.set(true);
        }
        let counted = coverage::counted(scope, &self.counted, script)?;
        Ok(counted.map(|counted| Replacement { code: counted.code.clone(), map: counted.map.clone() }))
    }

    fn changes_code(&self) -> bool {
        self.assignable.get()
    }

    fn kept(&self, path: &str, text: &str) -> Option<Source> {
        let kept = self.kept_code.borrow();
        let known = kept.as_ref()?.get(path)?;
        (known.text == text && known.assignable == self.assignable.get())
            .then(|| Source::compiled(String::new(), known.kind, known.map.clone(), known.stencil.clone()))
    }

    /// With mocks before imports and exports that can be replaced, if that is called for.
    fn prepared(&self, path: &str, source: &mut Source) {
        if !self.assignable.get() {
            return;
        }
        let is_module = source.kind == ModuleKind::Esm;
        if transpile::mentions_hoisted(&source.code)
            && !path.contains("/node_modules/")
            && let Some(code) = transpile::hoist_mocks(&source.code, is_module)
        {
            source.code = code;
            source.untouched = false;
            // Imports stand elsewhere now, and there are some more.
            source.imports = None;
        }
        if is_module && let Some(code) = transpile::assignable_exports(&source.code) {
            source.code = code;
        }
    }

    fn compiled(&self, path: &str, text: &str, kind: ModuleKind, map: Option<&SourceMap>, stencil: &Stencil) {
        if let Some(kept) = &mut *self.kept_code.borrow_mut() {
            let (text, map, stencil) = (text.to_owned(), map.cloned(), stencil.clone());
            let assignable = self.assignable.get();
            kept.insert(path.to_owned(), KeptCode { text, kind, map, stencil, assignable });
        }
    }

    fn wrapper(&self, code: &str) -> Option<String> {
        if self.assignable.get() { transpile::assignable_exports(code) } else { None }
    }

    fn module_made(&self, scope: &mut Scope<'_>, path: &str, meta: Local<'_>) -> JsResult<()> {
        if !self.assignable.get() {
            return Ok(());
        }
        let path = scope.string(path)?;
        let meta = scope.copy(meta);
        builtins::call(scope, "internal/test/bun_test/module_mock", "addMeta", &[meta, path]).map(drop)
    }
}
