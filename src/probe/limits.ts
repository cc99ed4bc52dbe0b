/** The whole probe, milliseconds. */
export const PROBE_MS = 30_000;
/** Tools kept in a record; the count stays exact. */
export const MAX_TOOLS = 1_000;
