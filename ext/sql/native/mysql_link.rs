//! Packets of MySQL and MariaDB out of what was read (<https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html>):
//! the answers to commands. Native code knows the commands that are not answered, in their order; it follows each answer, and makes rows
//! of it. JavaScript is told whole results, definitions of columns that it does not know, errors, and answers to preparations.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use engine::{JsResult, Local, Resource, Scope, op};

use crate::link::{Connection, Protocol};
use crate::mysql::{EOF, ERR, Fault, HEADER, MAX_PAYLOAD, MysqlColumns, Reader, rows_of};

const OK: u8 = 0x00;
const LOCAL_INFILE: u8 = 0xfb;

const STATUS_MORE_RESULTS: u16 = 0x0008;
const STATUS_CURSOR_EXISTS: u16 = 0x0040;

/// What JavaScript is told: `answer.ts` has the same numbers.
const PACKET: i32 = 0;
const DEFINITIONS: i32 = 1;
const ROWS: i32 = 2;
const END: i32 = 3;
const DONE: i32 = 4;
const FAULT: i32 = 5;

/// Most columns of one result: MySQL's own limit is 4096.
const MAX_COLUMNS: u64 = 65_535;
/// Most bytes of the definitions of one result.
const MAX_DEFINITIONS: usize = 16 << 20;
/// Most bytes of one message of the server: its own limit of a value is 1 GiB.
const MAX_MESSAGE: usize = (1 << 30) + (1 << 20);
/// The first integer that a number may not tell from its neighbours.
const UNSAFE: u64 = 1 << 53;

/// What the server sends next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Packets that JavaScript reads, until it says that it has the last.
    Told,
    /// The first packet of a result.
    Head,
    /// So many definitions of columns.
    Definitions(u64),
    /// The packet behind definitions, of servers that send one.
    DefinitionsEnd,
    Rows,
}

/// What server and client have agreed on.
#[derive(Debug, Clone, Copy, Default)]
struct Traits {
    /// Definitions of columns end with a packet of their own.
    has_eof: bool,
    /// Definitions of columns are left out if they are those of the last time.
    is_cached: bool,
}

/// What a packet means.
#[derive(Debug, PartialEq)]
enum Event {
    /// Nothing to tell.
    None,
    /// JavaScript reads it.
    Packet,
    /// Columns that are not those of the last time.
    Definitions(Vec<u8>),
    /// The end of a result with rows.
    End {
        status: u16,
    },
    /// A result without rows.
    Done {
        affected: u64,
        id: u64,
        status: u16,
    },
    Fault(Fault),
}

/// A command that the server has not answered.
struct Expected {
    /// How its rows are made; `None` as long as that is not known.
    columns: Option<Resource<MysqlColumns>>,
    mode: u32,
    phase: Phase,
    /// Those that have come of the result's definitions.
    definitions: Vec<u8>,
    /// Rows of the result that JavaScript has.
    rows: usize,
}

impl Expected {
    fn new(columns: Option<Resource<MysqlColumns>>, mode: u32, phase: Phase) -> Self {
        Expected { columns, mode, phase, definitions: Vec::new(), rows: 0 }
    }

    /// Takes a packet that is no row. True: the answer is over.
    fn take(&mut self, traits: Traits, payload: &[u8]) -> (Event, bool) {
        let first = payload.first().copied();
        let taken = match self.phase {
            Phase::Told => return (Event::Packet, false),
            Phase::Definitions(_) if first.is_none() => return (Event::Packet, true),
            Phase::Head | Phase::Definitions(_) | Phase::Rows if first == Some(ERR) => return (Event::Packet, true),
            Phase::Head => self.head(traits, payload),
            Phase::Definitions(left) => self.define(traits, payload, left),
            Phase::DefinitionsEnd => self.definitions_end(payload),
            Phase::Rows => rows_end(traits, payload),
        };
        let event = taken.unwrap_or_else(Event::Fault);
        let is_over = match event {
            Event::End { status } | Event::Done { status, .. } => {
                self.phase = Phase::Head;
                self.rows = 0;
                status & STATUS_MORE_RESULTS == 0
            }
            _ => false,
        };
        (event, is_over)
    }

