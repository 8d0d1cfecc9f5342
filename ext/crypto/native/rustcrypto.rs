//! BLAKE2b and BLAKE2s (RFC 7693, without keys) and SM3 (GB/T 32905-2016) on the compression functions of the crates blake2 and
//! sm3.
//!
//! The hashers of those crates cannot be stored as bytes, as hashes in progress are here ([`crate::digest`]). What they do block
//! by block can; the block that is not full yet is kept beside it.

use blake2::digest::block_buffer::{EagerBuffer, LazyBuffer};
use blake2::digest::core_api::{Block, FixedOutputCore, UpdateCore, VariableOutputCore};
use blake2::digest::{InvalidOutputSize, Output};
use blake2::{Blake2bVarCore, Blake2sVarCore};
use sm3::Sm3Core;

/// BLAKE2b in progress.
pub(crate) type Blake2b = Buffered<Blake2bVarCore, 128>;
/// BLAKE2s in progress.
pub(crate) type Blake2s = Buffered<Blake2sVarCore, 64>;
/// SM3 in progress.
pub(crate) type Sm3 = Buffered<Sm3Core, 64>;

/// A hash in progress whose compression function is `C`, with blocks of `BLOCK` bytes.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Buffered<C, const BLOCK: usize> {
    core: C,
    /// Bytes in the buffer.
    filled: u64,
    /// Bytes of the result.
    size: u64,
    buffer: [u8; BLOCK],
}

impl<C: UpdateCore, const BLOCK: usize> Buffered<C, BLOCK> {
    fn start(core: C, size: usize) -> Self {
        Buffered { core, filled: 0, size: size as u64, buffer: [0; BLOCK] }
    }

    /// Whether the numbers are such as `start` and `update` leave.
    pub(crate) fn is_sane(&self) -> bool {
        self.filled <= BLOCK as u64 && self.size <= BLOCK as u64 / 2
    }

    /// Takes in bytes. The last block waits in the buffer even if it is full.
    pub(crate) fn update(&mut self, mut data: &[u8]) {
        let filled = self.filled as usize;
        let room = BLOCK - filled;
        if data.len() <= room {
            self.buffer[filled..filled + data.len()].copy_from_slice(data);
            self.filled += data.len() as u64;
            return;
        }
        if filled > 0 {
            let (head, rest) = data.split_at(room);
            self.buffer[filled..].copy_from_slice(head);
            self.core.update_blocks(std::slice::from_ref(Block::<C>::from_slice(&self.buffer)));
            data = rest;
        }
        let (whole, rest) = data.split_at((data.len() - 1) / BLOCK * BLOCK);
        for block in whole.chunks_exact(BLOCK) {
            self.core.update_blocks(std::slice::from_ref(Block::<C>::from_slice(block)));
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len() as u64;
    }
}

macro_rules! blake2 {
    ($name:ident, $core:ty) => {
        impl $name {
            /// Starts a hash of `size` bytes.
            ///
            /// # Errors
            /// The function has no results of that size.
            pub(crate) fn new(size: usize) -> Result<Self, InvalidOutputSize> {
                Ok(Self::start(<$core>::new(size)?, size))
            }

            /// Gives the hash, or as many bytes of it as `out` has.
            pub(crate) fn finish(mut self, out: &mut [u8]) {
                let mut last = LazyBuffer::new(&self.buffer[..self.filled as usize]);
                let mut result = Output::<$core>::default();
                self.core.finalize_variable_core(&mut last, &mut result);
                let count = out.len().min(self.size as usize);
                out[..count].copy_from_slice(&result[..count]);
            }
        }
    };
}

blake2!(Blake2b, Blake2bVarCore);
blake2!(Blake2s, Blake2sVarCore);

impl Sm3 {
    /// Starts a hash.
    pub(crate) fn new() -> Self {
        Self::start(Sm3Core::default(), 32)
    }

    /// Gives the hash, or as many bytes of it as `out` has.
    pub(crate) fn finish(mut self, out: &mut [u8]) {
        if self.filled == 64 {
            self.core.update_blocks(std::slice::from_ref(Block::<Sm3Core>::from_slice(&self.buffer)));
            self.filled = 0;
        }
        let mut last = EagerBuffer::new(&self.buffer[..self.filled as usize]);
        let mut result = Output::<Sm3Core>::default();
        self.core.finalize_fixed_core(&mut last, &mut result);
        let count = out.len().min(result.len());
        out[..count].copy_from_slice(&result[..count]);
    }
}
