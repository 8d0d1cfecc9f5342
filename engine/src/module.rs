//! ES module records: the hooks of the specification on one side, linking and evaluation on the other.

use mozjs::jsapi::{JS, JSContext as RawContext, JSObject, JSProtoKey, JSScript, Value};
use mozjs::jsval::{Int32Value, ObjectValue};
use mozjs::rooted;

use crate::bindings::{
    CompileWasmModuleAsSource, ModuleObjectHadError, ModuleObjectHasAwait, ModuleObjectRequests, ModuleObjectStatus,
    TranscodeBuffer,
};
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::stencil::{CompileOptions, RawOptions};

/// The `type` import attribute of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModuleKind {
    /// None given.
    JavaScript,
    Json,
    Css,
    Bytes,
    Text,
    /// A type that the engine does not know; the host has learnt it from the source text.
    Other,
}

impl ModuleKind {
    /// The attribute as it is written.
    pub fn name(self) -> Option<&'static str> {
        match self {
            ModuleKind::JavaScript => None,
            ModuleKind::Json => Some("json"),
            ModuleKind::Css => Some("css"),
            ModuleKind::Bytes => Some("bytes"),
            ModuleKind::Text => Some("text"),
            ModuleKind::Other => Some("other"),
        }
    }

    fn of(kind: JS::ModuleType) -> ModuleKind {
        match kind {
            JS::ModuleType::JavaScript => ModuleKind::JavaScript,
            JS::ModuleType::JSON => ModuleKind::Json,
            JS::ModuleType::CSS => ModuleKind::Css,
            JS::ModuleType::Bytes => ModuleKind::Bytes,
            JS::ModuleType::Text => ModuleKind::Text,
            JS::ModuleType::Unknown => ModuleKind::Other,
        }
    }
}

/// One request of a module by another.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The specifier as written.
    pub specifier: String,
    pub kind: ModuleKind,
    /// Whether this is an `import()` call.
    pub dynamic: bool,
    /// Where the request stands in its module, both from 1; 0 where the engine does not say.
    pub line: u32,
    pub column: u32,
    /// `import source` or `import.source()`: the module's source is wanted, nothing is evaluated.
    pub source_phase: bool,
}

/// How far a module has come, in the words of the specification; before its graph is loaded it is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum ModuleStatus {
    New,
    Unlinked,
    Linking,
    Linked,
    Evaluating,
    EvaluatingAsync,
    Evaluated,
    /// Evaluated, with an error.
    Errored,
}

/// Who asks for modules in a script or module.
#[derive(Clone, Copy)]
pub enum Referrer<'a> {
    /// Nobody that the host knows.
    Unknown,
    /// A number of the host's, for [`crate::Host::load_module`] and [`crate::Host::import_meta`].
    Number(u32),
    /// An object that answers itself, kept by the code and not by the host: `load(specifier, type, dynamic, source)` gives a
    /// module, or a promise of one; `meta(object)` fills `import.meta`; `module` is the module record, in that of a module.
    Holder(Local<'a>),
}

impl Referrer<'_> {
    /// What the code keeps of it.
    pub(crate) fn value(self) -> Option<Value> {
        match self {
            Referrer::Unknown => None,
            Referrer::Number(number) => Some(Int32Value(number as i32)),
            Referrer::Holder(holder) => Some(holder.value()),
        }
    }
}

impl From<u32> for Referrer<'_> {
    fn from(number: u32) -> Self {
        Referrer::Number(number)
    }
}

impl From<Option<u32>> for Referrer<'_> {
    fn from(number: Option<u32>) -> Self {
        number.map_or(Referrer::Unknown, Referrer::Number)
    }
}

pub(crate) unsafe fn install_hooks(cx: *mut RawContext) {
    // SAFETY: plain registrations.
    unsafe {
        let runtime = mozjs::jsapi::JS_GetRuntime(cx);
        JS::SetModuleLoadHook(runtime, Some(load_hook));
        JS::SetModuleMetadataHook(runtime, Some(metadata_hook));
    }
}

unsafe fn referrer_of<'s>(scope: &mut Scope<'s>, referrer: *mut JSScript) -> Referrer<'s> {
    let out = scope.undefined();
    // SAFETY: rooted out location.
    unsafe {
        if referrer.is_null() {
            mozjs::glue::JS_GetScriptedCallerPrivate(scope.cx, Scope::out(out));
        } else {
            mozjs::glue::JS_GetScriptPrivate(referrer, Scope::out(out));
        }
    }
    if out.is_object() { Referrer::Holder(out) } else { out.as_number().map(|n| n as u32).into() }
}

