//! How the executable is linked: at a fixed address, because 54,000 start-up relocations (mostly of the engine's and the
//! transpiler's tables) cost more than half a millisecond of every start, and with only libc and libm left dynamic.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for argument in ["-no-pie", "-static-libgcc", "-Wl,--icf=safe"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
}
