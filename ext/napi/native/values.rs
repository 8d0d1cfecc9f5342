//! Primitive values: making, reading, converting, comparing.

use std::ffi::{c_char, c_int, c_void};

use engine::foreign::{BigIntWords, ExternalChars};

use crate::env::{Env, Finalize, Handle, L, S, handle, optional, out, put, script, simple, text, value};
use crate::status::{Fail, Outcome, Status};

/// `napi_valuetype`
#[repr(C)]
pub enum ValueType {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Symbol,
    Object,
    Function,
    External,
    Bigint,
}

/// A function that makes a value of its arguments and cannot run JavaScript.
macro_rules! makers {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) = |$scope:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(env: *const Env, $($arg: $type,)* result: *mut Handle) -> Status {
            simple(env, |_, $scope| {
                let result = out(result)?;
                result.write(handle($body));
                Ok(())
            })
        }
    )*};
}

makers! {
    napi_get_undefined() = |scope| scope.undefined();
    napi_get_null() = |scope| scope.null();
    napi_get_global() = |scope| scope.global_object();
    napi_get_boolean(value: bool) = |scope| scope.boolean(value);
    napi_create_double(value: f64) = |scope| scope.number(value);
    napi_create_int32(value: i32) = |scope| scope.int(value);
    napi_create_uint32(value: u32) = |scope| scope.number(f64::from(value));
    /// Numbers beyond 2^53 lose their last digits.
    napi_create_int64(value: i64) = |scope| scope.number(value as f64);
    napi_create_bigint_int64(value: i64) = |scope| scope.bigint_i64(value)?;
    napi_create_bigint_uint64(value: u64) = |scope| scope.bigint_u64(value)?;
    napi_create_string_latin1(chars: *const u8, length: usize) = |scope| scope.latin1_string(text(chars, length)?)?;
    /// Ill-formed UTF-8 becomes U+FFFD.
    napi_create_string_utf8(chars: *const u8, length: usize) = |scope| scope.string_lossy(text(chars, length)?)?;
    napi_create_string_utf16(chars: *const u16, length: usize) = |scope| scope.utf16_string(text(chars, length)?)?;
    node_api_create_property_key_latin1(chars: *const u8, length: usize) = |scope| {
        let string = scope.latin1_string(text(chars, length)?)?;
        scope.atom(string)?
    };
    node_api_create_property_key_utf8(chars: *const u8, length: usize) = |scope| {
        let string = scope.string_lossy(text(chars, length)?)?;
        scope.atom(string)?
    };
    node_api_create_property_key_utf16(chars: *const u16, length: usize) = |scope| {
        let string = scope.utf16_string(text(chars, length)?)?;
        scope.atom(string)?
    };
    node_api_symbol_for(chars: *const u8, length: usize) = |scope| {
        let key = scope.string_lossy(text(chars, length)?)?;
        scope.symbol_for(key)?
    };
    napi_create_symbol(description: Handle) = |scope| {
        let description = match optional(description) {
            Some(description) if !description.is_string() => return Err(Status::StringExpected.into()),
            Some(description) => description,
            None => scope.undefined(),
        };
        scope.new_symbol(description)?
    };
}

/// The digits of a BigInt, the least first; at most 2^24 of them, as in V8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_bigint_words(
    env: *const Env,
    sign: c_int,
    count: usize,
    words: *const u64,
    result: *mut Handle,
) -> Status {
    const MOST_WORDS: usize = 1 << 24;
    script(env, |_, scope| {
        if words.is_null() {
            return Err(Status::InvalidArg.into());
        }
        let result = out(result)?;
        if count > i32::MAX as usize {
            return Err(Status::InvalidArg.into());
        }
        if count > MOST_WORDS {
            return Err(scope.throw_op_error(&engine::OpError::range_error("Maximum BigInt size exceeded")).into());
        }
        // SAFETY: that many words, as the caller says.
        let words = unsafe { std::slice::from_raw_parts(words, count) };
        let big = scope.bigint_from_words(&BigIntWords { negative: sign != 0, words: words.to_vec() })?;
        result.write(handle(big));
        Ok(())
    })
}

// --- strings that stay in the addon's memory ---

