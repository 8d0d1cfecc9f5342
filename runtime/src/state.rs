//! What one JavaScript thread owns, shared by the rooms of this crate.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::builtins::Builtins;
use crate::event_loop::LoopState;
use crate::modules::ModuleMap;

/// Options of a program, as the command line and bunfig.toml give them.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// `process.argv`, already complete: executable, script, arguments.
    pub argv: Vec<String>,
    /// Options of bao itself, before the script.
    pub exec_argv: Vec<String>,
    pub exec_path: String,
    pub argv0: String,
    /// Specifiers to load before the program.
    pub preload: Vec<String>,
    /// Additional resolution conditions.
    pub conditions: Vec<String>,
    /// `--define` pairs.
    pub define: Vec<(String, String)>,
    pub preserve_symlinks: bool,
    pub preserve_symlinks_main: bool,
    /// Long options given, as Node names them, with their values.
    pub node_options: Vec<(String, NodeOption)>,
    pub smol: bool,
    /// Depth of `console.log` (bunfig `[console] depth`).
    pub console_depth: Option<u32>,
    /// Path of a tsconfig to use instead of the nearest one.
    pub tsconfig: Option<String>,
    /// Bytes of native stack that scripts may use.
    pub stack_size: usize,
    /// Loader overrides by extension with its dot (bunfig `[loader]`, `--loader`).
    pub loaders: Vec<(String, String)>,
    /// `--drop`: calls and statements left out.
    pub drop: Vec<String>,
    /// JSX settings that override tsconfig.json.
    pub jsx: JsxOverride,
    /// `--hot`: modules are loaded anew when their files change; whether the screen is cleared then.
    pub hot: Option<bool>,
    /// Descriptor that takes the path of every file loaded, each ended by a zero byte (`--watch`).
    pub watch_fd: Option<i32>,
}

/// JSX settings of the command line and bunfig.toml.
#[derive(Debug, Clone, Default)]
pub struct JsxOverride {
    /// `automatic` or `classic`.
    pub runtime: Option<String>,
    /// With `automatic`: the development runtime.
    pub development: bool,
    pub import_source: Option<String>,
    pub factory: Option<String>,
    pub fragment: Option<String>,
}

/// Value of a Node-style option.
#[derive(Debug, Clone)]
pub enum NodeOption {
    Flag(bool),
    Text(String),
    List(Vec<String>),
}

/// What is known of a module that was not found beyond what its error says.
pub struct FailedImport {
    pub error: engine::Global,
    /// File, line and column of the import statement.
    pub place: Option<(String, u32, u32)>,
    /// Paths that were looked for.
    pub tried: Vec<String>,
}

/// The state of one JavaScript thread.
pub struct RuntimeState {
    pub options: RunOptions,
    pub builtins: Builtins,
    pub event_loop: LoopState,
    pub modules: RefCell<ModuleMap>,
    pub cache: crate::cache::DiskCache,
    pub compile_cache: crate::compile_cache::CompileCache,
    pub start: std::time::Instant,
    /// Milliseconds after `start`: engine started, realm made, program about to run.
    pub milestones: Cell<[f64; 3]>,
    /// Unix milliseconds of `start`.
    pub time_origin: f64,
    /// Rejections the engine has told of and JavaScript not yet: the promise, whether it got its first handler, and the
    /// async context of the moment.
    pub rejections: RefCell<Vec<(engine::Global, bool, engine::Global)>>,
    /// Set once the process object exists: before that, no listener can.
    pub process_used: Cell<bool>,
    /// The main module while its evaluation is not over.
    pub main_module: RefCell<Option<engine::Global>>,
    /// Set by the first plugin or module hook: from then on the loader asks them.
    pub hooks_active: Cell<bool>,
    /// Whether exports of the modules loaded from now on can be replaced (`mock.module`).
    pub assignable: Cell<bool>,
    /// Whether the first text that looks as if it mocked modules makes exports assignable (`bao test`).
    pub mocks_expected: Cell<bool>,
    /// When a script of node:vm with a timeout has to end.
    pub vm_deadline: Cell<Option<std::time::Instant>>,
    /// Set by a SIGINT that a script of node:vm has to end at.
    pub vm_interrupted: RefCell<Option<std::sync::Arc<std::sync::atomic::AtomicBool>>>,
    /// Ends test functions that do not come back (`bao test`).
    pub watchdog: RefCell<Option<crate::ops::test_ops::Watchdog>>,
    /// Compiled files by path, where they are loaded again and again.
    pub kept_code: RefCell<Option<std::collections::HashMap<String, crate::source::KeptCode>>>,
    /// Numbers of the counted files whose counters this thread has, see `crate::coverage`.
    pub counted: RefCell<std::collections::HashSet<usize>>,
    /// See `test_ops::call_cells`.
    pub test_cells: engine::SharedCells,
    /// Path of the test file that runs.
    pub script: RefCell<Option<String>>,
    /// Where the last test function threw.
    pub thrown: RefCell<Vec<engine::StackFrame>>,
    /// `process.title`, where it was set.
    pub title: RefCell<Option<String>>,
    /// Name and text of a program that is no file (`-e`, standard input), for the excerpts of errors.
    pub program_text: RefCell<Option<(String, String)>>,
    /// The last import or `require` that found nothing, for the report of it.
    pub failed_import: RefCell<Option<FailedImport>>,
    /// Exit code asked for by an uncaught error or `process.exit`.
    pub exit: Cell<Option<i32>>,
    /// What a worker knows of itself; nothing on the main thread.
    pub worker: Option<crate::worker::Own>,
}

impl RuntimeState {
    /// Finds the state from a scope.
    pub fn of(scope: &mut engine::Scope<'_>) -> Rc<RuntimeState> {
        scope.state().get::<Rc<RuntimeState>>().expect("stored when the context was made").clone()
    }
}
