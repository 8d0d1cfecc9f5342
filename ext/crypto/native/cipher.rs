//! Symmetric ciphers: those of node:crypto as objects that data goes through, those of WebCrypto in one call.

use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::aws_lc::{check, clear_errors, last_error, owned};
use crate::blocks::Blocks;
use crate::ocb::Ocb;

owned!(Context, lc::EVP_CIPHER_CTX, lc::EVP_CIPHER_CTX_free);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Stream,
    Ecb,
    Cbc,
    Cfb,
    Ofb,
    Ctr,
    Gcm,
    Ccm,
    Xts,
    Ocb,
    Wrap,
    WrapPad,
}

use Mode::*;

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Stream => "stream",
            Ecb => "ecb",
            Cbc => "cbc",
            Cfb => "cfb",
            Ofb => "ofb",
            Ctr => "ctr",
            Gcm => "gcm",
            Ccm => "ccm",
            Xts => "xts",
            Ocb => "ocb",
            Wrap | WrapPad => "wrap",
        }
    }
}

type Evp = unsafe extern "C" fn() -> *const lc::EVP_CIPHER;

/// A cipher by its name.
struct Kind {
    /// The first one is the one that getCipherInfo() gives; the others are taken, too.
    names: &'static [&'static str],
    mode: Mode,
    nid: u32,
    key: u8,
    iv: u8,
    block: u8,
    evp: Option<Evp>,
}

const fn kind(names: &'static [&'static str], mode: Mode, nid: u32, sizes: [u8; 3], evp: Option<Evp>) -> Kind {
    Kind { names, mode, nid, key: sizes[0], iv: sizes[1], block: sizes[2], evp }
}

