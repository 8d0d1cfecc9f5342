//! Zstandard (RFC 8878) as streams, by its own library.

use std::ffi::CStr;
use std::ptr;

use zstd_sys as z;

use crate::codec::{Codec, Failure, Room, Step};

const END: u8 = 2;
/// Frames start with this, little-endian; skippable ones with 0x184d2a50 to 0x184d2a5f.
const MAGIC: [u8; 4] = 0xfd2f_b528u32.to_le_bytes();
const SKIPPABLE_MAGIC: [u8; 4] = 0x184d_2a50u32.to_le_bytes();

/// (parameter, value) pairs; the numbers are the library's.
pub(crate) type Params = Vec<(u32, i32)>;

/// The error of a result, if it is one.
fn check(result: usize) -> Result<usize, Failure> {
    // SAFETY: a test of a number.
    if unsafe { z::ZSTD_isError(result) } == 0 {
        return Ok(result);
    }
    // SAFETY: the text is static.
    let text = unsafe { CStr::from_ptr(z::ZSTD_getErrorName(result)) };
    let number = result.wrapping_neg() as i32;
    Err(Failure::new(text.to_string_lossy(), number, error_name(number)))
}

fn refused(number: i32) -> Failure {
    Failure::new("Setting parameter failed", number, "ERR_ZLIB_INITIALIZATION_FAILED")
}

fn check_setting(result: usize) -> Result<(), Failure> {
    check(result).map(drop).map_err(|failure| refused(failure.errno))
}

fn no_memory() -> Failure {
    Failure::new("Could not initialize zstd instance", -1, "ERR_ZLIB_INITIALIZATION_FAILED")
}

/// A compressor.
pub(crate) struct Encoder {
    params: Params,
    pledged_size: Option<u64>,
    dictionary: Vec<u8>,
    context: *mut z::ZSTD_CCtx,
    /// The frame is complete; to end it again would begin an empty one.
    finished: bool,
    /// The frame has begun.
    begun: bool,
}

// SAFETY: the context belongs to this value alone.
unsafe impl Send for Encoder {}

impl Encoder {
    /// `pledged_size` is how many bytes the input is going to have; other amounts are an error at the end.
    pub(crate) fn new(params: Params, pledged_size: Option<u64>, dictionary: Vec<u8>) -> Result<Self, Failure> {
        let mut encoder =
            Encoder { params, pledged_size, dictionary, context: ptr::null_mut(), finished: false, begun: false };
        encoder.open()?;
        Ok(encoder)
    }

    fn open(&mut self) -> Result<(), Failure> {
        // SAFETY: a fresh context; the library copies the dictionary.
        unsafe {
            self.context = z::ZSTD_createCCtx();
            if self.context.is_null() {
                return Err(no_memory());
            }
            for &(parameter, value) in &self.params {
                let Some(known) = compression_parameter(parameter) else {
                    return Err(refused(40));
                };
                check_setting(z::ZSTD_CCtx_setParameter(self.context, known, value))?;
            }
            if !self.dictionary.is_empty() {
                let (data, length) = (self.dictionary.as_ptr().cast(), self.dictionary.len());
                check(z::ZSTD_CCtx_loadDictionary(self.context, data, length))?;
            }
            if let Some(size) = self.pledged_size {
                check(z::ZSTD_CCtx_setPledgedSrcSize(self.context, size))?;
            }
        }
        Ok(())
    }
}

