//! The sockets of a thread, their numbers, and the functions of JavaScript that are told what happens to them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::{Exc, Global, JsResult, Local, OpError, Scope};
use poll::Poller;

use crate::h2::H2;
use crate::h3::{Endpoint, H3};
use crate::http::Messages;
use crate::listener::Listener;
use crate::stream::Stream;
use crate::tls::Context;
use crate::udp::Udp;

/// Bytes of one read.
pub(crate) const READ_SIZE: usize = 64 << 10;

/// Node's number for the end of a stream.
pub(crate) const UV_EOF: i32 = -4095;

/// The functions of ext/net/native.ts, in the order in which it passes them.
#[derive(Debug, Clone, Copy)]
pub enum Callback {
    /// `(socket, ArrayBuffer | undefined, errno)`
    Read,
    /// `(socket, errno)`: everything that was queued is written, or cannot be.
    Write,
    /// `(socket, errno)`
    Connect,
    /// `(listener, errno, socket)`
    Connection,
    /// `(number)`: it may be used again.
    Close,
    /// `(socket, ArrayBuffer | undefined, errno, address, port, family)`
    Datagram,
    /// `(parser, info, text, body | undefined)`: see `http::Messages`.
    Head,
    /// `(parser, ArrayBuffer)`
    Body,
    /// `(parser, trailers)`
    End,
    /// `(parser, code, reason, bytes parsed, ArrayBuffer)`
    HttpError,
    /// `(parser, ArrayBuffer)`: JavaScript has taken the connection over; these bytes were read already.
    Upgrade,
    /// `(socket, kind, text, text)`: 0 the handshake is done; 1 it failed (code, message); 2 a ClientHello waits for a
    /// context (server name, protocols).
    Tls,
}

const CALLBACKS: usize = Callback::Tls as usize + 1;

/// What a number stands for.
#[derive(Clone)]
pub enum Resource {
    Stream(Rc<Stream>),
    Listener(Rc<Listener>),
    Udp(Rc<Udp>),
    Messages(Rc<Messages>),
    TlsContext(Rc<Context>),
    H2(Rc<H2>),
    H3(Rc<H3>),
    H3Endpoint(Rc<Endpoint>),
}

/// The state of the family in a thread.
pub struct Net {
    pub poller: Rc<Poller>,
    resources: RefCell<Vec<Option<Resource>>>,
    free: RefCell<Vec<u32>>,
    callbacks: RefCell<Vec<Global>>,
    /// `(socket, first byte of a frame, string | ArrayBuffer | undefined)`, undefined for text that is no UTF-8; or
    /// `(socket, close code, reason, its first two bytes)` for what is no frame: see `http::frames`. Set with the first WebSocket.
    pub frame_callback: RefCell<Option<Global>>,
    /// `(session, kind, stream, …)`: see `h2`. Set with the first session of HTTP/2.
    pub h2_callback: RefCell<Option<Global>>,
    /// `(session, kind, stream, …)`: see `h3`. Set with the first endpoint of HTTP/3.
    pub h3_callback: RefCell<Option<Global>>,
    buffer: RefCell<Vec<u8>>,
    /// Bytes of strings on their way into a socket.
    pub out: RefCell<Vec<u8>>,
    /// A parser that has no message, for the next connection that has one.
    pub idle_parser: Cell<Option<Box<crate::http::parse::Parser>>>,
    /// A descriptor to give up where there are no more.
    pub spare: Cell<i32>,
    /// The line of the Date header, for one second.
    pub date: RefCell<crate::http::date::DateLine>,
    /// Masking keys of WebSockets.
    pub keys: RefCell<crate::http::frames::Keys>,
    /// Sockets that keep what was published to them until the end of the turn.
    pub published: RefCell<Vec<Rc<Stream>>>,
}

impl Net {
    /// The state of this thread.
    pub fn of(scope: &mut Scope<'_>) -> Rc<Net> {
        if let Some(net) = scope.state().get::<Rc<Net>>() {
            return net.clone();
        }
        let net = Rc::new(Net {
            poller: Poller::of(scope),
            resources: RefCell::default(),
            free: RefCell::default(),
            callbacks: RefCell::default(),
            frame_callback: RefCell::default(),
            h2_callback: RefCell::default(),
            h3_callback: RefCell::default(),
            buffer: RefCell::default(),
            out: RefCell::default(),
            idle_parser: Cell::default(),
            spare: Cell::new(-1),
            date: RefCell::default(),
            keys: RefCell::default(),
            published: RefCell::default(),
        });
        scope.state().put(net.clone());
        net
    }

    /// Sets the functions of [`Callback`].
    pub fn set_callbacks(&self, callbacks: Vec<Global>) -> Result<(), OpError> {
        if callbacks.len() != CALLBACKS {
            return Err(OpError::type_error("native function expected one function per event"));
        }
        *self.callbacks.borrow_mut() = callbacks;
        Ok(())
    }

    /// Calls a function of JavaScript.
    pub fn call<'s>(&self, scope: &mut Scope<'s>, callback: Callback, args: &[Local<'_>]) -> JsResult<Local<'s>> {
        let function = match self.callbacks.borrow().get(callback as usize) {
            Some(function) => function.get(scope),
            None => return Ok(scope.undefined()),
        };
        scope.call_function(function, args)
    }

    /// Calls [`Net::frame_callback`].
    pub fn call_frame(&self, scope: &mut Scope<'_>, args: &[Local<'_>]) -> JsResult<()> {
        let function = match &*self.frame_callback.borrow() {
            Some(function) => function.get(scope),
            None => return Ok(()),
        };
        scope.call_function(function, args).map(drop)
    }

