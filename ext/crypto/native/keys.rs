//! Keys of asymmetric algorithms as resource objects: import and export in the formats of node:crypto and WebCrypto.
//!
//! A [`Key`] is an `EVP_PKEY`. Whether a KeyObject is the public or the private half is known to JavaScript only: both
//! halves of a pair may share one resource.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op, ts_constants};

use crate::asn1;
use crate::aws_lc::{self, Bio, Bn, EcKey, MdCtx, Rsa, check, clear_errors, der, last_error};
use crate::curve448::Curve448;
use crate::pbes2::{self, Opened};
use crate::post_quantum;

/// A public or a private key, or a pair.
pub(crate) struct Key {
    pointer: *mut lc::EVP_PKEY,
    /// DER of an RSA-PSS key's parameters, which the library does not write; empty where it has none.
    pub parameters: Vec<u8>,
    /// A key that the library does not know. `pointer` is an empty object then, which it refuses for all it can do.
    pub other: Option<Curve448>,
}

// SAFETY: a key is not changed once it is made, and the library's functions on a constant key may be used from several
// threads at a time.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: made by the library, counted by it.
        unsafe { lc::EVP_PKEY_free(self.pointer) };
    }
}

impl Key {
    /// Takes over a key that the library made; null is an error.
    pub(crate) fn own(pointer: *mut lc::EVP_PKEY) -> Result<Key, OpError> {
        if pointer.is_null() { Err(last_error()) } else { Ok(Key { pointer, parameters: Vec::new(), other: None }) }
    }

    /// A key that the library does not know.
    pub(crate) fn from_other(other: Curve448) -> Result<Key, OpError> {
        // SAFETY: no conditions.
        let mut key = Key::own(unsafe { lc::EVP_PKEY_new() })?;
        key.other = Some(other);
        Ok(key)
    }

    pub(crate) fn get(&self) -> *mut lc::EVP_PKEY {
        self.pointer
    }

    /// The number of the key's type (`EVP_PKEY_…`).
    pub(crate) fn id(&self) -> c_int {
        // SAFETY: a live key.
        unsafe { lc::EVP_PKEY_id(self.pointer) }
    }

    /// The key of an RSA type; it belongs to this one.
    pub(crate) fn rsa(&self) -> Option<*mut lc::RSA> {
        // SAFETY: a live key; the functions look at its type, and RSA_PSS keys are RSA keys inside.
        let rsa = unsafe { lc::EVP_PKEY_get0_RSA(self.pointer) };
        clear_errors();
        (!rsa.is_null()).then_some(rsa)
    }

    /// The same for elliptic curves.
    pub(crate) fn ec(&self) -> Option<*mut lc::EC_KEY> {
        // SAFETY: as above.
        let ec = unsafe { lc::EVP_PKEY_get0_EC_KEY(self.pointer) };
        clear_errors();
        (!ec.is_null()).then_some(ec)
    }

    fn from_rsa(rsa: Rsa) -> Result<Key, OpError> {
        // SAFETY: `EVP_PKEY_set1_RSA` takes a reference of its own.
        unsafe {
            let key = Key::own(lc::EVP_PKEY_new())?;
            check(lc::EVP_PKEY_set1_RSA(key.pointer, rsa.get()))?;
            Ok(key)
        }
    }

    /// A key of an elliptic curve.
    pub(crate) fn from_ec(ec: EcKey) -> Result<Key, OpError> {
        // SAFETY: as above.
        unsafe {
            let key = Key::own(lc::EVP_PKEY_new())?;
            check(lc::EVP_PKEY_set1_EC_KEY(key.pointer, ec.get()))?;
            Ok(key)
        }
    }
}

/// What the passphrase callback of a PEM reader gets, and leaves.
struct Passphrase<'a> {
    bytes: Option<&'a [u8]>,
    asked: bool,
}

unsafe extern "C" fn give_passphrase(buffer: *mut c_char, size: c_int, _writing: c_int, data: *mut c_void) -> c_int {
    // SAFETY: the pointer that `private_key` passed, and a buffer of that size.
    unsafe {
        let passphrase = &mut *data.cast::<Passphrase<'_>>();
        passphrase.asked = true;
        match passphrase.bytes {
            Some(bytes) if bytes.len() <= size as usize => {
                ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), bytes.len());
                bytes.len() as c_int
            }
            _ => -1,
        }
    }
}

