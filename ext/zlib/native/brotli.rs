//! Brotli (RFC 7932) as streams, by Google's library.

use std::ptr;

use compu_brotli_sys as b;

use crate::codec::{Codec, Failure, Room, Step};

const OPERATION_FINISH: u8 = 2;
const RAW_DICTIONARY: b::BrotliSharedDictionaryType = 0;
const MAX_QUALITY: i32 = 11;

fn setting_failed() -> Failure {
    Failure::new("Initialization failed", -1, "ERR_ZLIB_INITIALIZATION_FAILED")
}

fn initializing_failed() -> Failure {
    Failure::new("Could not initialize Brotli instance", -1, "ERR_ZLIB_INITIALIZATION_FAILED")
}

/// (parameter, value) pairs; the numbers are the library's.
pub(crate) type Params = Vec<(u32, u32)>;

/// A compressor.
pub(crate) struct Encoder {
    params: Params,
    dictionary: Vec<u8>,
    state: *mut b::BrotliEncoderState,
    prepared: *mut b::BrotliEncoderPreparedDictionary,
}

// SAFETY: the state and the dictionary belong to this value alone.
unsafe impl Send for Encoder {}

impl Encoder {
    pub(crate) fn new(params: Params, dictionary: Vec<u8>) -> Result<Self, Failure> {
        let mut encoder = Encoder { params, dictionary, state: ptr::null_mut(), prepared: ptr::null_mut() };
        encoder.open()?;
        Ok(encoder)
    }

