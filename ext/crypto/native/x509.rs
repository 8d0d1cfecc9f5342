//! Certificates (X.509) and SPKAC for node:crypto.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_ulong};
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, Resource, op};

use crate::aws_lc::{self, Bio, Bn, check, clear_errors, der, described, last_error, owned};
use crate::keys::Key;

owned!(Spki, lc::NETSCAPE_SPKI, lc::NETSCAPE_SPKI_free);

/// A certificate.
pub(crate) struct Certificate(*mut lc::X509);

impl Drop for Certificate {
    fn drop(&mut self) {
        // SAFETY: made by the library, and owned by nobody else.
        unsafe { lc::X509_free(self.0) };
    }
}

/// A certificate in PEM or DER.
#[op]
pub(crate) fn x509_parse(data: &[u8]) -> Result<Resource<Certificate>, OpError> {
    clear_errors();
    let mut cursor = data.as_ptr();
    // SAFETY: bytes of a slice with their length.
    let certificate = unsafe {
        let bio = Bio::reading(data)?;
        let certificate = lc::PEM_read_bio_X509_AUX(bio.get(), ptr::null_mut(), None, ptr::null_mut());
        if certificate.is_null() {
            clear_errors();
            lc::d2i_X509(ptr::null_mut(), &mut cursor, data.len() as c_long)
        } else {
            certificate
        }
    };
    if certificate.is_null() {
        clear_errors();
        return Err(described("0480006C", "PEM routines", "no start line"));
    }
    Ok(Resource::new(Certificate(certificate)))
}

fn text(bio: &Bio) -> String {
    String::from_utf8_lossy(&bio.contents()).into_owned()
}

/// The short or long name, or the numbers, of an object identifier.
fn object_text(object: *const lc::ASN1_OBJECT, numbers: bool) -> String {
    let mut buffer = [0 as c_char; 256];
    // SAFETY: a live object; the text is terminated within the buffer.
    unsafe {
        if lc::OBJ_obj2txt(buffer.as_mut_ptr(), 255, object, c_int::from(numbers)) <= 0 {
            return String::new();
        }
        CStr::from_ptr(buffer.as_ptr()).to_string_lossy().into_owned()
    }
}

const NAME_LINES: c_ulong = (lc::ASN1_STRFLGS_ESC_2253
    | lc::ASN1_STRFLGS_ESC_CTRL
    | lc::ASN1_STRFLGS_UTF8_CONVERT
    | lc::XN_FLAG_SEP_MULTILINE
    | lc::XN_FLAG_FN_SN) as c_ulong;

fn name_text(name: *const lc::X509_NAME, flags: c_ulong) -> Result<String, OpError> {
    let bio = Bio::writing()?;
    // SAFETY: a live name.
    unsafe { lc::X509_NAME_print_ex(bio.get(), name, 0, flags) };
    Ok(text(&bio))
}

/// A name among others in one line: as it is, or quoted as JSON where it could be taken for something else.
fn alternative(text: &str, is_utf8: bool, prefix: Option<&str>) -> String {
    let prefix = prefix.map(|prefix| format!("{prefix}:")).unwrap_or_default();
    let safe = text.chars().all(|c| match c {
        '"' | '\\' | ',' | '\'' => false,
        c if is_utf8 => c >= ' ' && c != '\x7f',
        c => (' '..='~').contains(&c),
    });
    if safe {
        return prefix + text;
    }
    let mut out = format!("\"{prefix}");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ',' => out.push_str("\\u002c"),
            ' '..='~' => out.push(c),
            c if is_utf8 && c > '\x7f' => out.push(c),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// The bytes of a string of ASN.1.
fn string_bytes<'a>(string: *const lc::ASN1_STRING) -> &'a [u8] {
    // SAFETY: a live string, which the caller does not outlive.
    unsafe {
        let (data, length) = (lc::ASN1_STRING_get0_data(string), lc::ASN1_STRING_length(string));
        if data.is_null() { &[] } else { std::slice::from_raw_parts(data, length as usize) }
    }
}

/// The characters of such a string, of which each is a byte.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn address(bytes: &[u8]) -> String {
    match bytes.len() {
        4 => bytes.iter().map(u8::to_string).collect::<Vec<_>>().join("."),
        16 => {
            let groups = bytes.chunks(2).map(|pair| format!("{:X}", u16::from_be_bytes([pair[0], pair[1]])));
            groups.collect::<Vec<_>>().join(":")
        }
        _ => "<invalid>".to_owned(),
    }
}

