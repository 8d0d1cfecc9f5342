//! Rows of MySQL and MariaDB, of both protocols: the binary one of prepared statements
//! (<https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html>), and the textual one.

use std::cell::RefCell;
use std::io::Write;

use engine::{Column, JsResult, Local, OpError, RowSource, RowTemplate, Scope, TakeColumn, op};

use crate::time::moment;

/// The longest payload of one packet; a packet of that length is continued by the next.
pub(crate) const MAX_PAYLOAD: usize = 0xff_ffff;
/// Length and number of a packet.
pub(crate) const HEADER: usize = 4;
/// First bytes of what is no row: the end, and an error.
pub(crate) const EOF: u8 = 0xfe;
pub(crate) const ERR: u8 = 0xff;
/// NULL in a row of the text protocol.
const NULL: u8 = 0xfb;
/// Rows are objects, arrays of values, or arrays of bytes.
const OBJECTS: u32 = 0;
const RAW: u32 = 2;

/// What a column has, as `columns.ts` has the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int24,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float,
    Double,
    Text,
    Blob,
    Date,
    Time,
    Bit,
    Null,
}

impl Kind {
    fn of(number: u8) -> Kind {
        match number {
            0 => Kind::Int8,
            1 => Kind::Uint8,
            2 => Kind::Int16,
            3 => Kind::Uint16,
            4 => Kind::Int32,
            5 => Kind::Uint32,
            6 => Kind::Int64,
            7 => Kind::Uint64,
            8 => Kind::Float,
            9 => Kind::Double,
            11 => Kind::Blob,
            13 => Kind::Date,
            14 => Kind::Time,
            15 => Kind::Bit,
            16 => Kind::Null,
            17 => Kind::Int24,
            // Text, and JSON, which JavaScript parses.
            _ => Kind::Text,
        }
    }
}

/// A value of a row as it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Null,
    Integer(i64),
    Big(i64),
    Real(f64),
    Boolean(bool),
    Date(f64),
    /// Between two places of the bytes.
    Text(usize, usize),
    /// Between two places of what was made of the row.
    Made(usize, usize),
    Blob(usize, usize),
}

/// The values of one row.
#[derive(Default)]
struct Values {
    list: Vec<Value>,
    /// Texts that are not in the packet as such.
    made: Vec<u8>,
}

struct Kinds {
    kinds: Vec<Kind>,
    /// Digits behind the second of each column; more than 6 if it does not say.
    decimals: Vec<u8>,
    is_binary: bool,
    /// 64 bit integers that have more than 32 bits are BigInts; else strings.
    is_big: bool,
}

/// The columns of a result.
pub(crate) struct MysqlColumns {
    kinds: Kinds,
    template: RowTemplate,
    /// Their definitions as the server sent them, each behind its length in four bytes; empty if they are not kept.
    definitions: Vec<u8>,
    /// Kept for the next row.
    values: RefCell<Values>,
}

impl MysqlColumns {
    pub(crate) fn count(&self) -> usize {
        self.kinds.kinds.len()
    }

    pub(crate) fn definitions(&self) -> &[u8] {
        &self.definitions
    }
}

struct Row<'a> {
    bytes: &'a [u8],
    values: &'a Values,
}

impl RowSource for Row<'_> {
    #[inline(always)]
    fn column<T: TakeColumn>(&self, index: usize, take: T) -> Result<T::Taken, OpError> {
        Ok(match self.values.list.get(index) {
            None | Some(Value::Null) => take.take(Column::Null),
            Some(&Value::Integer(number)) => take.take(Column::Integer(number)),
            Some(&Value::Big(number)) => take.take(Column::BigInteger(number)),
            Some(&Value::Real(number)) => take.take(Column::Real(number)),
            Some(&Value::Boolean(value)) => take.take(Column::Boolean(value)),
            Some(&Value::Date(time)) => take.take(Column::Date(time)),
            Some(&Value::Text(from, to)) => take.take(Column::Text(self.bytes.get(from..to).unwrap_or_default())),
            Some(&Value::Made(from, to)) => take.take(Column::Text(self.values.made.get(from..to).unwrap_or_default())),
            Some(&Value::Blob(from, to)) => take.take(Column::Blob(self.bytes.get(from..to).unwrap_or_default())),
        })
    }
}