const PEM: u8 = 0;

/// Types of key encodings; 0 is an unknown one.
#[ts_constants]
pub(crate) mod key_encoding {
    pub(crate) const PKCS1: u8 = 1;
    pub(crate) const PKCS8: u8 = 2;
    pub(crate) const SEC1: u8 = 3;
    pub(crate) const SPKI: u8 = 4;
    /// PKCS#8 with the seed only (ML-DSA, ML-KEM).
    pub(crate) const PKCS8_SEED: u8 = 5;
}

fn missing_passphrase() -> OpError {
    OpError::type_error("Passphrase required for encrypted key").code("ERR_MISSING_PASSPHRASE")
}

/// Whether DER starts as an EncryptedPrivateKeyInfo does: a sequence whose first member is a sequence.
fn is_encrypted(data: &[u8]) -> bool {
    let Some(&first) = data.get(1) else { return false };
    let header = if first & 0x80 == 0 { 2 } else { 2 + usize::from(first & 0x7f) };
    data[0] == 0x30 && data.get(header) == Some(&0x30)
}

/// A key of PKCS#8 that is not encrypted.
fn from_pkcs8(data: &[u8]) -> Result<Key, OpError> {
    let found = asn1::parts(data, true);
    if let Some((asn1::DH, parameters, key)) = found {
        return crate::dh::key_of_der(parameters, key, true).ok_or_else(aws_lc::undecodable);
    }
    if let Some(other) = found.and_then(|parts| Curve448::from_parts(parts, true)) {
        return Key::from_other(other?);
    }
    if let Some(key) = found.and_then(post_quantum::from_parts) {
        return key;
    }
    let mut cursor = data.as_ptr();
    // SAFETY: bytes of a slice with their length; the intermediate object is freed.
    let key = unsafe {
        let info = lc::d2i_PKCS8_PRIV_KEY_INFO(ptr::null_mut(), &mut cursor, data.len() as c_long);
        if info.is_null() {
            return Err(last_error());
        }
        let key = lc::EVP_PKCS82PKEY(info);
        lc::PKCS8_PRIV_KEY_INFO_free(info);
        key
    };
    let mut key = Key::own(key)?;
    if let Some((asn1::RSA_PSS, parameters, _)) = found {
        key.parameters = parameters.to_vec();
    }
    Ok(key)
}

/// PKCS#8 out of its encrypted form.
fn decrypted(data: &[u8], passphrase: &[u8]) -> Result<Vec<u8>, OpError> {
    match pbes2::open(data, passphrase) {
        Opened::Data(bytes) => return Ok(bytes),
        Opened::WrongPassphrase => return Err(aws_lc::described("1C800064", "Provider routines", "bad decrypt")),
        Opened::Unknown => {}
    }
    let mut cursor = data.as_ptr();
    // SAFETY: slices with their lengths; the objects are freed.
    unsafe {
        let sealed = lc::d2i_X509_SIG(ptr::null_mut(), &mut cursor, data.len() as c_long);
        if sealed.is_null() {
            return Err(last_error());
        }
        let info = lc::PKCS8_decrypt(sealed, passphrase.as_ptr().cast(), passphrase.len() as c_int);
        lc::X509_SIG_free(sealed);
        if info.is_null() {
            let error = last_error();
            // A wrong passphrase shows itself in several ways.
            return Err(if error.message().contains("PKCS8") || error.message().contains("DECODER") {
                aws_lc::described("1C800064", "Provider routines", "bad decrypt")
            } else {
                error
            });
        }
        let out = der(|out| lc::i2d_PKCS8_PRIV_KEY_INFO(info, out));
        lc::PKCS8_PRIV_KEY_INFO_free(info);
        out
    }
}

