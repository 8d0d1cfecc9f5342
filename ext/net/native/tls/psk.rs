//! Pre-shared keys of TLS 1.2 (RFC 4279, RFC 5489). The library asks for a key in the middle of a call; JavaScript is asked before
//! the message comes to the library that it needs the key for. Until keys change all messages are in the clear.

use std::ffi::{CString, c_char, c_uint};

use ssl::SSL;

use super::callbacks::link;

/// What the program is asked.
pub enum Question {
    /// A client: which identity and key, with the server's hint.
    Hint(Option<Vec<u8>>),
    /// A server: the key of an identity.
    Identity(Vec<u8>),
}

/// What the program has answered: identity (a client's) and key.
pub(super) struct Answer {
    pub identity: CString,
    pub key: Vec<u8>,
}

/// The longest record that there is, encrypted (RFC 5246, 6.2.3).
const MAX_RECORD: usize = (1 << 14) + (1 << 11);
/// Longer messages are left to the library to refuse.
const MAX_MESSAGE: usize = 1 << 18;
const RECORD_HEAD: usize = 5;
const MESSAGE_HEAD: usize = 4;

// Types of records and messages (RFC 5246, 6.2.1 and 7.4).
const HANDSHAKE: u8 = 22;
const ALERT: u8 = 21;
const SERVER_HELLO: u8 = 2;
const SERVER_KEY_EXCHANGE: u8 = 12;
const SERVER_HELLO_DONE: u8 = 14;
const CLIENT_KEY_EXCHANGE: u8 = 16;

/// Whether a suite's peers show by a key who they are.
unsafe fn uses_key(suite: *const ssl::SSL_CIPHER) -> bool {
    // SAFETY: null or one of the library's constants.
    unsafe { !suite.is_null() && ssl::SSL_CIPHER_get_auth_nid(suite) == ssl::crypto::NID_auth_psk }
}

/// Whether the suite of a connection is one with a pre-shared key.
///
/// # Safety
/// `ssl` is a live connection.
pub(super) unsafe fn is_used(ssl: *const SSL) -> bool {
    // SAFETY: as the caller says.
    unsafe { uses_key(ssl::SSL_get_current_cipher(ssl)) }
}

/// Watches for the message that a key is needed for.
#[derive(Default)]
pub(super) struct Watch {
    /// A record that has begun.
    record: Vec<u8>,
    /// Messages that have begun, without the heads of records.
    messages: Vec<u8>,
    /// A client has seen that the server chose a suite with a key.
    chosen: bool,
    is_over: bool,
}

impl Watch {
    /// Looks at ciphertext before the library does. With a question, the library may have only so many bytes of it before the answer
    /// is there. Asks once.
    ///
    /// # Safety
    /// `ssl` is a live connection.
    pub(super) unsafe fn look(&mut self, ssl: *const SSL, input: &[u8]) -> Option<(usize, Question)> {
        let mut at = 0;
        // Where the record begins in `input`; its first bytes may have come earlier.
        let mut begin = 0;
        while !self.is_over && at < input.len() {
            let wanted = match self.record.get(..RECORD_HEAD) {
                Some(head) => RECORD_HEAD + usize::from(u16::from_be_bytes([head[3], head[4]])),
                None => RECORD_HEAD,
            };
            if wanted > RECORD_HEAD + MAX_RECORD {
                self.is_over = true;
                break;
            }
            let taken = (wanted - self.record.len()).min(input.len() - at);
            self.record.extend_from_slice(&input[at..at + taken]);
            at += taken;
            let is_whole = self.record.len() == wanted && (wanted > RECORD_HEAD || self.record[3..] == [0, 0]);
            if !is_whole {
                continue;
            }
            match self.record[0] {
                HANDSHAKE => self.messages.extend_from_slice(&self.record[RECORD_HEAD..]),
                ALERT => {}
                // Keys change, or it is no handshake.
                _ => self.is_over = true,
            }
            self.record.clear();
            // SAFETY: as the caller says.
            if let Some(question) = unsafe { self.next_question(ssl) } {
                self.is_over = true;
                return Some((begin, question));
            }
            begin = at;
        }
        None
    }