/// Asks a [`Referrer::Holder`] for a module.
fn ask_holder<'s>(scope: &mut Scope<'s>, holder: Local<'_>, request: &ImportRequest) -> JsResult<Local<'s>> {
    let load = scope.get(holder, "load")?;
    let specifier = scope.string(&request.specifier)?;
    let kind = match request.kind.name() {
        Some(name) => scope.string(name)?,
        None => scope.undefined(),
    };
    let dynamic = scope.boolean(request.dynamic);
    let source = scope.boolean(request.source_phase);
    scope.in_main_realm(|scope| scope.call(load, holder, &[specifier, kind, dynamic, source]))
}

unsafe extern "C" fn load_hook(
    cx: *mut RawContext,
    referrer: JS::Handle<*mut JSScript>,
    request: JS::HandleObject,
    _host_defined: JS::HandleValue,
    payload: JS::HandleValue,
    line: u32,
    column: JS::ColumnNumberOneOrigin,
) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let mut scope = Scope::enter(cx);
        let scope = &mut scope;
        let dynamic = (*payload.ptr).is_object() && {
            rooted!(in(cx) let object = (*payload.ptr).to_object());
            JS::IsPromiseObject(object.handle().into())
        };
        let specifier = JS::GetModuleRequestSpecifier(cx, request);
        if specifier.is_null() {
            return false;
        }
        let specifier = scope.local(mozjs::jsval::StringValue(&*specifier));
        let Ok(specifier) = scope.to_string(specifier) else { return false };
        let kind = ModuleKind::of(JS::GetModuleRequestType(cx, request));
        let asks = referrer_of(scope, *referrer.ptr);
        let source_phase = JS::ModuleRequestIsSourcePhase(cx, request);
        let request_data = ImportRequest { specifier, kind, dynamic, line, column: column._base, source_phase };
        let loaded = match asks {
            Referrer::Holder(holder) => ask_holder(scope, holder, &request_data),
            Referrer::Number(number) => scope.host().load_module(scope, Some(number), &request_data),
            Referrer::Unknown => match scope.import_holder() {
                Some(holder) => ask_holder(scope, holder, &request_data),
                None => scope.host().load_module(scope, None, &request_data),
            },
        };
        let Ok(loaded) = loaded else { return dynamic && fail(cx, payload) };
        // A module's source is there without what it imports.
        let waiting = Waiting { referrer, request, payload, dynamic, has_graph: !source_phase };
        waiting.go_on(scope, loaded)
    }
}

/// Rejects the promise of an `import()` with the pending exception.
unsafe fn fail(cx: *mut RawContext, payload: JS::HandleValue) -> bool {
    // SAFETY: rooted handles.
    unsafe {
        mozjs::jsapi::JS_IsExceptionPending(cx)
            && JS::FinishLoadingImportedModuleFailedWithPendingException(cx, payload)
    }
}

/// A request of a module between the engine's question and our answer.
struct Waiting {
    referrer: JS::Handle<*mut JSScript>,
    request: JS::HandleObject,
    payload: JS::HandleValue,
    dynamic: bool,
    /// Whether an `import()` waits for what the module imports.
    has_graph: bool,
}

impl Waiting {
    /// Answers with `loaded`: a module, or a promise of one.
    unsafe fn go_on(&self, scope: &mut Scope<'_>, loaded: Local<'_>) -> bool {
        let cx = scope.cx;
        // SAFETY: rooted handles.
        unsafe {
            if scope.promise_state(loaded).is_some() {
                let none = scope.undefined();
                return self.later(scope, loaded, none);
            }
            if self.dynamic && self.has_graph {
                // import(): load the graph below, then hand over; the engine links and evaluates it in a job of its own,
                // so that a graph that is being evaluated now can be imported, and settles the promise.
                match scope.load_graph(loaded) {
                    Ok(None) => {}
                    Ok(Some(promise)) => return self.later(scope, promise, loaded),
                    Err(_) => return fail(cx, self.payload),
                }
            }
            self.finish(scope, loaded)
        }
    }

