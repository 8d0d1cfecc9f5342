//! Messages of PostgreSQL out of what was read (<https://www.postgresql.org/docs/current/protocol-message-formats.html>). Rows become
//! values here, and the answer to a statement that the server knows is one call of JavaScript; every other message is told as it is.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use engine::{Global, JsResult, Local, Resource, Scope, op};

use crate::link::{Connection, Protocol};
use crate::postgres::{Columns, DATA_ROW, HEADER, message_end, rows_of};

const BIND_COMPLETE: u8 = b'2';
const CLOSE_COMPLETE: u8 = b'3';
const COMMAND_COMPLETE: u8 = b'C';
const NEGOTIATE: u8 = b'v';
const NOTICE: u8 = b'N';
const PARAMETER: u8 = b'S';
const COPY_DONE: u8 = b'c';
const READY: u8 = b'Z';
/// Kind, length and one byte.
const READY_SIZE: usize = 6;

/// What JavaScript is told beside kinds of messages, which are bytes.
const DONE: i32 = -1;
const ROW_FAULT: i32 = -2;
const FAULT: i32 = -3;

/// Messages that come before the server knows who we are are small.
const MAX_EARLY_MESSAGE: usize = 1 << 16;
const MAX_MESSAGE: usize = 1 << 30;

/// A query that the server has not answered.
#[derive(Default)]
struct Expected {
    /// How its rows are made; `None` as long as that is not known.
    columns: Option<Resource<Columns>>,
    mode: u32,
    /// The server knows the statement: the answer are rows, the command, and that it is ready.
    is_known: bool,
    /// The server has begun with it.
    is_begun: bool,
    /// A row could not be read: the others are of no use.
    is_damaged: bool,
    /// Rows of it that JavaScript has.
    rows: usize,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Postgres {
    expected: RefCell<VecDeque<Expected>>,
    is_open: Cell<bool>,
    /// The last command and the string of it: most are like the one before.
    command: RefCell<Option<(Vec<u8>, Global)>>,
}

impl Protocol for Postgres {
    fn read(&self, scope: &mut Scope<'_>, link: &Connection<Self>, data: &[u8]) -> JsResult<usize> {
        let mut at = 0;
        while link.is_attached() {
            let Some(kind) = data.get(at).copied() else { break };
            let end = match message_end(data, at, if self.is_open.get() { MAX_MESSAGE } else { MAX_EARLY_MESSAGE }) {
                Ok(Some(end)) => end,
                Ok(None) => break,
                Err(()) => {
                    let why = scope.int(FAULT);
                    link.tell(scope, &[why])?;
                    break;
                }
            };
            at = scope.nested(|scope| match kind {
                DATA_ROW => self.rows(scope, link, data, at, end),
                BIND_COMPLETE => {
                    if let Some(first) = self.expected.borrow_mut().front_mut() {
                        first.is_begun = true;
                    }
                    Ok(end)
                }
                COMMAND_COMPLETE if self.is_known() && is_ready(data, end) => {
                    self.done(scope, link, data, at, end, None)
                }
                COMMAND_COMPLETE => {
                    let (command, count) = self.command(scope, data.get(at + HEADER..end).unwrap_or_default())?;
                    let args = [scope.int(i32::from(kind)), scope.undefined(), command, count];
                    link.tell(scope, &args).map(|()| end)
                }
                CLOSE_COMPLETE | NEGOTIATE | NOTICE | PARAMETER | COPY_DONE => Ok(end),
                _ => {
                    if kind == READY {
                        self.expected.borrow_mut().pop_front();
                    }
                    let body = data.get(at + HEADER..end).unwrap_or_default();
                    let args = [scope.int(i32::from(kind)), scope.uint8_array(body.to_vec())?];
                    link.tell(scope, &args).map(|()| end)
                }
            })?;
        }
        Ok(at)
    }

