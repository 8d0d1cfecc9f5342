//! Addresses of network interfaces.

use std::collections::HashMap;
use std::ffi::CStr;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

/// One address of an interface.
#[derive(Debug)]
pub(crate) struct Interface {
    pub name: String,
    pub address: String,
    pub netmask: String,
    /// 4 or 6.
    pub family: u8,
    pub mac: String,
    /// Loopback.
    pub internal: bool,
    /// Numeric scope of an IPv6 address, 0 for IPv4.
    pub scope_id: u32,
    /// Number of leading one bits of the mask, -1 if ones follow zeros.
    pub prefix: i32,
}

/// All IPv4 and IPv6 addresses of interfaces that are up and running.
pub(crate) fn interfaces() -> io::Result<Vec<Interface>> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: getifaddrs gives a list that freeifaddrs frees; it is only read in between.
    unsafe {
        if libc::getifaddrs(&mut first) != 0 {
            return Err(io::Error::last_os_error());
        }
        let list = collect(first);
        libc::freeifaddrs(first);
        Ok(list)
    }
}

/// # Safety
/// `first` is a list from getifaddrs.
unsafe fn collect(first: *const libc::ifaddrs) -> Vec<Interface> {
    let mut found = Vec::new();
    let mut macs: HashMap<String, String> = HashMap::new();
    let mut next = first;
    // SAFETY: the list is terminated by null; each address is read as what its family says.
    while let Some(entry) = unsafe { next.as_ref() } {
        next = entry.ifa_next;
        let running = (libc::IFF_UP | libc::IFF_RUNNING) as u32;
        if entry.ifa_addr.is_null() || entry.ifa_flags & running != running {
            continue;
        }
        // SAFETY: as above.
        unsafe {
            let name = CStr::from_ptr(entry.ifa_name).to_string_lossy().into_owned();
            let internal = entry.ifa_flags & libc::IFF_LOOPBACK as u32 != 0;
            match i32::from((*entry.ifa_addr).sa_family) {
                libc::AF_INET => {
                    let mask = ipv4(entry.ifa_netmask);
                    found.push(Interface {
                        name,
                        address: ipv4(entry.ifa_addr).to_string(),
                        netmask: mask.to_string(),
                        family: 4,
                        mac: String::new(),
                        internal,
                        scope_id: 0,
                        prefix: prefix_length(&mask.octets()),
                    });
                }
                libc::AF_INET6 => {
                    let mask = ipv6(entry.ifa_netmask).0;
                    let (address, scope_id) = ipv6(entry.ifa_addr);
                    found.push(Interface {
                        name,
                        address: address.to_string(),
                        netmask: mask.to_string(),
                        family: 6,
                        mac: String::new(),
                        internal,
                        scope_id,
                        prefix: prefix_length(&mask.octets()),
                    });
                }
                _ => {
                    if let Some(mac) = hardware_address(entry.ifa_addr) {
                        macs.insert(name, mac);
                    }
                }
            }
        }
    }
    for interface in &mut found {
        // "eth0:1" is an alias of eth0.
        let base = interface.name.split(':').next().unwrap_or_default();
        interface.mac = macs.get(base).cloned().unwrap_or_else(|| "00:00:00:00:00:00".into());
    }
    found
}

/// # Safety
/// `address` is null or a sockaddr_in.
unsafe fn ipv4(address: *const libc::sockaddr) -> Ipv4Addr {
    // SAFETY: see above; the pointer may be unaligned for the larger type.
    let Some(address) = (!address.is_null()).then(|| unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() })
    else {
        return Ipv4Addr::UNSPECIFIED;
    };
    Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes())
}

/// # Safety
/// `address` is null or a sockaddr_in6.
unsafe fn ipv6(address: *const libc::sockaddr) -> (Ipv6Addr, u32) {
    // SAFETY: as above.
    let Some(address) = (!address.is_null()).then(|| unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() })
    else {
        return (Ipv6Addr::UNSPECIFIED, 0);
    };
    (Ipv6Addr::from(address.sin6_addr.s6_addr), address.sin6_scope_id)
}

/// # Safety
/// `address` is the address of an interface.
#[cfg(target_os = "linux")]
unsafe fn hardware_address(address: *const libc::sockaddr) -> Option<String> {
    // SAFETY: see above; the family says which type it is.
    unsafe {
        if i32::from((*address).sa_family) != libc::AF_PACKET {
            return None;
        }
        let link = address.cast::<libc::sockaddr_ll>().read_unaligned();
        Some(mac_text(&link.sll_addr[..6]))
    }
}

/// # Safety
/// `address` is the address of an interface.
#[cfg(target_os = "macos")]
unsafe fn hardware_address(address: *const libc::sockaddr) -> Option<String> {
    // SAFETY: see above; the name of the interface comes before its address in the data.
    unsafe {
        if i32::from((*address).sa_family) != libc::AF_LINK {
            return None;
        }
        let link = address.cast::<libc::sockaddr_dl>();
        if (*link).sdl_alen != 6 {
            return None;
        }
        let data = (&raw const (*link).sdl_data).cast::<u8>().add(usize::from((*link).sdl_nlen));
        Some(mac_text(std::slice::from_raw_parts(data, 6)))
    }
}

fn mac_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

/// Number of leading one bits; -1 if a one follows a zero.
fn prefix_length(mask: &[u8]) -> i32 {
    let ones: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
    let leading = mask.iter().take_while(|&&byte| byte == 255).count() as u32 * 8
        + mask.iter().find(|&&byte| byte != 255).map_or(0, |byte| byte.leading_ones());
    if ones == leading { leading as i32 } else { -1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        assert_eq!(prefix_length(&[255, 255, 255, 0]), 24);
        assert_eq!(prefix_length(&[255, 254, 0, 0]), 15);
        assert_eq!(prefix_length(&[255; 16]), 128);
        assert_eq!(prefix_length(&[0; 4]), 0);
        assert_eq!(prefix_length(&[255, 0, 255, 0]), -1);
    }

    #[test]
    fn loopback_is_listed() {
        let list = interfaces().unwrap();
        let loopback = list.iter().find(|i| i.internal && i.family == 4).unwrap();
        assert_eq!((loopback.address.as_str(), loopback.prefix), ("127.0.0.1", 8));
        assert_eq!(loopback.mac, "00:00:00:00:00:00");
    }
}