/// Names of other kinds that can be shown: object identifier, word, whether UTF-8 (else ASCII).
const OTHER_NAMES: [(&str, &str, bool); 5] = [
    ("1.3.6.1.5.5.7.8.9", "SmtpUTF8Mailbox", true),
    ("1.3.6.1.5.5.7.8.5", "XmppAddr", true),
    ("1.3.6.1.5.5.7.8.7", "SRVName", false),
    ("1.3.6.1.4.1.311.20.2.3", "UPN", true),
    ("1.3.6.1.5.5.7.8.8", "NAIRealm", true),
];

fn general_name(name: *const lc::GENERAL_NAME) -> Result<String, OpError> {
    let mut kind = 0;
    // SAFETY: a live name; what belongs to it is of the type that it says.
    unsafe {
        let value = lc::GENERAL_NAME_get0_value(name, &mut kind);
        let string = || latin1(string_bytes(value.cast()));
        Ok(match kind {
            lc::GEN_DNS => format!("DNS:{}", alternative(&string(), false, None)),
            lc::GEN_EMAIL => format!("email:{}", alternative(&string(), false, None)),
            lc::GEN_URI => format!("URI:{}", alternative(&string(), false, None)),
            lc::GEN_DIRNAME => {
                let flags = lc::XN_FLAG_RFC2253 as c_ulong & !(lc::ASN1_STRFLGS_ESC_MSB as c_ulong);
                format!("DirName:{}", alternative(&name_text(value.cast(), flags)?, true, None))
            }
            lc::GEN_IPADD => format!("IP Address:{}", address(string_bytes(value.cast()))),
            lc::GEN_RID => format!("Registered ID:{}", object_text(value.cast(), true)),
            lc::GEN_X400 => "X400Name:<unsupported>".to_owned(),
            lc::GEN_EDIPARTY => "EdiPartyName:<unsupported>".to_owned(),
            lc::GEN_OTHERNAME => {
                let (mut id, mut held) = (ptr::null_mut(), ptr::null_mut());
                lc::GENERAL_NAME_get0_otherName(name, &mut id, &mut held);
                let id = object_text(id, true);
                let wanted = |utf8: bool| if utf8 { lc::V_ASN1_UTF8STRING } else { lc::V_ASN1_IA5STRING };
                match OTHER_NAMES.iter().find(|entry| entry.0 == id) {
                    Some(&(_, word, utf8)) if (*held).type_ == wanted(utf8) => {
                        let bytes = string_bytes((*held).value.asn1_string);
                        let text = if utf8 { String::from_utf8_lossy(bytes).into_owned() } else { latin1(bytes) };
                        format!("othername:{}", alternative(&text, utf8, Some(word)))
                    }
                    _ => "othername:<unsupported>".to_owned(),
                }
            }
            _ => "<unsupported>".to_owned(),
        })
    }
}

/// The decoded extension of a number; null where there is none.
fn extension(certificate: &Certificate, nid: c_int) -> *mut std::ffi::c_void {
    // SAFETY: a live certificate.
    let value = unsafe { lc::X509_get_ext_d2i(certificate.0, nid, ptr::null_mut(), ptr::null_mut()) };
    clear_errors();
    value
}

