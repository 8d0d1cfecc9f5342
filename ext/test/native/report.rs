//! The report on standard error, see [`base::stderr`].

use engine::{JsStr, op};

/// Keeps text for standard error, to be written with what follows, see `base::stderr`.
#[op]
pub(crate) fn hold(text: JsStr<'_>) {
    base::stderr::append(|held| append(held, &text));
}

/// Keeps the line of a test that passed, without colours: the names of its blocks and its own, and its time in milliseconds
/// where that is more than a hundredth of one.
#[op]
pub(crate) fn hold_pass(path: JsStr<'_>, title: JsStr<'_>, elapsed: f64) {
    base::stderr::append(|held| {
        held.extend_from_slice(b"(pass)");
        append(held, &path);
        held.push(b' ');
        append(held, &title);
        if elapsed > 0.01 {
            use std::io::Write;
            let hundredths = (elapsed * 100.0).round() as u64;
            let _ = write!(held, " [{}.{:02}ms]", hundredths / 100, hundredths % 100);
        }
        held.push(b'\n');
    });
}

fn append(held: &mut Vec<u8>, text: &JsStr<'_>) {
    if !text.is_latin1() {
        held.extend_from_slice(String::from_utf16_lossy(text.utf16()).as_bytes());
    } else if text.latin1().is_ascii() {
        held.extend_from_slice(text.latin1());
    } else {
        for &byte in text.latin1() {
            if byte < 0x80 { held.push(byte) } else { held.extend_from_slice(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]) }
        }
    }
}

/// Writes what is held.
#[op]
pub(crate) fn release() {
    base::stderr::write();
}

/// Has `text` written to standard error before whatever the program writes next; whether the text set before was not needed.
#[op]
pub(crate) fn announce(text: String) -> bool {
    base::stderr::announce(text)
}