    fn head(&mut self, traits: Traits, payload: &[u8]) -> Result<Event, Fault> {
        let mut reader = Reader::new(payload);
        match payload.first() {
            None => return Err(Fault::Malformed("an empty packet")),
            Some(&LOCAL_INFILE) => return Ok(Event::Packet),
            Some(&OK) => {
                reader.take(1)?;
                let (affected, id, status) = read_ok(&mut reader)?;
                return Ok(Event::Done { affected, id, status });
            }
            _ => {}
        }
        let count = reader.length()?;
        if count == 0 || count > MAX_COLUMNS {
            return Err(Fault::Count(count as f64, "columns"));
        }
        self.definitions.clear();
        self.phase = Phase::Definitions(count);
        // MariaDB says in one more byte whether definitions follow.
        if traits.is_cached && reader.left() > 0 && reader.exact()? == [0] {
            if self.columns.as_ref().is_none_or(|columns| columns.count() as u64 != count) {
                return Err(Fault::Malformed("definitions that were never sent"));
            }
            self.phase = if traits.has_eof { Phase::DefinitionsEnd } else { Phase::Rows };
        }
        Ok(Event::None)
    }

    fn define(&mut self, traits: Traits, payload: &[u8], left: u64) -> Result<Event, Fault> {
        if self.definitions.len() + payload.len() > MAX_DEFINITIONS {
            return Err(Fault::Malformed("definitions without an end"));
        }
        self.definitions.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.definitions.extend_from_slice(payload);
        if left > 1 {
            self.phase = Phase::Definitions(left - 1);
            return Ok(Event::None);
        }
        self.phase = if traits.has_eof { Phase::DefinitionsEnd } else { Phase::Rows };
        if self.columns.as_ref().is_some_and(|columns| columns.definitions() == self.definitions) {
            return Ok(Event::None);
        }
        self.columns = None;
        Ok(Event::Definitions(std::mem::take(&mut self.definitions)))
    }

    fn definitions_end(&mut self, payload: &[u8]) -> Result<Event, Fault> {
        if payload.first() != Some(&EOF) {
            return Err(Fault::Malformed("definitions without an end"));
        }
        self.phase = Phase::Rows;
        // Rows of a cursor come when they are asked for.
        if let [_, _, _, low, high] = *payload {
            let status = u16::from_le_bytes([low, high]);
            if status & STATUS_CURSOR_EXISTS != 0 {
                return Ok(Event::End { status });
            }
        }
        Ok(Event::None)
    }
}

/// The packet behind the last row.
fn rows_end(traits: Traits, payload: &[u8]) -> Result<Event, Fault> {
    let mut reader = Reader::new(payload);
    match payload.first() {
        None => return Err(Fault::Malformed("an empty packet")),
        Some(&EOF) => reader.take(1)?,
        _ => return Err(Fault::Row),
    };
    if !traits.has_eof {
        let (_, _, status) = read_ok(&mut reader)?;
        return Ok(Event::End { status });
    }
    if payload.len() > 8 {
        return Err(Fault::Malformed("rows without an end"));
    }
    reader.take(2)?;
    Ok(Event::End { status: u16::from_le_bytes(reader.exact()?) })
}

/// What an OK packet says behind its first byte: rows that changed, the last id, the status.
fn read_ok(reader: &mut Reader<'_>) -> Result<(u64, u64, u16), Fault> {
    let affected = reader.length()?;
    let id = reader.length()?;
    // Servers that are not quite MySQL may end here.
    let status = if reader.left() >= 2 { u16::from_le_bytes(reader.exact()?) } else { 0 };
    Ok((affected, id, status))
}

/// Where a message is.
struct Message {
    /// Behind its last packet.
    end: usize,
    /// It came in several packets.
    is_joined: bool,
}

/// The message at `at`; `None` if it is not whole.
fn message_at(data: &[u8], at: usize) -> Result<Option<Message>, Fault> {
    let mut end = at;
    loop {
        let Some(&[a, b, c, _]) = data.get(end..).and_then(<[u8]>::first_chunk::<HEADER>) else { return Ok(None) };
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        let is_first = end == at;
        end += HEADER + length;
        if end - at > MAX_MESSAGE {
            return Err(Fault::Count((end - at) as f64, "bytes"));
        }
        if end > data.len() {
            return Ok(None);
        }
        if length < MAX_PAYLOAD {
            return Ok(Some(Message { end, is_joined: !is_first }));
        }
    }
}

/// The payload of a message that is whole.
fn payload_of<'d>(data: &'d [u8], at: usize, message: &Message) -> Cow<'d, [u8]> {
    if !message.is_joined {
        return Cow::Borrowed(data.get(at + HEADER..message.end).unwrap_or_default());
    }
    let packets = data.get(at..message.end).unwrap_or_default().chunks(HEADER + MAX_PAYLOAD);
    Cow::Owned(packets.flat_map(|packet| packet.get(HEADER..).unwrap_or_default()).copied().collect())
}

