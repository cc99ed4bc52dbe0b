/** Arrays inside a record hold at most this many entries; counts beside them are exact. */
export const MAX_RECORD_ARRAY = 1_000;
