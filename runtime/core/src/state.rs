//! What one JavaScript thread owns, shared by the rooms of the runtime.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use run_options::RunOptions;

use crate::builtins;
use crate::cache::DiskCache;
use crate::compile_cache::CompileCache;
use crate::event_loop::LoopState;
use crate::limits::Limit;
use crate::loader_hooks::LoaderHooks;
use crate::module_map::ModuleMap;
use crate::program_maps::ProgramMaps;

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
    pub event_loop: LoopState,
    pub modules: RefCell<ModuleMap>,
    pub cache: DiskCache,
    pub compile_cache: CompileCache,
    pub start: Instant,
    /// Milliseconds after `start`: engine started, realm made, program about to run.
    pub milestones: Cell<[f64; 3]>,
    /// Unix milliseconds of `start`.
    pub time_origin: f64,
    /// Rejections the engine has told of and JavaScript not yet: the promise, whether it got its first handler, and the
    /// async context of the moment.
    pub rejections: RefCell<Vec<(engine::Global, bool, engine::Global)>>,
    /// Set once the process object exists: before that, no listener can.
    pub process_used: Cell<bool>,
    /// `Error.prepareStackTrace` runs.
    pub preparing_stack: Cell<bool>,
    /// Whether stacks name ES modules by their paths, as Bun's do, and not by their URLs, as Node's do: `bao test`.
    pub stacks_have_paths: Cell<bool>,
    /// The source maps that files of the program name.
    pub program_maps: ProgramMaps,
    /// Lazy globals that exist, or did: each is made once.
    pub globals_made: RefCell<HashSet<&'static str>>,
    /// The main module while its evaluation is not over.
    pub main_module: RefCell<Option<engine::Global>>,
    /// Set by the first plugin or module hook: from then on the loader asks them.
    pub hooks_active: Cell<bool>,
    /// Name and text of a program that is no file (`-e`, standard input), for the excerpts of errors.
    pub program_text: RefCell<Option<(String, String)>>,
    /// The last import or `require` that found nothing, for the report of it.
    pub failed_import: RefCell<Option<FailedImport>>,
    /// Exit code asked for by an uncaught error or `process.exit`.
    pub exit: Cell<Option<i32>>,
    /// Called with an error that nothing has caught, before it is reported: the inspector's.
    pub on_uncaught: Cell<Option<fn(&mut engine::Scope<'_>, engine::Local<'_>)>>,
    /// Called when the program ends, by `process.exit` or without: the inspector's, which waits for its clients.
    pub on_exit: Cell<Option<fn(&mut engine::Scope<'_>)>>,
    /// Number of the thread: 0 for the main thread, else that of a worker.
    pub thread: u32,
    /// What may end the code that runs.
    pub limits: RefCell<Vec<Rc<dyn Limit>>>,
    /// What a runner of tests adds to the loader.
    pub loader_hooks: RefCell<Option<Rc<dyn LoaderHooks>>>,
}

impl RuntimeState {
    /// The state of a thread that runs nothing yet.
    ///
    /// # Errors
    /// A message if the options do not fit this machine.
    pub fn new(options: RunOptions, start: Instant, thread: u32) -> Result<RuntimeState, String> {
        let modules = ModuleMap::new(&options)?;
        let build_id = builtins::build_id();
        Ok(RuntimeState {
            options,
            event_loop: LoopState::new(),
            modules: RefCell::new(modules),
            cache: DiskCache::from_env(build_id),
            compile_cache: CompileCache::from_env(build_id),
            start,
            milestones: Cell::default(),
            time_origin: unix_ms(),
            rejections: RefCell::default(),
            process_used: Cell::new(false),
            preparing_stack: Cell::new(false),
            stacks_have_paths: Cell::new(false),
            program_maps: ProgramMaps::default(),
            globals_made: RefCell::default(),
            main_module: RefCell::default(),
            hooks_active: Cell::new(false),
            program_text: RefCell::default(),
            failed_import: RefCell::default(),
            exit: Cell::new(None),
            on_uncaught: Cell::new(None),
            on_exit: Cell::new(None),
            thread,
            limits: RefCell::default(),
            loader_hooks: RefCell::default(),
        })
    }

    /// Whether the thread was told to end, also where the code that runs has not noticed it yet.
    pub fn is_ending(&self) -> bool {
        self.exit.get().is_some() || self.limits.borrow().iter().any(|limit| limit.is_ending())
    }

    /// Whether this is the thread of a worker.
    pub fn is_worker(&self) -> bool {
        self.thread != 0
    }

    /// Finds the state from a scope.
    pub fn of(scope: &mut engine::Scope<'_>) -> Rc<RuntimeState> {
        scope.state().get::<Rc<RuntimeState>>().expect("stored when the context was made").clone()
    }
}

/// Unix time now in milliseconds.
fn unix_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64() * 1000.0
}
