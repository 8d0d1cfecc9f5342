//! Compilation: source to stencil, stencil to bytes and back, stencil to running code.

use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

use mozjs::jsapi::{
    CompileGlobalScriptToStencil, CompileModuleScriptToStencil, InstantiateGlobalStencil, InstantiateModuleStencil, JS,
    JS_ExecuteScript, JSObject, StartCollectingDelazifications, StartCollectingDelazifications1, mozilla,
};
use mozjs::rooted;

use crate::bindings::{EncodeStencil, TranscodeBuffer};
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::module::Referrer;

/// How source text is compiled.
#[derive(Debug, Clone, Copy)]
pub struct CompileOptions<'a> {
    /// Name in stack traces.
    pub filename: &'a str,
    /// Number of the first line, usually 1.
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// For [`Scope::run_script_with`].
    pub environment: bool,
    /// Compile every function now and keep no source text: for built-in code that is stored as bytecode.
    pub eager: bool,
    /// Compile every function now instead of when it is called first: for code that is stored.
    pub all_functions: bool,
}

impl<'a> CompileOptions<'a> {
    /// Ordinary options for a file.
    pub fn new(filename: &'a str) -> Self {
        CompileOptions { filename, line: 1, column: 1, environment: false, eager: false, all_functions: false }
    }
}

/// Compiled code that belongs to no realm yet.
pub struct Stencil {
    raw: *mut JS::Stencil,
    /// Whether functions that are compiled later become a part of it.
    notes: bool,
}

// SAFETY: stencils are immutable and their count is atomic.
unsafe impl Send for Stencil {}

impl Stencil {
    /// From now on functions of scripts and modules that are made of this code become a part of it when they are compiled, as they are
    /// called. Clones have them, too, and [`Scope::encode_stencil`] writes them.
    pub fn note_functions(&mut self) {
        self.notes = true;
    }

    pub(crate) fn raw(&self) -> *mut JS::Stencil {
        self.raw
    }
}

impl Clone for Stencil {
    fn clone(&self) -> Self {
        // SAFETY: one more reference to what ours keeps alive.
        unsafe { mozjs::jsapi::StencilAddRef(self.raw) };
        Stencil { raw: self.raw, notes: self.notes }
    }
}

impl Drop for Stencil {
    fn drop(&mut self) {
        // SAFETY: our reference.
        unsafe { mozjs::jsapi::StencilRelease(self.raw) };
    }
}

/// The engine's options object for the time of a compilation.
pub(crate) struct RawOptions {
    pub(crate) ptr: *mut mozjs::jsapi::ReadOnlyCompileOptions,
    _filename: CString,
}

impl RawOptions {
    pub(crate) fn new(scope: &mut Scope<'_>, options: &CompileOptions<'_>) -> Self {
        let filename = CString::new(options.filename.replace('\0', "\u{fffd}")).unwrap_or_default();
        // SAFETY: the engine reads the filename during compilation, while this object lives.
        unsafe {
            let ptr = mozjs::glue::NewCompileOptions(scope.cx, filename.as_ptr(), options.line);
            (*ptr)._base.nonSyntacticScope = options.environment;
            if options.column > 1 {
                (*ptr).column._base = options.column;
            }
            if options.eager || options.all_functions {
                (*ptr)._base.eagerDelazificationStrategy_ = JS::DelazificationOption::ParseEverythingEagerly;
            }
            (*ptr)._base.discardSource = options.eager;
            RawOptions { ptr, _filename: filename }
        }
    }
}

impl Drop for RawOptions {
    fn drop(&mut self) {
        // SAFETY: made by NewCompileOptions.
        unsafe { mozjs::glue::DeleteCompileOptions(self.ptr) };
    }
}

pub(crate) fn source_text(source: &str) -> mozjs::jsapi::SourceText<mozilla::Utf8Unit> {
    mozjs::jsapi::SourceText {
        units_: source.as_ptr().cast(),
        length_: source.len() as u32,
        ownsUnits_: false,
        _phantom_0: PhantomData,
    }
}

impl<'s> Scope<'s> {
    fn check_length(&mut self, source: &str) -> JsResult<()> {
        // The engine counts source units in 30 bits.
        if source.len() >= 1 << 30 {
            return Err(self.throw_error("source text is larger than 1 GiB, which the engine cannot compile"));
        }
        Ok(())
    }

    /// Compiles a classic script.
    pub fn compile_script(&mut self, source: &str, options: &CompileOptions<'_>) -> JsResult<Stencil> {
        self.check_length(source)?;
        let raw_options = RawOptions::new(self, options);
        let mut text = source_text(source);
        // SAFETY: options and text live during the call.
        let raw = unsafe { CompileGlobalScriptToStencil(self.cx, raw_options.ptr, &mut text) }.mRawPtr;
        if raw.is_null() { Err(Exc::pending()) } else { Ok(Stencil { raw, notes: false }) }
    }