/// Why an answer cannot be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// It has other values than its columns.
    Row,
    /// A value of this type is none.
    Value(&'static str),
    /// A length is none.
    Length,
    Malformed(&'static str),
    /// So many columns, or bytes of a message.
    Count(f64, &'static str),
}

impl From<Fault> for OpError {
    #[cold]
    fn from(fault: Fault) -> OpError {
        match fault {
            Fault::Row => {
                OpError::range_error("The server sent a row that is not of its columns").code("INVALID_RESULT_ROW")
            }
            Fault::Value(what) => {
                OpError::range_error(format!("The server sent a {what} that is none")).code("INVALID_BINARY_VALUE")
            }
            Fault::Length => {
                OpError::range_error("Malformed packet: a length that is none").code("INVALID_ENCODED_INTEGER")
            }
            Fault::Malformed(what) => {
                OpError::range_error(format!("Malformed packet: {what}")).code("MALFORMED_PACKET")
            }
            Fault::Count(count, what) => {
                OpError::range_error(format!("Malformed packet: {count} {what}")).code("MALFORMED_PACKET")
            }
        }
    }
}

/// Reads the values of one packet.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// Reads a payload that is all of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0, end: bytes.len() }
    }

    pub(crate) fn left(&self) -> usize {
        self.end - self.at
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let Some(taken) = rest.get(..count) else { return Err(Fault::Malformed("it ends within a value")) };
        self.at += count;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn exact<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| Fault::Malformed("it ends within a value"))
    }

    /// An integer with its length before it.
    #[inline]
    pub(crate) fn length(&mut self) -> Result<u64, Fault> {
        let [first] = self.exact()?;
        Ok(match first {
            0xfc => u64::from(u16::from_le_bytes(self.exact()?)),
            0xfd => {
                let [a, b, c] = self.exact()?;
                u64::from(u32::from_le_bytes([a, b, c, 0]))
            }
            0xfe => u64::from_le_bytes(self.exact()?),
            0xfb | 0xff => {
                return Err(Fault::Length);
            }
            small => u64::from(small),
        })
    }

    /// The places of a value with its length before it.
    #[inline]
    fn value(&mut self) -> Result<(usize, usize), Fault> {
        let length = self.length()?;
        if length > (self.end - self.at) as u64 {
            return Err(Fault::Malformed("a value is longer than its packet"));
        }
        let from = self.at;
        self.at += length as usize;
        Ok((from, self.at))
    }

    #[inline]
    fn part(&self, (from, to): (usize, usize)) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }
}

impl Kinds {
    /// Reads the row whose packet is between `at` and `end`.
    fn read(&self, bytes: &[u8], at: usize, end: usize, is_raw: bool, values: &mut Values) -> Result<(), Fault> {
        values.list.clear();
        values.made.clear();
        let mut reader = Reader { bytes, at, end };
        if self.is_binary {
            // The first byte is that of an answer without an error.
            reader.take(1)?;
            let nulls = reader.take((self.kinds.len() + 9) >> 3)?;
            for (index, &kind) in self.kinds.iter().enumerate() {
                let bit = index + 2;
                let is_null = nulls.get(bit >> 3).is_some_and(|byte| byte & (1 << (bit & 7)) != 0);
                let value = if is_null {
                    Value::Null
                } else if is_raw {
                    raw_value(&mut reader, kind)?
                } else {
                    self.binary_value(&mut reader, kind, index, &mut values.made)?
                };
                values.list.push(value);
            }
        } else {
            for &kind in &self.kinds {
                if reader.at < end && bytes.get(reader.at) == Some(&NULL) {
                    reader.at += 1;
                    values.list.push(Value::Null);
                    continue;
                }
                let place = reader.value()?;
                let value = if is_raw { Value::Blob(place.0, place.1) } else { self.text_value(&reader, kind, place)? };
                values.list.push(value);
            }
        }
        if reader.at == end { Ok(()) } else { Err(Fault::Row) }
    }

