//! Compiles aws-lc's libssl, whose sources lie in the package of aws-lc-sys beside those of the crypto library. That package's own
//! feature for it wants cmake and libclang; its headers and the crypto library are used as it has built them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of `aws-lc/ssl`: the library's parts refer to each other, those of DTLS, too.
const SOURCES: &[&str] = &[
    "bio_ssl",
    "crypto_policy",
    "custom_extensions",
    "d1_both",
    "d1_lib",
    "d1_pkt",
    "d1_srtp",
    "dtls_method",
    "dtls_record",
    "encrypted_client_hello",
    "extensions",
    "handoff",
    "handshake",
    "handshake_client",
    "handshake_server",
    "s3_both",
    "s3_lib",
    "s3_pkt",
    "ssl_aead_ctx",
    "ssl_asn1",
    "ssl_buffer",
    "ssl_cert",
    "ssl_cipher",
    "ssl_file",
    "ssl_key_share",
    "ssl_lib",
    "ssl_privkey",
    "ssl_session",
    "ssl_stat",
    "ssl_text",
    "ssl_transcript",
    "ssl_transfer_asn1",
    "ssl_versions",
    "ssl_x509",
    "t1_enc",
    "tls13_both",
    "tls13_client",
    "tls13_enc",
    "tls13_server",
    "tls_method",
    "tls_record",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=check.cc");
    let Some((version, headers)) = headers() else {
        panic!("aws-lc-sys has told no folder of headers (DEP_AWS_LC_*_INCLUDE): has it changed its metadata?");
    };
    let Some(sources) = sources(&version) else {
        panic!(
            "the sources of aws-lc-sys {version} are neither in a registry folder of CARGO_HOME nor where `cargo metadata` says: \
             `cargo fetch` brings them"
        );
    };
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++14")
        .include(&headers)
        .define("BORINGSSL_IMPLEMENTATION", None)
        .define("BORINGSSL_PREFIX", format!("aws_lc_{}", version.replace('.', "_")).as_str())
        .define("NDEBUG", None)
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .opt_level_str("s")
        .debug(false)
        .warnings(false);
    for name in SOURCES {
        build.file(sources.join("aws-lc/ssl").join(format!("{name}.cc")));
    }
    // What the declarations of src/lib.rs take for granted.
    build.file("check.cc");
    build.compile("bao_ssl");
}

/// Version of aws-lc-sys and the folder of its headers, as its build script has told.
fn headers() -> Option<(String, PathBuf)> {
    std::env::vars().find_map(|(name, value)| {
        let version = name.strip_prefix("DEP_AWS_LC_")?.strip_suffix("_INCLUDE")?.replace('_', ".");
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| (version, PathBuf::from(value)))
    })
}

/// The folder of the package: of the registry, or (vendored sources) where cargo says that it is.
fn sources(version: &str) -> Option<PathBuf> {
    let package = format!("aws-lc-sys-{version}");
    let whole = |folder: &Path| folder.join("aws-lc/ssl/ssl_lib.cc").exists();
    let user = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(user);
    if let Some(registries) = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok()) {
        let found = registries.flatten().map(|registry| registry.path().join(&package)).find(|folder| whole(folder));
        if found.is_some() {
            return found;
        }
    }
    let output = Command::new(std::env::var_os("CARGO")?)
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &std::env::var("TARGET").ok()?])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut folders = paths
        .filter_map(|path| Path::new(path).parent())
        .filter(|folder| folder.file_name().is_some_and(|name| name == "aws-lc-sys" || name == package.as_str()));
    folders.find(|folder| whole(folder)).map(Path::to_path_buf)
}