fn alternative_names(certificate: &Certificate) -> Result<String, OpError> {
    let names = extension(certificate, lc::NID_subject_alt_name);
    if names.is_null() {
        return Ok(String::new());
    }
    // SAFETY: a list of names, which is freed at the end.
    unsafe {
        let list: *const lc::OPENSSL_STACK = names.cast();
        let texts = (0..lc::OPENSSL_sk_num(list)).map(|index| general_name(lc::OPENSSL_sk_value(list, index).cast()));
        let texts: Result<Vec<_>, _> = texts.collect();
        lc::GENERAL_NAMES_free(names.cast());
        Ok(texts?.join(", "))
    }
}

fn access(certificate: &Certificate) -> Result<String, OpError> {
    let list = extension(certificate, lc::NID_info_access);
    if list.is_null() {
        return Ok(String::new());
    }
    // SAFETY: a list of descriptions, which is freed at the end.
    unsafe {
        let stack: *const lc::OPENSSL_STACK = list.cast();
        let lines = (0..lc::OPENSSL_sk_num(stack)).map(|index| {
            let one: *const lc::ACCESS_DESCRIPTION = lc::OPENSSL_sk_value(stack, index).cast_const().cast();
            Ok(format!("{} - {}", object_text((*one).method, false), general_name((*one).location)?))
        });
        let lines: Result<Vec<_>, OpError> = lines.collect();
        lc::AUTHORITY_INFO_ACCESS_free(list.cast());
        Ok(lines?.join("\n"))
    }
}

fn time_text(time: *const lc::ASN1_TIME) -> Result<String, OpError> {
    let bio = Bio::writing()?;
    // SAFETY: a live time.
    unsafe { lc::ASN1_TIME_print(bio.get(), time) };
    Ok(text(&bio))
}

/// A text of a certificate: 0 subject, 1 issuer, 2 alternative names, 3 access to information, 4 and 5 the times between
/// which it is valid, 6 serial number, 7 signature algorithm, 8 its object identifier, 9 PEM. Empty where there is none.
#[op]
pub(crate) fn x509_text(certificate: &Resource<Certificate>, what: u8) -> Result<String, OpError> {
    clear_errors();
    // SAFETY: a live certificate, to which all that is read belongs.
    unsafe {
        let algorithm = || {
            let mut object = ptr::null();
            let algorithm = lc::X509_get0_tbs_sigalg(certificate.0);
            lc::X509_ALGOR_get0(&mut object, ptr::null_mut(), ptr::null_mut(), algorithm);
            object
        };
        match what {
            0 => name_text(lc::X509_get_subject_name(certificate.0), NAME_LINES),
            1 => name_text(lc::X509_get_issuer_name(certificate.0), NAME_LINES),
            2 => alternative_names(certificate),
            3 => access(certificate),
            4 => time_text(lc::X509_get0_notBefore(certificate.0)),
            5 => time_text(lc::X509_get0_notAfter(certificate.0)),
            6 => {
                let number = lc::ASN1_INTEGER_to_BN(lc::X509_get0_serialNumber(certificate.0), ptr::null_mut());
                let bytes = Bn::own(number)?.bytes();
                let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                Ok(if digits.is_empty() { "00".to_owned() } else { digits })
            }
            7 => Ok(object_text(algorithm(), false)),
            8 => Ok(object_text(algorithm(), true)),
            _ => {
                let bio = Bio::writing()?;
                check(lc::PEM_write_bio_X509(bio.get(), certificate.0))?;
                Ok(text(&bio))
            }
        }
    }
}

/// The times between which a certificate is valid, in milliseconds since 1970.
#[op]
pub(crate) fn x509_times(certificate: &Resource<Certificate>) -> (f64, f64) {
    let (mut from, mut to) = (0, 0);
    // SAFETY: a live certificate.
    unsafe {
        lc::ASN1_TIME_to_posix(lc::X509_get0_notBefore(certificate.0), &mut from);
        lc::ASN1_TIME_to_posix(lc::X509_get0_notAfter(certificate.0), &mut to);
    }
    (from as f64 * 1000.0, to as f64 * 1000.0)
}

