//! How the executable is linked: at a fixed address, because 54,000 start-up relocations (mostly of the engine's and the
//! transpiler's tables) cost more than half a millisecond of every start, and with only libc and libm left dynamic.

//!
//! `startup.order` names the engine's functions that a short program runs (tools/startup_order.py makes it). The linker lays
//! them side by side, so that a start touches fewer pages of the executable.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=startup.order");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for argument in ["-no-pie", "-static-libgcc", "-Wl,--icf=safe"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
        let order =
            std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("startup.order");
        println!("cargo:rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}