/// Sizes are those of the key, the initialisation vector and the block, in bytes.
const KINDS: &[Kind] = &[
    kind(&["aes-128-cbc", "aes128"], Cbc, 419, [16, 16, 16], Some(lc::EVP_aes_128_cbc)),
    kind(&["aes-192-cbc", "aes192"], Cbc, 423, [24, 16, 16], Some(lc::EVP_aes_192_cbc)),
    kind(&["aes-256-cbc", "aes256"], Cbc, 427, [32, 16, 16], Some(lc::EVP_aes_256_cbc)),
    kind(&["aes-128-ecb"], Ecb, 418, [16, 0, 16], Some(lc::EVP_aes_128_ecb)),
    kind(&["aes-192-ecb"], Ecb, 422, [24, 0, 16], Some(lc::EVP_aes_192_ecb)),
    kind(&["aes-256-ecb"], Ecb, 426, [32, 0, 16], Some(lc::EVP_aes_256_ecb)),
    kind(&["aes-128-ctr"], Ctr, 904, [16, 16, 1], Some(lc::EVP_aes_128_ctr)),
    kind(&["aes-192-ctr"], Ctr, 905, [24, 16, 1], Some(lc::EVP_aes_192_ctr)),
    kind(&["aes-256-ctr"], Ctr, 906, [32, 16, 1], Some(lc::EVP_aes_256_ctr)),
    kind(&["id-aes128-gcm", "aes-128-gcm"], Gcm, 895, [16, 12, 1], Some(lc::EVP_aes_128_gcm)),
    kind(&["id-aes192-gcm", "aes-192-gcm"], Gcm, 898, [24, 12, 1], Some(lc::EVP_aes_192_gcm)),
    kind(&["id-aes256-gcm", "aes-256-gcm"], Gcm, 901, [32, 12, 1], Some(lc::EVP_aes_256_gcm)),
    kind(&["id-aes128-ccm", "aes-128-ccm"], Ccm, 896, [16, 12, 1], Some(lc::EVP_aes_128_ccm)),
    kind(&["id-aes192-ccm", "aes-192-ccm"], Ccm, 899, [24, 12, 1], Some(lc::EVP_aes_192_ccm)),
    kind(&["id-aes256-ccm", "aes-256-ccm"], Ccm, 902, [32, 12, 1], Some(lc::EVP_aes_256_ccm)),
    kind(&["aes-128-ocb"], Ocb, 958, [16, 12, 16], None),
    kind(&["aes-192-ocb"], Ocb, 959, [24, 12, 16], None),
    kind(&["aes-256-ocb"], Ocb, 960, [32, 12, 16], None),
    kind(&["aes-128-ofb"], Ofb, 420, [16, 16, 1], Some(lc::EVP_aes_128_ofb)),
    kind(&["aes-192-ofb"], Ofb, 424, [24, 16, 1], Some(lc::EVP_aes_192_ofb)),
    kind(&["aes-256-ofb"], Ofb, 428, [32, 16, 1], Some(lc::EVP_aes_256_ofb)),
    kind(&["aes-128-cfb"], Cfb, 421, [16, 16, 1], Some(lc::EVP_aes_128_cfb128)),
    kind(&["aes-192-cfb"], Cfb, 425, [24, 16, 1], Some(lc::EVP_aes_192_cfb128)),
    kind(&["aes-256-cfb"], Cfb, 429, [32, 16, 1], Some(lc::EVP_aes_256_cfb128)),
    kind(&["aes-128-cfb1"], Cfb, 650, [16, 16, 1], Some(lc::EVP_aes_128_cfb1)),
    kind(&["aes-192-cfb1"], Cfb, 651, [24, 16, 1], Some(lc::EVP_aes_192_cfb1)),
    kind(&["aes-256-cfb1"], Cfb, 652, [32, 16, 1], Some(lc::EVP_aes_256_cfb1)),
    kind(&["aes-128-cfb8"], Cfb, 653, [16, 16, 1], Some(lc::EVP_aes_128_cfb8)),
    kind(&["aes-192-cfb8"], Cfb, 654, [24, 16, 1], Some(lc::EVP_aes_192_cfb8)),
    kind(&["aes-256-cfb8"], Cfb, 655, [32, 16, 1], Some(lc::EVP_aes_256_cfb8)),
    kind(&["aes-256-xts"], Xts, 914, [64, 16, 1], Some(lc::EVP_aes_256_xts)),
    kind(&["id-aes128-wrap", "aes128-wrap"], Wrap, 788, [16, 8, 8], None),
    kind(&["id-aes192-wrap", "aes192-wrap"], Wrap, 789, [24, 8, 8], None),
    kind(&["id-aes256-wrap", "aes256-wrap"], Wrap, 790, [32, 8, 8], None),
    kind(&["id-aes128-wrap-pad"], WrapPad, 897, [16, 4, 8], None),
    kind(&["id-aes192-wrap-pad"], WrapPad, 900, [24, 4, 8], None),
    kind(&["id-aes256-wrap-pad"], WrapPad, 903, [32, 4, 8], None),
    kind(&["des-ede"], Ecb, 32, [16, 0, 8], Some(lc::EVP_des_ede)),
    kind(&["des-ede-cbc"], Cbc, 43, [16, 8, 8], Some(lc::EVP_des_ede_cbc)),
    kind(&["des-ede3"], Ecb, 33, [24, 0, 8], Some(lc::EVP_des_ede3)),
    kind(&["des-ede3-cbc", "des3"], Cbc, 44, [24, 8, 8], Some(lc::EVP_des_ede3_cbc)),
    kind(&["chacha20"], Stream, 1019, [32, 16, 1], None),
    kind(&["chacha20-poly1305"], Stream, 1018, [32, 12, 1], Some(lc::EVP_chacha20_poly1305)),
];

fn find(name: &str) -> Option<(usize, &'static Kind)> {
    let name = name.to_ascii_lowercase();
    KINDS.iter().enumerate().find(|(_, kind)| kind.names.contains(&name.as_str()))
}

/// The cipher of the library with a name, for encrypted private keys.
pub(crate) fn evp_by_name(name: &str) -> Option<*const lc::EVP_CIPHER> {
    let evp = find(name)?.1.evp?;
    // SAFETY: gives a pointer to a constant.
    Some(unsafe { evp() })
}

/// The first of a cipher's names.
pub(crate) fn name_of(name: &str) -> Option<&'static str> {
    find(name).map(|(_, kind)| kind.names[0])
}

/// Bytes of the key and of the initialisation vector of a cipher.
pub(crate) fn sizes(name: &str) -> Option<(usize, usize)> {
    find(name).map(|(_, kind)| (usize::from(kind.key), usize::from(kind.iv)))
}

/// Data through a cipher by its name, with padding; `None` where the padding is wrong.
pub(crate) fn by_name(name: &str, encrypting: bool, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    whole(find(name)?.0 as u32, encrypting, key, iv, data)
}

