//! Frames of WebSockets (RFC 6455). Whole frames go to JavaScript, text as strings; messages in several frames, compressed ones
//! and control frames are JavaScript's business (ext/fetch/websocket/frames.ts).

use std::cell::{Cell, RefCell};

use engine::{JsResult, Local, OpError, Scope};

use super::wire::{FIN, TEXT, header, mask};
pub use super::wire::{begin, finish};
use crate::net::Net;
use crate::stream::Stream;

/// What reads the frames of a connection.
pub struct Frames {
    /// Frames must be masked (those of clients), or must not be.
    masked: bool,
    /// Most bytes of a frame.
    limit: u64,
    /// The beginning of a frame whose end has not come.
    rest: RefCell<Vec<u8>>,
    stopped: Cell<bool>,
}

impl Frames {
    /// See the fields.
    pub fn new(masked: bool, limit: u64) -> Self {
        Frames { masked, limit, rest: RefCell::default(), stopped: Cell::new(false) }
    }

    /// Takes what has come and hands on the frames that are complete.
    pub fn feed(&self, scope: &mut Scope<'_>, stream: &Stream, input: &[u8]) -> JsResult<()> {
        if self.stopped.get() {
            return Ok(());
        }
        let mut joined = self.rest.take();
        let kept = !joined.is_empty();
        if kept {
            joined.extend_from_slice(input);
        }
        let data = if kept { &joined[..] } else { input };
        let mut at = 0;
        while !stream.is_closing() {
            match header(&data[at..], self.masked, self.limit) {
                Ok(None) => break,
                Ok(Some(header)) => {
                    let size = header.size as usize;
                    let Some(payload) = data[at + header.length..].get(..size) else { break };
                    at += header.length + size;
                    scope.nested(|scope| self.tell(scope, stream, &header, payload))?;
                }
                Err((code, reason)) => {
                    self.stopped.set(true);
                    let head = i32::from(data[at]) << 8 | i32::from(data[at + 1]);
                    let args = [
                        scope.int(stream.id as i32),
                        scope.int(i32::from(code)),
                        scope.string(reason)?,
                        scope.int(head),
                    ];
                    return stream.net().call_frame(scope, &args);
                }
            }
        }
        if at == 0 && kept {
            *self.rest.borrow_mut() = joined;
        } else {
            self.rest.borrow_mut().extend_from_slice(&data[at..]);
        }
        Ok(())
    }

    fn tell(
        &self,
        scope: &mut Scope<'_>,
        stream: &Stream,
        header: &super::wire::Header,
        payload: &[u8],
    ) -> JsResult<()> {
        let plain_text = header.first == FIN | TEXT;
        let data = if plain_text && !self.masked {
            Self::text(scope, payload)?
        } else {
            let mut bytes = payload.to_vec();
            if self.masked {
                mask(&mut bytes, header.key);
            }
            if plain_text { Self::text(scope, &bytes)? } else { scope.array_buffer(bytes)? }
        };
        let args = [scope.int(stream.id as i32), scope.int(i32::from(header.first)), data];
        stream.net().call_frame(scope, &args)
    }

    /// A string, or undefined for what is no UTF-8.
    fn text<'s>(scope: &mut Scope<'s>, bytes: &[u8]) -> JsResult<Local<'s>> {
        match std::str::from_utf8(bytes) {
            Ok(text) => scope.string(text),
            Err(_) => Ok(scope.undefined()),
        }
    }
}

/// Unpredictable masking keys: random bytes are had from the system for many frames at once.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// The next key.
    pub fn take(&mut self) -> Result<[u8; 4], OpError> {
        if self.bytes.len() < 4 {
            self.bytes.resize(1024, 0);
            // SAFETY: writes into a valid slice.
            let count = unsafe { libc::getrandom(self.bytes.as_mut_ptr().cast(), self.bytes.len(), 0) };
            if count != self.bytes.len() as isize {
                self.bytes.clear();
                return Err(OpError::error("the system has no random bytes"));
            }
        }
        let from = self.bytes.len() - 4;
        let key = [self.bytes[from], self.bytes[from + 1], self.bytes[from + 2], self.bytes[from + 3]];
        self.bytes.truncate(from);
        Ok(key)
    }
}

/// The thread's keys.
pub fn next_key(net: &Net) -> Result<[u8; 4], OpError> {
    net.keys.borrow_mut().take()
}
