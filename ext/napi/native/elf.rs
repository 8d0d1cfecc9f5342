//! Why a file cannot be loaded as an addon, in words that name the file, the reason and what to do.

use std::fs::File;
use std::io::Read;

/// Packages whose addons were made for V8's C++ interface, and since when they are made for Node-API.
const SUCCESSORS: &[(&str, &str)] = &[
    ("argon2", "0.40"),
    ("bcrypt", "6"),
    ("better-sqlite3", "13"),
    ("bufferutil", "4"),
    ("canvas", "3"),
    ("leveldown", "classic-level 1"),
    ("node-pty", "1.1"),
    ("node-sass", "sass 1 (JavaScript)"),
    ("serialport", "10"),
    ("sharp", "0.33"),
    ("sqlite3", "6"),
    ("usb", "2"),
    ("utf-8-validate", "5"),
    ("zeromq", "6"),
];

/// The package that a path of node_modules belongs to.
fn package_of(path: &str) -> Option<&str> {
    let rest = &path[path.rfind("/node_modules/")? + "/node_modules/".len()..];
    let mut parts = rest.match_indices('/').map(|(at, _)| at);
    let end = if rest.starts_with('@') { parts.nth(1) } else { parts.next() };
    Some(&rest[..end?])
}

/// An addon that wants V8.
pub fn is_for_v8(path: &str) -> String {
    let mut text = format!(
        "{path}: the addon is made for V8's C++ interface, which bao's engine does not have. Addons made for Node-API work"
    );
    let package = package_of(path);
    let successor = SUCCESSORS.iter().find(|(name, _)| Some(*name) == package);
    match (package, successor) {
        (Some(package), Some((_, since))) if since.contains(' ') => {
            text.push_str(&format!("; instead of {package} there is {since}"));
        }
        (Some(package), Some((_, since))) => {
            text.push_str(&format!("; {package} is one from version {since} on"));
        }
        (Some(package), None) => text.push_str(&format!("; see whether a newer version of {package} is one")),
        (None, _) => {}
    }
    text
}

/// A library that is no addon.
pub fn no_registration(path: &str) -> String {
    if has_text(path, b"node_register_module_v") || has_text(path, b"_ZN2v8") {
        return is_for_v8(path);
    }
    format!(
        "Module did not self-register: '{path}'. It has no symbol napi_register_module_v1 and does not call napi_module_register"
    )
}

fn has_text(path: &str, text: &[u8]) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text))
}

/// Says more than the system about a failure; `None` where the system's words are all there is, or where loading with
/// symbols as they are needed may work.
pub fn explain(path: &str, message: &str) -> Option<String> {
    if let Some(name) = message.split("undefined symbol: ").nth(1) {
        let name = name.split([' ', ',']).next().unwrap_or(name);
        if name.starts_with("_ZN2v8") || name.starts_with("_ZNK2v8") || name.starts_with("_ZN4node") {
            return Some(format!("{} (it wants the symbol {name})", is_for_v8(path)));
        }
        if name.starts_with("napi_") || name.starts_with("node_api_") || name.starts_with("uv_") {
            return Some(format!("{message}: bao does not have this function of the interface for addons"));
        }
        return None;
    }
    if let Some(why) = wrong_machine(path) {
        // Of a file that is none the system's words are what programs look for; of others they are misleading.
        let is_told = message.ends_with("file too short") || message.ends_with("invalid ELF header");
        return Some(format!("{}: {why}", if is_told { message } else { path }));
    }
    if message.contains("libc.musl") {
        return Some(format!(
            "{path}: {message}: the addon is made for musl (Alpine Linux), this system has glibc; install the package on this system"
        ));
    }
    Some(message.to_string())
}

/// What a file is made for, where that is not this machine.
fn wrong_machine(path: &str) -> Option<String> {
    const HEADER: usize = 20;
    const X86_64: u16 = 62;
    const AARCH64: u16 = 183;
    let mut header = [0; HEADER];
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Some(format!("cannot open the addon: {error}")),
    };
    if file.read_exact(&mut header).is_err() {
        return Some("the addon is empty or cut off: install its package again".into());
    }
    let own = if cfg!(target_arch = "x86_64") { X86_64 } else { AARCH64 };
    let name = |machine| match machine {
        3 => "32-bit x86".to_string(),
        40 => "32-bit ARM".to_string(),
        X86_64 => "x86-64".to_string(),
        AARCH64 => "arm64".to_string(),
        243 => "RISC-V".to_string(),
        other => format!("another processor (ELF machine {other})"),
    };
    let advice = "install its package on this system";
    match &header[..4] {
        b"\x7fELF" => {
            let machine = u16::from_le_bytes([header[18], header[19]]);
            (machine != own)
                .then(|| format!("the addon is made for {}, this process is {}: {advice}", name(machine), name(own)))
        }
        [0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe] => {
            Some(format!("the addon is made for macOS, this is Linux: {advice}"))
        }
        [b'M', b'Z', ..] => Some(format!("the addon is made for Windows, this is Linux: {advice}")),
        _ => Some(format!("not an ELF file, so not an addon for Linux: {advice}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_in_paths() {
        assert_eq!(package_of("/a/node_modules/bcrypt/build/x.node"), Some("bcrypt"));
        assert_eq!(package_of("/a/node_modules/b/node_modules/@c/d/x.node"), Some("@c/d"));
        assert_eq!(package_of("/a/b/x.node"), None);
    }

    #[test]
    fn successors_are_named() {
        assert!(is_for_v8("/node_modules/better-sqlite3/x.node").ends_with("from version 13 on"));
        assert!(is_for_v8("/node_modules/leveldown/x.node").ends_with("there is classic-level 1"));
    }
}
