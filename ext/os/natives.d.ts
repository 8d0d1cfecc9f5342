// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  os: {
    /** Host name. */
    hostname(): string;
    /** `[sysname, version, release, machine]` of uname(2). */
    uname(): [string, string, string, string];
    /** The three load averages. */
    loadavg(): Float64Array<ArrayBuffer>;
    /** Seconds since the machine started. */
    uptime(): number;
    /** Bytes of memory. */
    totalMemory(): number;
    /** Bytes of memory that programs could still get (on Linux "MemAvailable"). */
    freeMemory(): number;
    /** Number of threads worth starting: CPUs this process may use, within the limits of its control group. At least 1. */
    availableParallelism(): number;
    /** One `[model, MHz, user, nice, sys, idle, irq]` per CPU, times in milliseconds. */
    cpus(): [string, number, number, number, number, number, number][];
    /**
     * One `[name, address, netmask, family (4 or 6), mac, internal, scope id, prefix length]` per address; the prefix
     * length is -1 where the mask is not contiguous.
     */
    networkInterfaces(): [string, string, string, number, string, boolean, number, number][];
    /** `[uid, gid, name, home directory, shell]` of the process's user; texts as bytes, for they need not be UTF-8. */
    userInfo(): [number, number, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    /** The home directory from the user database (the caller looks at HOME first). */
    homeDirectory(): string;
    /** Scheduling priority (nice value) of a process; 0 is this one. */
    getPriority(pid: number): number;
    /** Sets the nice value of a process; 0 is this one. */
    setPriority(pid: number, priority: number): void;
    /** Names and values of one group of constants: "errno", "signals", "priority" or "dlopen", in Node's order. */
    constants(group: string): [string[], number[]];
  };
}