/// A private key in PEM.
fn private_pem(data: &[u8], passphrase: Option<&[u8]>) -> Result<Key, OpError> {
    // Node tells a missing passphrase of PEM and of DER apart, by what OpenSSL says of them.
    let missing = || aws_lc::described("07880109", "common libcrypto routines", "interrupted or cancelled");
    match pem_block(data, &[c"PRIVATE KEY", c"ENCRYPTED PRIVATE KEY"])? {
        Some((0, bytes)) => return from_pkcs8(&bytes),
        Some((_, bytes)) => return from_pkcs8(&decrypted(&bytes, passphrase.ok_or_else(missing)?)?),
        None => {}
    }
    let mut state = Passphrase { bytes: passphrase, asked: false };
    let user: *mut c_void = (&raw mut state).cast();
    let bio = Bio::reading(data)?;
    // SAFETY: bytes of a slice with their length; the callback's data outlives the call.
    let key = unsafe { lc::PEM_read_bio_PrivateKey(bio.get(), ptr::null_mut(), Some(give_passphrase), user) };
    if key.is_null() && state.asked && passphrase.is_none() {
        clear_errors();
        return Err(missing());
    }
    Key::own(key)
}

fn private_key(format: u8, kind: u8, data: &[u8], passphrase: Option<&[u8]>) -> Result<Key, OpError> {
    clear_errors();
    if format == PEM {
        let key = private_pem(data, passphrase)?;
        clear_errors();
        return Ok(key);
    }
    let number = match kind {
        key_encoding::PKCS1 => lc::EVP_PKEY_RSA,
        key_encoding::SEC1 => lc::EVP_PKEY_EC,
        _ if is_encrypted(data) => return from_pkcs8(&decrypted(data, passphrase.ok_or_else(missing_passphrase)?)?),
        _ => return from_pkcs8(data),
    };
    let mut cursor = data.as_ptr();
    // SAFETY: bytes of a slice with their length.
    let key = unsafe { lc::d2i_PrivateKey(number, ptr::null_mut(), &mut cursor, data.len() as c_long) };
    if key.is_null() {
        clear_errors();
        return Err(if data.first() == Some(&0x30) {
            aws_lc::undecodable()
        } else {
            aws_lc::described("0680008E", "asn1 encoding routines", "not enough data")
        });
    }
    clear_errors();
    Key::own(key)
}

/// A private key of PKCS#8 in DER, not encrypted.
pub(crate) fn private_key_of_der(data: &[u8]) -> Result<Key, OpError> {
    from_pkcs8(data)
}

/// The DER inside of a PEM text with one of some labels: (the label's place in the list, bytes).
fn pem_block(data: &[u8], labels: &[&std::ffi::CStr]) -> Result<Option<(usize, Vec<u8>)>, OpError> {
    for (index, label) in labels.iter().enumerate() {
        let bio = Bio::reading(data)?;
        let (mut out, mut length) = (ptr::null_mut(), 0);
        let (name, none) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: out pointers of this frame; the bytes are copied and freed by `take`.
        let found =
            unsafe { lc::PEM_bytes_read_bio(&mut out, &mut length, name, label.as_ptr(), bio.get(), None, none) };
        clear_errors();
        if found == 1 {
            return Ok(Some((index, aws_lc::take(out, length as usize))));
        }
    }
    Ok(None)
}

fn public_from_der(kind: u8, data: &[u8]) -> Result<Key, OpError> {
    let found = if kind == key_encoding::SPKI { asn1::parts(data, false) } else { None };
    if let Some((asn1::DH, parameters, key)) = found {
        return crate::dh::key_of_der(parameters, key, false).ok_or_else(aws_lc::undecodable);
    }
    if let Some(other) = found.and_then(|parts| Curve448::from_parts(parts, false)) {
        return Key::from_other(other?);
    }
    let mut cursor = data.as_ptr();
    let length = data.len() as c_long;
    // SAFETY: bytes of a slice with their length.
    let mut key = Key::own(unsafe {
        if kind == key_encoding::PKCS1 {
            lc::d2i_PublicKey(lc::EVP_PKEY_RSA, ptr::null_mut(), &mut cursor, length)
        } else {
            lc::d2i_PUBKEY(ptr::null_mut(), &mut cursor, length)
        }
    })?;
    if let Some((asn1::RSA_PSS, parameters, _)) = found {
        key.parameters = parameters.to_vec();
    }
    Ok(key)
}

