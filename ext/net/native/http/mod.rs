//! Streams of HTTP/1 messages: what stands between a connection and the JavaScript of node:http, Bun.serve and fetch.

pub mod date;
pub mod frames;
pub mod parse;
mod wire;

use std::cell::{Cell, RefCell, RefMut};
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Instant;

use engine::{JsResult, Local, Scope, ts_constants};

use crate::net::{Callback, Net, Resource, copied};
use crate::stream::Stream;
use parse::{Head, Kind, ParseError, Parser, Step};

/// A parser with a number, and the connection it reads from, if that is one of this crate.
///
/// A message without a body, or with all of its body in the bytes at hand, is one call into JavaScript: `Callback::Head` with
/// [`head::COMPLETE`] (responses only after [`Messages::expect`]). Otherwise `Head`, `Body` for each piece, `End`.
pub struct Messages {
    net: Rc<Net>,
    /// A number of its own, or that of the connection.
    id: u32,
    /// Whether it has the number of the connection, and ends with it.
    is_part: bool,
    kind: Kind,
    limit: u32,
    lenient: bool,
    /// None between two messages: connections that wait need none.
    parser: RefCell<Option<Box<Parser>>>,
    stream: Cell<Option<Rc<Stream>>>,
    /// Parsing stopped because nobody wanted more. There may be no bytes left and still the end of a message to tell.
    halted: Cell<bool>,
    /// Nothing is parsed any more: refused, handed over to another protocol, or freed.
    over: Cell<bool>,
    /// When the message under way began.
    started: Cell<Option<Moment>>,
    /// Responses that are complete are told in one call as well (fetch; node:http decides about a body at its head).
    joined: Cell<bool>,
    /// The next response, interim ones aside, has no body (to HEAD).
    bodyless: Cell<bool>,
    /// What few messages need.
    rare: RefCell<Option<Box<Rare>>>,
}

/// A moment in a quarter of the room that an [`Instant`] takes: milliseconds since the first one, which come around after 49 days.
#[derive(Clone, Copy)]
struct Moment(NonZeroU32);

impl Moment {
    fn now() -> Moment {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        Moment(NonZeroU32::new(FIRST.elapsed().as_millis() as u32).unwrap_or(NonZeroU32::MIN))
    }

    /// Milliseconds since then.
    fn age(self) -> u32 {
        Moment::now().0.get().wrapping_sub(self.0.get())
    }
}

/// What a connection that waits has none of.
#[derive(Default)]
struct Rare {
    /// Bytes that came while nobody wanted them.
    stash: Vec<u8>,
    /// Why it was refused; whatever comes after is refused for the same reason.
    refused: Option<ParseError>,
    /// Pieces of a body that are handed on together, at its end.
    gathered: Option<Vec<u8>>,
}

/// Most bytes that are set aside at once for a body whose length was announced: what is announced need not come.
const MAX_RESERVED: usize = 64 << 20;

/// Bits of the number that comes with a head; the low ten are the method or the status.
#[ts_constants]
mod head {
    pub(super) const KEEP_ALIVE: u32 = 1 << 10;
    pub(super) const UPGRADE: u32 = 1 << 11;
    /// Head, body (if any) and end in one call.
    pub(super) const COMPLETE: u32 = 1 << 12;
    pub(super) const HAS_HOST: u32 = 1 << 13;
    pub(super) const HAS_EXPECT: u32 = 1 << 14;
    pub(super) const CHUNKED: u32 = 1 << 15;
    /// The version is in eight bits.
    pub(super) const MAJOR_SHIFT: u32 = 16;
    pub(super) const MINOR_SHIFT: u32 = 20;
    /// A Host that cannot stand in a URL, or more than one.
    pub(super) const ODD_HOST: u32 = 1 << 24;
}

/// What JavaScript answers to a head.
#[ts_constants]
mod answer {
    pub(super) const SKIP_BODY: f64 = 1.0;
    pub(super) const TAKE_OVER: f64 = 2.0;
}

fn info(of: &Head) -> u32 {
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    u32::from(of.number)
        | flag(of.keep_alive, head::KEEP_ALIVE)
        | flag(of.upgrade, head::UPGRADE)
        | flag(of.has_host, head::HAS_HOST)
        | flag(of.has_expect, head::HAS_EXPECT)
        | flag(of.chunked, head::CHUNKED)
        | flag(of.odd_host, head::ODD_HOST)
        | u32::from(of.major) << head::MAJOR_SHIFT
        | u32::from(of.minor) << head::MINOR_SHIFT
}

