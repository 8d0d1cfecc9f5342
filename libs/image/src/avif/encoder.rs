//! Planes of samples to AV1 bitstreams, by rav1e.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rav1e::prelude::{
    ChromaSamplePosition, ChromaSampling, ColorDescription, ColorPrimaries, Config, Context, EncoderConfig,
    EncoderStatus, FrameType, MatrixCoefficients, PixelRange, SceneDetectionSpeed, SpeedSettings,
    TransferCharacteristics,
};

use crate::Error;

/// rav1e's presets go from 0 (small) to 10 (fast). At 8 noise of 1,920 by 1,080 pixels takes 1.6 s of processor time, and 10.8 s by libaom
/// as sharp has it, whose file is 11 % smaller at the same number for the quality (docs/decisions.md).
const SPEED: u8 = 8;
/// A tile is coded by one thread. Smaller ones cost bytes.
const MIN_TILE_PIXELS: usize = 256 * 256;
const MAX_THREADS: usize = 8;

/// What is written, and what the container says of it.
pub(super) struct Stream {
    pub(super) bytes: Vec<u8>,
    pub(super) profile: u8,
    pub(super) level: u8,
    pub(super) is_gray: bool,
}

/// Encodes one picture of eight bits: one plane of light, or three of the same size.
///
/// # Errors
/// [`Error::Encode`] if a side is longer than 65,535 pixels.
pub(super) fn encode(width: u32, height: u32, planes: &[Vec<u8>], quantizer: usize) -> Result<Stream, Error> {
    // What the library checks by assertions is a mistake here, which is no reason to end a program.
    catch_unwind(AssertUnwindSafe(|| encode_now(width, height, planes, quantizer))).unwrap_or(Err(Error::Encode))
}

fn encode_now(width: u32, height: u32, planes: &[Vec<u8>], quantizer: usize) -> Result<Stream, Error> {
    let is_gray = planes.len() == 1;
    let mut speed_settings = SpeedSettings::from_preset(SPEED);
    // There is nothing to look forward to.
    speed_settings.rdo_lookahead_frames = 1;
    speed_settings.scene_detection_mode = SceneDetectionSpeed::None;
    let (width, height) = (width as usize, height as usize);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let tiles = threads.min(width * height / MIN_TILE_PIXELS).max(1);
    let config = EncoderConfig {
        width,
        height,
        bit_depth: 8,
        chroma_sampling: if is_gray { ChromaSampling::Cs400 } else { ChromaSampling::Cs444 },
        chroma_sample_position: ChromaSamplePosition::Unknown,
        pixel_range: PixelRange::Full,
        color_description: (!is_gray).then_some(ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::SRGB,
            matrix_coefficients: MatrixCoefficients::BT601,
        }),
        still_picture: true,
        quantizer,
        min_quantizer: quantizer as u8,
        tiles,
        speed_settings,
        ..EncoderConfig::default()
    };
    let config = Config::new().with_encoder_config(config).with_threads(tiles);
    let mut context: Context<u8> = config.new_context().map_err(|_| Error::Encode)?;
    let mut frame = context.new_frame();
    for (target, plane) in frame.planes.iter_mut().zip(planes) {
        target.copy_from_raw_u8(plane, width, 1);
    }
    context.send_frame(frame).map_err(|_| Error::Encode)?;
    context.flush();
    let mut bytes = Vec::new();
    loop {
        match context.receive_packet() {
            Ok(packet) if packet.frame_type == FrameType::KEY => bytes.extend(packet.data),
            Ok(_) | Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::LimitReached) => break,
            Err(_) => return Err(Error::Encode),
        }
    }
    // A delimiter of frames is not to be in an item.
    if bytes.starts_with(&[0x12, 0]) {
        bytes.drain(..2);
    }
    // The header of a still picture: its type, its length in one byte, three bits of the profile, two flags, five bits of the level.
    let &[0x0a, _, first, second, ..] = &bytes[..] else { return Err(Error::Encode) };
    let (profile, level) = (first >> 5, (first & 7) << 2 | second >> 6);
    Ok(Stream { bytes, profile, level, is_gray })
}