/// What is known of a cipher by its name or its number: [number for `cipherStart`, name, mode, nid, block, IV, key bytes].
#[op]
pub(crate) fn cipher_info(name: String, nid: u32) -> Option<(u32, String, String, u32, u32, u32, u32)> {
    let (index, kind) =
        if name.is_empty() { KINDS.iter().enumerate().find(|(_, kind)| kind.nid == nid)? } else { find(&name)? };
    let sizes = (u32::from(kind.block), u32::from(kind.iv), u32::from(kind.key));
    let name = kind.names[0].to_owned();
    Some((index as u32, name, kind.mode.name().to_owned(), kind.nid, sizes.0, sizes.1, sizes.2))
}

/// All names.
#[op]
pub(crate) fn cipher_names() -> Vec<String> {
    KINDS.iter().flat_map(|kind| kind.names).map(|&name| name.to_owned()).collect()
}

/// Keystream of ChaCha20 from the place where the last data ended.
struct ChaCha {
    key: Vec<u8>,
    counter: u32,
    nonce: [u8; 12],
    /// Bytes of the block `counter` that are used up.
    used: usize,
}

impl ChaCha {
    /// As many bytes out as in.
    fn update(&mut self, data: &[u8], out: &mut [u8]) {
        let mut run = |data: &[u8], out: &mut [u8]| {
            // SAFETY: as many bytes in as out; key and nonce have 32 and 12 bytes.
            unsafe {
                let (to, from) = (out[..data.len()].as_mut_ptr(), data.as_ptr());
                lc::CRYPTO_chacha_20(to, from, data.len(), self.key.as_ptr(), self.nonce.as_ptr(), self.counter);
            }
            self.counter = self.counter.wrapping_add((data.len() / 64) as u32);
        };
        // The rest of the block that the last data ended in.
        let (mut first, mut block) = (0, [0; 64]);
        if self.used > 0 {
            first = data.len().min(64 - self.used);
            let (start, end) = (self.used, self.used + first);
            block[start..end].copy_from_slice(&data[..first]);
            let mut text = [0; 64];
            run(&block[..end], &mut text);
            out[..first].copy_from_slice(&text[start..end]);
        }
        run(&data[first..], &mut out[first..]);
        self.used = (self.used + data.len()) % 64;
    }
}

enum State {
    Evp(Context),
    Blocks(Blocks),
    /// At its end. A context is empty then and can be used again.
    Done(Option<Context>),
    Ocb(Box<Ocb>),
    ChaCha(ChaCha),
    Wrap {
        key: Vec<u8>,
        iv: Vec<u8>,
        padded: bool,
    },
}

/// A cipher that data goes through.
pub(crate) struct Cipher {
    state: State,
    mode: Mode,
    encrypting: bool,
    /// Bytes of the tag, and the tag itself once it is there.
    tag_length: usize,
    tag: [u8; MAX_TAG],
    failed: bool,
    /// Whether CCM was told how long the data is.
    told: bool,
}

/// Bytes of the longest tag.
const MAX_TAG: usize = 16;
/// Room for the last bytes of a cipher.
const LAST: usize = 32;

fn unauthentic() -> OpError {
    OpError::error("Unsupported state or unable to authenticate data")
}

fn evp_context(
    kind: &Kind,
    evp: Evp,
    encrypting: bool,
    key: &[u8],
    iv: &[u8],
    tag_length: usize,
    again: Option<Context>,
) -> Result<Context, OpError> {
    let enc = c_int::from(encrypting);
    let none = ptr::null_mut();
    // SAFETY: live objects; the lengths of key and vector are those that the cipher was told or expects.
    unsafe {
        let context = again.map_or_else(|| Context::own(lc::EVP_CIPHER_CTX_new()), Ok)?;
        check(lc::EVP_CipherInit_ex(context.get(), evp(), none, ptr::null(), ptr::null(), enc))?;
        // CCM takes seven bytes unless it is told, whatever the length it says it has.
        if kind.mode == Ccm || (kind.tagged() && iv.len() != usize::from(kind.iv)) {
            check(lc::EVP_CIPHER_CTX_ctrl(
                context.get(),
                lc::EVP_CTRL_AEAD_SET_IVLEN,
                iv.len() as c_int,
                ptr::null_mut(),
            ))?;
        }
        if kind.mode == Ccm {
            let length = tag_length as c_int;
            check(lc::EVP_CIPHER_CTX_ctrl(context.get(), lc::EVP_CTRL_AEAD_SET_TAG, length, ptr::null_mut()))?;
        }
        let vector = if kind.iv == 0 { ptr::null() } else { iv.as_ptr() };
        check(lc::EVP_CipherInit_ex(context.get(), ptr::null(), none, key.as_ptr(), vector, enc))?;
        Ok(context)
    }
}

