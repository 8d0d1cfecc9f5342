//! Ciphers that take whole blocks (CBC, ECB): what does not fill one waits here, and padding is put on and taken off here.
//! The library could do both, but does not say beforehand how many bytes come out, and writes more than it then says.

use std::ffi::c_int;

use aws_lc_sys as lc;
use engine::OpError;

use crate::aws_lc::{self, check};
use crate::cipher::Context;

/// Bytes of the largest block.
const MAX: usize = 16;

/// A cipher with what waits for it.
pub(crate) struct Blocks {
    pub context: Context,
    /// Bytes of a block.
    size: usize,
    encrypting: bool,
    /// Whether the last block is filled up as PKCS#7 has it.
    pub padded: bool,
    held: [u8; MAX],
    count: usize,
}

fn wrong_length() -> OpError {
    aws_lc::described("1C80006B", "Provider routines", "wrong final block length")
}

impl Blocks {
    /// Takes over a context that is ready; `size` at most 16.
    pub(crate) fn new(context: Context, size: usize, encrypting: bool) -> Blocks {
        // SAFETY: a live context.
        unsafe { lc::EVP_CIPHER_CTX_set_padding(context.get(), 0) };
        Blocks { context, size, encrypting, padded: true, held: [0; MAX], count: 0 }
    }

    /// Bytes that come out when so many more go in. Of padded data the last block is kept back, as it may hold padding.
    pub(crate) fn output_length(&self, length: usize) -> usize {
        let total = self.count + length;
        let rest = total % self.size;
        let kept = if rest == 0 && total > 0 && self.padded && !self.encrypting { self.size } else { rest };
        total - kept
    }

    fn run(&self, from: &[u8], to: &mut [u8]) -> Result<(), OpError> {
        if from.is_empty() {
            return Ok(());
        }
        let mut count = 0;
        // SAFETY: a live context that holds nothing back and gets whole blocks, of which as many bytes come out.
        let done = unsafe {
            lc::EVP_CipherUpdate(
                self.context.get(),
                to[..from.len()].as_mut_ptr(),
                &mut count,
                from.as_ptr(),
                from.len() as c_int,
            )
        };
        check(done)
    }

    /// Data through the cipher; `out` has as many bytes as [`Blocks::output_length`] says.
    pub(crate) fn update(&mut self, data: &[u8], out: &mut [u8]) -> Result<(), OpError> {
        let (mut data, mut out) = (data, out);
        if self.count > 0 && !out.is_empty() {
            let (fill, rest) = data.split_at(self.size - self.count);
            self.held[self.count..self.size].copy_from_slice(fill);
            let (first, after) = out.split_at_mut(self.size);
            self.run(&self.held[..self.size], first)?;
            (data, out, self.count) = (rest, after, 0);
        }
        let (whole, rest) = data.split_at(out.len());
        self.run(whole, out)?;
        self.held[self.count..self.count + rest.len()].copy_from_slice(rest);
        self.count += rest.len();
        Ok(())
    }

    /// The last bytes, at the front of `out`, and their number. Throws ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH, ERR_OSSL_BAD_DECRYPT.
    pub(crate) fn finish(&mut self, out: &mut [u8]) -> Result<usize, OpError> {
        let size = self.size;
        if self.encrypting && self.padded {
            let padding = size - self.count;
            self.held[self.count..size].fill(padding as u8);
            self.run(&self.held[..size], out)?;
            return Ok(size);
        }
        if self.count != size {
            return if self.count == 0 && !self.padded { Ok(0) } else { Err(wrong_length()) };
        }
        self.run(&self.held[..size], out)?;
        if !self.padded {
            return Ok(size);
        }
        let padding = usize::from(out[size - 1]);
        if padding == 0 || padding > size || out[size - padding..size].iter().any(|&byte| usize::from(byte) != padding)
        {
            return Err(aws_lc::described("1C800064", "Provider routines", "bad decrypt"));
        }
        Ok(size - padding)
    }
}
