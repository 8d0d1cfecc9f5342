/** Where a datagram socket keeps its state: also for those that look into it, as Node's own tests do. */
export const kState = Symbol("state symbol");