/// DER of a certificate.
#[op]
pub(crate) fn x509_raw(certificate: &Resource<Certificate>) -> Result<Vec<u8>, OpError> {
    // SAFETY: a live certificate.
    der(|out| unsafe { lc::i2d_X509(certificate.0, out) })
}

/// The public key.
#[op]
pub(crate) fn x509_key(certificate: &Resource<Certificate>) -> Result<Resource<Key>, OpError> {
    clear_errors();
    // SAFETY: a live certificate; the key has a reference of its own.
    Key::own(unsafe { lc::X509_get_pubkey(certificate.0) }).map(Resource::new)
}

/// Purposes of the key as object identifiers.
#[op]
pub(crate) fn x509_key_usage(certificate: &Resource<Certificate>) -> Vec<String> {
    let list = extension(certificate, lc::NID_ext_key_usage);
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: a list of object identifiers, freed at the end.
    unsafe {
        let stack: *const lc::OPENSSL_STACK = list.cast();
        let names = (0..lc::OPENSSL_sk_num(stack)).map(|i| object_text(lc::OPENSSL_sk_value(stack, i).cast(), true));
        let names = names.collect();
        lc::EXTENDED_KEY_USAGE_free(list.cast());
        names
    }
}

/// The parts of the subject's or the issuer's name: short name and value by turns.
#[op]
pub(crate) fn x509_name(certificate: &Resource<Certificate>, issuer: bool) -> Vec<String> {
    // SAFETY: a live certificate, to which all that is read belongs.
    unsafe {
        let name =
            if issuer { lc::X509_get_issuer_name(certificate.0) } else { lc::X509_get_subject_name(certificate.0) };
        let mut parts = Vec::new();
        for index in 0..lc::X509_NAME_entry_count(name) {
            let entry = lc::X509_NAME_get_entry(name, index);
            let object = lc::X509_NAME_ENTRY_get_object(entry);
            let nid = lc::OBJ_obj2nid(object);
            parts.push(if nid == 0 { object_text(object, true) } else { crate::keys::short_name(nid) });
            let mut out = ptr::null_mut();
            let length = lc::ASN1_STRING_to_UTF8(&mut out, lc::X509_NAME_ENTRY_get_data(entry));
            let bytes = if length < 0 { Vec::new() } else { aws_lc::take(out, length as usize) };
            parts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        parts
    }
}

/// Whether a certificate is for a host: the name in it that says so, or undefined. An error for a name with a NUL.
#[op]
pub(crate) fn x509_check_host(certificate: &Resource<Certificate>, name: String, flags: u32) -> Option<String> {
    let mut peer = ptr::null_mut();
    // SAFETY: a live certificate and a text with its length; the name that comes back is copied and freed.
    unsafe {
        let found = lc::X509_check_host(certificate.0, name.as_ptr().cast(), name.len(), flags, &mut peer);
        clear_errors();
        if found != 1 {
            return None;
        }
        if peer.is_null() {
            return Some(name);
        }
        let text = CStr::from_ptr(peer).to_string_lossy().into_owned();
        lc::OPENSSL_free(peer.cast());
        Some(text)
    }
}

/// The same for an address of electronic mail.
#[op]
pub(crate) fn x509_check_email(certificate: &Resource<Certificate>, name: String, flags: u32) -> bool {
    // SAFETY: as above.
    let found = unsafe { lc::X509_check_email(certificate.0, name.as_ptr().cast(), name.len(), flags) };
    clear_errors();
    found == 1
}

/// The same for an IP address; an error where the text is none.
#[op]
pub(crate) fn x509_check_ip(certificate: &Resource<Certificate>, address: String) -> Result<bool, OpError> {
    let wrong = || OpError::error("Invalid IP");
    let text = CString::new(address).map_err(|_| wrong())?;
    // SAFETY: a terminated text.
    let found = unsafe { lc::X509_check_ip_asc(certificate.0, text.as_ptr(), 0) };
    clear_errors();
    if found == -2 { Err(wrong()) } else { Ok(found == 1) }
}

/// Whether the other certificate is that of the issuer, by what they say.
#[op]
pub(crate) fn x509_check_issued(certificate: &Resource<Certificate>, issuer: &Resource<Certificate>) -> bool {
    // SAFETY: live certificates.
    let found = unsafe { lc::X509_check_issued(issuer.0, certificate.0) };
    clear_errors();
    found == 0
}

/// Whether the private key belongs to the certificate.
#[op]
pub(crate) fn x509_check_private_key(certificate: &Resource<Certificate>, key: &Resource<Key>) -> bool {
    // SAFETY: live objects.
    let found = unsafe { lc::X509_check_private_key(certificate.0, key.get()) };
    clear_errors();
    found == 1
}

/// Whether the certificate is signed with the key.
#[op]
pub(crate) fn x509_verify(certificate: &Resource<Certificate>, key: &Resource<Key>) -> bool {
    // SAFETY: live objects.
    let found = unsafe { lc::X509_verify(certificate.0, key.get()) };
    clear_errors();
    found == 1
}

/// Whether the certificate says that it may sign others. (The library's `X509_check_ca` takes all of version 1 for such.)
#[op]
pub(crate) fn x509_is_ca(certificate: &Resource<Certificate>) -> bool {
    // SAFETY: a live certificate.
    let (may, flags) = unsafe { (lc::X509_check_ca(certificate.0), lc::X509_get_extension_flags(certificate.0)) };
    clear_errors();
    may == 1 && flags & lc::EXFLAG_CA as u32 != 0
}

/// NIST's name of a curve by its short name; empty where it has none.
#[op]
pub(crate) fn curve_nist_name(name: String) -> String {
    let Some(nid) = crate::keys::curve_nid(&name) else { return String::new() };
    // SAFETY: gives a constant text or null.
    unsafe {
        let text = lc::EC_curve_nid2nist(nid);
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

fn spki(data: &[u8]) -> Option<Spki> {
    // The decoder of the library does not take white space at the end.
    let data = data.trim_ascii_end();
    // It takes a length of 0 for that of a terminated string, which a slice is not.
    if data.is_empty() {
        return None;
    }
    // SAFETY: a slice with its length.
    let parsed =
        Spki::own(unsafe { lc::NETSCAPE_SPKI_b64_decode(data.as_ptr().cast(), data.len() as lc::ossl_ssize_t) });
    clear_errors();
    parsed.ok()
}

/// Whether a SPKAC is signed with the key in it.
#[op]
pub(crate) fn spkac_verify(data: &[u8]) -> bool {
    let Some(spki) = spki(data) else { return false };
    // SAFETY: live objects.
    unsafe {
        let Ok(key) = Key::own(lc::NETSCAPE_SPKI_get_pubkey(spki.get())) else { return false };
        let good = lc::NETSCAPE_SPKI_verify(spki.get(), key.get()) > 0;
        clear_errors();
        good
    }
}

/// The key in a SPKAC as PEM; empty where it is none.
#[op]
pub(crate) fn spkac_key(data: &[u8]) -> Result<Vec<u8>, OpError> {
    let Some(spki) = spki(data) else { return Ok(Vec::new()) };
    // SAFETY: live objects.
    unsafe {
        let Ok(key) = Key::own(lc::NETSCAPE_SPKI_get_pubkey(spki.get())) else { return Ok(Vec::new()) };
        let bio = Bio::writing()?;
        if lc::PEM_write_bio_PUBKEY(bio.get(), key.get()) != 1 {
            return Err(last_error());
        }
        Ok(bio.contents())
    }
}

/// The challenge in a SPKAC; empty where there is none.
#[op]
pub(crate) fn spkac_challenge(data: &[u8]) -> Vec<u8> {
    let Some(spki) = spki(data) else { return Vec::new() };
    // SAFETY: a live object; the bytes are copied.
    unsafe { string_bytes((*(*spki.get()).spkac).challenge).to_vec() }
}