    #[inline]
    fn wide(&self, number: i64, made: &mut Vec<u8>) -> Value {
        if i32::try_from(number).is_ok() {
            return Value::Integer(number);
        }
        if self.is_big {
            return Value::Big(number);
        }
        written(made, number)
    }

    /// A value that is not NULL.
    #[inline]
    fn binary_value(
        &self,
        reader: &mut Reader<'_>,
        kind: Kind,
        index: usize,
        made: &mut Vec<u8>,
    ) -> Result<Value, Fault> {
        Ok(match kind {
            Kind::Int32 | Kind::Int24 => Value::Integer(i64::from(i32::from_le_bytes(reader.exact()?))),
            Kind::Text => {
                let (from, to) = reader.value()?;
                Value::Text(from, to)
            }
            Kind::Int64 => self.wide(i64::from_le_bytes(reader.exact()?), made),
            Kind::Uint64 => {
                let number = u64::from_le_bytes(reader.exact()?);
                match i64::try_from(number) {
                    Ok(small) if number <= u64::from(u32::MAX) => Value::Integer(small),
                    Ok(large) => self.wide(large, made),
                    // JavaScript makes a BigInt of it where one is wanted.
                    Err(_) => written(made, number),
                }
            }
            Kind::Uint32 => Value::Integer(i64::from(u32::from_le_bytes(reader.exact()?))),
            Kind::Int8 => Value::Integer(i64::from(i8::from_le_bytes(reader.exact()?))),
            Kind::Uint8 => Value::Integer(i64::from(u8::from_le_bytes(reader.exact()?))),
            Kind::Int16 => Value::Integer(i64::from(i16::from_le_bytes(reader.exact()?))),
            Kind::Uint16 => Value::Integer(i64::from(u16::from_le_bytes(reader.exact()?))),
            Kind::Double => Value::Real(f64::from_le_bytes(reader.exact()?)),
            Kind::Float => Value::Real(f64::from(f32::from_le_bytes(reader.exact()?))),
            Kind::Date => {
                let place = reader.value()?;
                Value::Date(binary_date(reader.part(place))?)
            }
            Kind::Time => {
                let place = reader.value()?;
                let decimals = self.decimals.get(index).copied().unwrap_or(0);
                binary_time(reader.part(place), decimals, made)?
            }
            Kind::Blob => {
                let (from, to) = reader.value()?;
                Value::Blob(from, to)
            }
            Kind::Bit => {
                let place = reader.value()?;
                Value::Boolean(reader.part(place).first() == Some(&1))
            }
            Kind::Null => Value::Null,
        })
    }

    /// A value that is not NULL, at its places.
    fn text_value(&self, reader: &Reader<'_>, kind: Kind, place: (usize, usize)) -> Result<Value, Fault> {
        let text = reader.part(place);
        let (from, to) = place;
        Ok(match kind {
            Kind::Text | Kind::Time => Value::Text(from, to),
            Kind::Int64 | Kind::Uint64 => match integer(text) {
                None => return Err(Fault::Value("number")),
                Some(Integer::Signed(number)) => {
                    let is_small =
                        i32::try_from(number).is_ok() || kind == Kind::Uint64 && u32::try_from(number).is_ok();
                    if is_small {
                        Value::Integer(number)
                    } else if self.is_big {
                        Value::Big(number)
                    } else {
                        Value::Text(from, to)
                    }
                }
                Some(Integer::Large) => Value::Text(from, to),
            },
            Kind::Date => Value::Date(text_date(text)?),
            Kind::Blob => Value::Blob(from, to),
            Kind::Bit => Value::Boolean(text.first() == Some(&1)),
            Kind::Null => Value::Null,
            _ => match integer(text) {
                Some(Integer::Signed(number)) => Value::Integer(number),
                _ => {
                    let text = std::str::from_utf8(text).unwrap_or_default();
                    Value::Real(text.parse().unwrap_or(f64::NAN))
                }
            },
        })
    }
}

