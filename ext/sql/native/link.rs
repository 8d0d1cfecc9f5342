//! What connections to all servers share: native code reads the socket in place of JavaScript, keeps what is not a whole message, and
//! tells JavaScript what is left for it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use engine::{Global, JsResult, Local, Scope};
use ext_net::{Reader, Stream, Written, stream_of};

/// Memory that is kept for the next bytes.
const KEPT: usize = 64 << 10;

/// Reads the messages of one kind of server.
pub(crate) trait Protocol: Sized + 'static {
    /// Reads whole messages from the start of `data`, until a part of one is left or the socket is let go of. Gives the length of what
    /// has been read.
    fn read(&self, scope: &mut Scope<'_>, link: &Connection<Self>, data: &[u8]) -> JsResult<usize>;

    /// An answer is expected: the loop waits for the socket.
    fn is_waiting(&self) -> bool;
}

/// Bytes of messages that have not come whole.
#[derive(Default)]
struct Input {
    /// Those that are not read begin at `from`.
    kept: Vec<u8>,
    from: usize,
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

/// What a connection has while it has a socket.
struct Attached {
    /// The socket holds the connection, which therefore does not hold the socket.
    stream: Weak<Stream>,
    /// `(kind, first, …)`: must not throw.
    tell: Global,
}

/// A connection as far as bytes go.
pub(crate) struct Connection<P> {
    pub(crate) protocol: P,
    input: RefCell<Input>,
    attached: RefCell<Option<Attached>>,
    /// The loop waits for the socket also where no answer is expected.
    is_held: Cell<bool>,
}

impl<P: Protocol> Connection<P> {
    pub(crate) fn new(protocol: P) -> Rc<Self> {
        Rc::new(Connection {
            protocol,
            input: RefCell::default(),
            attached: RefCell::default(),
            is_held: Cell::new(true),
        })
    }

    /// Reads the socket with this number from now on. False: there is no such socket.
    pub(crate) fn attach(self: &Rc<Self>, scope: &mut Scope<'_>, stream: u32, tell: Local<'_>) -> bool {
        let Some(stream) = stream_of(scope, stream) else { return false };
        let tell = scope.global(tell);
        *self.attached.borrow_mut() = Some(Attached { stream: Rc::downgrade(&stream), tell });
        self.hold();
        stream.read_by(Some(self.clone()));
        true
    }

    /// Lets go of the socket.
    pub(crate) fn detach(&self) {
        if let Some(stream) = self.stream() {
            stream.read_by(None);
        }
        *self.attached.borrow_mut() = None;
    }

    pub(crate) fn is_attached(&self) -> bool {
        self.attached.borrow().is_some()
    }

    pub(crate) fn stream(&self) -> Option<Rc<Stream>> {
        self.attached.borrow().as_ref().and_then(|attached| attached.stream.upgrade())
    }

    /// See `is_held`.
    pub(crate) fn set_held(&self, on: bool) {
        self.is_held.set(on);
        self.hold();
    }

    /// The loop waits for the socket as long as something is expected of it.
    pub(crate) fn hold(&self) {
        let wanted = self.is_held.get() || self.protocol.is_waiting();
        if let Some(stream) = self.stream()
            && stream.has_ref() != wanted
        {
            stream.set_ref(wanted);
        }
    }

    /// Writes the first bytes of a buffer. Gives 0 if the kernel has them, 1 if the write event will tell (nothing of the buffer is needed
    /// any more), or a negative errno.
    pub(crate) fn write<'s>(&self, scope: &mut Scope<'s>, buffer: Local<'_>, length: u32) -> JsResult<Local<'s>> {
        let written = match (self.stream(), scope.bytes(buffer).and_then(|bytes| bytes.get(..length as usize))) {
            (Some(stream), Some(bytes)) => stream.write(bytes),
            (None, _) => Written::All,
            (_, None) => return Err(scope.throw_type_error("native function expected bytes")),
        };
        Ok(scope.int(match written {
            Written::All => 0,
            Written::Later => 1,
            Written::Failed(errno) => errno,
        }))
    }

    /// Calls the function of JavaScript, unless the socket has been let go of.
    pub(crate) fn tell(&self, scope: &mut Scope<'_>, args: &[Local<'_>]) -> JsResult<()> {
        let tell = match &*self.attached.borrow() {
            Some(attached) => attached.tell.get(scope),
            None => return Ok(()),
        };
        scope.call_function(tell, args).map(drop)
    }
}

impl<P: Protocol> Reader for Connection<P> {
    fn feed(self: Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        // Taken out for the time of the call: what is told runs code of the program.
        let mut input = self.input.take();
        let result = if input.from < input.kept.len() {
            input.kept.extend_from_slice(bytes);
            let data = input.kept.get(input.from..).unwrap_or_default();
            let size = data.len();
            self.protocol.read(scope, &self, data).map(|read| input.skip(read, size - read))
        } else {
            self.protocol.read(scope, &self, bytes).map(|read| {
                input.kept.extend_from_slice(bytes.get(read..).unwrap_or_default());
            })
        };
        self.input.replace(input);
        self.hold();
        result
    }
}
