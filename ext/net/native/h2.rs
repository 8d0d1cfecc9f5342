//! HTTP/2 on a connection: [`http2::Session`] between a [`Stream`] and JavaScript.
//!
//! What comes is told event by event with one call each, before the next frame is looked at. What is to be sent is gathered and goes to
//! the socket at the end of a chunk of input, or when JavaScript says so ([`H2::flush`]): as long as the kernel does not take it, neither are bodies
//! made into frames nor is anything read.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::{Exc, JsResult, Local, Scope};
use http2::{Event, Session};

use crate::net::{Net, Resource, copied};
use crate::stream::{Stream, Written};

/// What JavaScript is told; the third argument of the callback is the stream (0: the connection).
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Everything that came of one chunk has been told.
    Done,
    /// `(flags, text, sensitive names | undefined)`; flags: category, 4 the end, 8 a new stream.
    Headers,
    /// `(ArrayBuffer)`
    Data,
    End,
    /// `(code)`
    Closed,
    Written,
    WantTrailers,
    Settings,
    SettingsAck,
    /// `(ack, ArrayBuffer)`
    Ping,
    /// `(code, last stream, ArrayBuffer)`
    Goaway,
    /// `(parent, weight, exclusive)`
    Priority,
    /// `(origin, value)`
    AltSvc,
    /// `(text)`: origins, each with a NUL.
    Origin,
    /// `(type, code)`
    FrameError,
    /// `(number, too many invalid frames)`
    Error,
    /// `(code)`
    Terminated,
    /// `(ArrayBuffer)`: to be written by JavaScript, where there is no socket of this crate.
    Output,
    /// Nothing is left to be sent.
    Drained,
}

/// Bytes of frames that are made before they go to the kernel.
const BUDGET: usize = 128 << 10;

/// Bits of [`H2::watched`].
pub(crate) const WATCH_PRIORITY: u32 = 1;
pub(crate) const WATCH_DRAINED: u32 = 2;

/// A session and where its bytes go.
pub struct H2 {
    net: Rc<Net>,
    pub id: u32,
    pub session: RefCell<Session>,
    stream: RefCell<Option<Rc<Stream>>>,
    feeding: Cell<bool>,
    flushing: Cell<bool>,
    /// The kernel, or JavaScript, has not taken what was written last.
    writing: Cell<bool>,
    /// Reading waits until it has.
    held: Cell<bool>,
    closed: Cell<bool>,
    /// Something has been told since the last [`Kind::Done`].
    told: Cell<bool>,
    outer: Cell<bool>,
    /// Input behind an exception of the program.
    stash: RefCell<Vec<u8>>,
    buffer: RefCell<Vec<u8>>,
    pub watched: Cell<u32>,
    /// Writes to the socket.
    pub writes: Cell<u32>,
}

impl H2 {
    /// A session without a connection: its number.
    pub fn create(net: &Rc<Net>, session: Session) -> u32 {
        net.insert(|id| {
            Resource::H2(Rc::new(H2 {
                net: net.clone(),
                id,
                session: RefCell::new(session),
                stream: RefCell::default(),
                feeding: Cell::new(false),
                flushing: Cell::new(false),
                writing: Cell::new(false),
                held: Cell::new(false),
                closed: Cell::new(false),
                told: Cell::new(false),
                outer: Cell::new(false),
                stash: RefCell::default(),
                buffer: RefCell::default(),
                watched: Cell::new(0),
                writes: Cell::new(0),
            }))
        })
    }

    /// Reads from and writes to `stream` from now on.
    pub fn consume(self: &Rc<Self>, stream: Rc<Stream>) {
        stream.read_h2(Some(self.clone()));
        *self.stream.borrow_mut() = Some(stream);
    }

    /// Takes the session apart; the number is free.
    pub fn free(&self) {
        self.closed.set(true);
        if let Some(stream) = self.stream.take() {
            stream.read_h2(None);
        }
        self.net.release(self.id);
    }

    /// Whether something is still to be sent.
    pub fn is_pending(&self) -> bool {
        self.writing.get() || self.session.borrow().wants_write()
    }