/// See the module.
pub(crate) struct Mysql {
    expected: RefCell<VecDeque<Expected>>,
    traits: Traits,
}

impl Protocol for Mysql {
    fn read(&self, scope: &mut Scope<'_>, link: &Connection<Self>, data: &[u8]) -> JsResult<usize> {
        let mut at = 0;
        while link.is_attached() {
            let message = match message_at(data, at) {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(fault) => {
                    tell_fault(scope, link, fault)?;
                    break;
                }
            };
            at = scope.nested(|scope| self.message(scope, link, data, at, &message))?;
        }
        Ok(at)
    }

    fn is_waiting(&self) -> bool {
        !self.expected.borrow().is_empty()
    }
}

impl Mysql {
    /// Takes the message at `at`; gives the place behind what has been read.
    fn message(
        &self,
        scope: &mut Scope<'_>,
        link: &Connection<Self>,
        data: &[u8],
        at: usize,
        message: &Message,
    ) -> JsResult<usize> {
        let payload = payload_of(data, at, message);
        // A row begins with the number of the end only if it has a value of 16 MiB.
        let is_row = match payload.first() {
            None | Some(&ERR) => false,
            Some(&EOF) => message.is_joined,
            _ => true,
        };
        let is_row = is_row && self.expected.borrow().front().is_some_and(|first| first.phase == Phase::Rows);
        if is_row {
            return self.rows(scope, link, data, at, message, &payload);
        }
        let event = self.take(&payload);
        tell(scope, link, event, &payload, None).map(|()| message.end)
    }

    /// Takes a packet that is no row, as an answer to the first command. A command that is answered is forgotten.
    fn take(&self, payload: &[u8]) -> Event {
        let mut expected = self.expected.borrow_mut();
        let Some(first) = expected.front_mut() else { return Event::Packet };
        let (event, is_over) = first.take(self.traits, payload);
        if is_over {
            expected.pop_front();
        }
        event
    }

    /// Reads the rows from `at` on, where a message with this payload is; gives the place behind what has been read.
    fn rows(
        &self,
        scope: &mut Scope<'_>,
        link: &Connection<Self>,
        data: &[u8],
        at: usize,
        message: &Message,
        payload: &[u8],
    ) -> JsResult<usize> {
        let known =
            self.expected.borrow().front().and_then(|first| Some((first.columns.clone()?, first.mode, first.rows)));
        let Some((columns, mode, mut count)) = known else {
            return tell_fault(scope, link, Fault::Malformed("definitions that were never sent")).map(|()| message.end);
        };
        let mut next = at;
        let made = if message.is_joined {
            next = message.end;
            rows_of(scope, &columns, payload, &mut 0, Some((0, payload.len())), mode, &mut count)
        } else {
            rows_of(scope, &columns, data, &mut next, None, mode, &mut count)
        };
        let rows = match made {
            Ok(rows) => rows,
            Err(thrown) => {
                let Some(error) = scope.take_exception(thrown) else { return Ok(message.end) };
                let why = scope.int(FAULT);
                return link.tell(scope, &[why, error]).map(|()| message.end);
            }
        };
        // The usual case: all rows came together with the end.
        if let Ok(Some(last)) = message_at(data, next)
            && !last.is_joined
            && data.get(next + HEADER) == Some(&EOF)
        {
            let payload = payload_of(data, next, &last);
            let event = self.take(&payload);
            return tell(scope, link, event, &payload, Some(rows)).map(|()| last.end);
        }
        if let Some(first) = self.expected.borrow_mut().front_mut() {
            first.rows = count;
        }
        let why = scope.int(ROWS);
        link.tell(scope, &[why, rows]).map(|()| next)
    }
}

/// Tells JavaScript what a packet means.
fn tell(
    scope: &mut Scope<'_>,
    link: &Connection<Mysql>,
    event: Event,
    payload: &[u8],
    rows: Option<Local<'_>>,
) -> JsResult<()> {
    let args = match event {
        Event::None => return Ok(()),
        Event::Packet => {
            [scope.int(PACKET), scope.uint8_array(payload.to_vec())?, scope.undefined(), scope.undefined()]
        }
        Event::Definitions(list) => {
            [scope.int(DEFINITIONS), scope.uint8_array(list)?, scope.undefined(), scope.undefined()]
        }
        Event::End { status } => {
            let nothing = scope.undefined();
            let rows = rows.map_or(nothing, |rows| scope.copy(rows));
            [scope.int(END), rows, scope.int(i32::from(status)), nothing]
        }
        Event::Done { affected, id, status } => {
            [scope.int(DONE), integer(scope, affected)?, integer(scope, id)?, scope.int(i32::from(status))]
        }
        Event::Fault(fault) => return tell_fault(scope, link, fault),
    };
    link.tell(scope, &args)
}

