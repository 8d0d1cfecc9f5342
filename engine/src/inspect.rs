//! What a value is inside, for `console.log` and error reports.

use std::ptr;
use std::sync::OnceLock;

use mozjs::jsapi::{ESClass, GetBuiltinClass, JS, JSObject};
use mozjs::rooted;

use crate::bindings::MAX_STACK_FRAMES;
use crate::error::{Exc, JsResult, StackFrame};
use crate::handles::{Local, Scope};
use crate::value::ClassName;

impl<'s> Scope<'s> {
    /// The internal class of an object (`[[Class]]` in the old specification's words), seen through no proxy.
    pub fn class_of(&mut self, value: Local<'_>) -> JsResult<ClassName> {
        let Some(object) = value.object() else { return Ok("") };
        // SAFETY: rooted handle.
        unsafe {
            rooted!(in(self.cx) let object = object);
            let class = mozjs::rust::get_object_class(object.get());
            let name = std::ffi::CStr::from_ptr((*class).name).to_bytes();
            // Only names of classes that the engine itself defines can be told apart reliably.
            let by_name: ClassName = match name {
                b"Proxy" if mozjs::jsapi::js::IsWindowProxy(object.get()) => "Object",
                b"Proxy" if !self.is_scripted_proxy(object.get())? => "ModuleNamespace",
                b"Proxy" => "Proxy",
                b"WeakMap" => "WeakMap",
                b"WeakSet" => "WeakSet",
                b"WeakRef" => "WeakRef",
                b"Generator" => "Generator",
                b"AsyncGenerator" => "AsyncGenerator",
                b"Symbol" => "Symbol",
                b"DataView" => "DataView",
                b"Array Iterator" => "ArrayIterator",
                b"String Iterator" => "StringIterator",
                b"RegExp String Iterator" => "RegExpStringIterator",
                b"External" if crate::foreign::is_external(object.get()) => "External",
                b"Object" if Scope::is_foreign_instance(object.get()) => "Object",
                b"FinalizationRegistry" => "FinalizationRegistry",
                b"WebAssembly.Module" => "WebAssembly.Module",
                b"WebAssembly.Instance" => "WebAssembly.Instance",
                b"WebAssembly.Memory" => "WebAssembly.Memory",
                _ => "",
            };
            if !by_name.is_empty() {
                return Ok(by_name);
            }
            let mut class = ESClass::Other;
            if !GetBuiltinClass(self.cx, object.handle().into(), &mut class) {
                return Err(Exc::pending());
            }
            Ok(match class {
                ESClass::Object => "Object",
                ESClass::Array => "Array",
                ESClass::Number => "Number",
                ESClass::String => "String",
                ESClass::Boolean => "Boolean",
                ESClass::RegExp => "RegExp",
                ESClass::ArrayBuffer => "ArrayBuffer",
                ESClass::SharedArrayBuffer => "SharedArrayBuffer",
                ESClass::Date => "Date",
                ESClass::Set => "Set",
                ESClass::Map => "Map",
                ESClass::Promise => "Promise",
                ESClass::MapIterator => "MapIterator",
                ESClass::SetIterator => "SetIterator",
                ESClass::Arguments => "Arguments",
                ESClass::Error => "Error",
                ESClass::BigInt => "BigInt",
                ESClass::Function => "Function",
                ESClass::Other => {
                    if name.ends_with(b"Array") {
                        "TypedArray"
                    } else {
                        "Other"
                    }
                }
            })
        }
    }

    /// Whether a proxy was made by `new Proxy`. The engine makes module namespaces of proxies too, with the same class.
    fn is_scripted_proxy(&mut self, object: *mut JSObject) -> JsResult<bool> {
        /// The address of the handler that all scripted proxies share.
        static SCRIPTED: OnceLock<usize> = OnceLock::new();
        /// js/public/Proxy.h: after the header of the object (one word) comes the pointer to the handler.
        unsafe fn handler_of(proxy: *mut JSObject) -> usize {
            // SAFETY: a live proxy object.
            unsafe { *proxy.cast::<usize>().add(1) }
        }
        if SCRIPTED.get().is_none() {
            // SAFETY: rooted at once by the handle of the result.
            unsafe {
                rooted!(in(self.cx) let kept = object);
                let handler = self.nested(|scope| -> JsResult<usize> {
                    let constructor = scope.class_object(mozjs::jsapi::JSProtoKey::JSProto_Proxy)?;
                    let target = scope.new_object()?;
                    let handler = scope.new_object()?;
                    let sample = scope.construct(constructor, &[target, handler])?;
                    Ok(handler_of(sample.value().to_object()))
                })?;
                let own = handler_of(kept.get());
                let _ = SCRIPTED.set(handler);
                return Ok(own == handler);
            }
        }
        // SAFETY: as above.
        Ok(unsafe { handler_of(object) } == *SCRIPTED.get().expect("set above"))
    }

