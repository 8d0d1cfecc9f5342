//! Symmetric ciphers: those of node:crypto as objects that data goes through, those of WebCrypto in one call.

use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::ocb::Ocb;
use crate::ssl::{check, clear_errors, last_error, owned};

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
            Mode::Ocb => "ocb",
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
    kind(&["aes-128-ocb"], Mode::Ocb, 958, [16, 12, 16], None),
    kind(&["aes-192-ocb"], Mode::Ocb, 959, [24, 12, 16], None),
    kind(&["aes-256-ocb"], Mode::Ocb, 960, [32, 12, 16], None),
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
pub fn evp_by_name(name: &str) -> Option<*const lc::EVP_CIPHER> {
    let evp = find(name)?.1.evp?;
    // SAFETY: gives a pointer to a constant.
    Some(unsafe { evp() })
}

/// What is known of a cipher by its name or its number: [number for `cipherStart`, name, mode, nid, block, IV, key bytes].
#[op]
pub fn cipher_info(name: String, nid: u32) -> Option<(u32, String, String, u32, u32, u32, u32)> {
    let (index, kind) =
        if name.is_empty() { KINDS.iter().enumerate().find(|(_, kind)| kind.nid == nid)? } else { find(&name)? };
    let sizes = (u32::from(kind.block), u32::from(kind.iv), u32::from(kind.key));
    let name = kind.names[0].to_owned();
    Some((index as u32, name, kind.mode.name().to_owned(), kind.nid, sizes.0, sizes.1, sizes.2))
}

/// All names.
#[op]
pub fn cipher_names() -> Vec<String> {
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
    fn update(&mut self, data: &[u8]) -> Vec<u8> {
        let mut padded = vec![0; self.used];
        padded.extend_from_slice(data);
        let mut out = vec![0; padded.len()];
        // SAFETY: as many bytes in as out; key and nonce have 32 and 12 bytes.
        unsafe {
            let (to, from) = (out.as_mut_ptr(), padded.as_ptr());
            lc::CRYPTO_chacha_20(to, from, padded.len(), self.key.as_ptr(), self.nonce.as_ptr(), self.counter);
        }
        self.counter = self.counter.wrapping_add((padded.len() / 64) as u32);
        out.drain(..self.used);
        self.used = padded.len() % 64;
        out
    }
}

enum State {
    Evp(Context),
    Ocb(Box<Ocb>),
    ChaCha(ChaCha),
    Wrap { key: Vec<u8>, iv: Vec<u8>, padded: bool },
}

/// A cipher that data goes through.
pub struct Cipher {
    state: State,
    mode: Mode,
    encrypting: bool,
    /// Bytes of the tag, and the tag itself once it is there.
    tag_length: usize,
    tag: Vec<u8>,
    failed: bool,
    /// Whether CCM was told how long the data is.
    told: bool,
}

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
) -> Result<Context, OpError> {
    let enc = c_int::from(encrypting);
    let none = ptr::null_mut();
    // SAFETY: live objects; the lengths of key and vector are those that the cipher was told or expects.
    unsafe {
        let context = Context::own(lc::EVP_CIPHER_CTX_new())?;
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
        matches!(self.mode, Gcm | Ccm | Mode::Ocb) || self.names[0] == "chacha20-poly1305"
    }
}

/// Starts a cipher; key and vector have lengths that were checked by the caller.
#[op]
pub fn cipher_start(
    number: u32,
    encrypting: bool,
    key: &[u8],
    iv: &[u8],
    tag_length: u32,
) -> Result<Resource<RefCell<Cipher>>, OpError> {
    start(number, encrypting, key, iv, tag_length as usize).map(|cipher| Resource::new(RefCell::new(cipher)))
}

