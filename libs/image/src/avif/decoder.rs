//! AV1 bitstreams to planes of samples, by dav1d.

use std::mem::MaybeUninit;
use std::ptr;

use libdav1d_sys::{
    Dav1dContext, Dav1dData, Dav1dPicture, Dav1dPixelLayout, Dav1dSettings, dav1d_close, dav1d_data_create,
    dav1d_data_unref, dav1d_default_settings, dav1d_get_picture, dav1d_open, dav1d_picture_unref, dav1d_send_data,
};

use super::boxes::ColorSpace;
use crate::Error;

/// What dav1d says if it wants data, or wants a picture to be taken first (`DAV1D_ERR(EAGAIN)`).
const AGAIN: i32 = -11;

/// A decoder, closed at its end.
pub(super) struct Decoder(*mut Dav1dContext);

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the pointer is the context that `dav1d_open` gave, and nobody uses it any more.
        unsafe { dav1d_close(&raw mut self.0) }
    }
}

/// The bytes of a bitstream in the library's memory, freed at their end.
struct Data(Dav1dData);

impl Data {
    /// A copy of bytes.
    fn new(bytes: &[u8]) -> Result<Data, Error> {
        let mut data = MaybeUninit::<Dav1dData>::zeroed();
        // SAFETY: the function fills in the struct, all of whose members may be zero, if there are bytes and memory for them.
        let room = unsafe { dav1d_data_create(data.as_mut_ptr(), bytes.len()) };
        if room.is_null() {
            return Err(Error::Decode);
        }
        // SAFETY: the library has made room for so many bytes, and filled in the struct.
        unsafe {
            room.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Ok(Data(data.assume_init()))
        }
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        // SAFETY: the struct is the library's, also if all of its bytes are used up.
        unsafe { dav1d_data_unref(&raw mut self.0) }
    }
}

/// A decoded picture in the library's memory, freed at its end.
pub(super) struct Planes(Dav1dPicture);

impl Drop for Planes {
    fn drop(&mut self) {
        // SAFETY: the struct is the library's or zero.
        unsafe { dav1d_picture_unref(&raw mut self.0) }
    }
}

impl Decoder {
    /// A decoder of pictures of at most `max_pixels`, of one operating point of scalable bitstreams.
    pub(super) fn new(max_pixels: u64, operating_point: u8) -> Result<Decoder, Error> {
        let mut settings = MaybeUninit::<Dav1dSettings>::zeroed();
        // SAFETY: the function fills in the whole struct.
        let mut settings = unsafe {
            dav1d_default_settings(settings.as_mut_ptr());
            settings.assume_init()
        };
        // The pool has threads enough, and a picture on one of them needs no copies of the library's state.
        settings.n_threads = 1;
        settings.max_frame_delay = 1;
        settings.all_layers = 0;
        settings.operating_point = i32::from(operating_point);
        // 0 would be no limit.
        settings.frame_size_limit = u32::try_from(max_pixels).unwrap_or(u32::MAX).max(1);
        // The library would write to standard error.
        settings.logger.callback = None;
        let mut context = ptr::null_mut();
        // SAFETY: the settings are whole; the pointer is written to.
        let opened = unsafe { dav1d_open(&raw mut context, &raw const settings) };
        if opened < 0 || context.is_null() { Err(Error::Decode) } else { Ok(Decoder(context)) }
    }

    /// The first picture of a bitstream.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Result<Planes, Error> {
        let mut data = Data::new(bytes)?;
        // SAFETY: a picture whose members are all zero is none.
        let mut planes = Planes(unsafe { MaybeUninit::zeroed().assume_init() });
        loop {
            let is_at_end = data.0.sz == 0;
            if !is_at_end {
                // SAFETY: the context is open, and the data are the library's.
                let sent = unsafe { dav1d_send_data(self.0, &raw mut data.0) };
                if sent < 0 && sent != AGAIN {
                    return Err(Error::Decode);
                }
            }
            // SAFETY: the context is open, and the picture is none.
            match unsafe { dav1d_get_picture(self.0, &raw mut planes.0) } {
                0 => return Ok(planes),
                AGAIN if !is_at_end => {}
                _ => return Err(Error::Decode),
            }
        }
    }
}

/// How many samples of colour there are for samples of light.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// None.
    Gray,
    /// One for two by two.
    Quarter,
    /// One for two in a row.
    Half,
    /// As many.
    Full,
}

impl Planes {
    /// Width and height in samples of light.
    pub(super) fn size(&self) -> (u32, u32) {
        let side = |side: i32| u32::try_from(side).unwrap_or(0);
        (side(self.0.p.w), side(self.0.p.h))
    }

    /// Bits of a sample: 8, 10 or 12.
    pub(super) fn bits(&self) -> u32 {
        self.0.p.bpc as u32
    }

    pub(super) fn layout(&self) -> Layout {
        match self.0.p.layout {
            Dav1dPixelLayout::DAV1D_PIXEL_LAYOUT_I400 => Layout::Gray,
            Dav1dPixelLayout::DAV1D_PIXEL_LAYOUT_I420 => Layout::Quarter,
            Dav1dPixelLayout::DAV1D_PIXEL_LAYOUT_I422 => Layout::Half,
            _ => Layout::Full,
        }
    }

    /// What the bitstream says about its colours.
    pub(super) fn color_space(&self) -> ColorSpace {
        let unknown = ColorSpace { primaries: 2, matrix: 2, is_full_range: false };
        let header = self.0.seq_hdr.cast_const();
        if header.is_null() {
            return unknown;
        }
        // SAFETY: a picture keeps the header of its sequence. The numbers are read as such, since the file may name some that the types
        // of the bindings do not have.
        unsafe {
            ColorSpace {
                primaries: (&raw const (*header).pri).cast::<u32>().read() as u16,
                matrix: (&raw const (*header).mtrx).cast::<u32>().read() as u16,
                is_full_range: (&raw const (*header).color_range).read() != 0,
            }
        }
    }

    /// Copies the samples of row `y` of a plane (0 is light, 1 and 2 are colour) to `row`, as many as fit in it and are there.
    pub(super) fn read_row(&self, plane: usize, y: u32, row: &mut [u16]) {
        let (width, height) = self.size();
        let (width, height) = match (plane, self.layout()) {
            (0, _) | (_, Layout::Full) => (width, height),
            (_, Layout::Half) => (width.div_ceil(2), height),
            (_, Layout::Quarter) => (width.div_ceil(2), height.div_ceil(2)),
            (_, Layout::Gray) => (0, 0),
        };
        let start = self.0.data[plane];
        if start.is_null() || y >= height {
            return;
        }
        let stride = self.0.stride[usize::from(plane > 0)];
        let count = row.len().min(width as usize);
        // SAFETY: the plane has `height` rows that are `stride` bytes apart, of at least `width` samples of one byte, or of two if they
        // have more than eight bits; they live as long as the picture, and nobody writes to them.
        unsafe {
            let line = start.cast_const().cast::<u8>().offset(y as isize * stride);
            if self.bits() == 8 {
                let line = std::slice::from_raw_parts(line, count);
                row.iter_mut().zip(line).for_each(|(target, sample)| *target = u16::from(*sample));
            } else {
                row[..count].copy_from_slice(std::slice::from_raw_parts(line.cast::<u16>(), count));
            }
        }
    }
}