    unsafe fn finish(&self, scope: &mut Scope<'_>, module: Local<'_>) -> bool {
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(scope.cx) let module = module.value().to_object());
            JS::FinishLoadingImportedModule(
                scope.cx,
                self.referrer,
                self.request,
                self.payload,
                module.handle().into(),
                self.dynamic,
            )
        }
    }

    /// Goes on when `promise` is settled: with its value, or where `module` is one, with that.
    unsafe fn later(&self, scope: &mut Scope<'_>, promise: Local<'_>, module: Local<'_>) -> bool {
        let cx = scope.cx;
        // SAFETY: rooted handles; what the reactions need is kept in their reserved slots.
        unsafe {
            let request = scope.local_object(*self.request.ptr);
            let payload = scope.local(*self.payload.ptr);
            let dynamic = scope.boolean(self.dynamic);
            // A script cannot be a value; its module can. Of referrers that are no modules the engine needs nothing.
            // Only the loading of a graph needs it. An `import()` may come from a module that has been evaluated, whose script
            // is gone by then.
            let asked = if self.dynamic || (*self.referrer.ptr).is_null() {
                Referrer::Unknown
            } else {
                referrer_of(scope, *self.referrer.ptr)
            };
            let referrer = match asked {
                Referrer::Unknown => None,
                Referrer::Number(number) => scope.host().module_object(scope, number),
                Referrer::Holder(holder) => match scope.get(holder, "module") {
                    Ok(module) => module.is_object().then_some(module),
                    Err(_) => return false,
                },
            };
            let referrer = match referrer {
                Some(module) => module,
                None => scope.undefined(),
            };
            let Ok(kept) = scope.new_array(&[request, payload, dynamic, module, referrer]) else { return false };
            let reaction = |native: mozjs::jsapi::JSNative| {
                let function = mozjs::jsapi::NewFunctionWithReserved(cx, native, 1, 0, c"".as_ptr());
                if function.is_null() {
                    return None;
                }
                rooted!(in(cx) let object = mozjs::jsapi::JS_GetFunctionObject(function));
                mozjs::jsapi::SetFunctionNativeReserved(object.get(), 0, kept.handle().ptr);
                Some(object.get())
            };
            let Some(resolved) = reaction(Some(later_resolved)) else { return false };
            rooted!(in(cx) let resolved = resolved);
            let Some(rejected) = reaction(Some(later_rejected)) else { return false };
            rooted!(in(cx) let rejected = rejected);
            rooted!(in(cx) let promise = promise.value().to_object());
            JS::AddPromiseReactionsIgnoringUnhandledRejection(
                cx,
                promise.handle().into(),
                resolved.handle().into(),
                rejected.handle().into(),
            )
        }
    }
}

unsafe extern "C" fn later_resolved(cx: *mut RawContext, argc: u32, vp: *mut Value) -> bool {
    // SAFETY: called by the engine as a native function.
    unsafe { settle_later(cx, argc, vp, true) }
}

unsafe extern "C" fn later_rejected(cx: *mut RawContext, argc: u32, vp: *mut Value) -> bool {
    // SAFETY: as above.
    unsafe { settle_later(cx, argc, vp, false) }
}

/// The second half of [`Waiting::later`].
unsafe fn settle_later(cx: *mut RawContext, argc: u32, vp: *mut Value, resolved: bool) -> bool {
    // SAFETY: the engine's own arguments; everything read from the reserved slots is rooted here.
    unsafe {
        let mut scope = Scope::enter(cx);
        let scope = &mut scope;
        let callee = (*vp).to_object();
        let kept = scope.local(*mozjs::jsapi::GetFunctionNativeReserved(callee, 0));
        let value = if argc > 0 { scope.local(*vp.add(2)) } else { scope.undefined() };
        *vp = mozjs::jsval::UndefinedValue();
        let Ok(request) = scope.get_index(kept, 0) else { return false };
        let Ok(payload) = scope.get_index(kept, 1) else { return false };
        let Ok(dynamic) = scope.get_index(kept, 2) else { return false };
        let Ok(module) = scope.get_index(kept, 3) else { return false };
        let Ok(referrer) = scope.get_index(kept, 4) else { return false };
        rooted!(in(cx) let referrer = match referrer.object() {
            Some(object) => {
                rooted!(in(cx) let module = object);
                JS::GetModuleScript(module.handle().into())
            }
            None => std::ptr::null_mut(),
        });
        if !resolved {
            return JS::FinishLoadingImportedModuleFailed(cx, payload.handle(), value.handle());
        }
        rooted!(in(cx) let request = request.value().to_object());
        let waiting = Waiting {
            referrer: referrer.handle().into(),
            request: request.handle().into(),
            payload: payload.handle(),
            dynamic: dynamic.truthy(),
            has_graph: !JS::ModuleRequestIsSourcePhase(cx, request.handle().into()),
        };
        if module.is_object() {
            // The graph below has been loaded.
            return waiting.finish(scope, module);
        }
        waiting.go_on(scope, value)
    }
}