impl Kind {
    fn tagged(&self) -> bool {
        matches!(self.mode, Gcm | Ccm | Ocb) || self.names[0] == "chacha20-poly1305"
    }
}

/// Starts a cipher; key and vector have lengths that were checked by the caller.
#[op]
pub(crate) fn cipher_start(
    number: u32,
    encrypting: bool,
    key: &[u8],
    iv: &[u8],
    tag_length: u32,
) -> Result<Resource<RefCell<Cipher>>, OpError> {
    start(number, encrypting, key, iv, tag_length as usize, None).map(|cipher| Resource::new(RefCell::new(cipher)))
}

/// The same with the object of a cipher that is at its end.
#[op]
pub(crate) fn cipher_restart(
    cipher: &Resource<RefCell<Cipher>>,
    number: u32,
    encrypting: bool,
    key: &[u8],
    iv: &[u8],
    tag_length: u32,
) -> Result<(), OpError> {
    let mut cipher = cipher.borrow_mut();
    let again = match &mut cipher.state {
        State::Done(context) => context.take(),
        _ => None,
    };
    *cipher = start(number, encrypting, key, iv, tag_length as usize, again)?;
    Ok(())
}

fn start(
    number: u32,
    encrypting: bool,
    key: &[u8],
    iv: &[u8],
    tag_length: usize,
    again: Option<Context>,
) -> Result<Cipher, OpError> {
    let kind = KINDS.get(number as usize).ok_or_else(|| OpError::type_error("no such cipher"))?;
    if key.len() != usize::from(kind.key) {
        return Err(OpError::range_error("Invalid key length").code("ERR_CRYPTO_INVALID_KEYLEN"));
    }
    let wrong_iv = || OpError::type_error("Invalid initialization vector").code("ERR_CRYPTO_INVALID_IV");
    if if kind.tagged() { iv.is_empty() } else { iv.len() != usize::from(kind.iv) } {
        return Err(wrong_iv());
    }
    let state = match (kind.mode, kind.evp) {
        (_, Some(evp)) => {
            let context = evp_context(kind, evp, encrypting, key, iv, tag_length, again)?;
            match kind.mode {
                Cbc | Ecb => State::Blocks(Blocks::new(context, usize::from(kind.block), encrypting)),
                _ => State::Evp(context),
            }
        }
        (Ocb, _) => State::Ocb(Box::new(Ocb::new(key, iv, tag_length, encrypting).ok_or_else(wrong_iv)?)),
        (mode @ (Wrap | WrapPad), _) => State::Wrap { key: key.to_vec(), iv: iv.to_vec(), padded: mode == WrapPad },
        _ => State::ChaCha(ChaCha {
            key: key.to_vec(),
            counter: u32::from_le_bytes(iv[..4].try_into().expect("four bytes")),
            nonce: iv[4..].try_into().expect("twelve bytes"),
            used: 0,
        }),
    };
    Ok(Cipher { state, mode: kind.mode, encrypting, tag_length, tag: [0; MAX_TAG], failed: false, told: false })
}

impl Cipher {
    /// Bytes that come out when so many go in; of key wrapping the most there can be.
    fn output_length(&self, length: usize) -> usize {
        match &self.state {
            State::Blocks(blocks) => blocks.output_length(length),
            State::Ocb(ocb) => ocb.output_length(length),
            State::Wrap { .. } => length + 16,
            _ => length,
        }
    }

    fn update(&mut self, data: &[u8]) -> Result<Vec<u8>, OpError> {
        let mut out = vec![0; self.output_length(data.len())];
        let count = self.update_into(data, &mut out)?;
        out.truncate(count);
        Ok(out)
    }

