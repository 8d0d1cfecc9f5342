//! `#[op]` and `ops!`: see docs/architecture.md, walk 3.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{FnArg, Ident, ItemFn, LitStr, Pat, Token, Type, Visibility, parse_macro_input};

#[cfg(test)]
mod op_types;
#[cfg(test)]
mod ts_constants;

/// snake_case to camelCase, as JavaScript names are written.
fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.trim_start_matches("r#").chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

fn is_scope(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    matches!(&*reference.elem, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Scope"))
}

/// Turns a Rust function into a native function.
///
/// - `#[op]`: synchronous; may take `scope: &mut Scope` first.
/// - `#[op(blocking)]`: runs on the thread pool; the JavaScript side passes a callback `(error, value)` last, or nothing
///   and gets a promise.
/// - `#[op(quick)]`: the same for work that is likely to take microseconds; several share a thread before another starts.
/// - `#[op(change)]`, `#[op(quick_change)]`: the same two for what others see when it is done, such as a write to a file:
///   the process does not end before.
/// - `#[op(async)]`: an `async fn` on the thread's event loop; callback as above.
///
/// The TypeScript type of the op follows from the signature and is written to the `natives.d.ts` of the family (see
/// `op_types.rs`). What the signature does not say, because a parameter or the result is a JavaScript value, is said by
/// `ts`: `#[op(ts(callback = "() => void", returns = "string | undefined"))]`. A parameter without it is `unknown`.
///
/// Beside the function a constant `OP_<NAME>` is defined for `ops!`.
#[proc_macro_attribute]
pub fn op(attr: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(attr as OpOptions);
    let function = parse_macro_input!(item as ItemFn);
    match expand(&options, function) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// What stands in the parentheses of `#[op(...)]`.
#[derive(Default)]
struct OpOptions {
    /// "" for a synchronous op, else "blocking", "quick", "change", "quick_change" or "async".
    mode: String,
    /// TypeScript types of parameters, and of the result under the name `returns`; type parameters are `generic`.
    ts: Vec<(Ident, LitStr)>,
}

impl OpOptions {
    /// The TypeScript type given for a parameter or for `returns`.
    #[cfg(test)]
    fn type_of(&self, name: &str) -> Option<String> {
        self.ts.iter().find(|(key, _)| key == name).map(|(_, text)| text.value())
    }
}

impl Parse for OpOptions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = OpOptions::default();
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if name == "ts" {
                let content;
                syn::parenthesized!(content in input);
                let types = content.parse_terminated(
                    |entry| {
                        let key = entry.call(Ident::parse_any)?;
                        entry.parse::<Token![=]>()?;
                        Ok((key, entry.parse()?))
                    },
                    Token![,],
                )?;
                options.ts.extend(types);
            } else {
                options.mode = name.to_string();
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

fn expand(options: &OpOptions, function: ItemFn) -> syn::Result<Tokens> {
    let parameters = Parameters::of(&function)?;
    if let Some((key, _)) = options
        .ts
        .iter()
        .find(|(key, _)| !["returns", "generic"].iter().any(|name| key == name) && !parameters.names.contains(key))
    {
        return Err(syn::Error::new_spanned(key, "the op has no such parameter"));
    }
    let is_sync = options.mode.is_empty();
    let body = match options.mode.as_str() {
        "" => synchronous_body(&function, &parameters)?,
        mode @ ("blocking" | "quick" | "change" | "quick_change" | "async") => {
            if parameters.takes_scope {
                return Err(syn::Error::new_spanned(&function.sig, "an async op has no scope"));
            }
            asynchronous_body(mode, &function.sig.ident, &parameters)
        }
        other => {
            return Err(syn::Error::new_spanned(
                &function.sig,
                format!(
                    "unknown op mode `{other}`: use #[op], or #[op()] with blocking, quick, change, quick_change or async"
                ),
            ));
        }
    };
    let visibility = &function.vis;
    let js_name = camel(&function.sig.ident.to_string());
    let constant = decl_name(&function.sig.ident);
    let length = parameters.types.len() as u32;
    let unused_args = (length == 0 && is_sync).then(|| quote!(let _ = &args;));
    let plain = (is_sync && parameters.are_plain() && is_plain_result(&function.sig.output))
        .then(|| plain_body(&function.sig.ident, &parameters));
    Ok(quote! {
        #function

        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        #visibility const #constant: ::engine::OpDecl = {
            unsafe extern "C" fn trampoline(
                cx: *mut ::engine::__jsapi::JSContext,
                argc: u32,
                vp: *mut ::engine::__jsapi::Value,
            ) -> bool {
                #plain
                // SAFETY: called by the engine as a native function.
                unsafe {
                    ::engine::__native::call(cx, argc, vp, |scope, args| {
                        #unused_args
                        #body
                    })
                }
            }
            ::engine::OpDecl { name: #js_name, length: #length, native: Some(trampoline) }
        };
    })
}

/// The parameters of an op's function.
struct Parameters {
    /// The first one is the scope, which is in none of the lists.
    takes_scope: bool,
    /// As they are written; those without a name are left out.
    names: Vec<Ident>,
    /// Variables for the converted arguments.
    bindings: Vec<Ident>,
    types: Vec<Type>,
}

impl Parameters {
    fn of(function: &ItemFn) -> syn::Result<Self> {
        let mut parameters = Parameters { takes_scope: false, names: vec![], bindings: vec![], types: vec![] };
        for (position, input) in function.sig.inputs.iter().enumerate() {
            let FnArg::Typed(typed) = input else {
                return Err(syn::Error::new_spanned(input, "an op is a free function"));
            };
            if position == 0 && is_scope(&typed.ty) {
                parameters.takes_scope = true;
                continue;
            }
            if !matches!(&*typed.pat, Pat::Ident(_) | Pat::Wild(_)) {
                return Err(syn::Error::new_spanned(&typed.pat, "an op parameter is a plain name"));
            }
            parameters.names.extend(plain_name(&typed.pat));
            parameters.bindings.push(format_ident!("arg{}", parameters.bindings.len()));
            parameters.types.push((*typed.ty).clone());
        }
        Ok(parameters)
    }

    /// Whether all arguments can be had without a scope (`engine::native::FromPlain`).
    fn are_plain(&self) -> bool {
        const BORROWED: [&str; 4] = ["&[u8]", "&mut[u8]", "JsStr<'_>", "RawBytes<'_>"];
        !self.takes_scope
            && self.types.iter().all(|ty| {
                let ty = type_text(ty);
                BORROWED.contains(&&*ty) || is_plain_type(&ty)
            })
    }
}

/// Whether values of a type are made and read without the engine.
fn is_plain_type(ty: &str) -> bool {
    ["bool", "f64", "usize", "u8", "u16", "u32", "i8", "i16", "i32"].contains(&ty)
}

/// The text of a type without spaces, for comparison.
fn type_text(ty: &Type) -> String {
    quote!(#ty).to_string().replace(' ', "")
}

/// Whether a result becomes a value without a scope (`engine::native::PlainReturn`).
fn is_plain_result(output: &syn::ReturnType) -> bool {
    let syn::ReturnType::Type(_, ty) = output else { return true };
    let ty = type_text(ty);
    let inner = ty.strip_prefix("Result<").and_then(|rest| rest.strip_suffix(",OpError>")).unwrap_or(&ty);
    inner == "()" || is_plain_type(inner)
}

/// Calls the function without a scope, if its arguments have their usual forms.
fn plain_body(name: &Ident, parameters: &Parameters) -> Tokens {
    let Parameters { bindings, types, .. } = parameters;
    let indices = 0..types.len();
    let unused_args = types.is_empty().then(|| quote!(let _ = &args;));
    quote! {
        // SAFETY: called by the engine as a native function.
        let plain = unsafe {
            ::engine::__native::call_plain(cx, argc, vp, |args| {
                #unused_args
                #(let #bindings: #types = args.take(#indices)?;)*
                Some(::engine::__native::PlainReturn::finish(#name(#(#bindings),*)))
            })
        };
        if let Some(done) = plain {
            return done;
        }
    }
}

/// Converts the arguments, calls the function and converts its result.
fn synchronous_body(function: &ItemFn, parameters: &Parameters) -> syn::Result<Tokens> {
    let Parameters { takes_scope, bindings, types, .. } = parameters;
    let name = &function.sig.ident;
    let scope_argument = takes_scope.then(|| quote!(scope,));
    // Borrowed arguments (slices, strings) must come after conversions that may allocate in the engine, so
    // owned ones are converted first.
    let (borrowed, owned): (Vec<usize>, Vec<usize>) = (0..types.len()).partition(|&i| is_borrowed(&types[i]));
    if *takes_scope && !borrowed.is_empty() {
        return Err(syn::Error::new_spanned(
            &function.sig,
            "an op with a scope cannot borrow bytes or characters: the scope could move them",
        ));
    }
    if let syn::ReturnType::Type(_, result) = &function.sig.output
        && !borrowed.is_empty()
        && borrows(result)
    {
        return Err(syn::Error::new_spanned(
            result,
            "an op that borrows bytes or characters gives back owned values: making the result could move them",
        ));
    }
    // Flattening a string may collect, which moves the characters of another: all first, then the borrows.
    let flattened = borrowed.iter().map(|&i| {
        let ty = &types[i];
        quote! {
            let value = args.get(scope, #i);
            if let Err(error) = <#ty as ::engine::FromJs>::prepare(scope, value) {
                return Err(scope.throw_op_error(&error));
            }
        }
    });
    let flattened: Vec<_> = if borrowed.len() > 1 { flattened.collect() } else { Vec::new() };
    let order = owned.into_iter().chain(borrowed);
    let conversions = order.map(|i| {
        let binding = &bindings[i];
        quote! {
            let value = args.get(scope, #i);
            let #binding = match ::engine::FromJs::from_js(scope, value) {
                Ok(converted) => converted,
                Err(error) => return Err(scope.throw_op_error(&error)),
            };
        }
    });
    Ok(quote! {
        #(#flattened)*
        #(#conversions)*
        let result = #name(#scope_argument #(#bindings),*);
        ::engine::__native::OpReturn::finish(result, scope)
    })
}

/// Converts the arguments and lets the function run as a future or on another thread.
fn asynchronous_body(mode: &str, name: &Ident, parameters: &Parameters) -> Tokens {
    let Parameters { bindings, types, .. } = parameters;
    let count = types.len();
    let indices = 0..count;
    let convert = quote! {
        #(
            let value = args.get(scope, #indices);
            let #bindings = match <#types as ::engine::FromJsAsync>::from_js_async(scope, value) {
                Ok(converted) => converted,
                Err(error) => return Err(scope.throw_op_error(&error)),
            };
        )*
        let callback = args.get(scope, #count);
    };
    if mode == "async" {
        return quote! {
            #convert
            ::engine::begin_future(scope, callback, Box::pin(async move {
                let result = #name(#(#bindings),*).await;
                let completion: ::engine::AsyncCompletion =
                    Box::new(move |scope| ::engine::__native::OpReturn::finish(result, scope));
                completion
            }))
        };
    }
    let quick = mode.starts_with("quick");
    let changes = mode.ends_with("change");
    quote! {
        #convert
        ::engine::begin_blocking::<#quick, #changes, _>(scope, callback, move || #name(#(#bindings),*))
    }
}

/// The name of a parameter that has one, as it is written.
fn plain_name(pattern: &Pat) -> Option<Ident> {
    match pattern {
        Pat::Ident(pattern) => Some(pattern.ident.clone()),
        _ => None,
    }
}

fn is_borrowed(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Path(path) => path.path.segments.last().is_some_and(|s| s.ident == "JsStr" || s.ident == "RawBytes"),
        _ => false,
    }
}

/// Whether a result type holds a reference to something other than constants.
fn borrows(ty: &Type) -> bool {
    let text = quote!(#ty).to_string();
    text.contains("JsStr") || text.split('&').skip(1).any(|rest| !rest.trim_start().starts_with("'static"))
}

fn decl_name(name: &Ident) -> Ident {
    format_ident!("OP_{}", name.to_string().trim_start_matches("r#"))
}

struct Ops {
    visibility: Visibility,
    name: Ident,
    family: LitStr,
    ops: Vec<syn::Path>,
}

impl Parse for Ops {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = input.parse()?;
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let family = input.parse()?;
        let content;
        syn::braced!(content in input);
        let ops = content.parse_terminated(syn::Path::parse_mod_style, Token![,])?;
        Ok(Ops { visibility, name, family, ops: ops.into_iter().collect() })
    }
}

/// `ops!(pub fn family "fs" { read_file, other::op })`: the registration of a family's native functions.
#[proc_macro]
pub fn ops(input: TokenStream) -> TokenStream {
    let Ops { visibility, name, family, ops } = parse_macro_input!(input as Ops);
    let constants = ops.iter().map(|path| {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.ident = decl_name(&last.ident);
        }
        path
    });
    quote! {
        /// The native functions of this family.
        #visibility fn #name() -> ::engine::Family {
            ::engine::Family { name: #family, ops: &[#(#constants),*] }
        }
    }
    .into()
}

/// Marks numbers that JavaScript uses too: an enum without fields, or a module of constants. A test writes them to the
/// family's `native_constants.ts`, see `ts_constants.rs`; here nothing changes.
#[proc_macro_attribute]
pub fn ts_constants(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    quote! {
        #[allow(dead_code, reason = "some are used by JavaScript alone")]
        #item
    }
    .into()
}