/// The public key of a certificate in DER.
fn certificate_key(data: &[u8]) -> Result<Key, OpError> {
    let mut cursor = data.as_ptr();
    // SAFETY: bytes of a slice with their length; the certificate is freed, its key has a reference of its own.
    unsafe {
        let certificate = lc::d2i_X509(ptr::null_mut(), &mut cursor, data.len() as c_long);
        if certificate.is_null() {
            return Err(last_error());
        }
        let key = lc::X509_get_pubkey(certificate);
        lc::X509_free(certificate);
        Key::own(key)
    }
}

/// A public key, from whatever holds one: also certificates and private keys.
fn public_key(format: u8, kind: u8, data: &[u8], passphrase: Option<&[u8]>) -> Result<Key, OpError> {
    clear_errors();
    if format == PEM {
        return match pem_block(data, &[c"PUBLIC KEY", c"RSA PUBLIC KEY", c"CERTIFICATE"])? {
            Some((0, bytes)) => public_from_der(key_encoding::SPKI, &bytes),
            Some((1, bytes)) => public_from_der(key_encoding::PKCS1, &bytes),
            Some((_, bytes)) => certificate_key(&bytes),
            None => private_key(format, kind, data, passphrase),
        };
    }
    let unreadable = |_| {
        clear_errors();
        OpError::error("Failed to read asymmetric key")
    };
    match kind {
        key_encoding::SPKI => public_from_der(key_encoding::SPKI, data).map_err(unreadable),
        key_encoding::PKCS1 => public_from_der(key_encoding::PKCS1, data)
            .or_else(|_| private_key(format, kind, data, passphrase).map_err(unreadable)),
        _ => private_key(format, kind, data, passphrase),
    }
}

/// A key from text or bytes: `format` 0 PEM, 1 DER; `kind` 0 unknown, 1 PKCS#1, 2 PKCS#8, 3 SEC1, 4 SPKI.
/// Throws OpenSSL's errors, and ERR_MISSING_PASSPHRASE.
#[op]
pub(crate) fn key_import(
    private: bool,
    format: u8,
    kind: u8,
    passphrase: Option<Vec<u8>>,
    data: &[u8],
) -> Result<Resource<Key>, OpError> {
    let import = if private { private_key } else { public_key };
    import(format, kind, data, passphrase.as_deref()).map(Resource::new)
}

/// The error of a key of another type than what was asked for.
pub(crate) fn not_of_type(what: &str) -> OpError {
    OpError::error(format!("The key is not {what}")).code("ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS")
}

/// Whether the public halves of two keys are the same, and their parameters.
#[op]
pub(crate) fn key_equal(one: &Resource<Key>, other: &Resource<Key>) -> bool {
    if let (Some(one), Some(other)) = (&one.other, &other.other) {
        return one.name() == other.name() && one.public() == other.public();
    }
    // SAFETY: live keys.
    let equal = unsafe { lc::EVP_PKEY_cmp(one.get(), other.get()) } == 1;
    clear_errors();
    equal
}

/// The name of a key's type as in KeyObject.asymmetricKeyType; empty for one that node:crypto does not name.
pub(crate) fn type_name(key: &Key) -> &'static str {
    if let Some(other) = &key.other {
        return other.name();
    }
    match key.id() {
        lc::EVP_PKEY_RSA => "rsa",
        lc::EVP_PKEY_RSA_PSS => "rsa-pss",
        lc::EVP_PKEY_DSA => "dsa",
        lc::EVP_PKEY_DH => "dh",
        lc::EVP_PKEY_EC => "ec",
        lc::EVP_PKEY_ED25519 => "ed25519",
        lc::EVP_PKEY_X25519 => "x25519",
        _ => post_quantum::name(key).unwrap_or_default(),
    }
}

/// The short name of a number of the library, such as that of a curve.
pub(crate) fn short_name(nid: c_int) -> String {
    // SAFETY: gives a constant text or null.
    unsafe {
        let name = lc::OBJ_nid2sn(nid);
        if name.is_null() { String::new() } else { std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned() }
    }
}

