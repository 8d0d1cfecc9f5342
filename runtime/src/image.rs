//! The built-in modules and the engine's own library, compiled by build.rs.

use std::path::PathBuf;

use runtime_core::builtins::Image;

use crate::builtin_files;

include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/builtins.bin")));
static SELF_HOSTED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/self_hosted.bin")));

/// The engine's library, compiled at build time.
pub(crate) fn self_hosted() -> &'static [u8] {
    &SELF_HOSTED.0
}

/// The built-in modules; if `BAO_LIB` names a folder, those below it take their place. `stand_ins`: see [`Image::stand_ins`].
pub(crate) fn image(stand_ins: &'static [&'static [(&'static str, &'static str)]]) -> Image {
    let folder = std::env::var_os("BAO_LIB").filter(|value| !value.is_empty());
    let live = folder.and_then(|folder| {
        let files = builtin_files::collect(&PathBuf::from(folder), &mut |_| {}).ok()?;
        Some(files.into_iter().collect())
    });
    Image { build_id: BUILD_ID, table: TABLE, dictionary: DICTIONARY, code: &BLOB.0, live, stand_ins }
}