/// Whose characters they are, by their address.
struct Lent {
    env: *const Env,
    finalize: Option<Finalize>,
    hint: *mut c_void,
}

thread_local! {
    static LENT: std::cell::RefCell<std::collections::HashMap<usize, Vec<Lent>>> = std::cell::RefCell::default();
}

/// The engine has no use for characters any more; in a collection.
fn characters_released(chars: *mut c_void) {
    let lent = LENT.with_borrow_mut(|lent| {
        let entry = lent.get_mut(&chars.addr())?;
        let last = entry.pop();
        if entry.is_empty() {
            lent.remove(&chars.addr());
        }
        last
    });
    if let Some(Lent { env, finalize: Some(finalize), hint }) = lent {
        crate::references::finalize_soon(env, finalize, chars, hint);
    }
}

/// Runs the finalizers of strings that are left when an environment ends.
pub fn release_strings(env: *const Env) -> Vec<(Finalize, *mut c_void, *mut c_void)> {
    LENT.with_borrow_mut(|lent| {
        let mut left = Vec::new();
        for (chars, entries) in lent.iter_mut() {
            let chars = std::ptr::with_exposed_provenance_mut(*chars);
            entries.retain_mut(|entry| {
                if !std::ptr::eq(entry.env, env) {
                    return true;
                }
                left.extend(entry.finalize.map(|finalize| (finalize, chars, entry.hint)));
                false
            });
        }
        lent.retain(|_, entries| !entries.is_empty());
        left
    })
}

struct External {
    chars: ExternalChars,
    address: *mut c_void,
    length: usize,
    finalize: Option<Finalize>,
    hint: *mut c_void,
}

fn external_string(env: &Env, scope: &mut S, external: &External, copied: *mut bool) -> Result<L, Fail> {
    external.address.expose_provenance();
    let lent = Lent { env, finalize: external.finalize, hint: external.hint };
    LENT.with_borrow_mut(|all| all.entry(external.address.addr()).or_default().push(lent));
    // SAFETY: the addon keeps the characters as they are until its finalizer is called.
    let made = unsafe { scope.external_string(external.chars, external.length, characters_released) };
    if made.is_err() {
        LENT.with_borrow_mut(|all| {
            if let Some(entry) = all.get_mut(&external.address.addr()) {
                entry.pop();
                if entry.is_empty() {
                    all.remove(&external.address.addr());
                }
            }
        });
    }
    let string = made?;
    put(copied, false);
    Ok(string)
}

/// `copied` says whether the characters were copied, which they never are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_create_external_string_latin1(
    env: *const Env,
    chars: *mut u8,
    length: usize,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut Handle,
    copied: *mut bool,
) -> Status {
    simple(env, |env, scope| {
        let result = out(result)?;
        let length = text(chars.cast_const(), length)?.len();
        let external = External { chars: ExternalChars::Latin1(chars), address: chars.cast(), length, finalize, hint };
        result.write(handle(external_string(env, scope, &external, copied)?));
        Ok(())
    })
}

/// As above in UTF-16.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_create_external_string_utf16(
    env: *const Env,
    chars: *mut u16,
    length: usize,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut Handle,
    copied: *mut bool,
) -> Status {
    simple(env, |env, scope| {
        let result = out(result)?;
        let length = text(chars.cast_const(), length)?.len();
        let external = External { chars: ExternalChars::Utf16(chars), address: chars.cast(), length, finalize, hint };
        result.write(handle(external_string(env, scope, &external, copied)?));
        Ok(())
    })
}

// --- reading ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_typeof(env: *const Env, of: Handle, result: *mut ValueType) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        let result = out(result)?;
        result.write(if of.is_object() {
            if of.is_callable() {
                ValueType::Function
            } else if scope.external_data(of).is_some() {
                ValueType::External
            } else {
                ValueType::Object
            }
        } else if of.is_number() {
            ValueType::Number
        } else if of.is_string() {
            ValueType::String
        } else if of.is_boolean() {
            ValueType::Boolean
        } else if of.is_undefined() {
            ValueType::Undefined
        } else if of.is_null() {
            ValueType::Null
        } else if of.is_symbol() {
            ValueType::Symbol
        } else if of.is_bigint() {
            ValueType::Bigint
        } else {
            return Err(Status::InvalidArg.into());
        });
        Ok(())
    })
}

