//! C types of `bun:ffi` by Bun's numbers.

/// The type of an argument or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F64,
    F32,
    Bool,
    Ptr,
    Void,
    CString,
    I64Fast,
    U64Fast,
    Function,
    NapiEnv,
    NapiValue,
    Buffer,
    BufferLength,
}

const KINDS: [Kind; 22] = [
    Kind::Char,
    Kind::I8,
    Kind::U8,
    Kind::I16,
    Kind::U16,
    Kind::I32,
    Kind::U32,
    Kind::I64,
    Kind::U64,
    Kind::F64,
    Kind::F32,
    Kind::Bool,
    Kind::Ptr,
    Kind::Void,
    Kind::CString,
    Kind::I64Fast,
    Kind::U64Fast,
    Kind::Function,
    Kind::NapiEnv,
    Kind::NapiValue,
    Kind::Buffer,
    Kind::BufferLength,
];

impl Kind {
    /// The type with that number.
    pub(crate) fn of(number: u8) -> Option<Kind> {
        KINDS.get(usize::from(number)).copied()
    }

    /// Whether C passes it in a vector register.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Its name in messages, as Bun writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Char => "char",
            Kind::I8 => "i8",
            Kind::U8 => "u8",
            Kind::I16 => "i16",
            Kind::U16 => "u16",
            Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::I64 => "i64",
            Kind::U64 => "u64",
            Kind::F64 => "f64",
            Kind::F32 => "f32",
            Kind::Bool => "bool",
            Kind::Ptr => "ptr",
            Kind::Void => "void",
            Kind::CString => "cstring",
            Kind::I64Fast => "i64_fast",
            Kind::U64Fast => "u64_fast",
            Kind::Function => "function",
            Kind::NapiEnv => "napi_env",
            Kind::NapiValue => "napi_value",
            Kind::Buffer => "buffer",
            Kind::BufferLength => "buffer_length",
        }
    }
}

/// Arguments and result of a C function.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) args: Box<[Kind]>,
    pub(crate) returns: Kind,
}

impl Signature {
    /// From the numbers of the arguments and that of the result, which the TypeScript half has checked.
    pub(crate) fn of(args: &[u8], returns: u8) -> Option<Signature> {
        Some(Signature { args: args.iter().map(|&n| Kind::of(n)).collect::<Option<_>>()?, returns: Kind::of(returns)? })
    }

    /// Whether values of Node-API go in or out, for which there is no quick way.
    pub(crate) fn uses_napi(&self) -> bool {
        let is_napi = |kind: &Kind| matches!(kind, Kind::NapiEnv | Kind::NapiValue);
        self.args.iter().any(is_napi) || is_napi(&self.returns)
    }
}
