//! A connection as far as bytes go: commands that wait to be written, what is expected of each, and replies that have come in part. It
//! reads the socket in place of JavaScript, which is called only where a reply is no promise's.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use engine::{Global, JsResult, Local, Resource, Scope, op};
use ext_net::{Reader, Stream, Written, stream_of};

use crate::scan::{Fault, Scanner};
use crate::value::{Message, Values, make_error};

/// What becomes of the reply to a command: with 0 it resolves the promise, with this too, and 0 and 1 are `false` and `true`.
const BOOLEAN: u8 = 1;
/// JavaScript gets it, also with what is higher.
const GIVEN: u8 = 2;
/// JavaScript gets it, a string as bytes.
const GIVEN_BYTES: u8 = 3;
/// A subscription is answered by a message for each channel, or by one error.
const SUBSCRIPTION: u8 = 4;

/// What JavaScript is told, by the number that its function gets first.
const REPLY: i32 = 1;
const PUSH: i32 = 2;
const FAULT: i32 = 3;
const ARRIVAL: i32 = 4;

/// What is expected of a command.
struct Expected {
    kind: u8,
    /// Messages that are still to come, of a subscription.
    left: u32,
    /// What the reply settles; `None` where JavaScript takes it.
    promise: Option<Global>,
}

/// Memory that is kept for the next bytes.
const KEPT: usize = 64 << 10;

/// Bytes that have come.
#[derive(Default)]
struct Input {
    /// Those that are not read begin at `from`.
    kept: Vec<u8>,
    from: usize,
    scanner: Scanner,
}

impl Input {
    /// So many bytes have been read, and so many are left.
    fn skip(&mut self, read: usize, left: usize) {
        self.from += read;
        if left == 0 {
            self.kept.clear();
            self.kept.shrink_to(KEPT);
            self.from = 0;
        } else if self.from > KEPT && self.from > left {
            self.kept.drain(..self.from);
            self.from = 0;
        }
    }
}

/// What a link has while it has a socket.
struct Attached {
    /// The socket holds the link, which therefore does not hold the socket.
    stream: Weak<Stream>,
    /// `(why, first, second)`: see `attach`.
    tell: Global,
    /// `(message)` makes an error of the server's text.
    error_of: Global,
    /// JavaScript wants to know that bytes have come.
    watches: bool,
}

/// See the module.
#[derive(Default)]
struct Connection {
    output: RefCell<Vec<u8>>,
    /// For each command without a reply.
    expected: RefCell<VecDeque<Expected>>,
    input: RefCell<Input>,
    /// The server speaks RESP2: all replies are JavaScript's, and messages are lists like others.
    is_old: Cell<bool>,
    /// With RESP2: messages may come.
    is_subscribed: Cell<bool>,
    attached: RefCell<Option<Attached>>,
    /// The loop waits for the socket also where no reply is expected.
    is_held: Cell<bool>,
}

impl Connection {
    fn stream(&self) -> Option<Rc<Stream>> {
        self.attached.borrow().as_ref().and_then(|attached| attached.stream.upgrade())
    }

    /// The loop waits for the socket as long as something is expected of it.
    fn hold(&self) {
        let wanted = self.is_held.get() || !self.expected.borrow().is_empty();
        if let Some(stream) = self.stream()
            && stream.has_ref() != wanted
        {
            stream.set_ref(wanted);
        }
    }

    fn expect(&self, expected: Expected) {
        let is_first = {
            let mut list = self.expected.borrow_mut();
            list.push_back(expected);
            list.len() == 1
        };
        if is_first {
            self.hold();
        }
    }

    /// Calls the function of JavaScript, if there is still one.
    fn tell(&self, scope: &mut Scope<'_>, args: &[Local<'_>]) -> JsResult<()> {
        let tell = match &*self.attached.borrow() {
            Some(attached) => attached.tell.get(scope),
            None => return Ok(()),
        };
        scope.call_function(tell, args).map(drop)
    }
}

/// A connection as JavaScript has it; the socket has another reference.
pub(crate) struct Link(Rc<Connection>);

fn link_of(scope: &mut Scope<'_>, link: Local<'_>) -> JsResult<Rc<Connection>> {
    match scope.resource::<Link>(link) {
        Some(link) => Ok(link.0.clone()),
        None => Err(scope.throw_type_error("native function expected a link")),
    }
}