    /// Understands bytes of the peer, then sends what came of it.
    /// `outer`: no JavaScript is running, so ticks and microtasks may run after each event, as in Node.
    pub fn feed(self: &Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8], outer: bool) -> JsResult<()> {
        if self.closed.get() {
            return Ok(());
        }
        self.outer.set(outer);
        let kept = self.stash.take();
        if kept.is_empty() {
            return self.understand(scope, bytes);
        }
        let mut joined = kept;
        joined.extend_from_slice(bytes);
        self.understand(scope, &joined)
    }

    fn understand(self: &Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        let mut at = 0;
        self.feeding.set(true);
        let result = loop {
            let event = self.session.borrow_mut().step(bytes, &mut at);
            let Some(event) = event else { break Ok(()) };
            match scope.nested(|scope| self.tell(scope, event, bytes)) {
                Ok(()) => {}
                Err(exc) => {
                    self.stash.borrow_mut().extend_from_slice(&bytes[at..]);
                    break Err(exc);
                }
            }
            if self.closed.get() {
                break Ok(());
            }
        };
        self.feeding.set(false);
        result?;
        if self.closed.get() {
            return Ok(());
        }
        self.flush(scope)?;
        if self.writing.get()
            && !self.held.get()
            && let Some(stream) = &*self.stream.borrow()
            && stream.is_reading()
        {
            self.held.set(true);
            stream.read_stop();
        }
        Ok(())
    }

    /// Sends what there is, unless the kernel still has to take what was sent before.
    pub fn flush(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        // A chunk that is being understood ends with this.
        if self.feeding.get() || self.flushing.replace(true) {
            return Ok(());
        }
        let result = self.send(scope);
        self.flushing.set(false);
        result?;
        if self.told.replace(false) && !self.closed.get() {
            self.call(scope, Kind::Done, 0, &[])?;
        }
        if self.watched.get() & WATCH_DRAINED != 0 && !self.closed.get() && !self.is_pending() {
            self.call(scope, Kind::Drained, 0, &[])?;
        }
        Ok(())
    }

    fn send(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        loop {
            loop {
                let event = self.session.borrow_mut().next_event();
                let Some(event) = event else { break };
                scope.nested(|scope| self.tell(scope, event, &[]))?;
                if self.closed.get() {
                    return Ok(());
                }
            }
            if self.writing.get() {
                return Ok(());
            }
            let mut buffer = self.buffer.take();
            {
                let mut session = self.session.borrow_mut();
                session.pump(BUDGET);
                if !session.has_output() {
                    *self.buffer.borrow_mut() = buffer;
                    // What pump has found out is still to be told.
                    match session.next_event() {
                        None => return Ok(()),
                        Some(event) => {
                            drop(session);
                            scope.nested(|scope| self.tell(scope, event, &[]))?;
                            continue;
                        }
                    }
                }
                session.take_output(&mut buffer);
            }
            self.writes.set(self.writes.get().wrapping_add(1));
            self.put(scope, &buffer)?;
            if buffer.capacity() <= 2 * BUDGET {
                *self.buffer.borrow_mut() = buffer;
            }
        }
    }

    fn put(self: &Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        let stream = self.stream.borrow().clone();
        match stream {
            // An error comes by the reading side, too, or JavaScript closes.
            Some(stream) => self.writing.set(stream.write(bytes) == Written::Later),
            None => {
                self.writing.set(true);
                let bytes = copied(scope, bytes)?;
                self.call(scope, Kind::Output, 0, &[bytes])?;
            }
        }
        Ok(())
    }

    /// The kernel, or JavaScript, has taken everything.
    pub fn drained(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        self.writing.set(false);
        if self.closed.get() {
            return Ok(());
        }
        self.flush(scope)?;
        if !self.writing.get()
            && self.held.replace(false)
            && let Some(stream) = &*self.stream.borrow()
            && !stream.is_closing()
        {
            stream.read_start();
        }
        Ok(())
    }

    /// Sends a last GOAWAY, behind everything else; nothing is understood any more.
    pub fn close(self: &Rc<Self>, scope: &mut Scope<'_>, code: u32, send: bool) -> JsResult<()> {
        if self.closed.get() {
            return Ok(());
        }
        if send {
            let mut buffer = Vec::new();
            {
                let mut session = self.session.borrow_mut();
                session.terminate(code);
                session.take_output(&mut buffer);
            }
            if !buffer.is_empty() {
                self.put(scope, &buffer)?;
            }
        }
        self.closed.set(true);
        Ok(())
    }

    fn call(&self, scope: &mut Scope<'_>, kind: Kind, stream: u32, args: &[Local<'_>]) -> JsResult<()> {
        let id = scope.int(self.id as i32);
        let kind = scope.int(kind as i32);
        let stream = scope.int(stream as i32);
        let undefined = scope.undefined();
        let outer = scope.boolean(self.outer.get() && self.feeding.get());
        let mut all = [id, kind, stream, undefined, undefined, undefined, outer];
        // Locals of outer scopes: same lifetime rules as for any argument.
        for (place, value) in all[3..6].iter_mut().zip(args) {
            *place = *value;
        }
        self.net.call_h2(scope, &all)
    }

    fn tell(&self, scope: &mut Scope<'_>, event: Event, input: &[u8]) -> Result<(), Exc> {
        self.told.set(true);
        match event {
            Event::Headers { stream, category, end, fresh } => {
                let flags = i32::from(category) | if end { 4 } else { 0 } | if fresh { 8 } else { 0 };
                let (text, sensitive) = {
                    let session = self.session.borrow();
                    let (text, sensitive) = session.headers();
                    let text = scope.latin1_string(text.strip_suffix(&[0]).unwrap_or(text))?;
                    let sensitive = match sensitive.strip_suffix(&[0]) {
                        None => scope.undefined(),
                        Some(names) => scope.latin1_string(names)?,
                    };
                    (text, sensitive)
                };
                let flags = scope.int(flags);
                self.call(scope, Kind::Headers, stream, &[flags, text, sensitive])
            }
            Event::Data { stream, from, to } => {
                let bytes = copied(scope, &input[from..to])?;
                self.call(scope, Kind::Data, stream, &[bytes])
            }
            Event::End { stream } => self.call(scope, Kind::End, stream, &[]),
            Event::Closed { stream, code } => {
                let code = scope.number(f64::from(code));
                self.call(scope, Kind::Closed, stream, &[code])
            }
            Event::Written { stream } => self.call(scope, Kind::Written, stream, &[]),
            Event::WantTrailers { stream } => self.call(scope, Kind::WantTrailers, stream, &[]),
            Event::Settings => self.call(scope, Kind::Settings, 0, &[]),
            Event::SettingsAck => self.call(scope, Kind::SettingsAck, 0, &[]),
            Event::Ping { ack, payload } => {
                let args = [scope.boolean(ack), copied(scope, &payload)?];
                self.call(scope, Kind::Ping, 0, &args)
            }
            Event::Goaway { code, last, data } => {
                let data = if data.is_empty() { scope.undefined() } else { scope.array_buffer(data)? };
                let args = [scope.number(f64::from(code)), scope.int(last as i32), data];
                self.call(scope, Kind::Goaway, 0, &args)
            }
            Event::Priority { stream, parent, weight, exclusive } => {
                if self.watched.get() & WATCH_PRIORITY == 0 {
                    return Ok(());
                }
                let args = [scope.int(parent as i32), scope.int(weight as i32), scope.boolean(exclusive)];
                self.call(scope, Kind::Priority, stream, &args)
            }
            Event::AltSvc { stream, origin, value } => {
                let args = [scope.latin1_string(&origin)?, scope.latin1_string(&value)?];
                self.call(scope, Kind::AltSvc, stream, &args)
            }
            Event::Origin { origins } => {
                let text = scope.latin1_string(origins.strip_suffix(&[0]).unwrap_or(&origins))?;
                self.call(scope, Kind::Origin, 0, &[text])
            }
            Event::FrameError { stream, kind, code } => {
                let args = [scope.int(i32::from(kind)), scope.int(code as i32)];
                self.call(scope, Kind::FrameError, stream, &args)
            }
            Event::Error { code, invalid } => {
                let over = self.session.borrow().is_over();
                let args = [scope.int(code), scope.boolean(invalid), scope.boolean(over)];
                self.call(scope, Kind::Error, 0, &args)
            }
            Event::Terminated { code } => {
                let code = scope.int(code as i32);
                self.call(scope, Kind::Terminated, 0, &[code])
            }
        }
    }
}
