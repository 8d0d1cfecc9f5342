//! What the engine is linked with: the static C++ library, ICU's data in packed form (icu/build.rs) and, where it can be built,
//! the overlay (overlay/README.md).

use std::path::Path;
use std::process::Command;

#[path = "icu/build.rs"]
mod icu;
#[path = "overlay/build.rs"]
mod overlay;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    overlay::build();
    pack_icu_data();
    link_static_libstdcxx();
}

/// With `cfg(icu_data)` the engine reads packed data in the place of the archive's.
fn pack_icu_data() {
    println!("cargo:rustc-check-cfg=cfg(icu_data)");
    let out = std::env::var_os("OUT_DIR").expect("set by cargo");
    match overlay::engine_sources().and_then(|sources| icu::build(&sources, Path::new(&out))) {
        Ok(()) => println!("cargo:rustc-cfg=icu_data"),
        Err(reason) => println!("cargo:warning=ICU's data is not packed, the executable is 7.5 MB larger: {reason}"),
    }
}

/// Where the static C++ library is: `.cargo/config.toml` asks for it by name, only the compiler knows its folder.
fn link_static_libstdcxx() {
    for compiler in ["g++", "c++", "clang++"] {
        let Ok(output) = Command::new(compiler).arg("-print-file-name=libstdc++.a").output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let path = Path::new(text.trim());
        if path.is_absolute()
            && let Some(dir) = path.parent()
        {
            println!("cargo:rustc-link-search=native={}", dir.display());
            // The unwinder as well; named before the shared library that Rust's own start-up code asks for, it wins.
            println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
            return;
        }
    }
    println!("cargo:warning=no static libstdc++ found: install g++ (./x setup does)");
}
