//! TLS between a connection and its reader.

use std::rc::Rc;

use engine::{JsResult, Scope, ts_constants};

use super::{Stream, Written};
use crate::net::{Callback, UV_EOF};
use crate::tls::{Question, Received, Session};

/// What a connection with TLS tells JavaScript ([`Callback::Tls`]).
#[ts_constants]
enum TlsEvent {
    /// The handshake is done.
    Secured,
    /// It failed: code and message.
    Failed,
    /// A ClientHello waits for a context: server name and protocols. Marks of [`tls_hello`] stand beside the number.
    Hello,
    /// There are new sessions.
    Sessions,
    /// A line for key logs.
    KeyLog,
    /// A pre-shared key is needed: a client is given the hint (and with it the mark of [`tls_hello`]), a server the identity.
    PreSharedKey,
}

/// What stands beside [`TlsEvent::Hello`].
#[ts_constants]
mod tls_hello {
    /// The bits of the event.
    pub(super) const EVENT: i32 = 15;
    /// The client has a session.
    pub(super) const HAS_TICKET: i32 = 1 << 4;
    /// The client asks for a status of the certificate (OCSP).
    pub(super) const WANTS_STATUS: i32 = 1 << 5;
    /// The server has given a hint about its pre-shared key.
    pub(super) const HAS_HINT: i32 = 1 << 6;
}

impl Stream {
    pub(super) fn write_tls(self: &Rc<Self>, tls: &mut Session) -> Written {
        let mut out = Vec::new();
        tls.take_output(&mut out);
        if out.is_empty() { Written::All } else { self.write_raw(&out) }
    }

    /// Speaks TLS from now on.
    pub fn start_tls(self: &Rc<Self>, mut session: Session) -> i32 {
        let written = self.write_tls(&mut session);
        *self.tls.borrow_mut() = Some(Box::new(session));
        match written {
            Written::Failed(errno) => errno,
            _ => 0,
        }
    }

    /// Does something with the TLS state, if there is one, and sends what comes of it.
    pub fn with_tls<T>(self: &Rc<Self>, f: impl FnOnce(&mut Session) -> T) -> Option<T> {
        let mut tls = self.tls.borrow_mut();
        let session = tls.as_mut()?;
        let result = f(session);
        let _ = self.write_tls(session);
        Some(result)
    }

    /// Hands on what came of ciphertext.
    pub fn received(self: &Rc<Self>, scope: &mut Scope<'_>, received: Received) -> JsResult<()> {
        if let Some(hello) = received.hello {
            let mark = |on: bool, bit: i32| if on { bit } else { 0 };
            let marks =
                mark(hello.has_ticket, tls_hello::HAS_TICKET) | mark(hello.wants_status, tls_hello::WANTS_STATUS);
            self.with_tls(|tls| tls.remember_id(hello.session_id));
            self.tell_tls(scope, TlsEvent::Hello as i32 | marks, &hello.name, &hello.protocols)?;
        }
        if let Some(question) = received.question {
            let (mark, text) = match question {
                Question::Hint(None) => (0, Vec::new()),
                Question::Hint(Some(hint)) => (tls_hello::HAS_HINT, hint),
                Question::Identity(identity) => (0, identity),
            };
            self.tell_tls(scope, TlsEvent::PreSharedKey as i32 | mark, &String::from_utf8_lossy(&text), "")?;
        }
        for line in &received.keys {
            self.tell_tls(scope, TlsEvent::KeyLog as i32, line, "")?;
        }
        if received.sessions && !self.closing.get() {
            self.tell_tls(scope, TlsEvent::Sessions as i32, "", "")?;
        }
        if received.secured {
            self.tell_tls(scope, TlsEvent::Secured as i32, "", "")?;
        }
        if !received.plaintext.is_empty() && !self.closing.get() {
            scope.nested(|scope| self.deliver(scope, &received.plaintext))?;
        }
        if let Some(failure) = received.failure {
            return if self.closing.get() {
                Ok(())
            } else {
                self.tell_tls(scope, TlsEvent::Failed as i32, &failure.code, &failure.text)
            };
        }
        if received.ended && !self.closing.get() {
            self.readable.set(false);
            return self.end(scope, UV_EOF);
        }
        Ok(())
    }

    fn tell_tls(&self, scope: &mut Scope<'_>, kind: i32, first: &str, second: &str) -> JsResult<()> {
        let args = [scope.int(self.id as i32), scope.int(kind), scope.string(first)?, scope.string(second)?];
        self.net.call(scope, Callback::Tls, &args).map(drop)
    }

    /// Whether what is written waits for the handshake, or for JavaScript to look at the peer.
    pub(super) fn is_shaking_hands(&self) -> bool {
        !self.over.get() && self.tls.borrow().as_ref().is_some_and(|tls| tls.is_waiting())
    }

    /// JavaScript has agreed to who the peer is: what was written meanwhile goes out, and an end that was asked for comes behind it.
    pub fn release_tls(self: &Rc<Self>) {
        self.with_tls(Session::release);
        // Who was told to wait for the handshake learns from JavaScript that it is over.
        self.sated();
        if self.shutdown.get() {
            self.call_again();
        }
    }
}
