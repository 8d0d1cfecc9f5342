//! `os`, `cpu` and `libc` of a package as bit sets.

/// A list of known names; a set is a mask of their places.
pub(crate) struct Names(&'static [&'static str]);

// Shorter names first, then by alphabet: the order in which bun.lock lists them.
pub(crate) const OS: Names = Names(&["aix", "linux", "sunos", "win32", "darwin", "android", "freebsd", "openbsd"]);
pub(crate) const CPU: Names =
    Names(&["arm", "ppc", "x32", "x64", "ia32", "mips", "s390", "arm64", "ppc64", "s390x", "mipsel"]);
pub(crate) const LIBC: Names = Names(&["musl", "glibc"]);

/// Collects the entries of such a field.
#[derive(Default, Clone, Copy)]
pub(crate) struct Collector {
    added: u16,
    removed: u16,
    wildcard: bool,
    unknown: bool,
}

impl Names {
    pub(crate) const fn all(&self) -> u16 {
        (1 << self.0.len()) - 1
    }

    pub(crate) fn bit(&self, name: &str) -> u16 {
        self.0.iter().position(|known| *known == name).map_or(0, |at| 1 << at)
    }

    /// Takes one entry of the list, `"linux"` or `"!win32"`.
    pub(crate) fn apply(&self, to: &mut Collector, entry: &str) {
        match entry {
            "" => {}
            "any" => to.wildcard = true,
            "none" => to.unknown = true,
            _ => {
                let negated = entry.strip_prefix('!');
                let bit = self.bit(negated.unwrap_or(entry));
                if negated.is_some() {
                    to.removed |= bit;
                } else if bit == 0 {
                    to.unknown = true;
                } else {
                    to.added |= bit;
                }
            }
        }
    }

    pub(crate) fn combine(&self, from: Collector) -> u16 {
        let added = if from.wildcard { self.all() } else { from.added };
        match (added, from.removed) {
            (0, 0) if from.unknown => 0,
            (0, 0) => self.all(),
            (0, removed) => self.all() & !removed,
            (added, removed) => added & !removed,
        }
    }

    /// The names of a set for people: `"darwin"`, or `not "linux"` where most are in it.
    pub(crate) fn list(&self, set: u16) -> String {
        let names = |set: u16| -> String {
            let list = self.0.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            list.map(|(_, name)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        };
        let rest = self.all() & !set;
        if set == 0 {
            "none that is known".to_owned()
        } else if rest.count_ones() < set.count_ones() && rest != 0 {
            format!("not {}", names(rest))
        } else {
            names(set)
        }
    }

    /// The field as bun.lock has it: one name, or a list of the names or of the negations, whichever is shorter.
    pub(crate) fn write(&self, set: u16, out: &mut String) {
        if set == 0 {
            out.push_str("\"none\"");
            return;
        }
        let included = set.count_ones() as usize;
        let removed = self.0.len() - included;
        let print_included = removed > included || included == 1;
        let one = (print_included && included == 1) || (!print_included && removed == 1);
        if !one {
            out.push_str("[ ");
        }
        for (place, name) in self.0.iter().enumerate() {
            if (set >> place & 1 == 1) == print_included {
                out.push('"');
                if !print_included {
                    out.push('!');
                }
                out.push_str(name);
                out.push('"');
                if !one {
                    out.push_str(", ");
                }
            }
        }
        if !one {
            out.push(']');
        }
    }
}

/// What packages are chosen for.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub os: u16,
    pub cpu: u16,
    pub libc: u16,
}

impl Target {
    /// The machine this runs on.
    pub fn here() -> Self {
        let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        Self {
            os: OS.bit(os),
            cpu: CPU.bit(cpu),
            libc: LIBC.bit(if cfg!(target_env = "musl") { "musl" } else { "glibc" }),
        }
    }

    /// Whether a package with these sets is for another platform.
    pub fn excludes(&self, os: u16, cpu: u16, libc: u16) -> bool {
        os & self.os == 0 || cpu & self.cpu == 0 || (self.os & OS.bit("linux") != 0 && libc & self.libc == 0)
    }
}
