//! deflate, zlib and gzip as streams, by zlib-rs.

use std::ffi::CStr;

use libz_rs_sys as z;

use crate::codec::{Codec, Failure, Room, Step};

/// Largest number of bytes given to the library at once: its counters have 32 bits.
const MAX_STEP: usize = 1 << 30;
const Z_OK: i32 = 0;
const Z_STREAM_END: i32 = 1;
const Z_NEED_DICT: i32 = 2;
const Z_BUF_ERROR: i32 = -5;
const Z_NO_FLUSH: i32 = 0;
const Z_FINISH: u8 = 4;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What a stream does; the numbers are those of `zlib.constants`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Deflate = 1,
    Inflate = 2,
    Gzip = 3,
    Gunzip = 4,
    DeflateRaw = 5,
    InflateRaw = 6,
    Unzip = 7,
}

impl Mode {
    pub(crate) fn from_number(number: u8) -> Option<Mode> {
        use Mode::*;
        [Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip].into_iter().find(|mode| *mode as u8 == number)
    }

    pub(crate) fn compresses(self) -> bool {
        matches!(self, Mode::Deflate | Mode::Gzip | Mode::DeflateRaw)
    }
}

/// Parameters of `deflateInit2` and `inflateInit2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub window_bits: i32,
    pub level: i32,
    pub mem_level: i32,
    pub strategy: i32,
    /// Decompression takes one gzip member only; what follows it is left over.
    pub one_member: bool,
}

/// A stream of [`Mode`]. The library's memory is taken at the first use.
pub(crate) struct Zlib {
    mode: Mode,
    /// The mode, except that Unzip has become what the first bytes say.
    detected: Mode,
    magic_seen: usize,
    settings: Settings,
    dictionary: Vec<u8>,
    /// Boxed: the library's state points back to it.
    stream: Box<z::z_stream>,
    started: bool,
}

// SAFETY: the stream and what hangs on it belong to this value alone.
unsafe impl Send for Zlib {}

impl Zlib {
    pub(crate) fn new(mode: Mode, settings: Settings, dictionary: Vec<u8>) -> Self {
        Zlib { mode, detected: mode, magic_seen: 0, settings, dictionary, stream: Box::default(), started: false }
    }

    fn start(&mut self) -> Result<(), Failure> {
        if self.started {
            return Ok(());
        }
        let Settings { window_bits, level, mem_level, strategy, .. } = self.settings;
        let bits = match self.mode {
            Mode::Gzip | Mode::Gunzip => window_bits + 16,
            Mode::Unzip => window_bits + 32,
            Mode::DeflateRaw | Mode::InflateRaw => -window_bits,
            Mode::Deflate | Mode::Inflate => window_bits,
        };
        let size = size_of::<z::z_stream>() as i32;
        // SAFETY: a fresh stream with the library's default allocator.
        let status = unsafe {
            if self.mode.compresses() {
                z::deflateInit2_(&mut *self.stream, level, 8, bits, mem_level, strategy, z::zlibVersion(), size)
            } else {
                z::inflateInit2_(&mut *self.stream, bits, z::zlibVersion(), size)
            }
        };
        if status != Z_OK {
            return Err(self.failure(status, "Init error"));
        }
        self.started = true;
        self.set_dictionary()
    }

    /// Gives the dictionary to the library where it wants it at the start.
    fn set_dictionary(&mut self) -> Result<(), Failure> {
        if self.dictionary.is_empty() {
            return Ok(());
        }
        let (data, length) = (self.dictionary.as_ptr(), self.dictionary.len() as u32);
        // SAFETY: a started stream and bytes that outlive the call.
        let status = unsafe {
            match self.mode {
                Mode::Deflate | Mode::DeflateRaw => z::deflateSetDictionary(&mut *self.stream, data, length),
                Mode::InflateRaw => z::inflateSetDictionary(&mut *self.stream, data, length),
                _ => Z_OK,
            }
        };
        if status == Z_OK { Ok(()) } else { Err(self.failure(status, "Failed to set dictionary")) }
    }

    fn failure(&self, status: i32, message: &'static str) -> Failure {
        let code = match status {
            1 => "Z_STREAM_END",
            2 => "Z_NEED_DICT",
            -1 => "Z_ERRNO",
            -2 => "Z_STREAM_ERROR",
            -3 => "Z_DATA_ERROR",
            -4 => "Z_MEM_ERROR",
            -5 => "Z_BUF_ERROR",
            -6 => "Z_VERSION_ERROR",
            _ => "Z_OK",
        };
        if self.stream.msg.is_null() {
            return Failure::new(message, status, code);
        }
        // SAFETY: the library's messages are static texts.
        let text = unsafe { CStr::from_ptr(self.stream.msg) };
        Failure::new(text.to_string_lossy().into_owned(), status, code)
    }

    /// Looks at the first two bytes of Unzip's input, which may come one at a time.
    fn detect(&mut self, input: &[u8]) {
        for byte in input.iter().take(2 - self.magic_seen) {
            if *byte != GZIP_MAGIC[self.magic_seen] {
                self.detected = Mode::Inflate;
                return;
            }
            self.magic_seen += 1;
        }
        if self.magic_seen == 2 {
            self.detected = Mode::Gunzip;
        }
    }

