//! How the executable is linked: at a fixed address, because 54,000 start-up relocations (mostly of the engine's and the
//! transpiler's tables) cost more than half a millisecond of every start, and with only libc left dynamic. Its functions are
//! looked up when they are first called (`-z lazy`, and `lazy_calls.list` for Rust's code): a short program calls a seventh
//! of them. libm is loaded when one of its functions is called.
//!
//! `startup.order` names the functions that a short program runs (tools/startup_order.py makes it). The linker lays
//! them side by side, so that a start touches fewer pages of the executable.
//!
//! `ext/napi/exports.list` names what native addons see of the executable. Not all of its symbols: those would stand in the
//! way of what addons bring along, such as zlib or the C++ library.
//!
//! With `BAO_OLD_GLIBC=1` in the environment the executable starts on systems with glibc 2.31 and newer (`old_glibc.c`), not only
//! with that of the system it is built on. It loads two libraries more, which every start pays with 0.2 to 0.3 ms of processor time.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=BAO_SYMBOLS");
    println!("cargo:rerun-if-env-changed=BAO_OLD_GLIBC");
    println!("cargo:rerun-if-changed=old_glibc.c");
    println!("cargo:rerun-if-changed=startup.order");
    println!("cargo:rerun-if-changed=lazy_calls.list");
    println!("cargo:rustc-check-cfg=cfg(lazy_calls)");
    println!("cargo:rerun-if-changed=../ext/napi/exports.list");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for argument in ["-no-pie", "-static-libgcc", "-Wl,--icf=safe", "-Wl,-z,lazy"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
        // Nobody reads the names of functions but tools for profiles (`BAO_SYMBOLS=1` keeps them for these): what a panic prints
        // has files and lines of its own, and native addons have a table apart. They are a tenth of the executable.
        if std::env::var_os("BAO_SYMBOLS").is_none() {
            println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
        }
        // A copy beside the compiled code: in a target folder that several checkouts share, cargo may keep this script's
        // output from one that is gone.
        let folder = |name: &str| std::path::PathBuf::from(std::env::var_os(name).expect("set by cargo"));
        let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
        if target("ARCH") == "x86_64" && target("ENV") == "gnu" {
            write_lazy_calls(&folder("OUT_DIR"));
        }
        if std::env::var("BAO_OLD_GLIBC").is_ok_and(|value| value == "1") {
            link_for_old_glibc(&folder("OUT_DIR"));
        }
        let order = folder("OUT_DIR").join("startup.order");
        std::fs::copy(folder("CARGO_MANIFEST_DIR").join("startup.order"), &order).expect("startup.order can be copied");
        println!("cargo:rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
        // Copied for the same reason.
        let exports = folder("OUT_DIR").join("exports.list");
        let list = folder("CARGO_MANIFEST_DIR").join("../ext/napi/exports.list");
        std::fs::copy(list, &exports).expect("ext/napi/exports.list can be copied");
        println!("cargo:rustc-link-arg-bins=-Wl,--dynamic-list={}", exports.display());
        // The engine's own `abort` is not to stand in for the system's in addons.
        let hidden = folder("OUT_DIR").join("hidden.map");
        std::fs::write(&hidden, "{ local: abort; };\n").expect("OUT_DIR can be written to");
        println!("cargo:rustc-link-arg-bins=-Wl,--version-script={}", hidden.display());
    }
}

/// Compiles `old_glibc.c` into `folder` and links it, and the libraries whose functions older systems have apart from libc.
fn link_for_old_glibc(folder: &std::path::Path) {
    let object = folder.join("old_glibc.o");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = std::process::Command::new(&compiler)
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-c", "old_glibc.c", "-o"])
        .arg(&object)
        .status()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", compiler.display()));
    assert!(status.success(), "old_glibc.c cannot be compiled");
    println!("cargo:rustc-link-arg-bins={}", object.display());
    // Their functions are versions of libc's for this linker, so it would leave the libraries out.
    for argument in ["-Wl,--no-as-needed", "-l:libpthread.so.0", "-l:libdl.so.2", "-Wl,--as-needed"] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}

/// Writes the stubs of `src/lazy_calls.rs` and has the linker put them in the place of the functions that are listed.
fn write_lazy_calls(folder: &std::path::Path) {
    use std::fmt::Write as _;
    let list = std::fs::read_to_string("lazy_calls.list").expect("lazy_calls.list can be read");
    let (mut stubs, mut targets, mut names) = (String::new(), String::new(), Vec::new());
    let mut library = "";
    for name in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if name.starts_with('[') {
            library = name;
            continue;
        }
        println!("cargo:rustc-link-arg-bins=-Wl,--wrap={name}");
        let stub = format!("__wrap_{name}");
        let _ = writeln!(stubs, ".globl {stub}\n.hidden {stub}\n.type {stub}, @function\n{stub}:");
        if library == "[libm.so.6]" {
            let number = names.len();
            let _ = writeln!(stubs, "jmp *bao_lazy_targets+{}(%rip)", 8 * number);
            let _ = writeln!(stubs, "bao_lazy_first_{number}: push ${number}\njmp bao_lazy_find");
            let _ = writeln!(targets, ".quad bao_lazy_first_{number}");
            names.push(name);
        } else {
            let _ = writeln!(stubs, "jmp __real_{name}@PLT");
        }
        let _ = writeln!(stubs, ".size {stub}, . - {stub}");
    }
    let assembly = format!(".text\n{stubs}.data\n.balign 8\nbao_lazy_targets:\n{targets}.text\n");
    std::fs::write(folder.join("lazy_calls.s"), assembly).expect("OUT_DIR can be written to");
    let names: Vec<String> = names.iter().map(|name| format!("c\"{name}\"")).collect();
    let table = format!("[\n    {},\n]\n", names.join(",\n    "));
    std::fs::write(folder.join("lazy_calls.rs"), table).expect("OUT_DIR can be written to");
    println!("cargo:rustc-cfg=lazy_calls");
}