impl Messages {
    /// A parser of requests or responses; see [`Parser::new`].
    pub fn create(net: &Rc<Net>, kind: Kind, limit: usize, lenient: bool) -> u32 {
        net.insert(|id| {
            Resource::Messages(Rc::new(Messages { lenient, ..Messages::new(net.clone(), id, false, kind, limit) }))
        })
    }

    /// Has requests read from `stream`. JavaScript is told of them under the number of the connection, with which they end.
    pub fn serve(stream: Rc<Stream>, limit: usize) {
        Rc::new(Messages::new(stream.net().clone(), stream.id, true, Kind::Request, limit)).consume(stream);
    }

    fn new(net: Rc<Net>, id: u32, is_part: bool, kind: Kind, limit: usize) -> Messages {
        Messages {
            net,
            id,
            is_part,
            kind,
            limit: limit.try_into().unwrap_or(u32::MAX),
            lenient: false,
            parser: RefCell::default(),
            stream: Cell::default(),
            halted: Cell::new(false),
            over: Cell::new(false),
            started: Cell::new((kind == Kind::Request).then(Moment::now)),
            joined: Cell::new(kind == Kind::Request),
            bodyless: Cell::new(false),
            rare: RefCell::default(),
        }
    }

    /// Has whole responses told in one call from now on. `bodyless`: the next one has no body, whatever its head says.
    pub fn expect(&self, bodyless: bool) {
        self.joined.set(true);
        self.bodyless.set(bodyless);
    }

    /// Has the rest of the body under way handed on as one piece, at its end, behind `early`. `expected`: bytes of the rest, 0
    /// where unknown.
    pub fn collect(&self, early: &[u8], expected: usize) {
        let mut bytes = Vec::new();
        let _ = bytes.try_reserve_exact(early.len() + expected.min(MAX_RESERVED));
        bytes.extend_from_slice(early);
        self.rare().gathered = Some(bytes);
    }

