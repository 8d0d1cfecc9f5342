//! The lazy globals: which built-in module each comes from.

use std::sync::OnceLock;

use engine::{JsResult, Local, Scope};

use crate::builtins;
use crate::state::RuntimeState;

/// A global that is made when it is first used: name, whether it is enumerable, module id, export (`""` is the whole module).
pub type LazyGlobal = (&'static str, bool, &'static str, &'static str);

const TABLE: &[LazyGlobal] = &[
    ("console", false, "web/console", "console"),
    ("process", false, "node:process", ""),
    ("Buffer", false, "node:buffer", "Buffer"),
    ("Blob", false, "web/blob", "Blob"),
    ("File", false, "web/blob", "File"),
    ("FileReader", false, "web/file_reader", "FileReader"),
    ("atob", true, "node:buffer", "atob"),
    ("btoa", true, "node:buffer", "btoa"),
    ("setTimeout", true, "web/timers", "setTimeout"),
    ("setInterval", true, "web/timers", "setInterval"),
    ("setImmediate", true, "web/timers", "setImmediate"),
    ("clearTimeout", true, "web/timers", "clearTimeout"),
    ("clearInterval", true, "web/timers", "clearInterval"),
    ("clearImmediate", true, "web/timers", "clearImmediate"),
    ("queueMicrotask", true, "internal/core/task_queues", "queueMicrotask"),
    ("structuredClone", true, "internal/worker/structured_clone", "structuredClone"),
    ("reportError", true, "internal/core/globals", "reportError"),
    ("navigator", true, "internal/core/globals", "navigator"),
    ("Navigator", false, "internal/core/globals", "Navigator"),
    ("URL", false, "web/url", "URL"),
    ("URLSearchParams", false, "web/url_search_params", "URLSearchParams"),
    ("URLPattern", false, "web/url_pattern", "URLPattern"),
    ("TextEncoder", false, "web/encoding", "TextEncoder"),
    ("TextDecoder", false, "web/encoding", "TextDecoder"),
    ("Event", false, "web/event_target", "Event"),
    ("EventTarget", false, "web/event_target", "EventTarget"),
    ("CustomEvent", false, "web/event_target", "CustomEvent"),
    ("MessageEvent", false, "web/events", "MessageEvent"),
    ("CloseEvent", false, "web/events", "CloseEvent"),
    ("ProgressEvent", false, "web/events", "ProgressEvent"),
    ("PromiseRejectionEvent", false, "web/events", "PromiseRejectionEvent"),
    ("ErrorEvent", false, "web/events", "ErrorEvent"),
    ("QuotaExceededError", false, "web/dom_exception", "QuotaExceededError"),
    ("AbortController", false, "web/abort", "AbortController"),
    ("AbortSignal", false, "web/abort", "AbortSignal"),
    ("DOMException", false, "web/dom_exception", "DOMException"),
    ("performance", true, "web/performance", "performance"),
    ("Performance", false, "web/performance", "Performance"),
    ("PerformanceEntry", false, "web/performance_timeline", "PerformanceEntry"),
    ("PerformanceMark", false, "web/performance_timeline", "PerformanceMark"),
    ("PerformanceMeasure", false, "web/performance_timeline", "PerformanceMeasure"),
    ("PerformanceObserver", false, "web/performance_timeline", "PerformanceObserver"),
    ("PerformanceObserverEntryList", false, "web/performance_timeline", "PerformanceObserverEntryList"),
    ("PerformanceResourceTiming", false, "web/performance_timeline", "PerformanceResourceTiming"),
    ("PerformanceServerTiming", false, "web/performance_legacy", "PerformanceServerTiming"),
    ("PerformanceTiming", false, "web/performance_legacy", "PerformanceTiming"),
    ("ReadableStream", false, "web/streams", "ReadableStream"),
    ("ReadableStreamDefaultReader", false, "web/streams", "ReadableStreamDefaultReader"),
    ("ReadableStreamBYOBReader", false, "web/streams", "ReadableStreamBYOBReader"),
    ("ReadableStreamBYOBRequest", false, "web/streams", "ReadableStreamBYOBRequest"),
    ("ReadableByteStreamController", false, "web/streams", "ReadableByteStreamController"),
    ("ReadableStreamDefaultController", false, "web/streams", "ReadableStreamDefaultController"),
    ("WritableStream", false, "web/streams", "WritableStream"),
    ("WritableStreamDefaultWriter", false, "web/streams", "WritableStreamDefaultWriter"),
    ("WritableStreamDefaultController", false, "web/streams", "WritableStreamDefaultController"),
    ("TransformStream", false, "web/streams", "TransformStream"),
    ("TransformStreamDefaultController", false, "web/streams", "TransformStreamDefaultController"),
    ("ByteLengthQueuingStrategy", false, "web/streams", "ByteLengthQueuingStrategy"),
    ("CountQueuingStrategy", false, "web/streams", "CountQueuingStrategy"),
    ("TextEncoderStream", false, "web/streams", "TextEncoderStream"),
    ("TextDecoderStream", false, "web/streams", "TextDecoderStream"),
    ("CompressionStream", false, "web/compression", "CompressionStream"),
    ("DecompressionStream", false, "web/compression", "DecompressionStream"),
    ("Headers", false, "web/headers", "Headers"),
    ("FormData", false, "web/form_data", "FormData"),
    ("Request", false, "web/request", "Request"),
    ("Response", false, "web/response", "Response"),
    ("fetch", true, "web/fetch", "fetch"),
    ("HTMLRewriter", true, "web/html_rewriter", "HTMLRewriter"),
    ("WebSocket", false, "web/websocket", "WebSocket"),
    ("EventSource", false, "web/event_source", "EventSource"),
    ("MessageChannel", false, "web/message_port", "MessageChannel"),
    ("MessagePort", false, "web/message_port", "MessagePort"),
    ("BroadcastChannel", false, "web/broadcast_channel", "BroadcastChannel"),
    ("Worker", false, "web/worker", "Worker"),
    ("crypto", true, "web/crypto", "crypto"),
    ("Crypto", false, "web/crypto", "Crypto"),
    ("CryptoKey", false, "web/crypto", "CryptoKey"),
    ("SubtleCrypto", false, "web/crypto", "SubtleCrypto"),
    ("WebAssembly", false, "internal/module/wasm_streaming", "WebAssembly"),
    ("self", false, "web/global_scope", "self"),
    ("addEventListener", false, "web/global_scope", "addEventListener"),
    ("removeEventListener", false, "web/global_scope", "removeEventListener"),
    ("dispatchEvent", false, "web/global_scope", "dispatchEvent"),
    ("Storage", false, "web/storage", "Storage"),
    ("Lock", false, "web/locks", "Lock"),
    ("LockManager", false, "web/locks", "LockManager"),
    ("sessionStorage", true, "web/storage", "sessionStorage"),
    ("localStorage", true, "web/local_storage", "localStorage"),
    ("alert", true, "web/dialogs", "alert"),
    ("confirm", true, "web/dialogs", "confirm"),
    ("prompt", true, "web/dialogs", "prompt"),
    ("ShadowRealm", false, "web/shadow_realm", "ShadowRealm"),
    ("ResolveMessage", false, "bun/messages", "ResolveMessage"),
    ("ResolveError", false, "bun/messages", "ResolveMessage"),
    ("BuildMessage", false, "bun/messages", "BuildMessage"),
    ("BuildError", false, "bun/messages", "BuildMessage"),
    ("global", false, "internal/core/globals", "global"),
    ("Bun", false, "bun/main", ""),
];

/// Those that this process has beyond the table.
static MORE: OnceLock<&'static [LazyGlobal]> = OnceLock::new();

fn entries() -> impl Iterator<Item = &'static LazyGlobal> {
    TABLE.iter().chain(MORE.get().copied().unwrap_or_default())
}

/// Declares the names to the engine, before it starts. `more`: what is global beyond the language's and the platform's names.
pub fn declare(more: &'static [LazyGlobal]) {
    MORE.get_or_init(|| more);
    let names: Vec<(&'static str, bool)> = entries()
        .filter(|(_, _, id, _)| builtins::find(id).is_some())
        .map(|(name, enumerable, ..)| (*name, *enumerable))
        .collect();
    engine::LazyGlobals::declare(&names);
}

/// The value of a lazy global.
pub fn resolve<'s>(scope: &mut Scope<'s>, state: &RuntimeState, name: &str) -> JsResult<Option<Local<'s>>> {
    let Some((name, _, id, export)) = entries().find(|entry| entry.0 == name) else { return Ok(None) };
    // A program that deletes a global does not get it again.
    if state.globals_made.borrow().contains(name) {
        return Ok(None);
    }
    if *name == "process" {
        state.process_used.set(true);
    }
    let value = builtins::while_loading(scope, |scope| {
        let exports = builtins::require(scope, id)?;
        if export.is_empty() { Ok(exports) } else { scope.get(exports, export) }
    })?;
    state.globals_made.borrow_mut().insert(name);
    Ok(Some(value))
}
