//! A connection as far as bytes go: commands that wait to be written, what is expected of each, and replies that have come in part.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use engine::{JsResult, Local, PinnedBytes, Resource, Scope, op};

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

/// What is expected of a command.
#[derive(Clone, Copy)]
struct Expected {
    kind: u8,
    /// Messages that are still to come, of a subscription.
    left: u32,
}

/// A chunk up to this length is copied, which costs less than to pin it.
const SMALL_CHUNK: usize = 4096;
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

/// See the module.
#[derive(Default)]
pub(crate) struct Link {
    output: RefCell<Vec<u8>>,
    /// For each command without a reply.
    expected: RefCell<VecDeque<Expected>>,
    input: RefCell<Input>,
    /// The server speaks RESP2: all replies are JavaScript's, and messages are lists like others.
    is_old: Cell<bool>,
    /// With RESP2: messages may come.
    is_subscribed: Cell<bool>,
}

fn link_of(scope: &mut Scope<'_>, link: Local<'_>) -> JsResult<Resource<Link>> {
    match scope.resource::<Link>(link) {
        Some(link) => Ok(link),
        None => Err(scope.throw_type_error("native function expected a link")),
    }
}

/// A connection without bytes.
#[op(ts(returns = "Native.Link"))]
pub(crate) fn link<'s>(scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
    scope.new_resource(Link::default())
}

/// The server speaks RESP2: `read` stops at every reply, and lists can be messages.
#[op]
pub(crate) fn set_old(link: &Resource<Link>) {
    link.is_old.set(true);
}

/// Writes a command of a name and its arguments. `expects` says what becomes of its reply: 0 it resolves the promise, 1 the same with 0
/// and 1 as booleans, 2 `read` gives it, 3 `read` gives it with a string as bytes. Returns `waiting` if that is a promise, else a new one.
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
    link.expected.borrow_mut().push_back(Expected { kind: expects, left: 0 });
    Ok(promise)
}

/// Writes a command for whose reply nobody has a promise. `expects`: 2 `read` gives it, 4 the command subscribes or ends subscriptions, and
/// `read` gives a message for each channel, or an error.
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
    owner.expected.borrow_mut().push_back(Expected { kind: expects, left });
    Ok(nothing)
}