    /// Reads the messages that are whole.
    unsafe fn next_question(&mut self, ssl: *const SSL) -> Option<Question> {
        // SAFETY: as for the caller.
        let is_server = unsafe { ssl::SSL_is_server(ssl) } == 1;
        while let Some(head) = self.messages.get(..MESSAGE_HEAD) {
            let length = usize::from(head[1]) << 16 | usize::from(head[2]) << 8 | usize::from(head[3]);
            if length > MAX_MESSAGE {
                self.is_over = true;
                return None;
            }
            let body = self.messages.get(MESSAGE_HEAD..MESSAGE_HEAD + length)?;
            let question = match (head[0], is_server) {
                // SAFETY: as for the caller.
                (CLIENT_KEY_EXCHANGE, true) => unsafe { uses_key(ssl::SSL_get_pending_cipher(ssl)) }
                    .then(|| Question::Identity(name(body).unwrap_or_default().to_vec())),
                (SERVER_HELLO, false) => {
                    // SAFETY: a number, and a constant or null.
                    self.chosen =
                        suite(body).is_some_and(|number| unsafe { uses_key(ssl::SSL_get_cipher_by_value(number)) });
                    self.is_over = !self.chosen;
                    None
                }
                (SERVER_KEY_EXCHANGE, false) if self.chosen => {
                    Some(Question::Hint(name(body).filter(|hint| !hint.is_empty()).map(<[u8]>::to_vec)))
                }
                (SERVER_HELLO_DONE, false) if self.chosen => Some(Question::Hint(None)),
                _ => None,
            };
            self.messages.drain(..MESSAGE_HEAD + length);
            if question.is_some() {
                return question;
            }
        }
        None
    }
}

/// The bytes behind a length of two bytes, at the beginning of a message.
fn name(body: &[u8]) -> Option<&[u8]> {
    let (length, rest) = body.split_first_chunk::<2>()?;
    rest.get(..usize::from(u16::from_be_bytes(*length)))
}

/// The suite of a ServerHello: behind version, random bytes and the session's identification.
fn suite(body: &[u8]) -> Option<u16> {
    let rest = body.get(2 + 32..)?;
    let (&length, rest) = rest.split_first()?;
    let number = rest.get(usize::from(length)..)?.first_chunk::<2>()?;
    Some(u16::from_be_bytes(*number))
}

/// Gives the library what the program has answered, and nothing if it has no key.
unsafe fn give(ssl: *mut SSL, identity: Option<(*mut c_char, usize)>, key: *mut u8, room: usize) -> c_uint {
    // SAFETY: the library calls with a live connection and places of that much room.
    unsafe {
        let Some(answer) = link(ssl).and_then(|link| link.key.borrow_mut().take()) else { return 0 };
        let name = answer.identity.as_bytes_with_nul();
        if answer.key.len() > room || identity.is_some_and(|(_, room)| name.len() > room) {
            return 0;
        }
        if let Some((place, _)) = identity {
            std::ptr::copy_nonoverlapping(name.as_ptr(), place.cast(), name.len());
        }
        std::ptr::copy_nonoverlapping(answer.key.as_ptr(), key, answer.key.len());
        answer.key.len() as c_uint
    }
}

pub(super) unsafe extern "C" fn client(
    ssl: *mut SSL,
    _: *const c_char,
    identity: *mut c_char,
    identity_room: c_uint,
    key: *mut u8,
    room: c_uint,
) -> c_uint {
    // SAFETY: as the library calls it.
    unsafe { give(ssl, Some((identity, identity_room as usize)), key, room as usize) }
}

pub(super) unsafe extern "C" fn server(ssl: *mut SSL, _: *const c_char, key: *mut u8, room: c_uint) -> c_uint {
    // SAFETY: as the library calls it.
    unsafe { give(ssl, None, key, room as usize) }
}

#[cfg(test)]
mod tests {
    use super::{name, suite};

    #[test]
    fn parts_of_messages() {
        assert_eq!(name(b"\x00\x02abc"), Some(b"ab".as_slice()));
        assert_eq!(name(b"\x00\x04abc"), None);
        assert_eq!(name(b"\x00"), None);
        let mut hello = vec![3, 3];
        hello.extend([7; 32]);
        hello.extend([2, 9, 9, 0, 0x8c, 0]);
        assert_eq!(suite(&hello), Some(0x8c));
        assert_eq!(suite(&hello[..38]), None);
    }
}