unsafe extern "C" fn metadata_hook(cx: *mut RawContext, module: JS::HandleObject, meta: JS::HandleObject) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let mut scope = Scope::enter(cx);
        let asks = scope.undefined();
        mozjs::glue::JS_GetModulePrivate(*module.ptr, Scope::out(asks));
        let meta = scope.local_object(*meta.ptr);
        if asks.is_object() {
            let Ok(fill) = scope.get(asks, "meta") else { return false };
            return scope.in_main_realm(|scope| scope.call(fill, asks, &[meta])).is_ok();
        }
        let Some(number) = asks.as_number() else { return true };
        let host = scope.host();
        host.import_meta(&mut scope, number as u32, meta).is_ok()
    }
}

/// Links, evaluates and resolves: what is left of an evaluation whose graph had to be waited for.
unsafe extern "C" fn loaded_later(cx: *mut RawContext, _argc: u32, vp: *mut Value) -> bool {
    // SAFETY: the engine's own arguments; the reserved slot holds the module.
    unsafe {
        let mut scope = Scope::enter(cx);
        let scope = &mut scope;
        let module = scope.local(*mozjs::jsapi::GetFunctionNativeReserved((*vp).to_object(), 0));
        match scope.link_module(module).and_then(|()| scope.evaluate_module(module)) {
            Ok(promise) => {
                *vp = promise.value();
                true
            }
            Err(_) => false,
        }
    }
}

impl<'s> Scope<'s> {
    /// Loads everything a module imports, through [`crate::Host::load_module`]. Gives a promise where some of it is not
    /// there yet.
    pub fn load_graph(&mut self, module: Local<'_>) -> JsResult<Option<Local<'s>>> {
        let object = self.expect_object(module)?;
        // SAFETY: rooted handles.
        let promise = unsafe {
            rooted!(in(self.cx) let record = object);
            rooted!(in(self.cx) let host_defined = ObjectValue(record.get()));
            rooted!(in(self.cx) let mut promise = std::ptr::null_mut::<JSObject>());
            let ok = JS::LoadRequestedModules1(
                self.cx,
                record.handle().into(),
                host_defined.handle().into(),
                promise.handle_mut().into(),
            );
            if !ok || mozjs::jsapi::JS_IsExceptionPending(self.cx) {
                return Err(Exc::pending());
            }
            self.checked_object(promise.get())?
        };
        match self.promise_state(promise) {
            Some((crate::PromiseState::Pending, _)) => Ok(Some(promise)),
            Some((crate::PromiseState::Rejected, reason)) => {
                self.mark_handled(promise)?;
                Err(self.throw(reason))
            }
            _ => Ok(None),
        }
    }

    /// Links a module whose graph is loaded.
    pub fn link_module(&mut self, module: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(module)?;
        // SAFETY: rooted handle.
        unsafe {
            rooted!(in(self.cx) let record = object);
            if JS::ModuleLink(self.cx, record.handle().into()) { Ok(()) } else { Err(Exc::pending()) }
        }
    }

    /// Loads a graph, links and evaluates it: the promise of its evaluation. At once where everything is there, else when
    /// it has come.
    pub fn run_module(&mut self, module: Local<'_>) -> JsResult<Local<'s>> {
        let Some(loading) = self.load_graph(module)? else {
            self.link_module(module)?;
            return self.evaluate_module(module);
        };
        // SAFETY: rooted handles.
        let reaction = unsafe {
            let function = mozjs::jsapi::NewFunctionWithReserved(self.cx, Some(loaded_later), 0, 0, c"".as_ptr());
            if function.is_null() {
                return Err(Exc::pending());
            }
            let object = self.checked_object(mozjs::jsapi::JS_GetFunctionObject(function))?;
            mozjs::jsapi::SetFunctionNativeReserved(object.value().to_object(), 0, module.handle().ptr);
            object
        };
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let promise = self.expect_object(loading)?);
            rooted!(in(self.cx) let reaction = self.expect_object(reaction)?);
            let result = JS::CallOriginalPromiseThen(
                self.cx,
                promise.handle().into(),
                reaction.handle().into(),
                JS::HandleObject::null(),
            );
            self.checked_object(result)
        }
    }