/// A number if that is exact, else a BigInt.
fn integer<'s>(scope: &mut Scope<'s>, value: u64) -> JsResult<Local<'s>> {
    if value < UNSAFE { Ok(scope.number(value as f64)) } else { scope.bigint_u64(value) }
}

/// Tells that the server breaks the protocol: JavaScript ends the connection.
fn tell_fault(scope: &mut Scope<'_>, link: &Connection<Mysql>, fault: Fault) -> JsResult<()> {
    let thrown = scope.throw_op_error(&fault.into());
    let Some(error) = scope.take_exception(thrown) else { return Ok(()) };
    let why = scope.int(FAULT);
    link.tell(scope, &[why, error])
}

/// A connection as JavaScript has it; the socket has another reference.
pub(crate) struct MysqlLink(Rc<Connection<Mysql>>);

fn link_of(scope: &mut Scope<'_>, link: Local<'_>) -> JsResult<Rc<Connection<Mysql>>> {
    match scope.read_resource(link, |link: &MysqlLink| link.0.clone()) {
        Some(link) => Ok(link),
        None => Err(scope.throw_type_error("native function expected a link")),
    }
}

/// Reads the socket with this number from now on, behind the login; `undefined` if there is none. `has_eof`: definitions of columns end
/// with a packet of their own. `is_cached`: they are left out if they are those of the last time. `tell` is called with `(kind, …)`: 0 and
/// a packet; 1 and definitions of columns, each behind its length in four bytes; 2 and rows, of which more come; 3, the last rows
/// (`undefined` if there are none) and the status at the end of a result; 4, rows that changed, the last id and the status of a result
/// without rows; 5 and an error, with which the protocol is broken. It must not throw.
#[op(ts(
    tell = "(kind: number, first: unknown, second?: number | bigint, status?: number) => void",
    returns = "Native.MysqlLink | undefined"
))]
pub(crate) fn mysql_link<'s>(
    scope: &mut Scope<'s>,
    stream: u32,
    has_eof: bool,
    is_cached: bool,
    tell: Local<'s>,
) -> JsResult<Local<'s>> {
    let link = Connection::new(Mysql { expected: RefCell::default(), traits: Traits { has_eof, is_cached } });
    if !link.attach(scope, stream, tell) {
        return Ok(scope.undefined());
    }
    scope.new_resource(MysqlLink(link))
}

/// Lets go of the socket.
#[op]
pub(crate) fn mysql_detach(link: &Resource<MysqlLink>) {
    link.0.detach();
    link.0.protocol.expected.take();
}

/// Whether the loop waits for the socket also while no answer is expected.
#[op]
pub(crate) fn mysql_hold(link: &Resource<MysqlLink>, on: bool) {
    link.0.set_held(on);
}

/// A command that has been written. `columns` says how its rows are made, if that is known; `mode` is 0 for objects, 1 for arrays, 2 for
/// arrays of bytes. `phase` is 0 for an answer of which every packet is told until `mysqlAnswered`, 1 for results, 2 for rows without the
/// definition of their columns.
#[op(ts(link = "Native.MysqlLink", columns = "Native.MysqlColumns | undefined", returns = "void"))]
pub(crate) fn mysql_expect<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    columns: Local<'s>,
    mode: u32,
    phase: u32,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    let columns = scope.resource::<MysqlColumns>(columns);
    let phase = match phase {
        0 => Phase::Told,
        1 => Phase::Head,
        _ => Phase::Rows,
    };
    let is_first = {
        let mut expected = link.protocol.expected.borrow_mut();
        expected.push_back(Expected::new(columns, mode, phase));
        expected.len() == 1
    };
    if is_first {
        link.hold();
    }
    Ok(scope.undefined())
}

/// The answer that is told packet by packet is over.
#[op]
pub(crate) fn mysql_answered(link: &Resource<MysqlLink>) {
    link.0.protocol.expected.borrow_mut().pop_front();
}

/// How rows are made of the command at `place` among those that are not answered, from now on.
#[op(ts(link = "Native.MysqlLink", columns = "Native.MysqlColumns", returns = "void"))]
pub(crate) fn mysql_define<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    place: u32,
    columns: Local<'s>,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    if let Some(expected) = link.protocol.expected.borrow_mut().get_mut(place as usize) {
        expected.columns = scope.resource::<MysqlColumns>(columns);
    }
    Ok(scope.undefined())
}