impl Codec for Encoder {
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure> {
        if self.finished && input.is_empty() {
            return Ok(Step { consumed: 0, produced: 0 });
        }
        let mut source = z::ZSTD_inBuffer { src: input.as_ptr().cast(), size: input.len(), pos: 0 };
        let mut target = z::ZSTD_outBuffer { dst: room.as_mut_ptr().cast(), size: room.len(), pos: 0 };
        let directive = match flush {
            0 => z::ZSTD_EndDirective::ZSTD_e_continue,
            1 => z::ZSTD_EndDirective::ZSTD_e_flush,
            _ => z::ZSTD_EndDirective::ZSTD_e_end,
        };
        if self.pledged_size.is_some() && !self.begun {
            // A frame that begins and ends in one call takes the size of its input for the pledged one.
            let mut nothing = z::ZSTD_inBuffer { src: input.as_ptr().cast(), size: 0, pos: 0 };
            let directive = z::ZSTD_EndDirective::ZSTD_e_continue;
            // SAFETY: as below.
            check(unsafe { z::ZSTD_compressStream2(self.context, &mut target, &mut nothing, directive) })?;
        }
        self.begun = true;
        loop {
            let before = (source.pos, target.pos);
            // SAFETY: a live context; pointers and lengths are those of slices that live during the call.
            let left = check(unsafe { z::ZSTD_compressStream2(self.context, &mut target, &mut source, directive) })?;
            // One call may stop before all is done, with several threads in particular.
            let done = if flush == 0 { source.pos == source.size } else { left == 0 };
            self.finished = done && flush == END;
            if done || target.pos == target.size || before == (source.pos, target.pos) {
                return Ok(Step { consumed: source.pos, produced: target.pos });
            }
        }
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.finished = false;
        self.begun = false;
        // SAFETY: a live context.
        unsafe {
            check(z::ZSTD_CCtx_reset(self.context, z::ZSTD_ResetDirective::ZSTD_reset_session_only))?;
            if let Some(size) = self.pledged_size {
                check(z::ZSTD_CCtx_setPledgedSrcSize(self.context, size))?;
            }
        }
        Ok(())
    }

    fn output_hint(&self, input: &[u8]) -> usize {
        // SAFETY: a computation; inputs that are too large give an error code, which is no use as a size.
        let bound = unsafe { z::ZSTD_compressBound(input.len()) };
        check(bound).unwrap_or(input.len())
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: null or a live context, freed once.
        unsafe { z::ZSTD_freeCCtx(self.context) };
    }
}

/// A decompressor. Frames that follow each other are one text.
pub(crate) struct Decoder {
    params: Params,
    dictionary: Vec<u8>,
    context: *mut z::ZSTD_DCtx,
    /// In the middle of a frame.
    inside: bool,
}

// SAFETY: the context belongs to this value alone.
unsafe impl Send for Decoder {}

impl Decoder {
    pub(crate) fn new(params: Params, dictionary: Vec<u8>) -> Result<Self, Failure> {
        let mut decoder = Decoder { params, dictionary, context: ptr::null_mut(), inside: false };
        decoder.open()?;
        Ok(decoder)
    }

    fn open(&mut self) -> Result<(), Failure> {
        // SAFETY: a fresh context; the library copies the dictionary.
        unsafe {
            self.context = z::ZSTD_createDCtx();
            if self.context.is_null() {
                return Err(no_memory());
            }
            for &(parameter, value) in &self.params {
                if parameter != z::ZSTD_dParameter::ZSTD_d_windowLogMax as u32 {
                    return Err(refused(40));
                }
                let known = z::ZSTD_dParameter::ZSTD_d_windowLogMax;
                check_setting(z::ZSTD_DCtx_setParameter(self.context, known, value))?;
            }
            if !self.dictionary.is_empty() {
                let (data, length) = (self.dictionary.as_ptr().cast(), self.dictionary.len());
                check(z::ZSTD_DCtx_loadDictionary(self.context, data, length))?;
            }
        }
        Ok(())
    }
}

/// Whether a frame may begin with these bytes, of which there may be too few to know.
fn starts_frame(bytes: &[u8]) -> bool {
    let known = bytes.len().min(4);
    if bytes[..known] == MAGIC[..known] {
        return true;
    }
    let skippable = bytes.first().is_some_and(|first| first & 0xf0 == SKIPPABLE_MAGIC[0]);
    skippable && bytes[1..known] == SKIPPABLE_MAGIC[1..known]
}

