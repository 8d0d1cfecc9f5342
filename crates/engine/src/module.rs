//! ES module records: the hooks of the specification on one side, linking and evaluation on the other.

use std::ptr;

use mozjs::jsapi::{JS, JSContext as RawContext, JSObject, JSScript};
use mozjs::jsval::ObjectValue;
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

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

/// One request of a module by another.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The specifier as written.
    pub specifier: String,
    pub kind: ModuleKind,
    /// Whether this is an `import()` call.
    pub dynamic: bool,
}

/// How far a module has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleStatus {
    Unlinked,
    Linked,
}

pub(crate) unsafe fn install_hooks(cx: *mut RawContext) {
    // SAFETY: plain registrations.
    unsafe {
        let runtime = mozjs::jsapi::JS_GetRuntime(cx);
        JS::SetModuleLoadHook(runtime, Some(load_hook));
        JS::SetModuleMetadataHook(runtime, Some(metadata_hook));
    }
}

unsafe fn referrer_number(scope: &mut Scope<'_>, referrer: *mut JSScript) -> Option<u32> {
    let out = scope.undefined();
    // SAFETY: rooted out location.
    unsafe {
        if referrer.is_null() {
            mozjs::glue::JS_GetScriptedCallerPrivate(scope.cx, Scope::out(out));
        } else {
            mozjs::glue::JS_GetScriptPrivate(referrer, Scope::out(out));
        }
    }
    out.as_number().map(|n| n as u32)
}

unsafe extern "C" fn load_hook(
    cx: *mut RawContext,
    referrer: JS::Handle<*mut JSScript>,
    request: JS::HandleObject,
    _host_defined: JS::HandleValue,
    payload: JS::HandleValue,
    _line: u32,
    _column: JS::ColumnNumberOneOrigin,
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
        let kind = match JS::GetModuleRequestType(cx, request) {
            JS::ModuleType::JavaScript => ModuleKind::JavaScript,
            JS::ModuleType::JSON => ModuleKind::Json,
            JS::ModuleType::CSS => ModuleKind::Css,
            JS::ModuleType::Bytes => ModuleKind::Bytes,
            JS::ModuleType::Text => ModuleKind::Text,
            JS::ModuleType::Unknown => ModuleKind::Other,
        };
        let number = referrer_number(scope, *referrer.ptr);
        let host = scope.host();
        let loaded = host.load_module(scope, number, &ImportRequest { specifier, kind, dynamic });
        if !dynamic {
            let Ok(module) = loaded else { return false };
            rooted!(in(cx) let module = module.value().to_object());
            return JS::FinishLoadingImportedModule(cx, referrer, request, payload, module.handle().into(), false);
        }
        // import(): load the graph below, then hand over; the engine links, evaluates and settles the promise.
        let loaded = loaded.and_then(|module| scope.load_requested(module).map(|()| module));
        match loaded {
            Ok(module) => {
                rooted!(in(cx) let module = module.value().to_object());
                rooted!(in(cx) let no_referrer = ptr::null_mut::<JSScript>());
                JS::FinishLoadingImportedModule(
                    cx,
                    no_referrer.handle().into(),
                    request,
                    payload,
                    module.handle().into(),
                    false,
                )
            }
            Err(_) => {
                if !mozjs::jsapi::JS_IsExceptionPending(cx) {
                    return false;
                }
                JS::FinishLoadingImportedModuleFailedWithPendingException(cx, payload)
            }
        }
    }
}

unsafe extern "C" fn metadata_hook(cx: *mut RawContext, module: JS::HandleObject, meta: JS::HandleObject) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        let mut scope = Scope::enter(cx);
        let number = scope.undefined();
        mozjs::glue::JS_GetModulePrivate(*module.ptr, Scope::out(number));
        let Some(number) = number.as_number() else { return true };
        let meta = scope.local_object(*meta.ptr);
        let host = scope.host();
        host.import_meta(&mut scope, number as u32, meta).is_ok()
    }
}

unsafe extern "C" fn load_resolved(cx: *mut RawContext, host_defined: JS::HandleValue) -> bool {
    // SAFETY: engine callback with rooted handles; the value is the root module.
    unsafe {
        rooted!(in(cx) let module = (*host_defined.ptr).to_object());
        JS::ModuleLink(cx, module.handle().into())
    }
}

unsafe extern "C" fn load_rejected(cx: *mut RawContext, _host_defined: JS::HandleValue, error: JS::HandleValue) -> bool {
    // SAFETY: engine callback with rooted handles.
    unsafe {
        mozjs::jsapi::JS_SetPendingException(cx, error, mozjs::jsapi::ExceptionStackBehavior::Capture);
    }
    true
}

impl<'s> Scope<'s> {
    /// Loads everything a module imports, through [`crate::Host::load_module`], and links the graph.
    pub fn load_requested(&mut self, module: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(module)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let record = object);
            rooted!(in(self.cx) let host_defined = ObjectValue(record.get()));
            let ok = JS::LoadRequestedModules(
                self.cx,
                record.handle().into(),
                host_defined.handle().into(),
                Some(load_resolved),
                Some(load_rejected),
            );
            if !ok || mozjs::jsapi::JS_IsExceptionPending(self.cx) { Err(Exc::pending()) } else { Ok(()) }
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

    /// Whether a module is linked.
    pub fn module_status(&mut self, module: Local<'_>) -> ModuleStatus {
        match module.object() {
            // SAFETY: a live module object.
            Some(object) if unsafe { JS::ModuleIsLinked(object) } => ModuleStatus::Linked,
            _ => ModuleStatus::Unlinked,
        }
    }
}