    /// Calls [`Net::h2_callback`].
    pub fn call_h2(&self, scope: &mut Scope<'_>, args: &[Local<'_>]) -> JsResult<()> {
        let function = match &*self.h2_callback.borrow() {
            Some(function) => function.get(scope),
            None => return Ok(()),
        };
        scope.call_function(function, args).map(drop)
    }

    /// Calls [`Net::h3_callback`].
    pub fn call_h3(&self, scope: &mut Scope<'_>, args: &[Local<'_>]) -> JsResult<()> {
        let function = match &*self.h3_callback.borrow() {
            Some(function) => function.get(scope),
            None => return Ok(()),
        };
        scope.call_function(function, args).map(drop)
    }

    /// Gives a number to what `make` makes for it.
    pub fn insert(&self, make: impl FnOnce(u32) -> Resource) -> u32 {
        let id = self.free.borrow_mut().pop().unwrap_or_else(|| {
            let mut resources = self.resources.borrow_mut();
            resources.push(None);
            (resources.len() - 1) as u32
        });
        let resource = make(id);
        self.resources.borrow_mut()[id as usize] = Some(resource);
        id
    }

    /// Closes everything at the end of the thread: what has a number and this table hold each other.
    pub fn close_all(&self) {
        let resources = std::mem::take(&mut *self.resources.borrow_mut());
        let spare = self.spare.replace(-1);
        if spare >= 0 {
            // SAFETY: ours, and forgotten.
            unsafe { libc::close(spare) };
        }
        for resource in resources.into_iter().flatten() {
            match resource {
                Resource::Stream(stream) => stream.close(),
                Resource::Listener(listener) => listener.close(),
                Resource::Udp(socket) => socket.close(),
                Resource::H3Endpoint(endpoint) => endpoint.close(),
                Resource::Messages(_) | Resource::TlsContext(_) | Resource::H2(_) | Resource::H3(_) => {}
            }
        }
    }

    /// Frees a number.
    pub fn release(&self, id: u32) {
        let resource = self.resources.borrow_mut().get_mut(id as usize).and_then(Option::take);
        if resource.is_some() {
            self.free.borrow_mut().push(id);
        }
    }

    /// What has this number.
    pub fn get(&self, id: u32) -> Option<Resource> {
        self.resources.borrow().get(id as usize).and_then(Clone::clone)
    }

    /// The socket with this number.
    pub fn stream(&self, id: u32) -> Option<Rc<Stream>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::Stream(stream))) => Some(stream.clone()),
            _ => None,
        }
    }

    /// The listener with this number.
    pub fn listener(&self, id: u32) -> Option<Rc<Listener>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::Listener(listener))) => Some(listener.clone()),
            _ => None,
        }
    }

    /// The datagram socket with this number.
    pub fn udp(&self, id: u32) -> Option<Rc<Udp>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::Udp(udp))) => Some(udp.clone()),
            _ => None,
        }
    }

    /// Whether a datagram socket has this descriptor.
    pub fn has_datagram_fd(&self, fd: i32) -> bool {
        let resources = self.resources.borrow();
        resources
            .iter()
            .any(|entry| matches!(entry, Some(Resource::Udp(udp)) if fd >= 0 && udp.fd() == fd && udp.is_receiving()))
    }

    /// The message parser with this number, which may be that of the socket it is a part of.
    pub fn messages(&self, id: u32) -> Option<Rc<Messages>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::Messages(messages))) => Some(messages.clone()),
            Some(Some(Resource::Stream(stream))) => stream.own_messages(),
            _ => None,
        }
    }

    /// The TLS context with this number.
    pub fn tls_context(&self, id: u32) -> Option<Rc<Context>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::TlsContext(context))) => Some(context.clone()),
            _ => None,
        }
    }

    /// The session of HTTP/2 with this number.
    pub fn h2(&self, id: u32) -> Option<Rc<H2>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::H2(h2))) => Some(h2.clone()),
            _ => None,
        }
    }

    /// The session of HTTP/3 with this number.
    pub fn h3(&self, id: u32) -> Option<Rc<H3>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::H3(h3))) => Some(h3.clone()),
            _ => None,
        }
    }

    /// The endpoint of HTTP/3 with this number.
    pub fn h3_endpoint(&self, id: u32) -> Option<Rc<Endpoint>> {
        match self.resources.borrow().get(id as usize) {
            Some(Some(Resource::H3Endpoint(endpoint))) => Some(endpoint.clone()),
            _ => None,
        }
    }

    /// Lends the thread's read buffer. One that is lent already is replaced by a new one, so this nests.
    pub fn take_buffer(&self) -> Vec<u8> {
        let mut buffer = self.buffer.take();
        if buffer.len() < READ_SIZE {
            buffer.resize(READ_SIZE, 0);
        }
        buffer
    }

    /// Takes the read buffer back.
    pub fn give_buffer(&self, buffer: Vec<u8>) {
        *self.buffer.borrow_mut() = buffer;
    }

    /// Tells JavaScript that the number of something closed may be used again.
    pub fn closed(&self, scope: &mut Scope<'_>, id: u32) -> JsResult<()> {
        let number = scope.int(id as i32);
        let result = self.call(scope, Callback::Close, &[number]).map(drop);
        self.release(id);
        result
    }
}

/// An ArrayBuffer with a copy of `bytes`.
pub(crate) fn copied<'s>(scope: &mut Scope<'s>, bytes: &[u8]) -> Result<Local<'s>, Exc> {
    scope.array_buffer(bytes.to_vec())
}

/// The positive errno of the last failed call.
pub(crate) fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// The negative errno of an error, as libuv has it.
pub(crate) fn negative(error: &std::io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