/// A connection without bytes.
#[op(ts(returns = "Native.Link"))]
pub(crate) fn link<'s>(scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
    scope.new_resource(Link(Rc::default()))
}

/// Reads and writes the socket with this number from now on. Replies settle the promises of their commands; `tell` is called with what is
/// JavaScript's, `(why, first, second)`: 1 and a reply; 2 and the list that the server pushes, and whether that was the last message of the
/// first subscription; 3, code and message of a fault, after which the connection is of no use; 4 if `watches`, when bytes have come. It
/// must not throw. `error_of` makes an error of the server's text. False: there is no such socket.
#[op(ts(
    link = "Native.Link",
    tell = "(why: number, first?: unknown, second?: unknown) => void",
    error_of = "(message: string) => Error",
    returns = "boolean"
))]
pub(crate) fn attach<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    stream: u32,
    tell: Local<'s>,
    error_of: Local<'s>,
    watches: bool,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    let Some(stream) = stream_of(scope, stream) else { return Ok(scope.boolean(false)) };
    let (tell, error_of) = (scope.global(tell), scope.global(error_of));
    *link.attached.borrow_mut() = Some(Attached { stream: Rc::downgrade(&stream), tell, error_of, watches });
    link.is_held.set(true);
    link.hold();
    stream.read_by(Some(link));
    Ok(scope.boolean(true))
}

/// Lets go of the socket, and gives the promises whose replies have not come, in the order of their commands.
#[op(ts(link = "Native.Link", returns = "Promise<unknown>[]"))]
pub(crate) fn detach<'s>(scope: &mut Scope<'s>, link: Local<'s>) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    if let Some(stream) = link.stream() {
        stream.read_by(None);
    }
    *link.attached.borrow_mut() = None;
    let mut left = link.expected.take().into_iter().filter_map(|expected| expected.promise);
    scope.collect_array(0, |scope| Ok(left.next().map(|promise| promise.get(scope))))
}

/// Whether the loop waits for the socket also while no reply is expected.
#[op]
pub(crate) fn hold(link: &Resource<Link>, on: bool) {
    link.0.is_held.set(on);
    link.0.hold();
}

/// Commands without a reply.
#[op]
pub(crate) fn pending(link: &Resource<Link>) -> u32 {
    link.0.expected.borrow().len() as u32
}

/// The server speaks RESP2: JavaScript gets every reply, and lists can be messages.
#[op]
pub(crate) fn set_old(link: &Resource<Link>) {
    link.0.is_old.set(true);
}

/// Writes a command of a name and its arguments. `expects` says what becomes of its reply: 0 it resolves the promise, 1 the same with 0
/// and 1 as booleans, 2 JavaScript gets it, 3 JavaScript gets it with a string as bytes. Returns `waiting` if that is a promise, else a new one.
#[op(ts(
    link = "Native.Link",
    name = "string",
    args = "string | readonly (string | Uint8Array)[]",
    waiting = "Promise<unknown> | undefined",
    returns = "Promise<unknown>"
))]
pub(crate) fn command<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    name: Local<'s>,
    args: Local<'s>,
    expects: u8,
    waiting: Local<'s>,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    write(scope, &link, name, args)?;
    let promise = if waiting.is_undefined() { scope.new_promise()? } else { waiting };
    let is_settled_here = expects < GIVEN && !link.is_old.get();
    let kept = if is_settled_here { Some(scope.global(promise)) } else { None };
    link.expect(Expected { kind: expects, left: 0, promise: kept });
    Ok(promise)
}

/// Writes a command for whose reply nobody has a promise. `expects`: 2 JavaScript gets it, 4 the command subscribes or ends subscriptions,
/// and JavaScript gets a message for each channel, or an error.
#[op(ts(link = "Native.Link", name = "string", args = "string | readonly (string | Uint8Array)[]", returns = "void"))]
pub(crate) fn ask<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    name: Local<'s>,
    args: Local<'s>,
    expects: u8,
) -> JsResult<Local<'s>> {
    let owner = link_of(scope, link)?;
    let left = if args.is_string() { 1 } else { scope.array_length(args)? };
    let nothing = scope.undefined();
    write(scope, &owner, name, args)?;
    owner.expect(Expected { kind: expects, left, promise: None });
    Ok(nothing)
}