    /// One call of the library: its status, and what it took and wrote.
    fn call(&mut self, flush: i32, input: &[u8], room: &mut Room) -> (i32, Step) {
        let stream = &mut *self.stream;
        stream.next_in = input.as_ptr();
        stream.avail_in = input.len() as u32;
        stream.next_out = room.as_mut_ptr().cast();
        stream.avail_out = room.len() as u32;
        // SAFETY: a started stream; pointers and lengths are those of slices that live during the call.
        let status =
            unsafe { if self.mode.compresses() { z::deflate(stream, flush) } else { z::inflate(stream, flush) } };
        let step =
            Step { consumed: input.len() - stream.avail_in as usize, produced: room.len() - stream.avail_out as usize };
        stream.next_in = std::ptr::null();
        stream.next_out = std::ptr::null_mut();
        (status, step)
    }

    fn decompress(&mut self, flush: i32, input: &[u8], room: &mut Room) -> (i32, Step) {
        let (mut status, mut step) = self.call(flush, input, room);
        if status == Z_NEED_DICT && self.mode == Mode::Inflate && !self.dictionary.is_empty() {
            // SAFETY: a started stream and bytes that outlive the call.
            let set = unsafe {
                z::inflateSetDictionary(&mut *self.stream, self.dictionary.as_ptr(), self.dictionary.len() as u32)
            };
            if set == Z_OK {
                let (next, more) = self.call(flush, &input[step.consumed..], &mut room[step.produced..]);
                status = next;
                step = Step { consumed: step.consumed + more.consumed, produced: step.produced + more.produced };
            }
        }
        // A gzip file may be several members, one after the other; zeros at the end are padding.
        while status == Z_STREAM_END
            && self.detected == Mode::Gunzip
            && !self.settings.one_member
            && step.consumed < input.len()
            && input[step.consumed] != 0
        {
            // SAFETY: a started stream.
            if unsafe { z::inflateReset(&mut *self.stream) } != Z_OK {
                break;
            }
            let (next, more) = self.call(flush, &input[step.consumed..], &mut room[step.produced..]);
            status = next;
            step = Step { consumed: step.consumed + more.consumed, produced: step.produced + more.produced };
        }
        (status, step)
    }
}

impl Codec for Zlib {
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure> {
        self.start()?;
        if self.detected == Mode::Unzip {
            self.detect(input);
        }
        let mut total = Step { consumed: 0, produced: 0 };
        loop {
            let rest = &input[total.consumed..];
            let space = room.len() - total.produced;
            let part = &rest[..rest.len().min(MAX_STEP)];
            let space_part = space.min(MAX_STEP);
            let flush_now = if part.len() < rest.len() { Z_NO_FLUSH } else { flush.into() };
            let target = &mut room[total.produced..total.produced + space_part];
            let (status, step) = if self.mode.compresses() {
                self.call(flush_now, part, target)
            } else {
                self.decompress(flush_now, part, target)
            };
            total = Step { consumed: total.consumed + step.consumed, produced: total.produced + step.produced };
            let full = step.produced == space_part;
            match status {
                Z_OK | Z_BUF_ERROR if !full && flush == Z_FINISH && part.len() == rest.len() => {
                    return Err(Failure::unexpected_end());
                }
                Z_OK | Z_BUF_ERROR => {}
                Z_STREAM_END => return Ok(total),
                Z_NEED_DICT if self.dictionary.is_empty() => {
                    return Err(self.failure(status, "Missing dictionary"));
                }
                Z_NEED_DICT => return Err(self.failure(status, "Bad dictionary")),
                _ => return Err(self.failure(status, "Zlib error")),
            }
            let more_input = part.len() < rest.len() && step.consumed > 0;
            let more_room = full && space_part < space;
            if !more_input && !more_room {
                return Ok(total);
            }
        }
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.detected = self.mode;
        self.magic_seen = 0;
        if !self.started {
            return Ok(());
        }
        // SAFETY: a started stream.
        let status = unsafe {
            if self.mode.compresses() { z::deflateReset(&mut *self.stream) } else { z::inflateReset(&mut *self.stream) }
        };
        if status != Z_OK {
            return Err(self.failure(status, "Failed to reset stream"));
        }
        self.set_dictionary()
    }

    fn set_params(&mut self, level: i32, strategy: i32) -> Result<(), Failure> {
        if !self.mode.compresses() {
            return Ok(());
        }
        self.start()?;
        // SAFETY: a started stream without input or room, which the caller has flushed.
        let status = unsafe {
            // Not null: the library refuses a stream without memory, even if it needs none.
            let mut nothing = [0u8; 1];
            self.stream.next_in = nothing.as_ptr();
            self.stream.avail_in = 0;
            self.stream.next_out = nothing.as_mut_ptr();
            self.stream.avail_out = 0;
            z::deflateParams(&mut *self.stream, level, strategy)
        };
        match status {
            Z_OK | Z_BUF_ERROR => Ok(()),
            _ => Err(self.failure(status, "Failed to set parameters")),
        }
    }

    fn output_hint(&self, input: &[u8]) -> usize {
        if self.mode.compresses() {
            input.len() + input.len() / 1000 + 64
        } else {
            input.len().saturating_mul(8).max(4096)
        }
    }
}

impl Drop for Zlib {
    fn drop(&mut self) {
        if !self.started {
            return;
        }
        // SAFETY: a started stream, ended once.
        unsafe {
            if self.mode.compresses() {
                z::deflateEnd(&mut *self.stream);
            } else {
                z::inflateEnd(&mut *self.stream);
            }
        }
    }
}