    /// Compiles an ES module.
    pub fn compile_module(&mut self, source: &str, options: &CompileOptions<'_>) -> JsResult<Stencil> {
        self.check_length(source)?;
        let raw_options = RawOptions::new(self, options);
        let mut text = source_text(source);
        // SAFETY: options and text live during the call.
        let raw = unsafe { CompileModuleScriptToStencil(self.cx, raw_options.ptr, &mut text) }.mRawPtr;
        if raw.is_null() { Err(Exc::pending()) } else { Ok(Stencil { raw, notes: false }) }
    }

    /// Serialises compiled code; `None` where this code has no serialised form (asm.js).
    pub fn encode_stencil(&mut self, stencil: &Stencil) -> JsResult<Option<Vec<u8>>> {
        let mut buffer = TranscodeBuffer::new();
        // SAFETY: the buffer has the engine's layout.
        match unsafe { EncodeStencil(self.cx, stencil.raw, &mut buffer) } {
            JS::TranscodeResult::Ok => Ok(Some(buffer.as_slice().to_vec())),
            JS::TranscodeResult::Throw => Err(Exc::pending()),
            _ => Ok(None),
        }
    }

    /// Reads serialised code. `None` where the bytes are of another build or damaged. With `pinned`, the code refers
    /// to the bytes instead of copying them, which therefore live as long as the process.
    pub fn decode_stencil(&mut self, bytes: &[u8]) -> JsResult<Option<Stencil>> {
        self.decode(bytes, false)
    }

    /// The same without a copy, for bytes that live as long as the process.
    pub fn decode_static_stencil(&mut self, bytes: &'static [u8]) -> JsResult<Option<Stencil>> {
        self.decode(bytes, true)
    }

    fn decode(&mut self, bytes: &[u8], pinned: bool) -> JsResult<Option<Stencil>> {
        // SAFETY: the range covers `bytes`; the engine copies what it keeps unless told that the bytes stay.
        unsafe {
            let mut options: mozjs::jsapi::ReadOnlyDecodeOptions = std::mem::zeroed();
            options.borrowBuffer = pinned;
            options.usePinnedBytecode = pinned;
            let start = bytes.as_ptr().cast_mut();
            let range = mozilla::Range {
                mStart: mozilla::RangedPtr { mPtr: start, _phantom_0: PhantomData },
                mEnd: mozilla::RangedPtr { mPtr: start.add(bytes.len()), _phantom_0: PhantomData },
                _phantom_0: PhantomData,
            };
            let mut raw = ptr::null_mut();
            match mozjs::jsapi::DecodeStencil(self.cx, &options, &range, &mut raw) {
                JS::TranscodeResult::Ok => Ok(Some(Stencil { raw, notes: false })),
                JS::TranscodeResult::Throw => Err(Exc::pending()),
                _ => Ok(None),
            }
        }
    }

    pub(crate) fn instantiate_options() -> mozjs::jsapi::InstantiateOptions {
        mozjs::jsapi::InstantiateOptions {
            skipFilenameValidation: false,
            hideScriptFromDebugger: false,
            deferDebugMetadata: false,
            eagerDelazificationStrategy_: JS::DelazificationOption::OnDemandOnly,
            eagerBaselineStrategy_: JS::EagerBaselineOption::None,
        }
    }

    /// Runs a compiled script in the current realm and gives its completion value. `referrer` is who asks in `import()`
    /// calls of this script.
    pub fn run_script(&mut self, stencil: &Stencil, referrer: impl Into<Referrer<'s>>) -> JsResult<Local<'s>> {
        let out = self.undefined();
        // SAFETY: rooted handles.
        unsafe {
            let options = Self::instantiate_options();
            let script = InstantiateGlobalStencil(self.cx, &options, stencil.raw, ptr::null_mut());
            if script.is_null() {
                return Err(Exc::pending());
            }
            rooted!(in(self.cx) let script = script);
            if stencil.notes {
                let mut result = JS::CollectDelazificationsResult::NotSupported;
                StartCollectingDelazifications(self.cx, script.handle().into(), stencil.raw, &mut result);
            }
            if let Some(value) = referrer.into().value() {
                JS::SetScriptPrivate(script.get(), &value);
            }
            if !JS_ExecuteScript(self.cx, script.handle().into(), Scope::out(out)) {
                return Err(Exc::pending());
            }
        }
        Ok(out)
    }

    /// Makes a module record of compiled code in the current realm. `referrer` is who asks in its imports.
    pub fn instantiate_module(&mut self, stencil: &Stencil, referrer: impl Into<Referrer<'s>>) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once; the engine traces the private value.
        unsafe {
            let options = Self::instantiate_options();
            let object: *mut JSObject = InstantiateModuleStencil(self.cx, &options, stencil.raw, ptr::null_mut());
            let record = self.checked_object(object)?;
            if stencil.notes {
                rooted!(in(self.cx) let module = record.value().to_object());
                let mut result = JS::CollectDelazificationsResult::NotSupported;
                StartCollectingDelazifications1(self.cx, module.handle().into(), stencil.raw, &mut result);
            }
            if let Some(value) = referrer.into().value() {
                JS::SetModulePrivate(record.value().to_object(), &value);
            }
            Ok(record)
        }
    }
}