    fn is_waiting(&self) -> bool {
        !self.expected.borrow().is_empty()
    }
}

/// Whether a whole ReadyForQuery begins at `at`.
fn is_ready(data: &[u8], at: usize) -> bool {
    data.get(at..at + READY_SIZE).is_some_and(|message| message[..HEADER] == [READY, 0, 0, 0, 5])
}

/// The command of a tag, and the number at its end: "INSERT" and 5 of "INSERT 0 5".
fn parse_tag(tag: &[u8]) -> (&[u8], f64) {
    let digits = tag.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (mut name, number) = tag.split_at(tag.len() - digits);
    let count = number.iter().fold(0.0, |sum, digit| sum * 10.0 + f64::from(digit - b'0'));
    if let Some(rest) = name.strip_suffix(b" ") {
        name = rest;
        // The number of a row, which is always 0 now.
        let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some(rest) = name[..name.len() - digits].strip_suffix(b" ") {
            name = if digits > 0 { rest } else { name };
        }
    }
    (name, count)
}

impl Postgres {
    fn is_known(&self) -> bool {
        self.expected.borrow().front().is_some_and(|first| first.is_known)
    }

    /// Reads the rows at `at`, of which the first ends at `end`; gives the place behind what has been read.
    fn rows(
        &self,
        scope: &mut Scope<'_>,
        link: &Connection<Self>,
        data: &[u8],
        at: usize,
        end: usize,
    ) -> JsResult<usize> {
        let (columns, mode, is_known, before) = match self.expected.borrow().front() {
            Some(first) if first.is_damaged => return Ok(end),
            Some(first) => (first.columns.clone(), first.mode, first.is_known, first.rows),
            None => (None, 0, false, 0),
        };
        let (mut next, mut count) = (at, before);
        let rows = match rows_of(scope, columns.as_deref(), data, &mut next, &mut count, mode) {
            Ok(rows) => rows,
            Err(thrown) => {
                if let Some(first) = self.expected.borrow_mut().front_mut() {
                    first.is_damaged = true;
                }
                let Some(error) = scope.take_exception(thrown) else { return Ok(end) };
                let why = scope.int(ROW_FAULT);
                return link.tell(scope, &[why, error]).map(|()| end);
            }
        };
        // The usual case: all rows came together with the end.
        if is_known
            && data.get(next) == Some(&COMMAND_COMPLETE)
            && let Ok(Some(end)) = message_end(data, next, MAX_MESSAGE)
            && is_ready(data, end)
        {
            return self.done(scope, link, data, next, end, Some(rows));
        }
        // Those of a cursor and of several statements are not kept together.
        if is_known && let Some(first) = self.expected.borrow_mut().front_mut() {
            first.rows = count;
        }
        let why = scope.int(i32::from(DATA_ROW));
        link.tell(scope, &[why, rows]).map(|()| next)
    }

    /// The command and the number that the body of a CommandComplete tells.
    fn command<'s>(&self, scope: &mut Scope<'s>, body: &[u8]) -> JsResult<(Local<'s>, Local<'s>)> {
        let (name, count) = parse_tag(body.strip_suffix(b"\0").unwrap_or(body));
        let known = match &*self.command.borrow() {
            Some((last, text)) if last == name => Some(text.get(scope)),
            _ => None,
        };
        let command = match known {
            Some(text) => text,
            None => {
                let text = scope.latin1_string(name)?;
                *self.command.borrow_mut() = Some((name.to_vec(), scope.global(text)));
                text
            }
        };
        Ok((command, scope.number(count)))
    }

    /// Tells that a query is done, with its rows, command, their number, and the state of the transaction. The CommandComplete between
    /// `at` and `end` is followed by ReadyForQuery. Gives the place behind that.
    fn done(
        &self,
        scope: &mut Scope<'_>,
        link: &Connection<Self>,
        data: &[u8],
        at: usize,
        end: usize,
        rows: Option<Local<'_>>,
    ) -> JsResult<usize> {
        self.expected.borrow_mut().pop_front();
        let (command, count) = self.command(scope, data.get(at + HEADER..end).unwrap_or_default())?;
        let status = data.get(end + HEADER).copied().unwrap_or_default();
        let nothing = scope.undefined();
        let args = [
            scope.int(DONE),
            rows.map_or(nothing, |rows| scope.copy(rows)),
            command,
            count,
            scope.int(i32::from(status)),
        ];
        link.tell(scope, &args).map(|()| end + READY_SIZE)
    }
}

/// A connection as JavaScript has it; the socket has another reference.
pub(crate) struct PostgresLink(Rc<Connection<Postgres>>);