/// A number as its digits.
fn written(made: &mut Vec<u8>, number: impl std::fmt::Display) -> Value {
    let from = made.len();
    // A vector takes everything.
    let _ = write!(made, "{number}");
    Value::Made(from, made.len())
}

/// The bytes of a value as the server sent them, without its length.
fn raw_value(reader: &mut Reader<'_>, kind: Kind) -> Result<Value, Fault> {
    let size = match kind {
        Kind::Int8 | Kind::Uint8 => 1,
        Kind::Int16 | Kind::Uint16 => 2,
        Kind::Int24 | Kind::Int32 | Kind::Uint32 | Kind::Float => 4,
        Kind::Int64 | Kind::Uint64 | Kind::Double => 8,
        _ => {
            let (from, to) = reader.value()?;
            return Ok(Value::Blob(from, to));
        }
    };
    let from = reader.at;
    reader.take(size)?;
    // The fourth byte of a number of three is its sign.
    Ok(Value::Blob(from, from + if kind == Kind::Int24 { 3 } else { size }))
}

fn binary_date(bytes: &[u8]) -> Result<f64, Fault> {
    if bytes.is_empty() {
        return Ok(f64::NAN);
    }
    // Parts that are left out are zero. They are read where they lie: a copy would be read in other widths than it is written.
    let &[low, high, month, day, ref time @ ..] = bytes else { return Err(Fault::Value("date")) };
    let (seconds, micros) = match *time {
        [] => (0, 0),
        [hour, minute, second] => (seconds_of(hour, minute, second), 0),
        [hour, minute, second, a, b, c, d] => (seconds_of(hour, minute, second), u32::from_le_bytes([a, b, c, d])),
        _ => return Err(Fault::Value("date")),
    };
    let date = [i64::from(u16::from_le_bytes([low, high])), i64::from(month), i64::from(day)];
    Ok(moment(date, seconds, i64::from(micros)))
}

fn seconds_of(hour: u8, minute: u8, second: u8) -> i64 {
    i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second)
}

/// `[-]HH:MM:SS[.ffffff]`, hours up to 838.
fn binary_time(bytes: &[u8], decimals: u8, made: &mut Vec<u8>) -> Result<Value, Fault> {
    let (is_negative, hours, minutes, seconds, micros) = match bytes {
        [] => (false, 0, 0, 0, 0),
        [sign, a, b, c, d, hours, minutes, seconds, fraction @ ..] if matches!(fraction.len(), 0 | 4) => {
            let days = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            let micros = fraction.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            (*sign == 1, days * 24 + u64::from(*hours), *minutes, *seconds, micros)
        }
        _ => return Err(Fault::Value("time")),
    };
    let from = made.len();
    let sign = if is_negative { "-" } else { "" };
    // A vector takes everything.
    let _ = write!(made, "{sign}{hours:02}:{minutes:02}:{seconds:02}");
    let digits = if decimals <= 6 { usize::from(decimals) } else { usize::from(micros != 0) * 6 };
    if digits > 0 {
        let fraction = format!("{micros:06}");
        let _ = write!(made, ".{}", fraction.get(..digits).unwrap_or_default());
    }
    Ok(Value::Made(from, made.len()))
}

/// An integer of the text protocol.
enum Integer {
    Signed(i64),
    /// Digits that are more than 64 bits with a sign.
    Large,
}

/// `None` for what has something else than digits and a sign.
#[inline]
fn integer(text: &[u8]) -> Option<Integer> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // The smallest number has no opposite, so the sum is that of the opposite.
    let sum = digits.iter().try_fold(0i64, |sum, digit| sum.checked_mul(10)?.checked_sub(i64::from(digit - b'0')));
    let number = sum.and_then(|sum| if is_negative { Some(sum) } else { sum.checked_neg() });
    Some(number.map_or(Integer::Large, Integer::Signed))
}