    fn open(&mut self) -> Result<(), Failure> {
        // SAFETY: a fresh instance with the default allocator; the dictionary outlives it (see `close`).
        unsafe {
            self.state = b::BrotliEncoderCreateInstance(None, None, ptr::null_mut());
            if self.state.is_null() {
                return Err(initializing_failed());
            }
            for &(parameter, value) in &self.params {
                if b::BrotliEncoderSetParameter(self.state, parameter as _, value) == 0 {
                    return Err(setting_failed());
                }
            }
            if self.dictionary.is_empty() {
                return Ok(());
            }
            self.prepared = b::BrotliEncoderPrepareDictionary(
                RAW_DICTIONARY,
                self.dictionary.len(),
                self.dictionary.as_ptr(),
                MAX_QUALITY,
                None,
                None,
                ptr::null_mut(),
            );
            if self.prepared.is_null() || b::BrotliEncoderAttachPreparedDictionary(self.state, self.prepared) == 0 {
                return Err(Failure::new("Failed to set dictionary", -1, "ERR_BROTLI_DICTIONARY_LOAD_FAILED"));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        // SAFETY: both are null or live; the state goes first, as it refers to the dictionary.
        unsafe {
            b::BrotliEncoderDestroyInstance(self.state);
            if !self.prepared.is_null() {
                b::BrotliEncoderDestroyPreparedDictionary(self.prepared);
            }
        }
        self.state = ptr::null_mut();
        self.prepared = ptr::null_mut();
    }
}

impl Codec for Encoder {
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure> {
        let (mut input_left, mut room_left) = (input.len(), room.len());
        let (mut next_in, mut next_out) = (input.as_ptr(), room.as_mut_ptr().cast::<u8>());
        // SAFETY: a live instance; pointers and lengths are those of slices that live during the call.
        let good = unsafe {
            b::BrotliEncoderCompressStream(
                self.state,
                flush.into(),
                &mut input_left,
                &mut next_in,
                &mut room_left,
                &mut next_out,
                ptr::null_mut(),
            )
        };
        if good == 0 {
            return Err(Failure::new("Compression failed", -1, "ERR_BROTLI_COMPRESSION_FAILED"));
        }
        Ok(Step { consumed: input.len() - input_left, produced: room.len() - room_left })
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.close();
        self.open()
    }

    fn output_hint(&self, input: &[u8]) -> usize {
        // SAFETY: a computation.
        unsafe { b::BrotliEncoderMaxCompressedSize(input.len()) }.max(input.len() + 16)
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.close();
    }
}

/// A decompressor.
pub(crate) struct Decoder {
    params: Params,
    dictionary: Vec<u8>,
    state: *mut b::BrotliDecoderState,
}

// SAFETY: the state belongs to this value alone.
unsafe impl Send for Decoder {}

impl Decoder {
    pub(crate) fn new(params: Params, dictionary: Vec<u8>) -> Result<Self, Failure> {
        let mut decoder = Decoder { params, dictionary, state: ptr::null_mut() };
        decoder.open()?;
        Ok(decoder)
    }

    fn open(&mut self) -> Result<(), Failure> {
        // SAFETY: a fresh instance with the default allocator; the dictionary outlives it.
        unsafe {
            self.state = b::BrotliDecoderCreateInstance(None, None, ptr::null_mut());
            if self.state.is_null() {
                return Err(initializing_failed());
            }
            for &(parameter, value) in &self.params {
                if b::BrotliDecoderSetParameter(self.state, parameter as _, value) == 0 {
                    return Err(setting_failed());
                }
            }
            let (length, data) = (self.dictionary.len(), self.dictionary.as_ptr());
            if length > 0 && b::BrotliDecoderAttachDictionary(self.state, RAW_DICTIONARY, length, data) == 0 {
                return Err(Failure::new("Failed to set dictionary", -1, "ERR_BROTLI_DICTIONARY_LOAD_FAILED"));
            }
        }
        Ok(())
    }
}

impl Codec for Decoder {
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure> {
        let (mut input_left, mut room_left) = (input.len(), room.len());
        let (mut next_in, mut next_out) = (input.as_ptr(), room.as_mut_ptr().cast::<u8>());
        // SAFETY: a live instance; pointers and lengths are those of slices that live during the call.
        let result = unsafe {
            b::BrotliDecoderDecompressStream(
                self.state,
                &mut input_left,
                &mut next_in,
                &mut room_left,
                &mut next_out,
                ptr::null_mut(),
            )
        };
        match result {
            b::BrotliDecoderResult_BROTLI_DECODER_RESULT_ERROR => {
                // SAFETY: a live instance.
                let code = unsafe { b::BrotliDecoderGetErrorCode(self.state) } as i32;
                return Err(Failure::new("Decompression failed", code, format!("ERR_{}", error_name(code))));
            }
            b::BrotliDecoderResult_BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT if flush == OPERATION_FINISH => {
                return Err(Failure::unexpected_end());
            }
            _ => {}
        }
        Ok(Step { consumed: input.len() - input_left, produced: room.len() - room_left })
    }

    fn reset(&mut self) -> Result<(), Failure> {
        // SAFETY: a live instance.
        unsafe { b::BrotliDecoderDestroyInstance(self.state) };
        self.state = ptr::null_mut();
        self.open()
    }

    fn output_hint(&self, input: &[u8]) -> usize {
        input.len().saturating_mul(10).max(4096)
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        if !self.state.is_null() {
            // SAFETY: a live instance, destroyed once.
            unsafe { b::BrotliDecoderDestroyInstance(self.state) };
        }
    }
}

/// The name of an error of the decoder as Node writes it after `ERR_`.
fn error_name(code: i32) -> &'static str {
    match code {
        -1 => "_ERROR_FORMAT_EXUBERANT_NIBBLE",
        -2 => "_ERROR_FORMAT_RESERVED",
        -3 => "_ERROR_FORMAT_EXUBERANT_META_NIBBLE",
        -4 => "_ERROR_FORMAT_SIMPLE_HUFFMAN_ALPHABET",
        -5 => "_ERROR_FORMAT_SIMPLE_HUFFMAN_SAME",
        -6 => "_ERROR_FORMAT_CL_SPACE",
        -7 => "_ERROR_FORMAT_HUFFMAN_SPACE",
        -8 => "_ERROR_FORMAT_CONTEXT_MAP_REPEAT",
        -9 => "_ERROR_FORMAT_BLOCK_LENGTH_1",
        -10 => "_ERROR_FORMAT_BLOCK_LENGTH_2",
        -11 => "_ERROR_FORMAT_TRANSFORM",
        -12 => "_ERROR_FORMAT_DICTIONARY",
        -13 => "_ERROR_FORMAT_WINDOW_BITS",
        -14 => "_ERROR_FORMAT_PADDING_1",
        -15 => "_ERROR_FORMAT_PADDING_2",
        -16 => "_ERROR_FORMAT_DISTANCE",
        -18 => "_ERROR_COMPOUND_DICTIONARY",
        -19 => "_ERROR_DICTIONARY_NOT_SET",
        -20 => "_ERROR_INVALID_ARGUMENTS",
        -21 => "_ERROR_ALLOC_CONTEXT_MODES",
        -22 => "_ERROR_ALLOC_TREE_GROUPS",
        -25 => "_ERROR_ALLOC_CONTEXT_MAP",
        -26 => "_ERROR_ALLOC_RING_BUFFER_1",
        -27 => "_ERROR_ALLOC_RING_BUFFER_2",
        -30 => "_ERROR_ALLOC_BLOCK_TYPE_TREES",
        _ => "_ERROR_UNREACHABLE",
    }
}