/// Writes the first bytes of a buffer. 0: the kernel has them; 1: the write event will tell, and nothing of the buffer is needed any
/// more; negative: errno.
#[op(ts(link = "Native.MysqlLink", returns = "number"))]
pub(crate) fn mysql_write<'s>(
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

    fn head() -> Expected {
        Expected::new(None, 0, Phase::Head)
    }

    #[test]
    fn messages_of_several_packets_are_joined() {
        let mut data = vec![0xff, 0xff, 0xff, 0];
        data.extend(std::iter::repeat_n(b'a', MAX_PAYLOAD));
        data.extend([2, 0, 0, 1, b'b', b'c', 1, 0, 0, 0, b'd']);
        let message = message_at(&data, 0).ok().flatten().expect("a message");
        assert!(message.is_joined);
        let payload = payload_of(&data, 0, &message);
        assert_eq!(payload.len(), MAX_PAYLOAD + 2);
        assert!(payload.ends_with(b"abc"));
        let next = message_at(&data, message.end).ok().flatten().expect("a message");
        assert_eq!((next.end, next.is_joined), (data.len(), false));
        for end in [0, 3, 4, 100, MAX_PAYLOAD + 4, MAX_PAYLOAD + 9] {
            assert!(matches!(message_at(&data[..end], 0), Ok(None)), "{end}");
        }
    }

    #[test]
    fn results_are_followed() {
        for traits in [Traits::default(), Traits { has_eof: true, is_cached: false }] {
            let mut answer = head();
            assert_eq!(answer.take(traits, &[2]), (Event::None, false));
            assert_eq!(answer.take(traits, b"one"), (Event::None, false));
            let list = b"\x03\0\0\0one\x03\0\0\0two".to_vec();
            assert_eq!(answer.take(traits, b"two"), (Event::Definitions(list), false));
            if traits.has_eof {
                assert_eq!(answer.take(traits, &[EOF, 0, 0, 2, 0]), (Event::None, false));
            }
            assert_eq!(answer.phase, Phase::Rows);
            assert_eq!(answer.take(traits, &[EOF, 0, 0, 8, 0]), (Event::End { status: 8 }, false));
            // Another result follows.
            let done = Event::Done { affected: 3, id: 300, status: 2 };
            assert_eq!(answer.take(traits, &[OK, 3, 0xfc, 44, 1, 2, 0]), (done, true));
        }
    }

    #[test]
    fn rows_of_a_cursor_come_later() {
        let traits = Traits { has_eof: true, is_cached: false };
        let mut answer = head();
        answer.take(traits, &[1]);
        answer.take(traits, b"one");
        assert_eq!(answer.take(traits, &[EOF, 0, 0, 0x42, 0]), (Event::End { status: 0x42 }, true));
    }

    #[test]
    fn errors_end_answers_and_faults_are_told() {
        assert_eq!(head().take(Traits::default(), &[ERR, 1, 2]), (Event::Packet, true));
        let mut answer = Expected::new(None, 0, Phase::Rows);
        assert_eq!(answer.take(Traits::default(), &[ERR]), (Event::Packet, true));
        assert_eq!(head().take(Traits::default(), &[]), (Event::Fault(Fault::Malformed("an empty packet")), false));
        let cached = Traits { has_eof: false, is_cached: true };
        let (event, _) = head().take(cached, &[1, 0]);
        assert_eq!(event, Event::Fault(Fault::Malformed("definitions that were never sent")));
        assert!(matches!(head().take(cached, &[0xfe, 1, 2]).0, Event::Fault(_)));
    }

    /// Packets of any bytes: reading them ends without a panic. `BAO_FUZZ_ROUNDS` makes it longer.
    #[test]
    fn damaged_answers_are_harmless() {
        let rounds = std::env::var("BAO_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
        let mut state = 37_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for _ in 0..rounds {
            let traits = Traits { has_eof: below(2) == 0, is_cached: below(2) == 0 };
            let mut data = Vec::new();
            for sequence in 0..below(8) {
                let length = below(12);
                // Some lengths lie.
                data.extend([if below(16) == 0 { below(256) as u8 } else { length as u8 }, 0, 0, sequence as u8]);
                data.extend((0..length).map(|_| if below(2) == 0 { below(4) } else { 250 + below(6) } as u8));
            }
            let mut answer = head();
            let mut at = 0;
            while let Ok(Some(message)) = message_at(&data, at) {
                assert!(message.end > at && message.end <= data.len());
                let payload = payload_of(&data, at, &message);
                if answer.take(traits, &payload).1 {
                    answer = head();
                }
                at = message.end;
            }
        }
    }
}