impl Codec for Decoder {
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure> {
        let mut source = z::ZSTD_inBuffer { src: input.as_ptr().cast(), size: input.len(), pos: 0 };
        let mut target = z::ZSTD_outBuffer { dst: room.as_mut_ptr().cast(), size: room.len(), pos: 0 };
        let mut first = true;
        loop {
            if !self.inside && (source.pos == source.size || !first && !starts_frame(&input[source.pos..])) {
                break;
            }
            first = false;
            let before = (source.pos, target.pos);
            // SAFETY: a live context; pointers and lengths are those of slices that live during the call.
            let left = check(unsafe { z::ZSTD_decompressStream(self.context, &mut target, &mut source) })?;
            self.inside = left != 0;
            if self.inside && (target.pos == target.size || before == (source.pos, target.pos)) {
                break;
            }
        }
        if self.inside && flush == END && source.pos == source.size && target.pos < target.size {
            return Err(Failure::unexpected_end());
        }
        Ok(Step { consumed: source.pos, produced: target.pos })
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.inside = false;
        // SAFETY: a live context.
        check(unsafe { z::ZSTD_DCtx_reset(self.context, z::ZSTD_ResetDirective::ZSTD_reset_session_only) })?;
        Ok(())
    }

    fn output_hint(&self, input: &[u8]) -> usize {
        // SAFETY: looks at the header only, within the slice. Unknown sizes and errors are the two largest numbers.
        let size = unsafe { z::ZSTD_getFrameContentSize(input.as_ptr().cast(), input.len()) };
        // One more, so that the last call finds room and knows that it is the last.
        if size < u64::MAX - 1 { (size as usize).saturating_add(1) } else { input.len().saturating_mul(4) }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: null or a live context, freed once.
        unsafe { z::ZSTD_freeDCtx(self.context) };
    }
}

/// The parameter of a number of `zlib.constants`.
fn compression_parameter(number: u32) -> Option<z::ZSTD_cParameter> {
    use z::ZSTD_cParameter::*;
    let all = [
        ZSTD_c_compressionLevel,
        ZSTD_c_windowLog,
        ZSTD_c_hashLog,
        ZSTD_c_chainLog,
        ZSTD_c_searchLog,
        ZSTD_c_minMatch,
        ZSTD_c_targetLength,
        ZSTD_c_strategy,
        ZSTD_c_enableLongDistanceMatching,
        ZSTD_c_ldmHashLog,
        ZSTD_c_ldmMinMatch,
        ZSTD_c_ldmBucketSizeLog,
        ZSTD_c_ldmHashRateLog,
        ZSTD_c_contentSizeFlag,
        ZSTD_c_checksumFlag,
        ZSTD_c_dictIDFlag,
        ZSTD_c_nbWorkers,
        ZSTD_c_jobSize,
        ZSTD_c_overlapLog,
    ];
    all.into_iter().find(|parameter| *parameter as u32 == number)
}

/// The name of an error number.
fn error_name(number: i32) -> &'static str {
    match number {
        10 => "ZSTD_error_prefix_unknown",
        12 => "ZSTD_error_version_unsupported",
        14 => "ZSTD_error_frameParameter_unsupported",
        16 => "ZSTD_error_frameParameter_windowTooLarge",
        20 => "ZSTD_error_corruption_detected",
        22 => "ZSTD_error_checksum_wrong",
        24 => "ZSTD_error_literals_headerWrong",
        30 => "ZSTD_error_dictionary_corrupted",
        32 => "ZSTD_error_dictionary_wrong",
        34 => "ZSTD_error_dictionaryCreation_failed",
        40 => "ZSTD_error_parameter_unsupported",
        41 => "ZSTD_error_parameter_combination_unsupported",
        42 => "ZSTD_error_parameter_outOfBound",
        44 => "ZSTD_error_tableLog_tooLarge",
        46 => "ZSTD_error_maxSymbolValue_tooLarge",
        48 => "ZSTD_error_maxSymbolValue_tooSmall",
        50 => "ZSTD_error_stabilityCondition_notRespected",
        60 => "ZSTD_error_stage_wrong",
        62 => "ZSTD_error_init_missing",
        64 => "ZSTD_error_memory_allocation",
        66 => "ZSTD_error_workSpace_tooSmall",
        70 => "ZSTD_error_dstSize_tooSmall",
        72 => "ZSTD_error_srcSize_wrong",
        74 => "ZSTD_error_dstBuffer_null",
        80 => "ZSTD_error_noForwardProgress_destFull",
        82 => "ZSTD_error_noForwardProgress_inputEmpty",
        _ => "ZSTD_error_GENERIC",
    }
}