/// `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS[.ffffff]`.
fn text_date(text: &[u8]) -> Result<f64, Fault> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        is_number.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    };
    if text.len() != 10 && text.len() < 19 {
        return Err(Fault::Value("date"));
    }
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return Ok(f64::NAN);
    };
    if text.len() == 10 {
        return Ok(moment([year, month, day], 0, 0));
    }
    let (Some(hour), Some(minute), Some(second)) = (number(11, 13), number(14, 16), number(17, 19)) else {
        return Ok(f64::NAN);
    };
    let end = text.len().min(26);
    let micros = if end > 20 {
        let Some(fraction) = number(20, end) else { return Ok(f64::NAN) };
        fraction * 10_i64.pow((26 - end) as u32)
    } else {
        0
    };
    Ok(moment([year, month, day], hour * 3600 + minute * 60 + second, micros))
}

/// Columns with these names; `kinds` has for each the number of its kind, `decimals` the digits behind its second. `definitions` are the
/// packets that told them, each behind its length in four bytes: an answer with the same has these columns. Empty: no answer has.
#[op(ts(names = "readonly string[]", returns = "Native.MysqlColumns"))]
pub(crate) fn mysql_columns<'s>(
    scope: &mut Scope<'s>,
    names: Vec<String>,
    kinds: Vec<u8>,
    decimals: Vec<u8>,
    definitions: Vec<u8>,
    is_binary: bool,
    is_big: bool,
) -> JsResult<Local<'s>> {
    if names.len() != kinds.len() {
        return Err(scope.throw_type_error("columns have as many names as kinds"));
    }
    let template = scope.row_template(&names, None)?;
    let kinds = Kinds { kinds: kinds.into_iter().map(Kind::of).collect(), decimals, is_binary, is_big };
    scope.new_resource(MysqlColumns { kinds, template, definitions, values: RefCell::default() })
}

/// The rows of all whole packets from `at` on, until a packet that is no row or is continued, as an array; `at` is behind them then. With
/// `only` the one row whose payload is between these places. `mode` is 0 for objects, 1 for arrays, 2 for arrays of bytes; `count` is the
/// number of rows that there are of the result. Throws RangeError with the kind of the fault as `code` for a row that contradicts itself.
pub(crate) fn rows_of<'s>(
    scope: &mut Scope<'s>,
    columns: &MysqlColumns,
    bytes: &[u8],
    at: &mut usize,
    mut only: Option<(usize, usize)>,
    mode: u32,
    count: &mut usize,
) -> JsResult<Local<'s>> {
    let has_packets = only.is_none();
    let mut values = columns.values.take();
    let made = scope.collect_array(*count, |scope| {
        let Some((from, to)) = (if has_packets { whole_row(bytes, *at) } else { only.take() }) else {
            return Ok(None);
        };
        if let Err(fault) = columns.kinds.read(bytes, from, to, mode == RAW, &mut values) {
            return Err(scope.throw_op_error(&fault.into()));
        }
        if has_packets {
            *at = to;
        }
        *count += 1;
        let row = Row { bytes, values: &values };
        if mode == OBJECTS {
            scope.row_object(&columns.template, &row).map(Some)
        } else {
            scope.row_array(columns.count(), &row).map(Some)
        }
    });
    columns.values.replace(values);
    made
}