    /// Data through the cipher to `out`, which has as many bytes as [`Cipher::output_length`] says.
    fn update_into(&mut self, data: &[u8], out: &mut [u8]) -> Result<usize, OpError> {
        if out.len() != self.output_length(data.len()) {
            return Err(OpError::type_error("the result has another length"));
        }
        let refused = || OpError::error("Trying to add data in unsupported state");
        match &mut self.state {
            State::Blocks(blocks) => blocks.update(data, out)?,
            State::Ocb(ocb) => out.copy_from_slice(&ocb.update(data)),
            State::ChaCha(stream) => stream.update(data, out),
            State::Done(_) => return Err(refused()),
            State::Wrap { key, iv, padded } => {
                let wrapped = wrap(self.encrypting, key, Some(iv), *padded, data).ok_or_else(refused)?;
                out[..wrapped.len()].copy_from_slice(&wrapped);
                return Ok(wrapped.len());
            }
            State::Evp(context) => {
                let mut count = 0;
                if self.mode == Ccm && !self.told {
                    self.told = true;
                    let (length, none) = (data.len() as c_int, ptr::null_mut());
                    // SAFETY: a live context; without buffers the length of what comes is told.
                    check(unsafe { lc::EVP_CipherUpdate(context.get(), none, &mut count, ptr::null(), length) })?;
                }
                let length = data.len() as c_int;
                // SAFETY: a live context of a cipher that gives as many bytes as it takes. An empty slice still has a pointer,
                // which for CCM says that this is the data.
                let done =
                    unsafe { lc::EVP_CipherUpdate(context.get(), out.as_mut_ptr(), &mut count, data.as_ptr(), length) };
                if done != 1 {
                    clear_errors();
                    if self.mode == Ccm && !self.encrypting {
                        // The tag does not fit: told by final().
                        self.failed = true;
                        return Ok(0);
                    }
                    return Err(refused());
                }
            }
        }
        Ok(out.len())
    }

    /// The last bytes, at the front of `out` with room for [`LAST`], and their number. The tag is in `self.tag` then.
    fn finish(&mut self, out: &mut [u8]) -> Result<usize, OpError> {
        let result = self.finish_state(out);
        // What is left of the key goes now, not when the object is collected.
        if let State::Evp(context) | State::Blocks(Blocks { context, .. }) = &self.state {
            // SAFETY: a live context, which is empty afterwards.
            unsafe { lc::EVP_CIPHER_CTX_cleanup(context.get()) };
        }
        self.state = match std::mem::replace(&mut self.state, State::Done(None)) {
            State::Evp(context) | State::Blocks(Blocks { context, .. }) => State::Done(Some(context)),
            other => other,
        };
        result
    }

    fn finish_state(&mut self, out: &mut [u8]) -> Result<usize, OpError> {
        let tagged = self.tag_length > 0;
        match &mut self.state {
            State::Blocks(blocks) => blocks.finish(out),
            State::Ocb(ocb) => {
                let (rest, tag) = ocb.finish();
                let length = self.tag_length;
                if self.encrypting {
                    self.tag[..length].copy_from_slice(&tag[..length]);
                } else if !crate::random::equal(&tag[..length], &self.tag[..length]) {
                    return Err(unauthentic());
                }
                out[..rest.len()].copy_from_slice(&rest);
                Ok(rest.len())
            }
            State::ChaCha(_) | State::Wrap { .. } | State::Done(_) => Ok(0),
            State::Evp(_) if self.mode == Ccm && !self.encrypting => {
                if self.failed {
                    return Err(unauthentic());
                }
                Ok(0)
            }
            State::Evp(context) => {
                let mut count = 0;
                // SAFETY: a live context and room for a block, and for a tag.
                unsafe {
                    let place = out[..LAST].as_mut_ptr();
                    if self.mode != Ccm && lc::EVP_CipherFinal_ex(context.get(), place, &mut count) != 1 {
                        if tagged {
                            clear_errors();
                            return Err(unauthentic());
                        }
                        check(0)?;
                    }
                    if tagged && self.encrypting {
                        let length = self.tag_length as c_int;
                        let place = self.tag.as_mut_ptr().cast();
                        check(lc::EVP_CIPHER_CTX_ctrl(context.get(), lc::EVP_CTRL_AEAD_GET_TAG, length, place))?;
                    }
                }
                Ok(count as usize)
            }
        }
    }

    fn associate(&mut self, data: &[u8], length: Option<usize>) -> Result<(), OpError> {
        match &mut self.state {
            State::Ocb(ocb) => {
                ocb.associate(data);
                Ok(())
            }
            State::Evp(context) => {
                let (mut count, none) = (0, ptr::null_mut());
                // SAFETY: a live context; without a place for output the data is associated.
                unsafe {
                    if let Some(length) = length {
                        self.told = true;
                        check(lc::EVP_CipherUpdate(context.get(), none, &mut count, ptr::null(), length as c_int))?;
                    }
                    if data.is_empty() {
                        return Ok(());
                    }
                    check(lc::EVP_CipherUpdate(context.get(), none, &mut count, data.as_ptr(), data.len() as c_int))
                }
            }
            _ => Err(OpError::error("Unsupported state")),
        }
    }

