//! What the engine is linked with: the static C++ library and, where it can be built, the overlay (overlay/README.md).

use std::path::Path;
use std::process::Command;

#[path = "overlay/build.rs"]
mod overlay;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    overlay::build();
    link_static_libstdcxx();
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
