//! Copies of errors within their realm, without the serialiser: it would copy the frames of the stack one by one, which nobody
//! can change and the copy may share.

use mozjs::jsapi::{
    HandleId, JS, JS_GetClassPrototype, JS_GetOwnPropertyDescriptorById, JSClass, JSContext as RawContext,
    JSErrorReport, JSExnType, JSObject, JSProtoKey, JSString, Value,
};
use mozjs::jsval::UndefinedValue;
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::object_layout::Raw;

/// `mozilla::Maybe<JS::Value>`
#[repr(C)]
struct MaybeValue {
    value: Value,
    is_some: bool,
}

unsafe extern "C" {
    /// The classes of errors, by `JSExnType` (js/src/vm/ErrorObject.h).
    #[link_name = "_ZN2js11ErrorObject7classesE"]
    static CLASSES: [JSClass; JSExnType::JSEXN_ERROR_LIMIT as usize];
    /// `JS::CreateError` (js/public/ErrorReport.h): no error is pending afterwards.
    #[link_name = "_ZN2JS11CreateErrorEP9JSContext9JSExnTypeNS_6HandleIP8JSObjectEENS3_IP8JSStringEEjNS_21ColumnNumberOneOriginEP13JSErrorReportS9_NS3_IN7mozilla5MaybeINS_5ValueEEEEENS_13MutableHandleISF_EE"]
    fn create_error(
        cx: *mut RawContext,
        kind: JSExnType,
        stack: JS::HandleObject,
        file_name: JS::HandleString,
        line: u32,
        column: u32,
        report: *mut JSErrorReport,
        message: JS::HandleString,
        cause: JS::Handle<MaybeValue>,
        error: JS::MutableHandleValue,
    ) -> bool;
}

/// Slots of an error (js/src/vm/ErrorObject.h). What is read from them is looked at before it is used.
const FILE_NAME: u32 = 2;
const LINE: u32 = 3;
const COLUMN: u32 = 4;

/// The errors whose copies have the same name, by it.
fn kind_of(name: &[u8]) -> Option<(JSExnType, JSProtoKey)> {
    Some(match name {
        b"Error" => (JSExnType::JSEXN_ERR, JSProtoKey::JSProto_Error),
        b"EvalError" => (JSExnType::JSEXN_EVALERR, JSProtoKey::JSProto_EvalError),
        b"RangeError" => (JSExnType::JSEXN_RANGEERR, JSProtoKey::JSProto_RangeError),
        b"ReferenceError" => (JSExnType::JSEXN_REFERENCEERR, JSProtoKey::JSProto_ReferenceError),
        b"SyntaxError" => (JSExnType::JSEXN_SYNTAXERR, JSProtoKey::JSProto_SyntaxError),
        b"TypeError" => (JSExnType::JSEXN_TYPEERR, JSProtoKey::JSProto_TypeError),
        b"URIError" => (JSExnType::JSEXN_URIERR, JSProtoKey::JSProto_URIError),
        _ => return None,
    })
}

/// What there is of an own property.
enum Own {
    None,
    Value(Value),
    Accessor,
}

impl<'s> Scope<'s> {
    /// The structured clone of an error of the language that has no cause, no `stack` that a program has set and no class of the
    /// program's, in the current realm; `None` for everything else.
    pub fn clone_error(&mut self, value: Local<'_>) -> JsResult<Option<Local<'s>>> {
        let Some(object) = value.object() else { return Ok(None) };
        // SAFETY: a live object, and addresses that are only compared.
        let class = unsafe { Raw::new(object).class() };
        let classes = (&raw const CLASSES).cast::<JSClass>();
        // SAFETY: the end of the array.
        if class < classes || class >= unsafe { classes.add(JSExnType::JSEXN_ERROR_LIMIT as usize) } {
            return Ok(None);
        }
        // SAFETY: a class has a name.
        let class_name = unsafe { std::ffi::CStr::from_ptr((*class).name) };
        let Some((_, key)) = kind_of(class_name.to_bytes()) else { return Ok(None) };
        if self.may_have_clone_marks(value) || !self.has_class_proto(value, key)? {
            return Ok(None);
        }
        for name in ["cause", "stack"] {
            let Own::None = self.own(value, name)? else { return Ok(None) };
        }
        let message = match self.own(value, "message")? {
            Own::None => None,
            Own::Value(message) if message.is_string() => Some(self.local(message)),
            _ => return Ok(None),
        };
        let name = self.get(value, "name")?;
        let name = if name.is_string() { self.chars(name)?.to_utf8() } else { String::new() };
        if name == "AggregateError" {
            return Ok(None);
        }
        let kind = kind_of(name.as_bytes()).map_or(JSExnType::JSEXN_ERR, |(kind, _)| kind);
        let out = self.undefined();
        // SAFETY: all handles are rooted; the error is read anew.
        unsafe {
            rooted!(in(self.cx) let object = value.value().to_object());
            let raw = Raw::new(object.get());
            let (file, line, column) = (raw.slot(FILE_NAME), raw.slot(LINE), raw.slot(COLUMN));
            if !file.is_string() || !line.is_int32() || !column.is_int32() {
                return Ok(None);
            }
            rooted!(in(self.cx) let file: *mut JSString = file.to_string());
            let message = message.map_or(std::ptr::null_mut(), |message| message.value().to_string());
            rooted!(in(self.cx) let message: *mut JSString = message);
            rooted!(in(self.cx) let stack: *mut JSObject = JS::ExceptionStackOrNull(object.handle().into()));
            let cause = MaybeValue { value: UndefinedValue(), is_some: false };
            let made = create_error(
                self.cx,
                kind,
                stack.handle().into(),
                file.handle().into(),
                line.to_int32() as u32,
                column.to_int32() as u32,
                std::ptr::null_mut(),
                message.handle().into(),
                JS::Handle::from_marked_location(&raw const cause),
                Scope::out(out),
            );
            if made { Ok(Some(out)) } else { Err(Exc::pending()) }
        }
    }

    /// Whether an object has the prototype of a class of the current realm.
    fn has_class_proto(&mut self, object: Local<'_>, key: JSProtoKey) -> JsResult<bool> {
        // SAFETY: a rooted handle; the object is read after what may collect.
        unsafe {
            rooted!(in(self.cx) let mut proto: *mut JSObject);
            if !JS_GetClassPrototype(self.cx, key, proto.handle_mut().into()) {
                return Err(Exc::pending());
            }
            Ok(Raw::new(object.value().to_object()).proto() == proto.get())
        }
    }

    fn own(&mut self, object: Local<'_>, name: &str) -> JsResult<Own> {
        self.with_id(name, |scope, id: HandleId| {
            // SAFETY: rooted handles. An error and its prototype are ordinary objects: nothing of the program runs.
            unsafe {
                rooted!(in(scope.cx) let raw = object.value().to_object());
                rooted!(in(scope.cx) let mut desc = JS::PropertyDescriptor::default());
                let mut none = false;
                if !JS_GetOwnPropertyDescriptorById(
                    scope.cx,
                    raw.handle().into(),
                    id,
                    desc.handle_mut().into(),
                    &mut none,
                ) {
                    return Err(Exc::pending());
                }
                Ok(if none {
                    Own::None
                } else if desc.hasValue_() {
                    Own::Value(desc.value_)
                } else {
                    Own::Accessor
                })
            }
        })
    }
}
