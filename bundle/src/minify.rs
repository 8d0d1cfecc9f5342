//! A text made smaller by itself, for Bun.Transpiler.

use oxc::allocator::Allocator;
use oxc::codegen::CodegenOptions;
use oxc::minifier::{
    CompressOptions, CompressOptionsKeepNames, CompressOptionsUnused, MangleOptions, MinifierOptions,
};
use oxc::span::SourceType;
use rolldown_ecmascript::EcmaCompiler;

use crate::options::Minify;

/// JavaScript that does the same in fewer characters. What it declares stays, as a file alone does not know who uses it. The text
/// must be valid.
pub fn minify(text: &str, minify: Minify) -> String {
    let compress = CompressOptions {
        drop_debugger: false,
        unused: CompressOptionsUnused::Keep,
        keep_names: CompressOptionsKeepNames::all_true(),
        ..CompressOptions::smallest()
    };
    let options = MinifierOptions {
        mangle: minify.identifiers.then(MangleOptions::default),
        mangle_properties: None,
        compress: minify.syntax.then_some(compress),
    };
    let codegen = if minify.whitespace { CodegenOptions::minify() } else { CodegenOptions::default() };
    let allocator = Allocator::default();
    let source_type = SourceType::default().with_module(true);
    let (code, _) =
        EcmaCompiler::dce_or_minify(&allocator, text, source_type, false, "", true, options, codegen);
    code
}