fn write(scope: &mut Scope<'_>, link: &Link, name: Local<'_>, args: Local<'_>) -> JsResult<()> {
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

/// What has been written since the last call.
#[op]
pub(crate) fn take(link: &Resource<Link>) -> Vec<u8> {
    let mut output = link.output.borrow_mut();
    // What is small fits into the array itself, and the memory is used again.
    if output.len() <= 96 {
        let bytes = output.clone();
        output.clear();
        return bytes;
    }
    let capacity = output.len().min(KEPT);
    std::mem::replace(&mut *output, Vec::with_capacity(capacity))
}

/// Bytes that have been written and not taken.
#[op]
pub(crate) fn unsent(link: &Resource<Link>) -> f64 {
    link.output.borrow().len() as f64
}

/// Reads replies out of a chunk from `at` on and settles the promises of `sent` with them, from the one at `from` on. Stops at what is
/// JavaScript's: `[at, taken, why, first, second]`, where `taken` is the number of commands that were answered, this one included, and
/// `why` is 0 if more bytes are needed, 1 with a reply, 2 with the list that the server pushes, 3 with code and message of a fault, after
/// which the connection is of no use. To be called again with the same chunk unless it is 0 or 3. `error_of` makes an error of the
/// server's text.
#[op(ts(
    link = "Native.Link",
    chunk = "ArrayBuffer",
    sent = "readonly unknown[]",
    error_of = "(message: string) => Error",
    returns = "[at: number, taken: number, why: number, first: unknown, second: unknown]"
))]
pub(crate) fn read<'s>(
    scope: &mut Scope<'s>,
    link: Local<'s>,
    chunk: Local<'s>,
    at: u32,
    sent: Local<'s>,
    from: u32,
    error_of: Local<'s>,
) -> JsResult<Local<'s>> {
    let link = link_of(scope, link)?;
    let at = at as usize;
    // Taken out for the time of the call: settling a promise can run a getter `then` of a program.
    let mut input = link.input.take();
    let Some(bytes) = scope.bytes(chunk) else {
        return Err(scope.throw_type_error("native function expected an ArrayBuffer"));
    };
    let length = bytes.len();
    let bytes = bytes.get(at..).unwrap_or_default();
    let is_kept = input.from < input.kept.len();
    let mut pinned: Option<PinnedBytes> = None;
    if is_kept || bytes.len() <= SMALL_CHUNK {
        input.kept.extend_from_slice(bytes);
    } else {
        pinned = scope.pin_bytes(chunk);
        if pinned.is_none() {
            return Err(scope.throw_type_error("native function expected an ArrayBuffer"));
        }
    }
    let (stop, place, taken, size) = {
        let Input { kept, from: start, scanner } = &mut input;
        let data: &[u8] = match &pinned {
            Some(pinned) => pinned.as_slice().get(at..).unwrap_or_default(),
            None => kept.get(*start..).unwrap_or_default(),
        };
        let mut run = Run { link: &link, data, place: 0, scanner, sent, from, taken: 0, error_of };
        let stop = run.replies(scope);
        (stop, run.place, run.taken, data.len())
    };
    let is_waiting = matches!(stop, Ok(Stop::More));
    // The next call begins where this one ends.
    let mut next = length;
    if let Some(pinned) = &pinned {
        if is_waiting {
            // Nobody else keeps what is left of a chunk.
            input.kept.clear();
            input.kept.extend_from_slice(pinned.as_slice().get(at + place..).unwrap_or_default());
            input.from = 0;
        } else {
            next = at + place;
        }
    } else {
        input.skip(place, size - place);
    }
    drop(pinned);
    link.input.replace(input);
    let (why, first, second) = match stop? {
        Stop::More => (0, scope.undefined(), scope.undefined()),
        Stop::Reply(value) => (1, value, scope.undefined()),
        Stop::Push(list) => (2, list, scope.undefined()),
        Stop::Fault(fault) => (3, scope.string(fault.code)?, scope.string(&fault.message)?),
    };
    let head = [scope.number(next as f64), scope.int(taken as i32), scope.int(why), first, second];
    scope.new_array(&head)
}

enum Stop<'s> {
    More,
    Reply(Local<'s>),
    Push(Local<'s>),
    Fault(Fault),
}

/// One call of `read`.
struct Run<'a, 's> {
    link: &'a Link,
    data: &'a [u8],
    /// Everything before has been read.
    place: usize,
    scanner: &'a mut Scanner,
    sent: Local<'s>,
    from: u32,
    taken: u32,
    error_of: Local<'s>,
}

impl<'s> Run<'_, 's> {
    /// Whether a list is no reply but a message; one that answers a subscription is counted.
    fn is_message(&mut self, kind: u8, said: Message) -> bool {
        let link = self.link;
        let mut expected = link.expected.borrow_mut();
        if let Message::Subscriptions(count) = said
            && let Some(first) = expected.front_mut().filter(|first| first.kind == SUBSCRIPTION)
        {
            link.is_subscribed.set(count > 0.0);
            first.left = first.left.saturating_sub(1);
            if first.left == 0 {
                expected.pop_front();
                self.taken += 1;
            }
            return true;
        }
        kind == b'>' || said == Message::News && link.is_subscribed.get()
    }

    fn replies(&mut self, scope: &mut Scope<'s>) -> JsResult<Stop<'s>> {
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
                if self.is_message(kind, said) {
                    return values.read(scope, self.error_of).map(Stop::Push);
                }
            }
            let expects = self.link.expected.borrow_mut().pop_front();
            let Some(Expected { kind: expects, .. }) = expects else {
                let message = "The server answers what was not asked".to_owned();
                return Ok(Stop::Fault(Fault { code: "INVALID_RESPONSE", message }));
            };
            let index = self.from + self.taken;
            self.taken += 1;
            if expects >= GIVEN || self.link.is_old.get() {
                let bytes = if expects == GIVEN_BYTES { values.raw_string() } else { None };
                let value = match bytes {
                    Some(bytes) => scope.uint8_array(bytes.to_vec())?,
                    None => values.read(scope, self.error_of)?,
                };
                return Ok(Stop::Reply(value));
            }
            let (sent, error_of) = (self.sent, self.error_of);
            scope.nested(|scope| {
                let promise = scope.list_item(sent, index)?;
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