    fn rare(&self) -> RefMut<'_, Rare> {
        RefMut::map(self.rare.borrow_mut(), |rare| &mut **rare.get_or_insert_default())
    }

    /// What was gathered. Where that was all, nothing is kept.
    fn take_gathered(&self) -> Option<Vec<u8>> {
        let mut rare = self.rare.borrow_mut();
        let gathered = rare.as_mut()?.gathered.take();
        if rare.as_ref().is_some_and(|rare| rare.stash.is_empty() && rare.refused.is_none()) {
            *rare = None;
        }
        gathered
    }

    /// Keeps bytes for later.
    fn keep(&self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.rare().stash.extend_from_slice(bytes);
        }
    }

    fn has_kept(&self) -> bool {
        self.rare.borrow().as_ref().is_some_and(|rare| !rare.stash.is_empty())
    }

    /// Reads from `stream` from now on.
    pub fn consume(self: &Rc<Self>, stream: Rc<Stream>) {
        stream.consume(Some(self.clone()));
        self.stream.set(Some(stream));
    }

    /// Gives the connection back.
    pub fn detach(&self) {
        if let Some(stream) = self.stream.take() {
            stream.consume(None);
        }
    }

    /// Whether it has the number of its connection.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// Ends parsing; a number of its own is free.
    pub fn free(&self) {
        self.over.set(true);
        if let Some(rare) = &mut *self.rare.borrow_mut() {
            rare.refused = None;
        }
        self.detach();
        if !self.is_part {
            self.net.release(self.id);
        }
    }

    /// Whether bytes wait here, or the end of a message.
    pub fn has_stashed(&self) -> bool {
        (self.halted.get() || self.has_kept()) && !self.over.get()
    }

    /// Milliseconds since the message under way began, -1 without one; and whether its head is complete.
    pub fn age(&self) -> (f64, bool) {
        match self.started.get() {
            None => (-1.0, false),
            Some(started) => {
                let parser = self.parser.borrow();
                let complete = parser.as_ref().is_some_and(|parser| parser.in_message() && !parser.in_head());
                (f64::from(started.age()), complete)
            }
        }
    }

    fn stopped(&self) -> bool {
        self.over.get() || self.waiting()
    }

    /// Whether nobody reads at present. What has come of a response is told even where its head closed the connection: a request that
    /// is aborted in its listener still gets the end of a response that is there.
    fn waiting(&self) -> bool {
        let goes_on = |s: &Rc<Stream>| s.is_reading() || self.kind == Kind::Response && s.is_closing();
        let stream = self.stream.take();
        let waits = stream.as_ref().is_some_and(|s| !goes_on(s));
        self.stream.set(stream);
        waits
    }

    /// Parses `input` after what was kept; false where it was refused.
    pub fn feed(self: &Rc<Self>, scope: &mut Scope<'_>, input: &[u8]) -> JsResult<bool> {
        if self.over.get() {
            let refused = self.rare.borrow().as_ref().and_then(|rare| rare.refused);
            if let Some(error) = refused {
                self.report(scope, error, input, 0)?;
            }
            return Ok(false);
        }
        self.halted.set(false);
        if !self.has_kept() {
            return self.parse(scope, input);
        }
        let mut joined = std::mem::take(&mut self.rare().stash);
        joined.extend_from_slice(input);
        self.parse(scope, &joined)
    }

    fn parse(self: &Rc<Self>, scope: &mut Scope<'_>, input: &[u8]) -> JsResult<bool> {
        let mut at = 0;
        let outcome = loop {
            if self.waiting() {
                self.halted.set(true);
                self.keep(&input[at..]);
                break Ok(true);
            }
            let outcome = scope.nested(|scope| self.next(scope, input, &mut at));
            match outcome {
                Ok(true) if !self.over.get() => {}
                Ok(_) => break Ok(!self.over.get()),
                Err(exc) => {
                    // The program may go on after an uncaught exception, and then with the next message.
                    self.keep(&input[at..]);
                    break Err(exc);
                }
            }
        };
        if !self.over.get() {
            if self.rest() {
                self.started.set(None);
            } else if self.started.get().is_none() {
                self.started.set(Some(Moment::now()));
            }
        }
        outcome
    }

    /// The parser of the message under way, or of the next one.
    fn parser(&self) -> RefMut<'_, Parser> {
        RefMut::map(self.parser.borrow_mut(), |parser| {
            &mut **parser.get_or_insert_with(|| {
                let mut parser = self.net.idle_parser.take().unwrap_or_default();
                parser.reset(self.kind, self.limit as usize, self.lenient);
                parser
            })
        })
    }

    /// Whether no message is under way; the parser then serves whoever needs one next.
    fn rest(&self) -> bool {
        let mut parser = self.parser.borrow_mut();
        if parser.as_ref().is_some_and(|parser| parser.is_fresh()) {
            self.net.idle_parser.set(parser.take());
        }
        parser.as_ref().is_none_or(|parser| !parser.in_message())
    }

    fn step(&self, input: &[u8], at: &mut usize) -> Result<Step, ParseError> {
        let (used, step) = self.parser().step(&input[*at..])?;
        *at += used;
        Ok(step)
    }

    /// One step and its call; false where the input is used up or refused.
    fn next(self: &Rc<Self>, scope: &mut Scope<'_>, input: &[u8], at: &mut usize) -> JsResult<bool> {
        match self.step(input, at) {
            Err(error) => self.refuse(scope, error, input, *at).map(|()| false),
            Ok(Step::More) => Ok(false),
            Ok(Step::Head(head)) => self.head(scope, &head, input, at),
            Ok(step) => self.tell(scope, step, input, *at).map(|()| true),
        }
    }

    /// Passes on a piece of a body or the end of a message.
    fn tell(&self, scope: &mut Scope<'_>, step: Step, input: &[u8], at: usize) -> JsResult<()> {
        let id = scope.int(self.id as i32);
        match step {
            Step::Body { len } => {
                if let Some(gathered) = self.rare.borrow_mut().as_mut().and_then(|rare| rare.gathered.as_mut()) {
                    gathered.extend_from_slice(&input[at - len..at]);
                    return Ok(());
                }
                let bytes = copied(scope, &input[at - len..at])?;
                self.net.call(scope, Callback::Body, &[id, bytes]).map(drop)
            }
            _ => {
                if let Some(bytes) = self.take_gathered().filter(|bytes| !bytes.is_empty()) {
                    let bytes = scope.array_buffer(bytes)?;
                    self.net.call(scope, Callback::Body, &[id, bytes])?;
                    if self.over.get() {
                        return Ok(());
                    }
                }
                let text = self.text(scope)?;
                self.net.call(scope, Callback::End, &[id, text]).map(drop)
            }
        }
    }

    /// The parser's text; undefined where it is empty.
    fn text<'s>(&self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        let parser = self.parser();
        if parser.text().is_empty() { Ok(scope.undefined()) } else { scope.latin1_string(parser.text()) }
    }

    fn head(self: &Rc<Self>, scope: &mut Scope<'_>, head: &Head, input: &[u8], at: &mut usize) -> JsResult<bool> {
        let id = scope.int(self.id as i32);
        let text = scope.latin1_string(self.parser().text())?;
        let bits = info(head);
        if self.joined.get() && !head.upgrade {
            if self.kind == Kind::Response && head.number >= 200 && self.bodyless.replace(false) {
                self.parser().skip_body();
            }
            // Most messages end here, and one call says it all.
            let mut body = scope.undefined();
            let mut pending = self.step(input, at);
            let mut piece = None;
            if let Ok(Step::Body { len }) = pending {
                piece = Some((*at - len, *at));
                pending = self.step(input, at);
            }
            let complete = pending == Ok(Step::End) && self.parser().text().is_empty();
            if complete && let Some((from, to)) = piece {
                body = copied(scope, &input[from..to])?;
            }
            let bits = scope.int((bits | if complete { head::COMPLETE } else { 0 }) as i32);
            self.net.call(scope, Callback::Head, &[id, bits, text, body])?;
            if complete || self.over.get() {
                return Ok(true);
            }
            if let Some((from, to)) = piece {
                self.tell(scope, Step::Body { len: to - from }, input, to)?;
                if self.over.get() {
                    return Ok(true);
                }
            }
            return match pending {
                Err(error) => self.refuse(scope, error, input, *at).map(|()| false),
                Ok(Step::More) => Ok(false),
                Ok(step) => self.tell(scope, step, input, *at).map(|()| true),
            };
        }
        let nothing = scope.undefined();
        let bits = scope.int(bits as i32);
        let answer = self.net.call(scope, Callback::Head, &[id, bits, text, nothing])?;
        match answer.as_number() {
            Some(answer::SKIP_BODY) => self.parser().skip_body(),
            Some(answer::TAKE_OVER) if !self.over.get() => {
                self.over.set(true);
                self.detach();
                let rest = copied(scope, &input[*at..])?;
                self.net.call(scope, Callback::Upgrade, &[id, rest])?;
                return Ok(false);
            }
            _ => {}
        }
        Ok(true)
    }

    fn refuse(&self, scope: &mut Scope<'_>, error: ParseError, input: &[u8], at: usize) -> JsResult<()> {
        self.over.set(true);
        self.rare().refused = Some(error);
        let good = self.parser().good_bytes(input.len() - at);
        self.report(scope, error, input, at + good)
    }

    fn report(&self, scope: &mut Scope<'_>, error: ParseError, input: &[u8], at: usize) -> JsResult<()> {
        let args = [
            scope.int(self.id as i32),
            scope.string(error.code)?,
            scope.string(error.reason)?,
            scope.int(at as i32),
            copied(scope, input)?,
        ];
        self.net.call(scope, Callback::HttpError, &args).map(drop)
    }

    /// The connection has ended: calls `End` where that ends a message, else says what is wrong with it.
    pub fn finish(&self, scope: &mut Scope<'_>) -> JsResult<Option<ParseError>> {
        if self.over.get() {
            return Ok(None);
        }
        let finished = self.parser.borrow_mut().as_mut().map_or(Ok(false), |parser| parser.finish());
        match finished {
            Ok(false) => Ok(None),
            Ok(true) => self.tell(scope, Step::End, &[], 0).map(|()| None),
            Err(error) => {
                self.over.set(true);
                Ok(Some(error))
            }
        }
    }

    /// Whether parsing has ended for good.
    pub fn is_stopped(&self) -> bool {
        self.stopped()
    }
}
