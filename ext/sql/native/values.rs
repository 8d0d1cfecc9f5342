//! Values of PostgreSQL's types, as text and as bytes.

use engine::{Column, OpError};

use crate::time::{date_of_text, milliseconds_of_days, milliseconds_of_microseconds};

/// How a value is read. What needs more than this is text here, and JavaScript's to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text as it is.
    Text,
    /// "t" or "f".
    Boolean,
    /// Digits that become a number.
    Integer,
    /// Digits that become a BigInt.
    BigInteger,
    /// Digits, exponents, "NaN", "Infinity".
    Float,
    /// Date and time in ISO 8601 as PostgreSQL writes it.
    Time,
    /// A byte.
    BinaryBoolean,
    /// Two, four or eight bytes that become a number.
    BinaryInteger,
    /// Eight bytes of an integer that become a BigInt.
    BinaryBigInteger,
    /// Four or eight bytes.
    BinaryFloat,
    /// Microseconds since 2000.
    BinaryTime,
    /// Days since 2000.
    BinaryDate,
    /// Bytes as they are.
    Bytes,
    /// Four bytes of a number without a sign.
    BinaryUnsigned,
}

impl Kind {
    /// The kind of a number, as `native_kinds.ts` has them.
    pub(crate) fn of(number: u8) -> Kind {
        match number {
            1 => Kind::Boolean,
            2 => Kind::Integer,
            3 => Kind::BigInteger,
            4 => Kind::Float,
            5 => Kind::Time,
            6 => Kind::BinaryBoolean,
            7 => Kind::BinaryInteger,
            8 => Kind::BinaryBigInteger,
            9 => Kind::BinaryFloat,
            10 => Kind::BinaryTime,
            11 => Kind::BinaryDate,
            12 => Kind::Bytes,
            13 => Kind::BinaryUnsigned,
            _ => Kind::Text,
        }
    }
}

fn malformed() -> OpError {
    OpError::range_error("A value is not what its type says")
}

/// The value of a column; an error if the bytes are none of that kind.
#[inline]
pub(crate) fn value_of(kind: Kind, bytes: &[u8]) -> Result<Column<'_>, OpError> {
    Ok(match kind {
        Kind::Text => Column::Text(bytes),
        Kind::Boolean => Column::Boolean(bytes == b"t"),
        Kind::Integer => Column::Integer(digits(bytes).ok_or_else(malformed)?),
        Kind::BigInteger => Column::BigInteger(digits(bytes).ok_or_else(malformed)?),
        Kind::Float => {
            let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
            Column::Real(text.parse().map_err(|_| malformed())?)
        }
        Kind::Time => infinite(date_of_text(bytes).unwrap_or(f64::NAN)),
        Kind::BinaryBoolean => Column::Boolean(bytes != [0]),
        Kind::BinaryInteger => Column::Integer(integer(bytes)?),
        Kind::BinaryBigInteger => Column::BigInteger(integer(bytes)?),
        Kind::BinaryFloat => Column::Real(match bytes.len() {
            4 => f64::from(f32::from_be_bytes(exact(bytes)?)),
            _ => f64::from_be_bytes(exact(bytes)?),
        }),
        Kind::BinaryTime => infinite(milliseconds_of_microseconds(i64::from_be_bytes(exact(bytes)?))),
        Kind::BinaryDate => infinite(milliseconds_of_days(i32::from_be_bytes(exact(bytes)?))),
        Kind::Bytes => Column::Blob(bytes),
        Kind::BinaryUnsigned => Column::Integer(i64::from(u32::from_be_bytes(exact(bytes)?))),
    })
}

/// A time; those that are not finite are numbers.
fn infinite(time: f64) -> Column<'static> {
    if time.is_infinite() { Column::Real(time) } else { Column::Date(time) }
}

fn exact<const N: usize>(bytes: &[u8]) -> Result<[u8; N], OpError> {
    bytes.try_into().map_err(|_| malformed())
}

/// An integer of two, four or eight bytes.
#[inline]
pub(crate) fn integer(bytes: &[u8]) -> Result<i64, OpError> {
    match bytes.len() {
        2 => Ok(i64::from(i16::from_be_bytes(exact(bytes)?))),
        4 => Ok(i64::from(i32::from_be_bytes(exact(bytes)?))),
        _ => Ok(i64::from_be_bytes(exact(bytes)?)),
    }
}

/// Digits with a sign; None if there is something else, or too many of them.
#[inline]
fn digits(bytes: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    // The smallest number has no opposite, so the sum is that of the opposite.
    let mut sum: i64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        sum = sum.checked_mul(10)?.checked_sub(i64::from(digit - b'0'))?;
    }
    if is_negative { Some(sum) } else { sum.checked_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_64_bits() {
        assert_eq!(digits(b"0"), Some(0));
        assert_eq!(digits(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(digits(b"9223372036854775807"), Some(i64::MAX));
        for bad in [&b""[..], b"-", b"9223372036854775808", b"1x", b"+1", b"99999999999999999999"] {
            assert_eq!(digits(bad), None);
        }
    }

    #[test]
    fn bytes_of_another_length_are_refused() {
        for kind in [Kind::BinaryFloat, Kind::BinaryTime, Kind::BinaryInteger, Kind::BinaryDate, Kind::BinaryUnsigned] {
            assert!(value_of(kind, &[1, 2, 3]).is_err());
        }
    }
}
