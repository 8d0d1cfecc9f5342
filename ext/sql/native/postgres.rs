//! DataRow messages of PostgreSQL (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).

use std::cell::RefCell;

use engine::{Column, JsResult, Local, OpError, RowSource, RowTemplate, Scope, TakeColumn, op};

use crate::values::{Kind, integer, value_of};

/// The kind of DataRow messages.
pub(crate) const DATA_ROW: u8 = b'D';
/// Kind and length of a message.
pub(crate) const HEADER: usize = 5;
/// Rows are objects, arrays of values, or arrays of bytes.
const OBJECTS: u32 = 0;
const RAW: u32 = 2;

const ANOTHER_NUMBER: &str = "A row has another number of values than columns";

/// The columns of a result.
pub(crate) struct Columns {
    kinds: Vec<Kind>,
    template: RowTemplate,
    /// Where the values of a row are; kept for the next one.
    places: RefCell<Vec<Place>>,
}

/// Where a value is; None for NULL.
type Place = Option<(usize, usize)>;

/// A row between the places of its values.
struct Row<'a> {
    bytes: &'a [u8],
    places: &'a [Place],
    kinds: &'a [Kind],
    is_raw: bool,
}

impl RowSource for Row<'_> {
    #[inline(always)]
    fn column<T: TakeColumn>(&self, index: usize, take: T) -> Result<T::Taken, OpError> {
        let Some(Some((start, end))) = self.places.get(index).copied() else { return Ok(take.take(Column::Null)) };
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        if self.is_raw {
            return Ok(take.take(Column::Blob(bytes)));
        }
        match self.kinds.get(index).copied().unwrap_or(Kind::Text) {
            // Most values are one of these.
            Kind::Text => Ok(take.take(Column::Text(bytes))),
            Kind::BinaryInteger => Ok(take.take(Column::Integer(integer(bytes)?))),
            kind => Ok(take.take(value_of(kind, bytes)?)),
        }
    }
}

fn malformed(what: &str) -> OpError {
    OpError::range_error(what)
}

/// Columns with these names; `kinds` has for each the number of a `Kind`.
#[op(ts(names = "readonly string[]", returns = "Native.Columns"))]
pub(crate) fn columns<'s>(scope: &mut Scope<'s>, names: Vec<String>, kinds: Vec<u8>) -> JsResult<Local<'s>> {
    if names.len() != kinds.len() {
        return Err(scope.throw_type_error("columns have as many names as kinds"));
    }
    let template = scope.row_template(&names, None)?;
    let kinds = kinds.into_iter().map(Kind::of).collect();
    scope.new_resource(Columns { kinds, template, places: RefCell::default() })
}

/// The rows of all whole DataRow messages from `at` on, until a message of another kind, as an array; `at` is behind them then. `mode` is 0
/// for objects, 1 for arrays, 2 for arrays of bytes. `count` is the number of rows that there are of the result. Throws RangeError for a
/// message that contradicts itself.
pub(crate) fn rows_of<'s>(
    scope: &mut Scope<'s>,
    columns: Option<&Columns>,
    bytes: &[u8],
    at: &mut usize,
    count: &mut usize,
    mode: u32,
) -> JsResult<Local<'s>> {
    let Some(columns) = columns else { return Err(scope.throw_op_error(&malformed(ANOTHER_NUMBER))) };
    let mut places = columns.places.take();
    let made = scope.collect_array(*count, |scope| {
        let Some(end) = whole_row(bytes, *at) else { return Ok(None) };
        if let Err(error) = read_places(bytes, *at + HEADER, end, columns.kinds.len(), &mut places) {
            return Err(scope.throw_op_error(&error));
        }
        *at = end;
        *count += 1;
        let row = Row { bytes, places: &places, kinds: &columns.kinds, is_raw: mode == RAW };
        if mode == OBJECTS {
            scope.row_object(&columns.template, &row).map(Some)
        } else {
            scope.row_array(columns.kinds.len(), &row).map(Some)
        }
    });
    columns.places.replace(places);
    made
}