    /// Evaluates a linked module; gives the promise of its evaluation (top-level await included).
    pub fn evaluate_module(&mut self, module: Local<'_>) -> JsResult<Local<'s>> {
        let object = self.expect_object(module)?;
        let out = self.undefined();
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let record = object);
            if !JS::ModuleEvaluate(self.cx, record.handle().into(), Scope::out(out)) {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }

    /// The namespace object of a linked module.
    pub fn module_namespace(&mut self, module: Local<'_>) -> JsResult<Local<'s>> {
        let object = self.expect_object(module)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let record = object);
            let namespace = JS::GetModuleNamespace(self.cx, record.handle().into());
            self.checked_object(namespace)
        }
    }

    /// A module whose only export is `default`.
    pub fn default_export_module(&mut self, value: Local<'_>) -> JsResult<Local<'s>> {
        // SAFETY: rooted handle; result rooted at once.
        let object: *mut JSObject = unsafe { JS::CreateDefaultExportSyntheticModule(self.cx, value.handle()) };
        self.checked_object(object)
    }

    /// A module whose source is that of WebAssembly, a `WebAssembly.Module`, for imports of the source phase only: it has no
    /// exports and is not evaluated. `name` is what errors call it.
    ///
    /// # Errors
    /// A `CompileError` if `bytes` are not a valid module.
    pub fn wasm_source_module(&mut self, name: &str, mut bytes: Vec<u8>) -> JsResult<Local<'s>> {
        let options = RawOptions::new(self, &CompileOptions::new(name));
        let mut buffer = TranscodeBuffer::lent(&mut bytes);
        // SAFETY: options and bytes live during the call, which only reads them; result rooted at once.
        let object = unsafe { CompileWasmModuleAsSource(self.cx, options.ptr, &mut buffer) };
        let module = self.checked_object(object)?;
        self.inherit_module_source()?;
        Ok(module)
    }

    /// Has `WebAssembly.Module` inherit from %AbstractModuleSource% (https://webassembly.github.io/esm-integration/js-api/#modules).
    /// The engine does so in its nightly builds only; here it is done with the first source, since nobody can see it before.
    fn inherit_module_source(&mut self) -> JsResult<()> {
        // SAFETY: rooted handles; the current realm's own objects.
        unsafe {
            rooted!(in(self.cx) let mut object = std::ptr::null_mut::<JSObject>());
            rooted!(in(self.cx) let mut base = std::ptr::null_mut::<JSObject>());
            for get in [mozjs::jsapi::JS_GetClassPrototype, mozjs::jsapi::JS_GetClassObject] {
                let is_there = get(self.cx, JSProtoKey::JSProto_WasmModule, object.handle_mut().into())
                    && get(self.cx, JSProtoKey::JSProto_AbstractModuleSource, base.handle_mut().into());
                if !is_there {
                    return Err(Exc::pending());
                }
                // Null if the engine has been told to do without.
                if !base.is_null()
                    && !mozjs::jsapi::JS_SetPrototype(self.cx, object.handle().into(), base.handle().into())
                {
                    return Err(Exc::pending());
                }
            }
        }
        Ok(())
    }

    /// How far a module has come.
    pub fn module_status(&mut self, module: Local<'_>) -> JsResult<ModuleStatus> {
        let object = self.expect_object(module)?;
        // SAFETY: a live module object; nothing is allocated.
        Ok(unsafe {
            if !JS::IsCyclicModule(object) {
                return Ok(ModuleStatus::Evaluated);
            }
            match ModuleObjectStatus(object) {
                0 => ModuleStatus::New,
                1 => ModuleStatus::Unlinked,
                2 => ModuleStatus::Linking,
                3 => ModuleStatus::Linked,
                4 => ModuleStatus::Evaluating,
                5 => ModuleStatus::EvaluatingAsync,
                _ if ModuleObjectHadError(object) => ModuleStatus::Errored,
                _ => ModuleStatus::Evaluated,
            }
        })
    }

    /// Whether a module's own code has a top-level await.
    pub fn module_has_await(&mut self, module: Local<'_>) -> JsResult<bool> {
        let object = self.expect_object(module)?;
        // SAFETY: a live module object; nothing is allocated.
        Ok(unsafe { JS::IsCyclicModule(object) && ModuleObjectHasAwait(object) })
    }

