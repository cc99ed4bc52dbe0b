/** One call, milliseconds. */
export const CALL_MS = 10_000;
/** The tool list, all pages together; a card counts as one. */
export const TOOL_LIST_BYTES = 4 * 1024 * 1024;
/** Any other answer, the capabilities task's among them. */
export const ANSWER_BYTES = 1024 * 1024;
/** Requests of one visit: an agent that makes its client ask on and on (pings, cursors) is left. */
export const MAX_REQUESTS = 100;
/** Pages of one list. */
export const MAX_PAGES = 50;
/** Objects and lists inside each other in an answer: deeper ones overflow the stack of whoever reads them. */
export const MAX_ANSWER_DEPTH = 256;
/** Objects, lists and single values in an answer together, as in a payload (protocol/bounds.ts): more are not worth their time. */
export const MAX_ANSWER_VALUES = 100_000;
/** Events of a stream in one call: the SDKs read each, also those that say nothing. */
export const MAX_EVENTS = 5_000;
/** Of them, between two turns of the event loop. */
export const EVENTS_A_TURN = 100;
/** The SDKs' own timers must not run out before ours do; the longest that a timer can be. */
export const SDK_TIMEOUT_MS = 2_147_483_647;