fn link_of(scope: &mut Scope<'_>, link: Local<'_>) -> JsResult<Rc<Connection<Postgres>>> {
    match scope.read_resource(link, |link: &PostgresLink| link.0.clone()) {
        Some(link) => Ok(link),
        None => Err(scope.throw_type_error("native function expected a link")),
    }
}

/// Reads the socket with this number from now on; `undefined` if there is none. `tell` is called with `(kind, …)`, where the kind is that
/// of a message of the server, with its body, of DataRow, with a list of rows, or of CommandComplete, with `undefined`, command and count; or -1 and the rows (`undefined` if there are none),
/// command, count and state of the transaction of a query that is done; -2 and what a row could not be read for; -3 for a message of an
/// impossible length. It must not throw.
#[op(ts(
    tell = "(kind: number, first: unknown, command?: string, count?: number, status?: number) => void",
    returns = "Native.PostgresLink | undefined"
))]
pub(crate) fn postgres_link<'s>(scope: &mut Scope<'s>, stream: u32, tell: Local<'s>) -> JsResult<Local<'s>> {
    let link = Connection::new(Postgres::default());
    if !link.attach(scope, stream, tell) {
        return Ok(scope.undefined());
    }
    scope.new_resource(PostgresLink(link))
}

/// The connection is open: messages may be large.
#[op]
pub(crate) fn postgres_open(link: &Resource<PostgresLink>) {
    link.0.protocol.is_open.set(true);
}

/// Lets go of the socket. Whether the server has begun with the first query that it has not answered.
#[op]
pub(crate) fn postgres_detach(link: &Resource<PostgresLink>) -> bool {
    link.0.detach();
    link.0.protocol.expected.take().front().is_some_and(|first| first.is_begun)
}

/// Whether the loop waits for the socket also while no answer is expected.
#[op]
pub(crate) fn postgres_hold(link: &Resource<PostgresLink>, on: bool) {
    link.0.set_held(on);
}

/// A query that has been written. `columns` says how its rows are made, if that is known; `mode` is 0 for objects, 1 for arrays, 2 for
/// arrays of bytes. With `is_known` the answer begins with that to Bind, and is told as one.
#[op(ts(link = "Native.PostgresLink", columns = "Native.Columns | undefined", returns = "void"))]
pub(crate) fn postgres_expect<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    columns: Local<'s>,
    mode: u32,
    is_known: bool,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    let columns = scope.resource::<Columns>(columns);
    let is_first = {
        let mut expected = link.protocol.expected.borrow_mut();
        expected.push_back(Expected { columns, mode, is_known, ..Expected::default() });
        expected.len() == 1
    };
    if is_first {
        link.hold();
    }
    Ok(scope.undefined())
}

/// How the rows of the first query are made, from now on.
#[op(ts(link = "Native.PostgresLink", columns = "Native.Columns", returns = "void"))]
pub(crate) fn postgres_columns<'s>(scope: &mut Scope<'s>, link: Local<'s>, columns: Local<'s>) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    if let Some(first) = link.protocol.expected.borrow_mut().front_mut() {
        first.columns = scope.resource::<Columns>(columns);
    }
    Ok(scope.undefined())
}

/// Writes the first bytes of a buffer. 0: the kernel has them; 1: the write event will tell, and nothing of the buffer is needed any
/// more; negative: errno.
#[op(ts(link = "Native.PostgresLink", returns = "number"))]
pub(crate) fn postgres_write<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    buffer: Local<'s>,
    length: u32,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    link.write(scope, buffer, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_command_and_a_count() {
        for (tag, name, count) in [
            ("SELECT 100", "SELECT", 100.0),
            ("INSERT 0 5", "INSERT", 5.0),
            ("CREATE TABLE", "CREATE TABLE", 0.0),
            ("COPY 7", "COPY", 7.0),
            ("BEGIN", "BEGIN", 0.0),
            ("", "", 0.0),
            ("12", "", 12.0),
        ] {
            assert_eq!(parse_tag(tag.as_bytes()), (name.as_bytes(), count), "{tag}");
        }
    }

    #[test]
    fn ready_is_six_bytes() {
        assert!(is_ready(b"xZ\0\0\0\x05I", 1));
        assert!(!is_ready(b"xZ\0\0\0\x05", 1));
        assert!(!is_ready(b"xZ\0\0\0\x06I", 1));
    }
}