/// The number of a curve's name, in OpenSSL's or NIST's words.
pub(crate) fn curve_nid(name: &str) -> Option<c_int> {
    let text = std::ffi::CString::new(name).ok()?;
    // SAFETY: a terminated text.
    let nid = unsafe {
        match lc::EC_curve_nist2nid(text.as_ptr()) {
            0 if name == "secp256r1" => lc::NID_X9_62_prime256v1,
            0 => lc::OBJ_sn2nid(text.as_ptr()),
            nid => nid,
        }
    };
    clear_errors();
    (nid != 0).then_some(nid)
}

fn curve_of(ec: *const lc::EC_KEY) -> (*const lc::EC_GROUP, c_int) {
    // SAFETY: a live key, which has a group.
    unsafe {
        let group = lc::EC_KEY_get0_group(ec);
        (group, if group.is_null() { 0 } else { lc::EC_GROUP_get_curve_name(group) })
    }
}

/// Type of a key and what belongs to it: [name, bits (RSA, DSA: modulus; DSA: and divisor), curve, public exponent of RSA].
#[op]
pub(crate) fn key_info(key: &Resource<Key>) -> (&'static str, f64, f64, String, Option<Vec<u8>>) {
    let name = type_name(key);
    let (mut bits, mut divisor, mut curve, mut exponent) = (0, 0, String::new(), None);
    // SAFETY: a live key of the type that was asked for.
    unsafe {
        match name {
            "rsa" | "rsa-pss" => {
                bits = lc::EVP_PKEY_bits(key.get());
                if let Some(rsa) = key.rsa() {
                    exponent = Some(aws_lc::bn_bytes(lc::RSA_get0_e(rsa)));
                }
            }
            "dsa" => {
                let dsa = lc::EVP_PKEY_get0_DSA(key.get());
                bits = lc::BN_num_bits(lc::DSA_get0_p(dsa)) as c_int;
                divisor = lc::BN_num_bits(lc::DSA_get0_q(dsa)) as c_int;
            }
            "ec" => {
                if let Some(ec) = key.ec() {
                    curve = short_name(curve_of(ec).1);
                }
            }
            _ => {}
        }
    }
    (name, f64::from(bits), f64::from(divisor), curve, exponent)
}

/// The numbers of an RSA key: n, e, and for a private one d, p, q, dp, dq, qi.
#[op]
pub(crate) fn key_rsa_parts(key: &Resource<Key>, private: bool) -> Result<Vec<Vec<u8>>, OpError> {
    let rsa = key.rsa().ok_or_else(|| not_of_type("an RSA key"))?;
    // SAFETY: a live key; the numbers are copied.
    unsafe {
        let mut parts = vec![aws_lc::bn_bytes(lc::RSA_get0_n(rsa)), aws_lc::bn_bytes(lc::RSA_get0_e(rsa))];
        if private {
            for number in [
                lc::RSA_get0_d(rsa),
                lc::RSA_get0_p(rsa),
                lc::RSA_get0_q(rsa),
                lc::RSA_get0_dmp1(rsa),
                lc::RSA_get0_dmq1(rsa),
                lc::RSA_get0_iqmp(rsa),
            ] {
                parts.push(aws_lc::bn_bytes(number));
            }
        }
        Ok(parts)
    }
}

/// An RSA key of its eight numbers, in the same order, one after the other with these lengths; `d` and the others are empty
/// for a public key.
#[op]
pub(crate) fn key_rsa_import(lengths: Vec<u32>, data: &[u8]) -> Result<Resource<Key>, OpError> {
    let mut rest = data;
    let mut parts = Vec::new();
    for length in lengths {
        let (part, after) =
            rest.split_at_checked(length as usize).ok_or_else(|| OpError::type_error("not enough bytes"))?;
        parts.push(part);
        rest = after;
    }
    let [n, e, d, p, q, dp, dq, qi] = parts[..] else { return Err(OpError::type_error("not an RSA key")) };
    clear_errors();
    let (n, e) = (Bn::from_bytes(n)?, Bn::from_bytes(e)?);
    // SAFETY: live numbers, which the library copies.
    let rsa = unsafe {
        if d.is_empty() {
            let rsa = lc::RSA_new_public_key(n.get(), e.get());
            if rsa.is_null() { lc::RSA_new_public_key_large_e(n.get(), e.get()) } else { rsa }
        } else {
            let number = Bn::from_bytes;
            let (d, p, q, dp, dq, qi) = (number(d)?, number(p)?, number(q)?, number(dp)?, number(dq)?, number(qi)?);
            lc::RSA_new_private_key(n.get(), e.get(), d.get(), p.get(), q.get(), dp.get(), dq.get(), qi.get())
        }
    };
    let key = Key::from_rsa(Rsa::own(rsa)?)?;
    clear_errors();
    Ok(Resource::new(key))
}

