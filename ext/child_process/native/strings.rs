//! Lists of C strings as exec takes them.

use std::ffi::{CStr, c_char};

/// Strings with a NUL after each, and a NULL-terminated array of pointers to them.
///
/// JavaScript hands over such a list as one string with NULs between the items (none of which can contain one), so
/// that the list costs one conversion and one allocation however long it is.
pub(crate) struct CStrings {
    /// Never changed after the pointers were taken.
    bytes: Vec<u8>,
    pointers: Vec<*const c_char>,
}

impl CStrings {
    /// Splits `joined` at its NULs: n NULs make n + 1 strings.
    pub(crate) fn split(joined: impl Into<Vec<u8>>) -> Self {
        let mut bytes = joined.into();
        bytes.push(0);
        Self::from_terminated(bytes)
    }

    /// No string at all.
    pub(crate) fn empty() -> Self {
        Self::from_terminated(Vec::new())
    }

    /// From bytes that have a NUL after each string.
    pub(crate) fn from_terminated(bytes: Vec<u8>) -> Self {
        let mut pointers = Vec::new();
        let mut rest: &[u8] = &bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == 0) {
            pointers.push(rest.as_ptr().cast());
            rest = &rest[end + 1..];
        }
        pointers.push(std::ptr::null());
        CStrings { bytes, pointers }
    }

    /// The pointers, the last of which is NULL. Valid as long as `self` is.
    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }

    /// The pointers without the NULL at the end.
    pub(crate) fn pointers(&self) -> &[*const c_char] {
        &self.pointers[..self.pointers.len() - 1]
    }

    /// The value of `name` in a list of `name=value`; the last one counts.
    pub(crate) fn variable(&self, name: &[u8]) -> Option<&[u8]> {
        self.bytes.split(|&byte| byte == 0).filter_map(|entry| entry.strip_prefix(name)?.strip_prefix(b"=")).next_back()
    }
}

/// The files that a command name can mean, in the order in which exec tries them: the name itself where it contains a
/// slash, else the name in each directory of `path` (the child's PATH, or the system's default without one).
pub(crate) fn candidates(file: &str, path: Option<&[u8]>) -> CStrings {
    let mut bytes = Vec::new();
    if file.contains('/') {
        bytes.extend_from_slice(file.as_bytes());
        bytes.push(0);
    } else if !file.is_empty() {
        for directory in path.unwrap_or(b"/bin:/usr/bin").split(|&byte| byte == b':') {
            // An empty entry is the working directory.
            if !directory.is_empty() {
                bytes.extend_from_slice(directory);
                bytes.push(b'/');
            }
            bytes.extend_from_slice(file.as_bytes());
            bytes.push(0);
        }
    }
    CStrings::from_terminated(bytes)
}

unsafe extern "C" {
    /// The environment of this process: a NULL-terminated array of `name=value`.
    static mut environ: *const *const c_char;
}

/// The environment of this process as exec takes it, without a copy. It changes with `process.env` only, which is
/// written to on the main thread; callers use it at once, on that thread.
pub(crate) fn own_environment() -> *const *const c_char {
    // SAFETY: reads a pointer.
    unsafe { environ }
}

/// The value of a variable of this process.
pub(crate) fn own_variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: a terminated name; what comes back is terminated, or NULL. Used before the environment can change.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

/// The shell that runs files without a format of their own, as execvp has it.
pub(crate) const SHELL: &CStr = c"/bin/sh";

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &CStrings) -> Vec<String> {
        // SAFETY: pointers into the list's own terminated bytes.
        list.pointers().iter().map(|&p| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn lists_keep_empty_strings() {
        assert_eq!(texts(&CStrings::split("a\0\0b")), ["a", "", "b"]);
        assert_eq!(texts(&CStrings::split(String::new())), [""]);
        assert!(texts(&CStrings::empty()).is_empty());
    }

    #[test]
    fn the_last_variable_counts() {
        let list = CStrings::split("PATHS=no\0PATH=a\0PATH=b");
        assert_eq!(list.variable(b"PATH"), Some(&b"b"[..]));
        assert_eq!(list.variable(b"HOME"), None);
    }

    #[test]
    fn names_are_looked_up_in_path() {
        assert_eq!(texts(&candidates("ls", Some(b"/a::/b"))), ["/a/ls", "ls", "/b/ls"]);
        assert_eq!(texts(&candidates("./ls", Some(b"/a"))), ["./ls"]);
        assert_eq!(texts(&candidates("ls", None)), ["/bin/ls", "/usr/bin/ls"]);
    }
}