fn start(number: u32, encrypting: bool, key: &[u8], iv: &[u8], tag_length: usize) -> Result<Cipher, OpError> {
    clear_errors();
    let kind = KINDS.get(number as usize).ok_or_else(|| OpError::type_error("no such cipher"))?;
    if key.len() != usize::from(kind.key) {
        return Err(OpError::range_error("Invalid key length").code("ERR_CRYPTO_INVALID_KEYLEN"));
    }
    let wrong_iv = || OpError::type_error("Invalid initialization vector").code("ERR_CRYPTO_INVALID_IV");
    if if kind.tagged() { iv.is_empty() } else { iv.len() != usize::from(kind.iv) } {
        return Err(wrong_iv());
    }
    let state = match (kind.mode, kind.evp) {
        (_, Some(evp)) => State::Evp(evp_context(kind, evp, encrypting, key, iv, tag_length)?),
        (Mode::Ocb, _) => State::Ocb(Box::new(Ocb::new(key, iv, tag_length, encrypting).ok_or_else(wrong_iv)?)),
        (mode @ (Wrap | WrapPad), _) => State::Wrap { key: key.to_vec(), iv: iv.to_vec(), padded: mode == WrapPad },
        _ => State::ChaCha(ChaCha {
            key: key.to_vec(),
            counter: u32::from_le_bytes(iv[..4].try_into().expect("four bytes")),
            nonce: iv[4..].try_into().expect("twelve bytes"),
            used: 0,
        }),
    };
    Ok(Cipher { state, mode: kind.mode, encrypting, tag_length, tag: Vec::new(), failed: false, told: false })
}

impl Cipher {
    fn update(&mut self, data: &[u8]) -> Result<Vec<u8>, OpError> {
        clear_errors();
        match &mut self.state {
            State::Ocb(ocb) => Ok(ocb.update(data)),
            State::ChaCha(stream) => Ok(stream.update(data)),
            State::Wrap { key, iv, padded } => wrap(self.encrypting, key, Some(iv), *padded, data)
                .ok_or_else(|| OpError::error("Trying to add data in unsupported state")),
            State::Evp(context) => {
                let mut out = vec![0; data.len() + 32];
                let mut count = 0;
                if self.mode == Ccm && !self.told {
                    self.told = true;
                    let (length, none) = (data.len() as c_int, ptr::null_mut());
                    // SAFETY: a live context; without buffers the length of what comes is told.
                    check(unsafe { lc::EVP_CipherUpdate(context.get(), none, &mut count, ptr::null(), length) })?;
                    count = 0;
                }
                // SAFETY: a live context; at most a block more than it was given comes out.
                let done = unsafe {
                    lc::EVP_CipherUpdate(
                        context.get(),
                        out.as_mut_ptr(),
                        &mut count,
                        data.as_ptr(),
                        data.len() as c_int,
                    )
                };
                if done != 1 && self.mode == Ccm && !self.encrypting {
                    // The tag does not fit: told by final().
                    self.failed = true;
                    clear_errors();
                    return Ok(Vec::new());
                }
                if done != 1 {
                    clear_errors();
                    return Err(OpError::error("Trying to add data in unsupported state"));
                }
                out.truncate(count as usize);
                Ok(out)
            }
        }
    }