/// The numbers of a key of an elliptic curve: x and y, and d for a private one, each with leading zeros.
#[op]
pub(crate) fn key_ec_parts(key: &Resource<Key>, private: bool) -> Result<Vec<Vec<u8>>, OpError> {
    let ec = key.ec().ok_or_else(|| not_of_type("an EC key"))?;
    let (group, _) = curve_of(ec);
    let (x, y) = (Bn::from_bytes(&[])?, Bn::from_bytes(&[])?);
    // SAFETY: live objects of one key.
    unsafe {
        let length = (lc::EC_GROUP_get_degree(group) as usize).div_ceil(8);
        let point = lc::EC_KEY_get0_public_key(ec);
        check(lc::EC_POINT_get_affine_coordinates(group, point, x.get(), y.get(), ptr::null_mut()))?;
        let mut parts = vec![aws_lc::bn_padded(x.get(), length)?, aws_lc::bn_padded(y.get(), length)?];
        if private {
            let order = (lc::EC_GROUP_order_bits(group) as usize).div_ceil(8);
            parts.push(aws_lc::bn_padded(lc::EC_KEY_get0_private_key(ec), order)?);
        }
        Ok(parts)
    }
}

fn no_curve() -> OpError {
    OpError::type_error("Invalid EC curve name").code("ERR_CRYPTO_INVALID_CURVE")
}

/// A new key of a curve, without a point.
pub(crate) fn ec_key(curve: &str) -> Result<EcKey, OpError> {
    let nid = curve_nid(curve).ok_or_else(no_curve)?;
    // SAFETY: any number.
    let key = unsafe { lc::EC_KEY_new_by_curve_name(nid) };
    if key.is_null() {
        clear_errors();
        return Err(no_curve());
    }
    EcKey::own(key)
}

/// A key of an elliptic curve of its coordinates, and of d for a private one (else empty).
#[op]
pub(crate) fn key_ec_import(curve: String, x: Vec<u8>, y: Vec<u8>, d: Vec<u8>) -> Result<Resource<Key>, OpError> {
    clear_errors();
    let ec = ec_key(&curve)?;
    // As the bytes of a point, which are read in half the time of two numbers and with the same checks.
    let mut point = Vec::with_capacity(1 + x.len() + y.len());
    point.push(lc::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED as u8);
    point.extend_from_slice(&x);
    point.extend_from_slice(&y);
    let (group, _) = curve_of(ec.get());
    // SAFETY: live objects, a slice with its length; the library copies point and number.
    unsafe {
        let place = aws_lc::EcPoint::own(lc::EC_POINT_new(group))?;
        check(lc::EC_POINT_oct2point(group, place.get(), point.as_ptr(), point.len(), ptr::null_mut()))?;
        check(lc::EC_KEY_set_public_key(ec.get(), place.get()))?;
        if !d.is_empty() {
            let d = Bn::from_bytes(&d)?;
            check(lc::EC_KEY_set_private_key(ec.get(), d.get()))?;
            check(lc::EC_KEY_check_key(ec.get()))?;
        }
    }
    Key::from_ec(ec).map(Resource::new)
}

/// A public key of the bytes of a point, compressed or not.
#[op]
pub(crate) fn key_ec_from_point(curve: String, point: Vec<u8>) -> Result<Resource<Key>, OpError> {
    clear_errors();
    let ec = ec_key(&curve)?;
    let (group, _) = curve_of(ec.get());
    // SAFETY: live objects, a slice with its length.
    unsafe {
        let place = aws_lc::EcPoint::own(lc::EC_POINT_new(group))?;
        check(lc::EC_POINT_oct2point(group, place.get(), point.as_ptr(), point.len(), ptr::null_mut()))?;
        check(lc::EC_KEY_set_public_key(ec.get(), place.get()))?;
        check(lc::EC_KEY_check_key(ec.get()))?;
    }
    Key::from_ec(ec).map(Resource::new)
}

