//! `enableTrace`: says on standard error what TLS sends and receives. The order and the names are those of OpenSSL's `SSL_trace`;
//! what is in the messages is not shown.

use std::ffi::{c_int, c_void};
use std::fmt::Write as _;

use ssl::SSL;

/// The number of a message about the head of a record.
const HEAD: c_int = 256;

fn version(number: u16) -> &'static str {
    match number {
        0x0301 => "TLS 1.0",
        0x0302 => "TLS 1.1",
        0x0303 => "TLS 1.2",
        0x0304 => "TLS 1.3",
        _ => "UNKNOWN",
    }
}

/// Types of records (RFC 8446, 5.1).
fn content(kind: u8) -> &'static str {
    match kind {
        20 => "ChangeCipherSpec",
        21 => "Alert",
        22 => "Handshake",
        23 => "ApplicationData",
        _ => "UNKNOWN",
    }
}

/// Types of messages (RFC 8446, 4 and RFC 5246, 7.4).
fn message(kind: u8) -> &'static str {
    match kind {
        0 => "HelloRequest",
        1 => "ClientHello",
        2 => "ServerHello",
        4 => "NewSessionTicket",
        5 => "EndOfEarlyData",
        8 => "EncryptedExtensions",
        11 => "Certificate",
        12 => "ServerKeyExchange",
        13 => "CertificateRequest",
        14 => "ServerHelloDone",
        15 => "CertificateVerify",
        16 => "ClientKeyExchange",
        20 => "Finished",
        22 => "CertificateStatus",
        24 => "KeyUpdate",
        _ => "UNKNOWN",
    }
}

/// Descriptions of alerts (RFC 8446, 6.2).
fn alert(code: u8) -> &'static str {
    match code {
        0 => "close notify",
        10 => "unexpected_message",
        20 => "bad record mac",
        22 => "record overflow",
        40 => "handshake failure",
        42 => "bad certificate",
        43 => "unsupported certificate",
        44 => "certificate revoked",
        45 => "certificate expired",
        46 => "certificate unknown",
        47 => "illegal parameter",
        48 => "unknown CA",
        49 => "access denied",
        50 => "decode error",
        51 => "decrypt error",
        70 => "protocol version",
        71 => "insufficient security",
        80 => "internal error",
        90 => "user canceled",
        109 => "missing extension",
        110 => "unsupported extension",
        112 => "unrecognized name",
        113 => "bad certificate status response",
        115 => "unknown PSK identity",
        116 => "certificate required",
        120 => "no application protocol",
        _ => "UNKNOWN",
    }
}

/// The lines about one message of the library.
fn lines(is_sent: bool, kind: c_int, bytes: &[u8]) -> String {
    let mut text = String::new();
    match (kind, bytes) {
        (HEAD, &[kind, major, minor, high, low]) => {
            let number = u16::from_be_bytes([major, minor]);
            let length = u16::from_be_bytes([high, low]);
            let _ = write!(
                text,
                "{} Record\nHeader:\n  Version = {} ({number:#x})\n  Content Type = {} ({kind})\n  Length = {length}\n",
                if is_sent { "Sent" } else { "Received" },
                version(number),
                content(kind),
            );
        }
        (22, &[kind, high, middle, low, ..]) => {
            let length = u32::from_be_bytes([0, high, middle, low]);
            let _ = writeln!(text, "    {}, Length={length}", message(kind));
        }
        (20, _) => text.push_str("    change_cipher_spec (1)\n"),
        (21, &[level, code]) => {
            let level_name = if level == 1 { "warning" } else { "fatal" };
            let _ = writeln!(text, "    Level={level_name}({level}), description={}({code})", alert(code));
        }
        _ => return text,
    }
    if kind != HEAD {
        text.push('\n');
    }
    text
}

pub(super) unsafe extern "C" fn tell(
    is_sent: c_int,
    _: c_int,
    kind: c_int,
    data: *const c_void,
    length: usize,
    _: *mut SSL,
    _: *mut c_void,
) {
    // SAFETY: the library calls with so many bytes.
    let bytes = if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) } };
    base::stderr::say(&lines(is_sent == 1, kind, bytes));
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn messages() {
        let head = lines(true, 256, &[22, 3, 1, 2, 0]);
        assert_eq!(
            head,
            "Sent Record\nHeader:\n  Version = TLS 1.0 (0x301)\n  Content Type = Handshake (22)\n  Length = 512\n"
        );
        assert_eq!(lines(false, 22, &[1, 0, 1, 4, 3, 3]), "    ClientHello, Length=260\n\n");
        assert_eq!(lines(false, 21, &[2, 40]), "    Level=fatal(2), description=handshake failure(40)\n\n");
        assert_eq!(lines(false, 257, &[1]), "");
    }
}