    fn set_tag(&mut self, tag: &[u8]) -> Result<(), OpError> {
        let place = self.tag.get_mut(..tag.len()).ok_or_else(|| OpError::type_error("the tag is too long"))?;
        place.copy_from_slice(tag);
        self.tag_length = tag.len();
        if let State::Evp(context) = &self.state {
            let place = self.tag.as_mut_ptr().cast();
            // SAFETY: a live context, and the bytes of the tag.
            check(unsafe {
                lc::EVP_CIPHER_CTX_ctrl(context.get(), lc::EVP_CTRL_AEAD_SET_TAG, tag.len() as c_int, place)
            })?;
        }
        Ok(())
    }
}

/// Data through a cipher.
#[op]
pub(crate) fn cipher_update(cipher: &Resource<RefCell<Cipher>>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    cipher.borrow_mut().update(data)
}

/// The same to `out`, which has as many bytes as come out: as went in, or for CBC and ECB the whole blocks that there are with
/// what was left over (but for the last one where padding is to be taken off). Both must not overlap.
#[op]
pub(crate) fn cipher_update_into(
    cipher: &Resource<RefCell<Cipher>>,
    data: &[u8],
    out: &mut [u8],
) -> Result<(), OpError> {
    cipher.borrow_mut().update_into(data, out).map(drop)
}

/// What is left, at the front of `out`, and its number of bytes; the tag, if there is one, is 32 bytes further. `out` has 48
/// bytes. Throws ERR_OSSL_BAD_DECRYPT and the like, and where a tag does not fit.
#[op]
pub(crate) fn cipher_final(cipher: &Resource<RefCell<Cipher>>, out: &mut [u8]) -> Result<u32, OpError> {
    let mut cipher = cipher.borrow_mut();
    let (last, tag) = out.split_at_mut_checked(LAST).ok_or_else(|| OpError::type_error("not enough room"))?;
    let count = cipher.finish(last)?;
    let length = tag.len().min(MAX_TAG);
    tag[..length].copy_from_slice(&cipher.tag[..length]);
    Ok(count as u32)
}

/// Associated data, for CCM with the length of the data to come (else -1).
#[op]
pub(crate) fn cipher_associate(cipher: &Resource<RefCell<Cipher>>, data: &[u8], length: f64) -> Result<(), OpError> {
    cipher.borrow_mut().associate(data, (length >= 0.0).then_some(length as usize))
}

/// The tag to compare with.
#[op]
pub(crate) fn cipher_set_tag(cipher: &Resource<RefCell<Cipher>>, tag: Vec<u8>) -> Result<(), OpError> {
    cipher.borrow_mut().set_tag(&tag)
}

/// Whether the last block is padded.
#[op]
pub(crate) fn cipher_set_padding(cipher: &Resource<RefCell<Cipher>>, padded: bool) {
    if let State::Blocks(blocks) = &mut cipher.borrow_mut().state {
        blocks.padded = padded;
    }
}

/// AES Key Wrap (RFC 3394), or with padding (RFC 5649). `None` where the data has a wrong length or is not authentic.
fn wrap(encrypting: bool, key: &[u8], iv: Option<&[u8]>, padded: bool, data: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; data.len() + 16];
    let (to, room, from, length) = (out.as_mut_ptr(), out.len(), data.as_ptr(), data.len());
    let vector = iv.map_or(ptr::null(), <[u8]>::as_ptr);
    let bits = key.len() as u32 * 8;
    // SAFETY: slices with their lengths; wrapping makes at most 15 bytes more of them. Zeros are a value of the key.
    let count = unsafe {
        let mut aes: lc::AES_KEY = std::mem::zeroed();
        let set = if encrypting { lc::AES_set_encrypt_key } else { lc::AES_set_decrypt_key };
        if set(key.as_ptr(), bits, &mut aes) != 0 {
            return None;
        }
        if padded {
            let mut count = 0;
            let run = if encrypting { lc::AES_wrap_key_padded } else { lc::AES_unwrap_key_padded };
            if run(&aes, to, &mut count, room, from, length) == 1 { count as c_int } else { -1 }
        } else {
            let run = if encrypting { lc::AES_wrap_key } else { lc::AES_unwrap_key };
            run(&aes, vector, to, from, length)
        }
    };
    clear_errors();
    if count < 0 {
        return None;
    }
    out.truncate(count as usize);
    Some(out)
}

