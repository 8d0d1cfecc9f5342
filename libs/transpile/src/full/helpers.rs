//! Helper functions of generated code.
//!
//! oxc's transformer imports its helpers from a package. Here they are function declarations at the end of the
//! file: hoisting makes them available from the first line on, in modules and in CommonJS alike, and the lines
//! of the program do not move.

use oxc_ast::ast::*;

use super::HELPERS;

/// Helpers that a program uses.
#[derive(Default)]
pub(super) struct Helpers {
    /// Function declarations to append.
    pub texts: Vec<String>,
    /// The name that the program calls the helper of legacy decorators by.
    pub decorate: Option<String>,
}

/// Removes the statements that load helpers and returns the functions to append instead.
pub(super) fn take_helpers(program: &mut Program<'_>) -> Helpers {
    let mut helpers = Helpers::default();
    program.body.retain(|statement| {
        let (source, local) = match statement {
            Statement::ImportDeclaration(it) => {
                let Some([specifier]) = it.specifiers.as_ref().map(|list| list.as_slice()) else {
                    return true;
                };
                (it.source.value, specifier.local().name)
            }
            Statement::VariableDeclaration(it) => {
                let [declarator] = it.declarations.as_slice() else {
                    return true;
                };
                let Some(Expression::CallExpression(call)) = &declarator.init else {
                    return true;
                };
                let Some(source) = call.common_js_require() else {
                    return true;
                };
                let Some(local) = declarator.id.get_identifier_name() else {
                    return true;
                };
                (source.value, local)
            }
            _ => return true,
        };
        let Some(name) = source.as_str().strip_prefix(HELPERS).and_then(|rest| rest.strip_prefix("/helpers/")) else {
            return true;
        };
        let Some(body) = body(name) else { return true };
        helpers.texts.push(format!("function {local}{body}\n"));
        if name == "decorate" {
            helpers.decorate = Some(local.to_string());
        }
        false
    });
    helpers
}

/// Parameters and body of a helper. Each is one line, so that a stack trace through it points below the program.
fn body(name: &str) -> Option<&'static str> {
    Some(match name {
        "decorate" => DECORATE,
        "decorateParam" => "(index, decorator) { return (target, key) => decorator(target, key, index); }",
        "decorateMetadata" => {
            "(key, value) { if (typeof Reflect === \"object\" && typeof Reflect.metadata === \"function\") \
             return Reflect.metadata(key, value); }"
        }
        "usingCtx" => USING,
        "taggedTemplateLiteral" => {
            "(strings, raw) { return Object.freeze(Object.defineProperties(strings, \
             { raw: { value: Object.freeze(raw || strings.slice()) } })); }"
        }
        _ => return None,
    })
}

/// TypeScript's `experimentalDecorators`: the last decorator runs first; a result replaces the class or the
/// descriptor. `Reflect.decorate` of the package reflect-metadata is used when it exists, as TypeScript does.
const DECORATE: &str = "(decorators, target, key, descriptor) { \
    const count = arguments.length; \
    let result = count < 3 ? target : descriptor === null \
        ? (descriptor = Object.getOwnPropertyDescriptor(target, key)) : descriptor; \
    if (typeof Reflect === \"object\" && typeof Reflect.decorate === \"function\") \
        result = Reflect.decorate(decorators, target, key, descriptor); \
    else for (let index = decorators.length - 1; index >= 0; index--) { \
        const decorator = decorators[index]; \
        if (decorator) result = (count < 3 ? decorator(result) : count > 3 \
            ? decorator(target, key, result) : decorator(target, key)) || result; \
    } \
    if (count > 3 && result) Object.defineProperty(target, key, result); \
    return result; }";

/// `using` for engines without it: a stack of resources that are disposed of in reverse order, with errors
/// chained by SuppressedError. Contract of oxc's transform: `u()` adds a resource, `a()` one that is awaited,
/// `e` is the error of the body, `d()` disposes.
const USING: &str = "() { \
    const empty = {}, stack = []; \
    const Suppressed = typeof SuppressedError === \"function\" ? SuppressedError : class extends Error { \
        constructor(error, suppressed) { super(); this.name = \"SuppressedError\"; \
            this.error = error; this.suppressed = suppressed; } }; \
    const add = (isAsync, value) => { \
        if (value != null) { \
            if (Object(value) !== value) throw new TypeError(\"A resource of a using declaration must be an object, null or undefined\"); \
            let dispose, sync = false; \
            if (isAsync) dispose = value[Symbol.asyncDispose || Symbol.for(\"Symbol.asyncDispose\")]; \
            if (dispose === undefined) { dispose = value[Symbol.dispose || Symbol.for(\"Symbol.dispose\")]; sync = isAsync; } \
            if (typeof dispose !== \"function\") throw new TypeError(\"A resource of a using declaration is not disposable\"); \
            stack.push({ value, isAsync, dispose: sync ? function () { try { dispose.call(value); } catch (error) { return Promise.reject(error); } } : dispose }); \
        } else if (isAsync) stack.push({ isAsync }); \
        return value; }; \
    return { e: empty, u: (value) => add(false, value), a: (value) => add(true, value), d() { \
        let error = this.e, waiting = false; \
        const fail = (thrown) => { error = error !== empty ? new Suppressed(thrown, error) : thrown; return next(); }; \
        const next = () => { \
            let entry; \
            while ((entry = stack.pop())) { \
                try { \
                    if (!entry.isAsync && waiting) { waiting = false; stack.push(entry); return Promise.resolve().then(next); } \
                    if (entry.dispose) { \
                        const result = entry.dispose.call(entry.value); \
                        if (entry.isAsync) { waiting = false; return Promise.resolve(result).then(next, fail); } \
                    } else waiting = true; \
                } catch (thrown) { return fail(thrown); } \
            } \
            if (waiting) { waiting = false; return Promise.resolve().then(next); } \
            if (error !== empty) throw error; }; \
        return next(); } }; }";