/// The library's name of a form: 2 compressed, else uncompressed.
pub(crate) fn point_form(form: u32) -> lc::point_conversion_form_t {
    if form == 2 {
        lc::point_conversion_form_t::POINT_CONVERSION_COMPRESSED
    } else {
        lc::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED
    }
}

/// The bytes of a key's point; `form` 2 compressed, 4 uncompressed.
#[op]
pub(crate) fn key_ec_point(key: &Resource<Key>, form: u32) -> Result<Vec<u8>, OpError> {
    let ec = key.ec().ok_or_else(|| not_of_type("an EC key"))?;
    let mut out = ptr::null_mut();
    // SAFETY: a live key; the bytes are copied and freed.
    let length = unsafe { lc::EC_KEY_key2buf(ec, point_form(form), &mut out, ptr::null_mut()) };
    if length == 0 {
        return Err(last_error());
    }
    Ok(aws_lc::take(out, length))
}

/// How the library writes a part of a key: with null it says how many bytes there will be.
pub(crate) type Get = unsafe extern "C" fn(*const lc::EVP_PKEY, *mut u8, *mut usize) -> c_int;

/// The bytes of a part of a key.
pub(crate) fn bytes(key: &Key, get: Get) -> Result<Vec<u8>, OpError> {
    let mut length = 0;
    // SAFETY: a live key; the first call says how many bytes the second writes.
    unsafe {
        check(get(key.get(), ptr::null_mut(), &mut length))?;
        let mut out = vec![0; length];
        check(get(key.get(), out.as_mut_ptr(), &mut length))?;
        out.truncate(length);
        Ok(out)
    }
}

/// The bytes of a key of a type that has a raw form (ed25519, x25519, ed448, x448, ml-dsa-…, ml-kem-…). Of private keys of the
/// post-quantum types it is the seed, where the key has one.
#[op]
pub(crate) fn key_raw(key: &Resource<Key>, private: bool) -> Result<Vec<u8>, OpError> {
    clear_errors();
    if let Some(other) = &key.other {
        let bytes = if private { other.private() } else { Some(other.public()) };
        return bytes.map(<[u8]>::to_vec).ok_or_else(|| not_of_type("a private key"));
    }
    if private && matches!(key.id(), lc::EVP_PKEY_PQDSA | lc::EVP_PKEY_KEM) {
        return post_quantum::seed(key);
    }
    bytes(key, if private { lc::EVP_PKEY_get_raw_private_key } else { lc::EVP_PKEY_get_raw_public_key })
}

/// A key of such bytes.
#[op]
pub(crate) fn key_raw_import(name: String, private: bool, data: Vec<u8>) -> Result<Resource<Key>, OpError> {
    clear_errors();
    if Curve448::length(&name).is_some() {
        let key = if private { Curve448::from_private(&name, &data) } else { Curve448::from_public(&name, &data) };
        return Key::from_other(key.ok_or_else(aws_lc::undecodable)?).map(Resource::new);
    }
    let found = if private { post_quantum::from_seed(&name, &data) } else { post_quantum::from_public(&name, &data) };
    if let Some(key) = found {
        return key.map(Resource::new);
    }
    let number = match name.as_str() {
        "ed25519" => lc::EVP_PKEY_ED25519,
        "x25519" => lc::EVP_PKEY_X25519,
        _ => return Err(OpError::error("Invalid key type")),
    };
    let new = if private { lc::EVP_PKEY_new_raw_private_key } else { lc::EVP_PKEY_new_raw_public_key };
    // SAFETY: a slice with its length.
    let key = unsafe { new(number, ptr::null_mut(), data.as_ptr(), data.len()) };
    Key::own(key).map(Resource::new)
}

/// A context for digests, with the memory of the library.
pub(crate) fn md_context() -> Result<MdCtx, OpError> {
    // SAFETY: no conditions.
    MdCtx::own(unsafe { lc::EVP_MD_CTX_new() })
}