fn write(scope: &mut Scope<'_>, link: &Connection, name: Local<'_>, args: Local<'_>) -> JsResult<()> {
    // Taken out: nothing of a program runs meanwhile, but the cell need not rely on that.
    let mut output = link.output.take();
    let before = output.len();
    let written = write_command(scope, &mut output, name, args);
    if written.is_err() {
        output.truncate(before);
    }
    link.output.replace(output);
    written
}

fn write_command(scope: &mut Scope<'_>, output: &mut Vec<u8>, name: Local<'_>, args: Local<'_>) -> JsResult<()> {
    if args.is_string() {
        output.extend_from_slice(b"*2\r\n");
        write_text(scope, output, name)?;
        return write_text(scope, output, args);
    }
    let count = scope.array_length(args)?;
    write_number(output, b'*', u64::from(count) + 1);
    write_text(scope, output, name)?;
    for index in 0..count {
        let value = scope.list_item(args, index)?;
        if value.is_string() {
            write_text(scope, output, value)?;
            continue;
        }
        let Some(bytes) = scope.bytes(value) else {
            return Err(scope.throw_type_error("native function expected strings or bytes"));
        };
        write_number(output, b'$', bytes.len() as u64);
        output.extend_from_slice(bytes);
        output.extend_from_slice(b"\r\n");
    }
    Ok(())
}

/// A string with its length, which is known only when it has been written.
fn write_text(scope: &mut Scope<'_>, output: &mut Vec<u8>, text: Local<'_>) -> JsResult<()> {
    let guess = scope.string_length(text);
    let start = output.len();
    write_number(output, b'$', guess as u64);
    let from = output.len();
    scope.append_utf8(text, output)?;
    let length = output.len() - from;
    if length != guess {
        let mut head = Vec::with_capacity(16);
        write_number(&mut head, b'$', length as u64);
        output.splice(start..from, head);
    }
    output.extend_from_slice(b"\r\n");
    Ok(())
}

/// A sign, a number and the end of the line.
fn write_number(output: &mut Vec<u8>, sign: u8, number: u64) {
    output.push(sign);
    if number < 10 {
        output.push(b'0' + number as u8);
    } else {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = number;
        while rest > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        output.extend_from_slice(&digits[at..]);
    }
    output.extend_from_slice(b"\r\n");
}

/// Writes to the socket what has been made. 0: the kernel has it; 1: the write event will tell; negative: errno.
#[op]
pub(crate) fn flush(link: &Resource<Link>) -> i32 {
    let Some(stream) = link.0.stream() else { return 0 };
    let mut output = link.0.output.borrow_mut();
    if output.is_empty() {
        return 0;
    }
    let written = stream.write(&output);
    output.clear();
    output.shrink_to(KEPT);
    match written {
        Written::All => 0,
        Written::Later => 1,
        Written::Failed(errno) => errno,
    }
}

/// Bytes that have been made and not written.
#[op]
pub(crate) fn unsent(link: &Resource<Link>) -> f64 {
    link.0.output.borrow().len() as f64
}

impl Reader for Connection {
    fn feed(self: Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        // Taken out for the time of the call: what is told and settled runs code of the program.
        let mut input = self.input.take();
        let is_kept = input.from < input.kept.len();
        if is_kept {
            input.kept.extend_from_slice(bytes);
        }
        let watches = self.attached.borrow().as_ref().is_some_and(|attached| attached.watches);
        let mut result = if watches {
            let why = scope.int(ARRIVAL);
            self.tell(scope, &[why])
        } else {
            Ok(())
        };
        let (place, size) = {
            let Input { kept, from, scanner } = &mut input;
            let data = if is_kept { kept.get(*from..).unwrap_or_default() } else { bytes };
            let mut place = 0;
            while result.is_ok() {
                let mut run = Run { link: &self, data, place, scanner };
                let more = scope.nested(|scope| run.step(scope));
                place = run.place;
                match more {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => result = Err(error),
                }
            }
            (place, data.len())
        };
        if is_kept {
            input.skip(place, size - place);
        } else if place < size {
            input.kept.extend_from_slice(bytes.get(place..).unwrap_or_default());
        }
        self.input.replace(input);
        self.hold();
        result
    }
}