/// The end of the message at `at`; `None` if it is not whole. An error for a length that no message has, or one above `most`.
pub(crate) fn message_end(bytes: &[u8], at: usize, most: usize) -> Result<Option<usize>, ()> {
    let Some(header) = bytes.get(at..).and_then(<[u8]>::first_chunk::<HEADER>) else { return Ok(None) };
    let [_, a, b, c, d] = *header;
    let size = u32::from_be_bytes([a, b, c, d]) as usize;
    if size < HEADER - 1 || size > most {
        return Err(());
    }
    let end = at + 1 + size;
    Ok((end <= bytes.len()).then_some(end))
}

/// The end of the row's message at `at`; None if it is not whole, or is no row.
fn whole_row(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&DATA_ROW) { message_end(bytes, at, usize::MAX).ok()? } else { None }
}

/// Finds the values of a row between `at` and `end`.
fn read_places(bytes: &[u8], at: usize, end: usize, count: usize, places: &mut Vec<Place>) -> Result<(), OpError> {
    places.clear();
    let Some(mut rest) = bytes.get(at..end) else { return Err(malformed("A row ends too early")) };
    let Some((head, tail)) = rest.split_first_chunk::<2>() else { return Err(malformed("A row ends too early")) };
    rest = tail;
    if usize::from(u16::from_be_bytes(*head)) != count {
        return Err(malformed(ANOTHER_NUMBER));
    }
    for _ in 0..count {
        let Some((head, tail)) = rest.split_first_chunk::<4>() else { return Err(malformed("A row ends too early")) };
        rest = tail;
        let size = i32::from_be_bytes(*head);
        if size == -1 {
            places.push(None);
            continue;
        }
        let size = usize::try_from(size).map_err(|_| malformed("A value has a negative length"))?;
        let Some((_, after)) = rest.split_at_checked(size) else { return Err(malformed("A row ends too early")) };
        let start = end - rest.len();
        places.push(Some((start, start + size)));
        rest = after;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_not_whole_waits() {
        let message = [b'D', 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, b'x'];
        assert_eq!(whole_row(&message, 0), Some(12));
        for end in 0..message.len() {
            assert_eq!(whole_row(&message[..end], 0), None);
        }
        assert_eq!(whole_row(b"C\0\0\0\x04", 0), None);
        assert_eq!(whole_row(b"D\0\0\0\0", 0), None);
    }

    #[test]
    fn a_row_that_contradicts_itself_is_refused() {
        let mut places = Vec::new();
        let row = [0, 2, 0, 0, 0, 1, b'x', 0xff, 0xff, 0xff, 0xff];
        assert!(read_places(&row, 0, row.len(), 2, &mut places).is_ok());
        assert_eq!(places, [Some((6, 7)), None]);
        assert!(read_places(&row, 0, row.len(), 3, &mut places).is_err());
        assert!(read_places(&row, 0, row.len() - 1, 2, &mut places).is_err());
        assert!(read_places(&[0, 1, 0x7f, 0xff, 0xff, 0xff, 1], 0, 7, 1, &mut places).is_err());
        assert!(read_places(&[0, 1, 0xff, 0xff, 0xff, 0xfe, 1], 0, 7, 1, &mut places).is_err());
    }

    /// Chunks with bytes of any kind: reading them ends, and values are within their message. `BAO_FUZZ_ROUNDS` makes it longer.
    #[test]
    fn damaged_messages_are_harmless() {
        let rounds = std::env::var("BAO_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
        let mut state = 31_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let mut places = Vec::new();
        for round in 0..rounds {
            let length = below(80);
            let mut bytes: Vec<u8> =
                (0..length).map(|_| if below(3) == 0 { below(256) } else { below(6) } as u8).collect();
            if let [kind, a, b, c, ..] = bytes.as_mut_slice() {
                (*kind, *a, *b, *c) = (DATA_ROW, 0, 0, 0);
            }
            let Some(end) = whole_row(&bytes, 0) else { continue };
            assert!(end <= bytes.len(), "round {round}");
            let count = below(8);
            if read_places(&bytes, HEADER, end, count, &mut places).is_err() {
                continue;
            }
            assert_eq!(places.len(), count);
            for &(from, to) in places.iter().flatten() {
                assert!(HEADER <= from && from <= to && to <= end, "round {round}: {from} to {to}");
                for kind in 0..14 {
                    // An error or a value, whatever the bytes are.
                    let _ = value_of(Kind::of(kind), bytes.get(from..to).unwrap_or_default());
                }
            }
        }
    }
}
