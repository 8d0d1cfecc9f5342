//! Which files can be opened without waiting for another program.
//!
//! Opening a file of a network file system, or of one that a program serves (FUSE, and that program may be this one),
//! asks somebody, whatever flags there are. The table of mounts tells whether there are any.

use std::cell::Cell;

use rustix::fs::ResolveFlags;
use rustix::time::{ClockId, clock_gettime};

/// File systems that the kernel serves by itself, from memory or a device.
const LOCAL: &[&[u8]] = &[
    b"autofs",
    b"bcachefs",
    b"binfmt_misc",
    b"bpf",
    b"btrfs",
    b"cgroup",
    b"cgroup2",
    b"configfs",
    b"debugfs",
    b"devpts",
    b"devtmpfs",
    b"efivarfs",
    b"erofs",
    b"exfat",
    b"ext2",
    b"ext3",
    b"ext4",
    b"f2fs",
    b"fusectl",
    b"hugetlbfs",
    b"iso9660",
    b"jfs",
    b"mqueue",
    b"nilfs2",
    b"nsfs",
    b"ntfs3",
    b"overlay",
    b"proc",
    b"pstore",
    b"ramfs",
    b"rootfs",
    b"rpc_pipefs",
    b"securityfs",
    b"selinuxfs",
    b"squashfs",
    b"sysfs",
    b"tmpfs",
    b"tracefs",
    b"udf",
    b"vfat",
    b"xfs",
    b"zfs",
];

/// What an attempt is restricted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Nowhere,
    /// The file system of `/`: there are others that ask somebody.
    Root,
    Everywhere,
}

fn reach(mounts: &[u8]) -> Reach {
    let (mut root, mut others) = (false, true);
    for line in mounts.split(|&byte| byte == b'\n') {
        let mut fields = line.split(|&byte| byte == b' ');
        let Some(place) = fields.nth(4) else { continue };
        let mut optional = fields.skip_while(|field| *field != b"-");
        let local = optional.nth(1).is_some_and(|kind| LOCAL.contains(&kind));
        if place == b"/" {
            root = local;
        } else {
            others &= local;
        }
    }
    match (root, others) {
        (true, true) => Reach::Everywhere,
        (true, false) => Reach::Root,
        (false, _) => Reach::Nowhere,
    }
}

thread_local! {
    /// The second in which the table was read, and what it said.
    static KNOWN: Cell<(i64, Reach)> = const { Cell::new((-1, Reach::Nowhere)) };
}

/// With which restrictions `path` may be opened on a thread that must not wait; `None` where it may not. The table of
/// mounts is looked at once a second.
pub(crate) fn restrictions(path: &[u8]) -> Option<ResolveFlags> {
    let second = clock_gettime(ClockId::MonotonicCoarse).tv_sec;
    let (then, mut known) = KNOWN.get();
    if then != second {
        known = std::fs::read("/proc/self/mountinfo").map_or(Reach::Nowhere, |mounts| reach(&mounts));
        KNOWN.set((second, known));
    }
    match known {
        Reach::Everywhere => Some(ResolveFlags::CACHED),
        Reach::Root if path.first() == Some(&b'/') => Some(ResolveFlags::CACHED | ResolveFlags::NO_XDEV),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let local =
            b"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n23 22 0:5 / /dev rw - devtmpfs none rw\n";
        assert_eq!(reach(local), Reach::Everywhere);
        let mut more = local.to_vec();
        more.extend_from_slice(b"30 22 0:40 / /mnt rw shared:3 master:1 - fuse.sshfs host:/ rw,user_id=0\n");
        assert_eq!(reach(&more), Reach::Root);
        more.extend_from_slice(b"31 22 0:41 / / rw - nfs4 host:/ rw\n");
        assert_eq!(reach(&more), Reach::Nowhere);
        assert_eq!(reach(b""), Reach::Nowhere);
    }
}
