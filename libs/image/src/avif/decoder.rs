//! AV1 bitstreams to planes of samples, by rav1d, the Rust version of dav1d. Its interface is that of the C library; all that is
//! unsafe about it stays in this file.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use rav1d::include::dav1d::data::Dav1dData;
use rav1d::include::dav1d::dav1d::{Dav1dContext, Dav1dLogger, Dav1dSettings};
use rav1d::include::dav1d::headers::{DAV1D_PIXEL_LAYOUT_I400, DAV1D_PIXEL_LAYOUT_I420, DAV1D_PIXEL_LAYOUT_I422};
use rav1d::include::dav1d::picture::Dav1dPicture;
use rav1d::src::lib::{
    dav1d_close, dav1d_data_create, dav1d_data_unref, dav1d_default_settings, dav1d_get_picture, dav1d_open,
    dav1d_picture_unref, dav1d_send_data,
};

use super::boxes::ColorSpace;
use crate::Error;

/// What dav1d says if it wants data, or wants a picture to be taken first.
const AGAIN: i32 = -11;

/// A decoder, closed at its end.
pub(super) struct Decoder(Option<Dav1dContext>);

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the pointer is to the context that `dav1d_open` gave.
        unsafe { dav1d_close(Some(NonNull::from(&mut self.0))) }
    }
}

/// The bytes of a bitstream in the library's memory, freed at their end.
struct Data(Dav1dData);

impl Drop for Data {
    fn drop(&mut self) {
        // SAFETY: the struct is the library's or empty.
        unsafe { dav1d_data_unref(Some(NonNull::from(&mut self.0))) }
    }
}

/// A decoded picture in the library's memory, freed at its end.
pub(super) struct Planes(Dav1dPicture);

impl Drop for Planes {
    fn drop(&mut self) {
        // SAFETY: the struct is the library's or empty.
        unsafe { dav1d_picture_unref(Some(NonNull::from(&mut self.0))) }
    }
}

impl Decoder {
    /// A decoder of pictures of at most `max_pixels`, of one operating point of scalable bitstreams.
    pub(super) fn new(max_pixels: u64, operating_point: u8) -> Result<Decoder, Error> {
        let mut settings = MaybeUninit::<Dav1dSettings>::uninit();
        // SAFETY: the function fills in the whole struct.
        let mut settings = unsafe {
            dav1d_default_settings(NonNull::from(&mut settings).cast());
            settings.assume_init()
        };
        // The pool has threads enough, and a picture on one of them needs no copies of the library's state.
        settings.n_threads = 1;
        settings.max_frame_delay = 1;
        settings.all_layers = 0;
        settings.operating_point = i32::from(operating_point);
        // 0 would be no limit.
        settings.frame_size_limit = u32::try_from(max_pixels).unwrap_or(u32::MAX).max(1);
        // SAFETY: without a function nothing is called; the library would write to standard error.
        settings.logger = unsafe { Dav1dLogger::new(None, None) };
        let mut context = None;
        // SAFETY: both pointers are to whole values of this function.
        let opened = unsafe { dav1d_open(Some(NonNull::from(&mut context)), Some(NonNull::from(&mut settings))) };
        if opened.0 < 0 || context.is_none() { Err(Error::Decode) } else { Ok(Decoder(context)) }
    }

    /// The first picture of a bitstream.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Result<Planes, Error> {
        let mut data = Data(Dav1dData::default());
        // SAFETY: the struct is empty, and is filled in.
        let room = unsafe { dav1d_data_create(Some(NonNull::from(&mut data.0)), bytes.len()) };
        if room.is_null() {
            return Err(Error::Decode);
        }
        // SAFETY: the library has made room for so many bytes.
        unsafe { room.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let mut planes = Planes(Dav1dPicture::default());
        loop {
            let is_at_end = data.0.sz == 0;
            if !is_at_end {
                // SAFETY: the context is open, and the data are the library's.
                let sent = unsafe { dav1d_send_data(self.0, Some(NonNull::from(&mut data.0))) };
                if sent.0 < 0 && sent.0 != AGAIN {
                    return Err(Error::Decode);
                }
            }
            // SAFETY: the context is open, and the picture is empty.
            let taken = unsafe { dav1d_get_picture(self.0, Some(NonNull::from(&mut planes.0))) };
            match taken.0 {
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
            DAV1D_PIXEL_LAYOUT_I400 => Layout::Gray,
            DAV1D_PIXEL_LAYOUT_I420 => Layout::Quarter,
            DAV1D_PIXEL_LAYOUT_I422 => Layout::Half,
            _ => Layout::Full,
        }
    }

    /// What the bitstream says about its colours.
    pub(super) fn color_space(&self) -> ColorSpace {
        let unknown = ColorSpace { primaries: 2, matrix: 2, is_full_range: false };
        self.0.seq_hdr.map_or(unknown, |header| {
            // SAFETY: a picture keeps the header of its sequence.
            let header = unsafe { header.as_ref() };
            ColorSpace {
                primaries: header.pri as u16,
                matrix: header.mtrx as u16,
                is_full_range: header.color_range != 0,
            }
        })
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
        let Some(start) = self.0.data[plane].filter(|_| y < height) else { return };
        let stride = self.0.stride[usize::from(plane > 0)];
        let count = row.len().min(width as usize);
        // SAFETY: the plane has `height` rows that are `stride` bytes apart, of at least `width` samples of one byte, or of two if they
        // have more than eight bits; they live as long as the picture, and nobody writes to them.
        unsafe {
            let line = start.as_ptr().cast::<u8>().offset(y as isize * stride);
            if self.bits() == 8 {
                let line = std::slice::from_raw_parts(line, count);
                row.iter_mut().zip(line).for_each(|(target, sample)| *target = u16::from(*sample));
            } else {
                row[..count].copy_from_slice(std::slice::from_raw_parts(line.cast::<u16>(), count));
            }
        }
    }
}