    /// The number that the host knows a module by; `None` where it is not the host's.
    pub fn module_number(&mut self, module: Local<'_>) -> JsResult<Option<u32>> {
        let object = self.expect_object(module)?;
        let out = self.undefined();
        // SAFETY: a live module object, of the kind that has one; rooted out location.
        unsafe {
            if JS::IsCyclicModule(object) {
                mozjs::glue::JS_GetModulePrivate(object, Scope::out(out));
            }
        }
        Ok(out.as_number().map(|number| number as u32))
    }

    /// The module that answers a module's request number `index`, in the order of [`Scope::module_requests`]. `None` past the
    /// last one, where it is not loaded, and always without the engine's overlay.
    pub fn loaded_module(&mut self, module: Local<'_>, index: usize) -> JsResult<Option<Local<'s>>> {
        let object = self.expect_object(module)?;
        #[cfg(engine_overlay)]
        // SAFETY: a live module object; nothing is allocated, and the result is rooted at once.
        let loaded = unsafe { overlay::BaoLoadedModule(object, index) };
        #[cfg(not(engine_overlay))]
        let loaded = {
            let _ = (object, index);
            std::ptr::null_mut::<JSObject>()
        };
        if loaded.is_null() {
            return Ok(None);
        }
        self.checked_object(loaded).map(Some)
    }

    /// Where a module's own code waits in a top-level await: line and column, from 1, of what is awaited. `None` where it does
    /// not, and always without the engine's overlay.
    pub fn module_await(&mut self, module: Local<'_>) -> JsResult<Option<(u32, u32)>> {
        let object = self.expect_object(module)?;
        #[cfg(engine_overlay)]
        {
            let (mut line, mut column) = (0, 0);
            // SAFETY: a live module object; nothing is allocated.
            let is_waiting = unsafe { overlay::BaoModuleAwait(object, &mut line, &mut column) };
            Ok(is_waiting.then_some((line, column)))
        }
        #[cfg(not(engine_overlay))]
        {
            let _ = object;
            Ok(None)
        }
    }

    /// What a module imports, in the order of its text, each once.
    pub fn module_requests(&mut self, module: Local<'_>) -> JsResult<Vec<ModuleRequest>> {
        let object = self.expect_object(module)?;
        let mut requests = Vec::new();
        // SAFETY: the requests lie in memory of the module, which is rooted and does not change once compiled; each is read
        // anew after what may collect.
        unsafe {
            rooted!(in(self.cx) let record = object);
            let span = ModuleObjectRequests(record.get());
            for index in 0..span.len {
                rooted!(in(self.cx) let request = (*span.data.cast::<RequestedModule>().add(index)).request);
                let specifier = JS::GetModuleRequestSpecifier(self.cx, request.handle().into());
                if specifier.is_null() {
                    return Err(Exc::pending());
                }
                let specifier = self.local(mozjs::jsval::StringValue(&*specifier));
                requests.push(ModuleRequest {
                    specifier: self.to_string(specifier)?,
                    kind: ModuleKind::of(JS::GetModuleRequestType(self.cx, request.handle().into())),
                    source_phase: JS::ModuleRequestIsSourcePhase(self.cx, request.handle().into()),
                });
            }
        }
        Ok(requests)
    }

    /// The module of a namespace object; `None` where `value` is not one.
    pub fn module_of_namespace(&mut self, value: Local<'_>) -> JsResult<Option<Local<'s>>> {
        if self.class_of(value)? != "ModuleNamespace" {
            return Ok(None);
        }
        let object = self.expect_object(value)?;
        // SAFETY: rooted handle, of the class that the engine expects.
        unsafe {
            rooted!(in(self.cx) let namespace = object);
            let module = JS::GetModuleForNamespace(self.cx, namespace.handle().into());
            self.checked_object(module).map(Some)
        }
    }
}

#[cfg(engine_overlay)]
mod overlay {
    use mozjs::jsapi::JSObject;

    unsafe extern "C" {
        // overlay/src/bao/ModuleGraph.h; `module` is a live module object.
        pub(super) fn BaoLoadedModule(module: *mut JSObject, index: usize) -> *mut JSObject;
        pub(super) fn BaoModuleAwait(module: *mut JSObject, line: *mut u32, column: *mut u32) -> bool;
    }
}

/// One import of a module.
#[derive(Debug, Clone)]
pub struct ModuleRequest {
    pub specifier: String,
    pub kind: ModuleKind,
    /// `import source`
    pub source_phase: bool,
}

/// `js::RequestedModule` (js/src/builtin/ModuleObject.h).
#[repr(C)]
struct RequestedModule {
    request: *mut JSObject,
    line: u32,
    column: u32,
}
