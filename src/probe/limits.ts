/** The whole probe, milliseconds. */
export const PROBE_MS = 30_000;
/** One call of it, milliseconds. */
export const CALL_MS = 10_000;
/** The tool list, all pages together; a card counts as one. */
export const TOOL_LIST_BYTES = 4 * 1024 * 1024;
/** Any other answer, the capabilities task's among them. */
export const ANSWER_BYTES = 1024 * 1024;
/** Requests of one probe: an agent that makes its client ask on and on (pings, cursors) is left. */
export const MAX_REQUESTS = 100;
/** Pages of one list. */
export const MAX_PAGES = 50;
/** Tools kept in a record; the count stays exact. */
export const MAX_TOOLS = 1_000;