    /// Target and handler of a proxy (null where it was revoked); `None` for other values.
    pub fn proxy_details(&mut self, value: Local<'_>) -> Option<(Local<'s>, Local<'s>)> {
        if self.class_of(value).ok()? != "Proxy" {
            return None;
        }
        let object = value.object()?;
        // SAFETY: live object; the accessors do not collect.
        unsafe {
            let mut target = mozjs::jsval::UndefinedValue();
            mozjs::glue::GetProxyPrivate(object, &mut target);
            let mut handler = mozjs::jsval::UndefinedValue();
            // Slot 0 of a scripted proxy holds its handler.
            mozjs::glue::GetProxyReservedSlot(object, 0, &mut handler);
            let target = self.local(target);
            let handler = self.local(handler);
            Some((target, handler))
        }
    }

    /// The stack of the running code, innermost first, without the engine's own frames.
    pub fn current_stack(&mut self, max_frames: u32) -> JsResult<Vec<StackFrame>> {
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let mut stack = ptr::null_mut::<JSObject>());
            let mut capture = std::mem::MaybeUninit::uninit();
            mozjs::jsapi::JS_StackCapture_MaxFrames(max_frames.clamp(1, MAX_STACK_FRAMES), capture.as_mut_ptr());
            let mut capture = capture.assume_init();
            if !mozjs::jsapi::CaptureCurrentStack(
                self.cx,
                stack.handle_mut().into(),
                &mut capture,
                JS::HandleObject::null(),
            ) {
                return Err(Exc::pending());
            }
            self.saved_frames(stack.get())
        }
    }

    /// The stack of the running code below the outermost call of the function `skip`; all of it where `skip` is no
    /// function on the stack.
    pub fn stack_below(&mut self, skip: Local<'_>, max_frames: u32) -> JsResult<Vec<StackFrame>> {
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let mut stack = ptr::null_mut::<JSObject>());
            rooted!(in(self.cx) let start = if skip.is_callable() { skip.value().to_object() } else { ptr::null_mut() });
            let mut capture = std::mem::MaybeUninit::uninit();
            mozjs::jsapi::JS_StackCapture_MaxFrames(max_frames.clamp(1, MAX_STACK_FRAMES), capture.as_mut_ptr());
            let mut capture = capture.assume_init();
            if !mozjs::jsapi::CaptureCurrentStack(
                self.cx,
                stack.handle_mut().into(),
                &mut capture,
                start.handle().into(),
            ) {
                return Err(Exc::pending());
            }
            self.saved_frames(stack.get())
        }
    }

    /// The stack captured with an error object; `None` where the value is not an error.
    pub fn error_stack(&mut self, error: Local<'_>) -> JsResult<Option<Vec<StackFrame>>> {
        let Some(object) = error.object() else { return Ok(None) };
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let object = object);
            let mut class = ESClass::Other;
            if !GetBuiltinClass(self.cx, object.handle().into(), &mut class) {
                return Err(Exc::pending());
            }
            if class != ESClass::Error {
                return Ok(None);
            }
            let stack = JS::ExceptionStackOrNull(object.handle().into());
            self.saved_frames(stack).map(Some)
        }
    }

    /// The stack of the place where the pending exception was thrown, which stays pending. Unlike that of an error, it is there
    /// for every value.
    pub fn thrown_stack(&mut self, _exc: &Exc) -> Vec<StackFrame> {
        // SAFETY: both roots are on the lists of their kinds from before the call until they are taken off in reverse.
        unsafe {
            let mut thrown = JS::ExceptionStack {
                exception_: JS::Rooted::new_unrooted(mozjs::jsval::UndefinedValue()),
                stack_: JS::Rooted::new_unrooted(ptr::null_mut::<JSObject>()),
            };
            JS::Rooted::add_to_root_stack(&raw mut thrown.exception_, self.cx);
            JS::Rooted::add_to_root_stack(&raw mut thrown.stack_, self.cx);
            let pending =
                mozjs::jsapi::JS_IsExceptionPending(self.cx) && JS::GetPendingExceptionStack(self.cx, &raw mut thrown);
            let (stack, value) = (thrown.stack_.data, thrown.exception_.data);
            thrown.stack_.remove_from_root_stack();
            thrown.exception_.remove_from_root_stack();
            // Nothing is allocated until both are roots again.
            rooted!(in(self.cx) let stack = stack);
            rooted!(in(self.cx) let value = value);
            if !pending {
                return Vec::new();
            }
            // Reading frames makes strings, which nothing may be pending for.
            mozjs::jsapi::JS_ClearPendingException(self.cx);
            let frames = self.saved_frames(stack.get()).unwrap_or_default();
            mozjs::jsapi::JS_SetPendingException(
                self.cx,
                value.handle().into(),
                mozjs::jsapi::ExceptionStackBehavior::DoNotCapture,
            );
            frames
        }
    }

    unsafe fn saved_frames(&mut self, first: *mut JSObject) -> JsResult<Vec<StackFrame>> {
        use mozjs::jsapi::{SavedFrameResult, SavedFrameSelfHosted};
        let mut frames = Vec::new();
        let exclude = SavedFrameSelfHosted::Exclude;
        let mut is_async = false;
        // SAFETY: rooted handles throughout.
        unsafe {
            rooted!(in(self.cx) let mut frame = first);
            rooted!(in(self.cx) let mut text = ptr::null_mut::<mozjs::jsapi::JSString>());
            rooted!(in(self.cx) let mut next = ptr::null_mut::<JSObject>());
            // A stack that begins below an async function begins with who awaits it.
            if !frame.get().is_null() {
                JS::GetSavedFrameAsyncCause(
                    self.cx,
                    ptr::null_mut(),
                    frame.handle().into(),
                    text.handle_mut().into(),
                    exclude,
                );
                is_async = !text.get().is_null();
            }
            while !frame.get().is_null() && frames.len() < MAX_STACK_FRAMES as usize {
                let cx = self.cx;
                let none = ptr::null_mut();
                let result =
                    JS::GetSavedFrameSource(cx, none, frame.handle().into(), text.handle_mut().into(), exclude);
                if result != SavedFrameResult::Ok {
                    break;
                }
                let source = self.string_of(text.get());
                let mut line = 0;
                JS::GetSavedFrameLine(cx, none, frame.handle().into(), &mut line, exclude);
                let mut column: JS::TaggedColumnNumberOneOrigin = std::mem::zeroed();
                JS::GetSavedFrameColumn(cx, none, frame.handle().into(), &mut column, exclude);
                let function = match JS::GetSavedFrameFunctionDisplayName(
                    cx,
                    none,
                    frame.handle().into(),
                    text.handle_mut().into(),
                    exclude,
                ) {
                    SavedFrameResult::Ok if !text.get().is_null() => self.string_of(text.get()),
                    _ => String::new(),
                };
                frames.push(StackFrame { function, source, line, column: column.value_ & 0x7fff_ffff, is_async });
                JS::GetSavedFrameParent(cx, none, frame.handle().into(), next.handle_mut().into(), exclude);
                is_async = false;
                if next.get().is_null() {
                    JS::GetSavedFrameAsyncParent(cx, none, frame.handle().into(), next.handle_mut().into(), exclude);
                    is_async = true;
                }
                frame.set(next.get());
            }
        }
        Ok(frames)
    }

    fn string_of(&mut self, string: *mut mozjs::jsapi::JSString) -> String {
        if string.is_null() {
            return String::new();
        }
        // SAFETY: a live string, rooted at once.
        let local = self.local(mozjs::jsval::StringValue(unsafe { &*string }));
        self.to_string(local).unwrap_or_default()
    }
}
