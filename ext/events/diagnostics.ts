/**
 * `loaded` turns true with node:diagnostics_channel. Before that nobody can have subscribed, so what publishes asks here and
 * does not load the module for nothing.
 */
export const diagnostics = { loaded: false };