/// AES-KW of WebCrypto; undefined where it fails.
#[op]
pub(crate) fn aes_wrap(encrypting: bool, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    wrap(encrypting, key, None, false, data)
}

fn aead(options: &[f64], key: &[u8], iv: &[u8], associated: &[u8], data: &[u8]) -> Result<Option<Vec<u8>>, OpError> {
    let [number, encrypting, tag_length] = options[..] else { return Err(OpError::type_error("wrong options")) };
    let (encrypting, tag_length) = (encrypting != 0.0, tag_length as usize);
    let mut cipher = start(number as u32, encrypting, key, iv, tag_length, None)?;
    let mut data = data;
    if !encrypting {
        let Some((text, tag)) = data.len().checked_sub(tag_length).map(|at| data.split_at(at)) else { return Ok(None) };
        cipher.set_tag(tag)?;
        data = text;
    }
    if !associated.is_empty() {
        cipher.associate(associated, None)?;
    }
    let mut out = cipher.update(data)?;
    let mut last = [0; LAST];
    match cipher.finish(&mut last) {
        Ok(count) => out.extend_from_slice(&last[..count]),
        Err(_) => return Ok(None),
    }
    out.extend_from_slice(if encrypting { &cipher.tag[..tag_length] } else { &[] });
    Ok(Some(out))
}

/// A cipher with a tag after the text, in one call. `options`: [number of the cipher, whether to encrypt, bytes of the
/// tag]. Undefined where the data is not authentic.
#[op]
pub(crate) fn aead_sync(
    options: Vec<f64>,
    key: &[u8],
    iv: &[u8],
    associated: &[u8],
    data: &[u8],
) -> Result<Option<Vec<u8>>, OpError> {
    aead(&options, key, iv, associated, data)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn aead_later(
    options: Vec<f64>,
    key: Vec<u8>,
    iv: Vec<u8>,
    associated: Vec<u8>,
    data: Vec<u8>,
) -> Result<Option<Vec<u8>>, OpError> {
    aead(&options, &key, &iv, &associated, &data)
}

fn whole(number: u32, encrypting: bool, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut cipher = start(number, encrypting, key, iv, 0, None).ok()?;
    let mut out = cipher.update(data).ok()?;
    let mut last = [0; LAST];
    let count = cipher.finish(&mut last).ok()?;
    out.extend_from_slice(&last[..count]);
    Some(out)
}

/// AES-CTR whose counter is the last `bits` bits of the block, the others stay: two runs where it comes to its end.
fn counter(number: u32, key: &[u8], block: &[u8], bits: u32, data: &[u8]) -> Option<Vec<u8>> {
    let start = u128::from_be_bytes(block.try_into().ok()?);
    let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    // Blocks until the counter is 0 again; one less fits into the type.
    let before_end = mask - (start & mask);
    let blocks = (data.len() as u128).div_ceil(16);
    if blocks > 0 && blocks - 1 <= before_end {
        return whole(number, true, key, block, data);
    }
    let (first, second) =
        data.split_at(((before_end.saturating_add(1)).saturating_mul(16)).min(data.len() as u128) as usize);
    let mut out = whole(number, true, key, block, first)?;
    out.extend(whole(number, true, key, &(start & !mask).to_be_bytes(), second)?);
    Some(out)
}

/// A cipher without a tag in one call; `bits` is the length of AES-CTR's counter, 0 for other ciphers. Undefined where
/// the padding is wrong.
#[op]
pub(crate) fn cipher_sync(options: Vec<f64>, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let [number, encrypting, bits] = options[..] else { return None };
    if bits > 0.0 {
        return counter(number as u32, key, iv, bits as u32, data);
    }
    whole(number as u32, encrypting != 0.0, key, iv, data)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn cipher_later(options: Vec<f64>, key: Vec<u8>, iv: Vec<u8>, data: Vec<u8>) -> Option<Vec<u8>> {
    let [number, encrypting, bits] = options[..] else { return None };
    if bits > 0.0 {
        return counter(number as u32, &key, &iv, bits as u32, &data);
    }
    whole(number as u32, encrypting != 0.0, &key, &iv, &data)
}
