//! Socket addresses between text and the kernel's form.

use std::mem::{offset_of, size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use libc::{sockaddr, sockaddr_in, sockaddr_in6, sockaddr_storage, sockaddr_un, socklen_t};

/// A socket address in the kernel's form.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Address {
    storage: sockaddr_storage,
    length: socklen_t,
}

/// The number of an interface by name or number, 0 where there is none.
fn scope_id(zone: &str) -> u32 {
    if let Ok(number) = zone.parse() {
        return number;
    }
    let Ok(name) = std::ffi::CString::new(zone) else { return 0 };
    // SAFETY: a NUL-terminated name.
    unsafe { libc::if_nametoindex(name.as_ptr()) }
}

impl Address {
    /// Room for the kernel to write an address to.
    pub fn empty() -> Self {
        // SAFETY: all zeros is a valid value of this plain struct.
        Address { storage: unsafe { zeroed() }, length: size_of::<sockaddr_storage>() as socklen_t }
    }

    /// An IPv4 or IPv6 address (with `%zone`), `None` for other text.
    pub fn ip(text: &str, port: u16) -> Option<Self> {
        let (bare, zone) = text.split_once('%').unwrap_or((text, ""));
        let mut address = Self::empty();
        let place = (&raw mut address.storage).cast::<u8>();
        match bare.parse::<IpAddr>().ok()? {
            IpAddr::V4(ip) => {
                // SAFETY: plain structs of the family's kind, smaller than the storage they are written to.
                unsafe {
                    let mut value: sockaddr_in = zeroed();
                    value.sin_family = libc::AF_INET as u16;
                    value.sin_port = port.to_be();
                    value.sin_addr.s_addr = u32::from_ne_bytes(ip.octets());
                    place.cast::<sockaddr_in>().write(value);
                }
                address.length = size_of::<sockaddr_in>() as socklen_t;
            }
            IpAddr::V6(ip) => {
                // SAFETY: as above.
                unsafe {
                    let mut value: sockaddr_in6 = zeroed();
                    value.sin6_family = libc::AF_INET6 as u16;
                    value.sin6_port = port.to_be();
                    value.sin6_addr.s6_addr = ip.octets();
                    value.sin6_scope_id = scope_id(zone);
                    place.cast::<sockaddr_in6>().write(value);
                }
                address.length = size_of::<sockaddr_in6>() as socklen_t;
            }
        }
        Some(address)
    }

    /// A path, or with a leading NUL a name of the abstract namespace. `None` where it is too long.
    pub fn unix(path: &[u8]) -> Option<Self> {
        let mut address = Self::empty();
        // SAFETY: as above.
        let mut value: sockaddr_un = unsafe { zeroed() };
        value.sun_family = libc::AF_UNIX as u16;
        // A path needs its zero byte.
        if path.len() + usize::from(path.first() != Some(&0)) > value.sun_path.len() {
            return None;
        }
        for (to, from) in value.sun_path.iter_mut().zip(path) {
            *to = *from as libc::c_char;
        }
        // SAFETY: as above.
        unsafe { (&raw mut address.storage).cast::<sockaddr_un>().write(value) };
        let zero = usize::from(path.first() != Some(&0));
        address.length = (offset_of!(sockaddr_un, sun_path) + path.len() + zero) as socklen_t;
        Some(address)
    }

    /// For passing to the kernel.
    pub fn as_ptr(&self) -> *const sockaddr {
        (&raw const self.storage).cast()
    }

    /// For the kernel to write to.
    pub fn as_mut_ptr(&mut self) -> *mut sockaddr {
        (&raw mut self.storage).cast()
    }

    /// Size of the address.
    pub fn len(&self) -> socklen_t {
        self.length
    }

    /// For the kernel to write the size to.
    pub fn len_mut(&mut self) -> *mut socklen_t {
        &raw mut self.length
    }

    /// AF_INET, AF_INET6 or AF_UNIX.
    pub fn family(&self) -> i32 {
        i32::from(self.storage.ss_family)
    }

    /// Text, port and 4 or 6; for unix sockets the path, 0 and 0.
    pub fn parts(&self) -> (String, u16, u8) {
        let place = (&raw const self.storage).cast::<u8>();
        match self.family() {
            libc::AF_INET => {
                // SAFETY: the family says what it holds.
                let value = unsafe { place.cast::<sockaddr_in>().read() };
                let ip = Ipv4Addr::from(value.sin_addr.s_addr.to_ne_bytes());
                (ip.to_string(), u16::from_be(value.sin_port), 4)
            }
            libc::AF_INET6 => {
                // SAFETY: as above.
                let value = unsafe { place.cast::<sockaddr_in6>().read() };
                let ip = Ipv6Addr::from(value.sin6_addr.s6_addr);
                let mut text = ip.to_string();
                if value.sin6_scope_id != 0 && ip.is_unicast_link_local() {
                    text.push('%');
                    text.push_str(&interface_name(value.sin6_scope_id));
                }
                (text, u16::from_be(value.sin6_port), 6)
            }
            _ => {
                // SAFETY: as above; only the bytes within the length are looked at.
                let value = unsafe { place.cast::<sockaddr_un>().read() };
                let length = (self.length as usize).saturating_sub(offset_of!(sockaddr_un, sun_path));
                let bytes: Vec<u8> = value.sun_path.iter().take(length).map(|&c| c as u8).collect();
                let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
                (String::from_utf8_lossy(&bytes[..end]).into_owned(), 0, 0)
            }
        }
    }
}

fn interface_name(index: u32) -> String {
    let mut name = [0 as libc::c_char; libc::IF_NAMESIZE];
    // SAFETY: room for the longest name.
    unsafe {
        if libc::if_indextoname(index, name.as_mut_ptr()).is_null() {
            return index.to_string();
        }
        std::ffi::CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn round_trips() {
        assert_eq!(Address::ip("127.0.0.1", 80).unwrap().parts(), ("127.0.0.1".into(), 80, 4));
        assert_eq!(Address::ip("::1", 8080).unwrap().parts(), ("::1".into(), 8080, 6));
        assert_eq!(Address::unix(b"/tmp/x").unwrap().parts().0, "/tmp/x");
        assert_eq!(Address::unix(b"\0x").unwrap().parts().0, "\0x");
        assert!(Address::unix(&[b'x'; 108]).is_none());
        assert!(Address::ip("localhost", 0).is_none());
    }
}
