// The large constant objects of process: features, config, allowedNodeEnvironmentFlags.

const ops = native("process");
const { freeze, defineProperty } = Object;

function versionOf(name: string): string | undefined {
  const pairs: string[] = ops.versions();
  const at = pairs.indexOf(name);
  return at % 2 === 0 ? pairs[at + 1] : undefined;
}

/** process.features: what this runtime was built with. */
export function features(): { [key: string]: unknown } {
  const object: { [key: string]: unknown } = {};
  const values: Record<string, unknown> = {
    inspector: true,
    debug: false,
    // True in every Node since 0.x; the loop here is not libuv but has its semantics.
    uv: true,
    ipv6: true,
    openssl_is_boringssl: true,
    tls_alpn: true,
    tls_sni: true,
    tls_ocsp: true,
    tls: true,
    cached_builtins: true,
    require_module: ops.cliOption("--no-experimental-require-module") !== true,
    typescript: ops.cliOption("--no-experimental-strip-types") === true ? false : "transform",
    quic: false,
  };
  for (const key of Object.keys(values)) {
    defineProperty(object, key, { value: values[key], enumerable: true, writable: false, configurable: false });
  }
  return object;
}

/** process.config: the settings native add-on build tools (node-gyp) look for. */
export function config() {
  const arch = ops.arch();
  return deepFreeze({
    target_defaults: { cflags: [], default_configuration: "Release", defines: [], include_dirs: [], libraries: [] },
    variables: {
      asan: 0,
      host_arch: arch,
      target_arch: arch,
      is_debug: 0,
      napi_build_version: versionOf("napi"),
      node_module_version: Number(versionOf("modules")),
      node_builtin_shareable_builtins: [],
      node_shared: false,
      node_use_amaro: false,
      node_use_lief: false,
      node_use_openssl: true,
      node_shared_openssl: false,
      v8_enable_i18n_support: 1,
    },
  });
}

function deepFreeze(object: object): unknown {
  for (const value of Object.values(object)) if (typeof value === "object" && value !== null) deepFreeze(value);
  return freeze(object);
}

// The options that may stand in NODE_OPTIONS, without their dashes; those of V8 that Node lets through come last.
const flagNames =
  "abort-on-uncaught-exception addons allow-addons allow-child-process allow-fs-read allow-fs-write allow-inspector allow-net " +
  "allow-wasi allow-worker async-context-frame conditions cpu-prof cpu-prof-dir cpu-prof-interval cpu-prof-name " +
  "debug-arraybuffer-allocations deprecation diagnostic-dir disable-proto disable-sigusr1 disable-warning " +
  "disable-wasm-trap-handler disallow-code-generation-from-strings dns-result-order enable-etw-stack-walking enable-fips " +
  "enable-network-family-autoselection enable-source-maps entry-url env-file-if-exists experimental-addon-modules " +
  "experimental-default-config-file experimental-config-file experimental-detect-module experimental-eventsource " +
  "experimental-global-navigator experimental-import-meta-resolve experimental-inspector-network-resource " +
  "experimental-json-modules experimental-loader experimental-modules experimental-network-inspection " +
  "experimental-print-required-tla experimental-quic experimental-repl-await experimental-report experimental-require-module " +
  "experimental-shadow-realm experimental-specifier-resolution experimental-sqlite experimental-strip-types " +
  "experimental-test-isolation experimental-top-level-await experimental-transform-types experimental-vm-modules " +
  "experimental-wasi-unstable-preview1 experimental-wasm-modules experimental-webstorage experimental-websocket " +
  "experimental-worker experimental-worker-inspection expose-gc extra-info-on-fatal-exception force-async-hooks-checks " +
  "force-context-aware force-fips force-node-api-uncaught-exceptions-policy frozen-intrinsics global-search-paths heap-prof " +
  "heap-prof-dir heap-prof-interval heap-prof-name heapsnapshot-near-heap-limit heapsnapshot-signal http-parser icu-data-dir " +
  "import input-type insecure-http-parser inspect inspect-brk inspect-port inspect-publish-uid inspect-wait " +
  "localstorage-file loader max-http-header-size napi-modules network-family-autoselection " +
  "network-family-autoselection-attempt-timeout node-memory-debug node-snapshot openssl-config openssl-legacy-provider " +
  "openssl-shared-config pending-deprecation permission permission-audit preserve-symlinks preserve-symlinks-main " +
  "prof-process redirect-warnings report-compact report-dir report-directory report-exclude-env report-exclude-network " +
  "report-filename report-on-fatalerror report-on-signal report-signal report-uncaught-exception require secure-heap " +
  "secure-heap-min snapshot-blob test-coverage-branches test-coverage-exclude test-coverage-functions test-coverage-include " +
  "test-coverage-lines test-global-setup test-isolation test-name-pattern test-only test-reporter test-reporter-destination " +
  "test-rerun-failures test-shard test-skip-pattern throw-deprecation title tls-cipher-list tls-keylog tls-max-v1.2 " +
  "tls-max-v1.3 tls-min-v1.0 tls-min-v1.1 tls-min-v1.2 tls-min-v1.3 trace-deprecation trace-env trace-env-js-stack " +
  "trace-env-native-stack trace-event-categories trace-event-file-pattern trace-events-enabled trace-exit " +
  "trace-require-module trace-sigint trace-sync-io trace-tls trace-uncaught trace-warnings track-heap-objects " +
  "unhandled-rejections use-bundled-ca use-env-proxy use-largepages use-openssl-ca use-system-ca v8-pool-size verify-base-objects " +
  "warnings watch watch-kill-signal watch-path watch-preserve-output webstorage zero-fill-buffers " +
  "disallow-code-generation-from-strings huge-max-old-generation-size interpreted-frames-native-stack jitless " +
  "max-old-space-size max-old-space-size-percentage max-semi-space-size perf-basic-prof perf-basic-prof-only-functions " +
  "perf-prof perf-prof-unwinding-info stack-trace-limit";