/// The bounds of the payload of the packet at `at`; `None` if it is not whole, is no row, or is continued by the next packet.
fn whole_row(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let &[a, b, c, _, first] = bytes.get(at..)?.first_chunk()?;
    let length = u32::from_le_bytes([a, b, c, 0]) as usize;
    let from = at + HEADER;
    let to = from + length;
    (length > 0 && length < MAX_PAYLOAD && first != EOF && first != ERR && to <= bytes.len()).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(list: &[Kind], is_binary: bool, is_big: bool) -> Kinds {
        Kinds { kinds: list.to_vec(), decimals: vec![39; list.len()], is_binary, is_big }
    }

    fn read(kinds: &Kinds, bytes: &[u8]) -> Result<Values, Fault> {
        let mut values = Values::default();
        kinds.read(bytes, 0, bytes.len(), false, &mut values).map(|()| values)
    }

    #[test]
    fn packets_that_are_no_whole_rows_wait() {
        let packet = [3, 0, 0, 1, 1, b'4', 0xfb];
        assert_eq!(whole_row(&packet, 0), Some((4, 7)));
        for end in 0..packet.len() {
            assert_eq!(whole_row(&packet[..end], 0), None);
        }
        assert_eq!(whole_row(&[1, 0, 0, 1, EOF], 0), None);
        assert_eq!(whole_row(&[1, 0, 0, 1, ERR], 0), None);
        assert_eq!(whole_row(&[0, 0, 0, 1, 0], 0), None);
    }

    #[test]
    fn text_rows_are_values() {
        let list = [Kind::Int32, Kind::Text, Kind::Int64, Kind::Double, Kind::Text, Kind::Date];
        let row = b"\x0242\x02hi\x0a9876543210\x03-.5\xfb\x131999-12-31 23:59:58";
        let values = read(&kinds(&list, false, false), row).ok().map(|values| values.list);
        let time = 946_684_798_000.0;
        let expected = vec![
            Value::Integer(42),
            Value::Text(4, 6),
            Value::Text(7, 17),
            Value::Real(-0.5),
            Value::Null,
            Value::Date(time),
        ];
        assert_eq!(values, Some(expected));
        let big = read(&kinds(&list, false, true), row).ok().map(|values| values.list[2]);
        assert_eq!(big, Some(Value::Big(9_876_543_210)));
        // One byte more or less is not of these columns.
        assert!(read(&kinds(&list, false, false), &row[..row.len() - 1]).is_err());
        assert!(read(&kinds(&list[..5], false, false), row).is_err());
    }

    #[test]
    fn binary_rows_are_values() {
        let list = [Kind::Int8, Kind::Uint64, Kind::Text, Kind::Time, Kind::Date, Kind::Int64];
        let row = [
            &[0, 0b0001_0000][..],
            &[0xff],
            &u64::MAX.to_le_bytes(),
            &[8, 1, 1, 0, 0, 0, 2, 3, 4],
            &[0],
            &(-5_000_000_000_i64).to_le_bytes(),
        ]
        .concat();
        let values = read(&kinds(&list, true, false), &row).expect("a row");
        assert_eq!(values.list[0], Value::Integer(-1));
        assert_eq!(values.list[2], Value::Null);
        assert!(matches!(values.list[4], Value::Date(time) if time.is_nan()));
        let texts: Vec<&[u8]> = values
            .list
            .iter()
            .filter_map(|value| if let Value::Made(from, to) = *value { values.made.get(from..to) } else { None })
            .collect();
        assert_eq!(texts, [&b"18446744073709551615"[..], b"-26:03:04", b"-5000000000"]);
        assert!(read(&kinds(&list, true, false), &row[..row.len() - 1]).is_err());
    }

    /// Rows with bytes that were changed: reading them ends, and values are within the row. `BAO_FUZZ_ROUNDS` makes it longer.
    #[test]
    fn damaged_rows_are_harmless() {
        let rounds = std::env::var("BAO_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
        let mut state = 29_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for round in 0..rounds {
            let list: Vec<Kind> = (0..=below(6)).map(|_| Kind::of(below(19) as u8)).collect();
            let bytes: Vec<u8> =
                (0..below(60)).map(|_| if below(2) == 0 { below(12) } else { below(256) } as u8).collect();
            for (is_binary, is_raw) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut values = Values::default();
                let kinds = kinds(&list, is_binary, round % 2 == 0);
                if kinds.read(&bytes, 0, bytes.len(), is_raw, &mut values).is_err() {
                    continue;
                }
                assert_eq!(values.list.len(), list.len());
                for value in &values.list {
                    let (Value::Text(from, to) | Value::Blob(from, to)) = *value else { continue };
                    assert!(from <= to && to <= bytes.len(), "round {round}: {value:?}");
                }
            }
        }
    }
}