    fn finish(&mut self) -> Result<Vec<u8>, OpError> {
        clear_errors();
        match &mut self.state {
            State::Ocb(ocb) => {
                let (out, tag) = ocb.finish();
                let tag = &tag[..self.tag_length];
                if self.encrypting {
                    self.tag = tag.to_vec();
                } else if !crate::random::equal(tag, &self.tag) {
                    return Err(unauthentic());
                }
                Ok(out)
            }
            State::ChaCha(_) | State::Wrap { .. } => Ok(Vec::new()),
            State::Evp(context) => {
                let tagged = self.tag_length > 0;
                if self.mode == Ccm && !self.encrypting {
                    return if self.failed { Err(unauthentic()) } else { Ok(Vec::new()) };
                }
                let mut out = vec![0; 32];
                let mut count = 0;
                // SAFETY: a live context and room for a block.
                unsafe {
                    if self.mode != Ccm && lc::EVP_CipherFinal_ex(context.get(), out.as_mut_ptr(), &mut count) != 1 {
                        if tagged {
                            clear_errors();
                            return Err(unauthentic());
                        }
                        return Err(last_error());
                    }
                    out.truncate(count as usize);
                    if tagged && self.encrypting {
                        self.tag = vec![0; self.tag_length];
                        let length = self.tag_length as c_int;
                        let place = self.tag.as_mut_ptr().cast();
                        check(lc::EVP_CIPHER_CTX_ctrl(context.get(), lc::EVP_CTRL_AEAD_GET_TAG, length, place))?;
                    }
                }
                Ok(out)
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
        self.tag = tag.to_vec();
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
pub fn cipher_update(cipher: &Resource<RefCell<Cipher>>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    cipher.borrow_mut().update(data)
}

/// What is left. Throws ERR_OSSL_BAD_DECRYPT and the like, and where a tag does not fit.
#[op]
pub fn cipher_final(cipher: &Resource<RefCell<Cipher>>) -> Result<Vec<u8>, OpError> {
    cipher.borrow_mut().finish()
}

/// Associated data, for CCM with the length of the data to come (else -1).
#[op]
pub fn cipher_associate(cipher: &Resource<RefCell<Cipher>>, data: &[u8], length: f64) -> Result<(), OpError> {
    cipher.borrow_mut().associate(data, (length >= 0.0).then_some(length as usize))
}

/// The tag to compare with.
#[op]
pub fn cipher_set_tag(cipher: &Resource<RefCell<Cipher>>, tag: Vec<u8>) -> Result<(), OpError> {
    cipher.borrow_mut().set_tag(&tag)
}

/// The tag of what went through.
#[op]
pub fn cipher_tag(cipher: &Resource<RefCell<Cipher>>) -> Vec<u8> {
    cipher.borrow().tag.clone()
}

/// Whether the last block is padded.
#[op]
pub fn cipher_set_padding(cipher: &Resource<RefCell<Cipher>>, padded: bool) {
    if let State::Evp(context) = &cipher.borrow().state {
        // SAFETY: a live context.
        unsafe { lc::EVP_CIPHER_CTX_set_padding(context.get(), c_int::from(padded)) };
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
pub fn aes_wrap(encrypting: bool, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    wrap(encrypting, key, None, false, data)
}

fn aead(options: &[f64], key: &[u8], iv: &[u8], associated: &[u8], data: &[u8]) -> Result<Option<Vec<u8>>, OpError> {
    let [number, encrypting, tag_length] = options[..] else { return Err(OpError::type_error("wrong options")) };
    let (encrypting, tag_length) = (encrypting != 0.0, tag_length as usize);
    let mut cipher = start(number as u32, encrypting, key, iv, tag_length)?;
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
    match cipher.finish() {
        Ok(rest) => out.extend(rest),
        Err(_) => return Ok(None),
    }
    out.extend_from_slice(if encrypting { &cipher.tag } else { &[] });
    Ok(Some(out))
}

/// A cipher with a tag after the text, in one call. `options`: [number of the cipher, whether to encrypt, bytes of the
/// tag]. Undefined where the data is not authentic.
#[op]
pub fn aead_sync(
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
pub fn aead_later(
    options: Vec<f64>,
    key: Vec<u8>,
    iv: Vec<u8>,
    associated: Vec<u8>,
    data: Vec<u8>,
) -> Result<Option<Vec<u8>>, OpError> {
    aead(&options, &key, &iv, &associated, &data)
}

fn whole(number: u32, encrypting: bool, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut cipher = start(number, encrypting, key, iv, 0).ok()?;
    let mut out = cipher.update(data).ok()?;
    let rest = cipher.finish();
    clear_errors();
    out.extend(rest.ok()?);
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
pub fn cipher_sync(options: Vec<f64>, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let [number, encrypting, bits] = options[..] else { return None };
    if bits > 0.0 {
        return counter(number as u32, key, iv, bits as u32, data);
    }
    whole(number as u32, encrypting != 0.0, key, iv, data)
}

/// The same off the thread.
#[op(blocking)]
pub fn cipher_later(options: Vec<f64>, key: Vec<u8>, iv: Vec<u8>, data: Vec<u8>) -> Option<Vec<u8>> {
    let [number, encrypting, bits] = options[..] else { return None };
    if bits > 0.0 {
        return counter(number as u32, &key, &iv, bits as u32, &data);
    }
    whole(number as u32, encrypting != 0.0, &key, &iv, &data)
}