/** process.allowedNodeEnvironmentFlags: an immutable Set whose has() understands all spellings of a flag. */
export function allowedFlags() {
  const names = new Set<string>();
  for (const name of flagNames.split(" ")) names.add(`--${name}`);
  for (const short of ["-C", "-r"]) names.add(short);
  const spellings = new Set<string>();
  for (const flag of names) {
    spellings.add(flag);
    spellings.add(flag.replace(/^-+/, ""));
  }
  // The Set itself stays empty; every method reads `names`. So Set.prototype.add.call() changes nothing.
  class NodeEnvironmentFlagsSet extends Set<string> {
    add(): this {
      return this;
    }
    delete(): boolean {
      return false;
    }
    clear(): void {}
    has(key: unknown): boolean {
      if (typeof key !== "string") return false;
      let text = key;
      if (/^--?[^-]/.test(text) === false && text.startsWith("-")) return false;
      const equals = text.indexOf("=");
      if (text.startsWith("--") && equals > 0) text = text.slice(0, equals);
      if (text.startsWith("--") && text.length === 3) return false;
      if (text.startsWith("--") || !text.startsWith("-")) {
        const dashes = text.startsWith("--") ? "--" : "";
        text = dashes + text.slice(dashes.length).replaceAll("_", "-");
        // --no-X stands for every X that can be switched.
        return spellings.has(text) || spellings.has(text.replace(/^(--)?no-/, "$1"));
      }
      return spellings.has(text);
    }
    get size(): number {
      return names.size;
    }
    keys(): SetIterator<string> {
      return names.values();
    }
    values(): SetIterator<string> {
      return names.values();
    }
    entries(): SetIterator<[string, string]> {
      return names.entries();
    }
    [Symbol.iterator](): SetIterator<string> {
      return names.values();
    }
    forEach(callback: (value: string, key: string, set: Set<string>) => void, thisArg?: unknown): void {
      for (const name of names) callback.call(thisArg, name, name, this);
    }
  }
  freeze(NodeEnvironmentFlagsSet.prototype);
  freeze(NodeEnvironmentFlagsSet);
  return freeze(new NodeEnvironmentFlagsSet());
}