#[inline(always)]
fn number<T>(env: *const Env, from: Handle, result: *mut T, convert: impl FnOnce(f64) -> T) -> Status {
    simple(env, |_, _| {
        let from = value(from)?;
        let result = out(result)?;
        result.write(convert(from.as_number().ok_or(Status::NumberExpected)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_double(env: *const Env, from: Handle, result: *mut f64) -> Status {
    number(env, from, result, |number| number)
}

/// JavaScript's ToInt32 (ECMAScript 7.1.6) of a number.
fn wrap_to_32_bits(number: f64) -> u32 {
    let int = number as i32;
    if f64::from(int) == number {
        return int as u32;
    }
    if !number.is_finite() {
        return 0;
    }
    number.trunc().rem_euclid(4_294_967_296.0) as u32
}

/// Numbers outside of the range wrap; those that are not finite are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_int32(env: *const Env, from: Handle, result: *mut i32) -> Status {
    number(env, from, result, |number| wrap_to_32_bits(number) as i32)
}

/// As `napi_get_value_int32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_uint32(env: *const Env, from: Handle, result: *mut u32) -> Status {
    number(env, from, result, wrap_to_32_bits)
}

/// Numbers outside of the range are its nearest end; those that are not finite are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_int64(env: *const Env, from: Handle, result: *mut i64) -> Status {
    number(env, from, result, |number| if number.is_finite() { number as i64 } else { 0 })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_bool(env: *const Env, from: Handle, result: *mut bool) -> Status {
    simple(env, |_, _| {
        let from = value(from)?;
        let result = out(result)?;
        result.write(from.as_bool().ok_or(Status::BooleanExpected)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_bigint_int64(
    env: *const Env,
    from: Handle,
    result: *mut i64,
    lossless: *mut bool,
) -> Status {
    simple(env, |_, scope| {
        let from = value(from)?;
        let (result, lossless) = (out(result)?, out(lossless)?);
        let (number, exact) = scope.bigint_low_i64(from).ok_or(Status::BigintExpected)?;
        result.write(number);
        lossless.write(exact);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_bigint_uint64(
    env: *const Env,
    from: Handle,
    result: *mut u64,
    lossless: *mut bool,
) -> Status {
    simple(env, |_, scope| {
        let from = value(from)?;
        let (result, lossless) = (out(result)?, out(lossless)?);
        let (number, exact) = scope.bigint_low_u64(from).ok_or(Status::BigintExpected)?;
        result.write(number);
        lossless.write(exact);
        Ok(())
    })
}

/// `count`: how many words there is room for, then how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_bigint_words(
    env: *const Env,
    from: Handle,
    sign: *mut c_int,
    count: *mut usize,
    words: *mut u64,
) -> Status {
    simple(env, |_, scope| {
        let from = value(from)?;
        if count.is_null() || sign.is_null() != words.is_null() {
            return Err(Status::InvalidArg.into());
        }
        let big = scope.bigint_words(from)?.ok_or(Status::BigintExpected)?;
        if !sign.is_null() {
            // SAFETY: room for that many words, as the caller says.
            unsafe {
                let room = (*count).min(big.words.len());
                std::ptr::copy_nonoverlapping(big.words.as_ptr(), words, room);
            }
            put(sign, c_int::from(big.negative));
        }
        put(count, big.words.len());
        Ok(())
    })
}

// --- characters of strings ---

/// How many of `units` fit into `room` in UTF-8 as whole characters, and the bytes that they take. Lone surrogates become
/// U+FFFD.
fn write_utf8(units: impl Iterator<Item = u16>, mut write: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 4];
    for unit in char::decode_utf16(units) {
        let c = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
        if !write(c.encode_utf8(&mut buffer).as_bytes()) {
            return;
        }
    }
}

/// Copies up to `room` elements and an end behind them into `buffer`, or counts them where there is none.
fn copy_chars<T: Copy + Default>(
    scope: &mut S,
    from: Handle,
    (buffer, room): (*mut T, usize),
    result: *mut usize,
    copy: impl FnOnce(Result<&[u8], &[u16]>, &mut dyn FnMut(&[T]) -> bool),
) -> Outcome {
    let from = value(from)?;
    if !from.is_string() {
        return Err(Status::StringExpected.into());
    }
    let mut count = 0;
    if buffer.is_null() {
        let result = out(result)?;
        scope.with_chars(from, |chars| {
            copy(chars, &mut |part| {
                count += part.len();
                true
            });
        })?;
        result.write(count);
        return Ok(());
    }
    if room == 0 {
        put(result, 0);
        return Ok(());
    }
    scope.with_chars(from, |chars| {
        copy(chars, &mut |part| {
            if count + part.len() >= room {
                return false;
            }
            // SAFETY: below the room that the caller says there is.
            unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), buffer.add(count), part.len()) };
            count += part.len();
            true
        });
    })?;
    // SAFETY: as above.
    unsafe { buffer.add(count).write(T::default()) };
    put(result, count);
    Ok(())
}

/// Characters above U+00FF lose their upper half.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_string_latin1(
    env: *const Env,
    from: Handle,
    buffer: *mut u8,
    room: usize,
    result: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        copy_chars(scope, from, (buffer, room), result, |chars, write| match chars {
            Ok(bytes) => write_part(bytes, room, buffer.is_null(), write),
            Err(units) => {
                let _ = units.iter().all(|&unit| write(&[unit as u8]));
            }
        })
    })
}

/// Writes as much of `part` as there is room for.
fn write_part<T: Copy>(part: &[T], room: usize, counts: bool, write: &mut dyn FnMut(&[T]) -> bool) {
    let length = if counts { part.len() } else { part.len().min(room.saturating_sub(1)) };
    write(&part[..length]);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_string_utf8(
    env: *const Env,
    from: Handle,
    buffer: *mut c_char,
    room: usize,
    result: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        copy_chars(scope, from, (buffer.cast::<u8>(), room), result, |chars, write| match chars {
            Ok(bytes) if bytes.is_ascii() => write_part(bytes, room, buffer.is_null(), write),
            Ok(bytes) => write_utf8(bytes.iter().map(|&byte| u16::from(byte)), write),
            Err(units) => write_utf8(units.iter().copied(), write),
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_value_string_utf16(
    env: *const Env,
    from: Handle,
    buffer: *mut u16,
    room: usize,
    result: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        copy_chars(scope, from, (buffer, room), result, |chars, write| match chars {
            Ok(bytes) => {
                let _ = bytes.iter().all(|&byte| write(&[u16::from(byte)]));
            }
            Err(units) => write_part(units, room, buffer.is_null(), write),
        })
    })
}

// --- conversions ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_coerce_to_bool(env: *const Env, from: Handle, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let from = value(from)?;
        out(result)?.write(handle(scope.boolean(from.truthy())));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_coerce_to_number(env: *const Env, from: Handle, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let from = value(from)?;
        let result = out(result)?;
        let number = scope.to_number(from)?;
        result.write(handle(scope.number(number)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_coerce_to_object(env: *const Env, from: Handle, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let from = value(from)?;
        let result = out(result)?;
        if from.is_nullish() {
            return Err(Status::ObjectExpected.into());
        }
        result.write(handle(scope.to_object(from)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_coerce_to_string(env: *const Env, from: Handle, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let from = value(from)?;
        let result = out(result)?;
        result.write(handle(scope.to_js_string(from)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_strict_equals(env: *const Env, a: Handle, b: Handle, result: *mut bool) -> Status {
    script(env, |_, scope| {
        let (a, b) = (value(a)?, value(b)?);
        out(result)?.write(scope.strictly_equal(a, b)?);
        Ok(())
    })
}

// --- dates ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_date(env: *const Env, time: f64, result: *mut Handle) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        result.write(handle(scope.new_date(time)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_date(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.date_value(of)?.is_some());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_date_value(env: *const Env, of: Handle, result: *mut f64) -> Status {
    script(env, |_, scope| {
        let of = value(of)?;
        let result = out(result)?;
        result.write(scope.date_value(of)?.ok_or(Status::DateExpected)?);
        Ok(())
    })
}