enum Stop<'s> {
    More,
    Reply(Local<'s>),
    /// A list, and whether it is the last message of the first subscription.
    Push(Local<'s>, bool),
    Fault(Fault),
}

/// Replies out of what has come.
struct Run<'a> {
    link: &'a Connection,
    data: &'a [u8],
    /// Everything before has been read.
    place: usize,
    scanner: &'a mut Scanner,
}

impl Run<'_> {
    /// Reads until something is JavaScript's, and tells it. False: that was all.
    fn step(&mut self, scope: &mut Scope<'_>) -> JsResult<bool> {
        let error_of = match &*self.link.attached.borrow() {
            Some(attached) => attached.error_of.get(scope),
            // What was told, or settled, has ended the connection.
            None => return Ok(false),
        };
        let (why, first, second) = match self.replies(scope, error_of)? {
            Stop::More => return Ok(false),
            Stop::Reply(value) => (REPLY, value, scope.undefined()),
            Stop::Push(list, is_last) => (PUSH, list, scope.boolean(is_last)),
            Stop::Fault(fault) => (FAULT, scope.string(fault.code)?, scope.string(&fault.message)?),
        };
        let args = [scope.int(why), first, second];
        self.link.tell(scope, &args)?;
        Ok(why != FAULT)
    }

    /// Whether a list is no reply but a message, and then whether the first subscription has all of its messages with that.
    fn message(&mut self, kind: u8, said: Message) -> Option<bool> {
        let link = self.link;
        let mut expected = link.expected.borrow_mut();
        if let Message::Subscriptions(count) = said
            && let Some(first) = expected.front_mut().filter(|first| first.kind == SUBSCRIPTION)
        {
            link.is_subscribed.set(count > 0.0);
            first.left = first.left.saturating_sub(1);
            let is_last = first.left == 0;
            if is_last {
                expected.pop_front();
            }
            return Some(is_last);
        }
        (kind == b'>' || said == Message::News && link.is_subscribed.get()).then_some(false)
    }

    fn replies<'s>(&mut self, scope: &mut Scope<'s>, error_of: Local<'s>) -> JsResult<Stop<'s>> {
        loop {
            let rest = &self.data[self.place..];
            if rest.is_empty() {
                return Ok(Stop::More);
            }
            let end = match self.scanner.scan(rest) {
                Ok(Some(end)) => end,
                Ok(None) => return Ok(Stop::More),
                Err(fault) => return Ok(Stop::Fault(fault)),
            };
            let mut values = Values::new(&rest[..end]);
            self.place += end;
            let kind = values.kind();
            if kind == b'>' || kind == b'*' && self.link.is_old.get() {
                let said = values.message();
                if let Some(is_last) = self.message(kind, said) {
                    return values.read(scope, error_of).map(|list| Stop::Push(list, is_last));
                }
            }
            let expected = self.link.expected.borrow_mut().pop_front();
            let Some(Expected { kind: expects, promise, .. }) = expected else {
                let message = "The server answers what was not asked".to_owned();
                return Ok(Stop::Fault(Fault { code: "INVALID_RESPONSE", message }));
            };
            let Some(promise) = promise else {
                let bytes = if expects == GIVEN_BYTES { values.raw_string() } else { None };
                let value = match bytes {
                    Some(bytes) => scope.uint8_array(bytes.to_vec())?,
                    None => values.read(scope, error_of)?,
                };
                return Ok(Stop::Reply(value));
            };
            scope.nested(|scope| {
                let promise = promise.get(scope);
                if let Some(text) = values.error() {
                    let error = make_error(scope, error_of, text)?;
                    return scope.reject_promise(promise, error);
                }
                let value = values.read(scope, error_of)?;
                let value = if expects == BOOLEAN {
                    let is_true = value.as_number() == Some(1.0) || value.as_bool() == Some(true);
                    scope.boolean(is_true)
                } else {
                    value
                };
                scope.resolve_promise(promise, value)
            })?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_digits() {
        let mut output = Vec::new();
        for number in [0, 9, 10, 12_345, u64::MAX] {
            write_number(&mut output, b'$', number);
        }
        assert_eq!(output, b"$0\r\n$9\r\n$10\r\n$12345\r\n$18446744073709551615\r\n");
    }
}
