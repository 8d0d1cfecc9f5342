//! The orientation in EXIF data (CIPA DC-008, 4.6.4): a TIFF directory in a JPEG's APP1 segment.

use crate::sniff::Segment;

const ORIENTATION: u32 = 0x0112;

/// The orientation, 1 to 8; 1 where there is none or the data are broken.
pub(crate) fn orientation(segments: &[Segment<'_>]) -> u8 {
    let exif = segments.iter().find_map(|segment| match segment.marker {
        0xe1 => segment.data.strip_prefix(b"Exif\0\0"),
        _ => None,
    });
    exif.and_then(read).filter(|value| (1..=8).contains(value)).unwrap_or(1)
}

fn read(tiff: &[u8]) -> Option<u8> {
    let little = match tiff.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let u16_at = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(u32::from(if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }))
    };
    let u32_at = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    };
    let directory = u32_at(4)? as usize;
    let count = u16_at(directory)? as usize;
    for entry in 0..count {
        let at = directory + 2 + entry * 12;
        if u16_at(at)? == ORIENTATION {
            // Type SHORT, one value.
            return if u16_at(at + 2)? == 3 { u16_at(at + 8)?.try_into().ok() } else { None };
        }
    }
    None
}
