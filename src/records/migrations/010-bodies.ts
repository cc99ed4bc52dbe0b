/**
 * Bodies may be kept beside the records (`packing` is then `moved`, and the row has no bytes). Those that are still here are
 * found by an index that no moved row is in. An object that nothing refers to waits here until it is deleted.
 */
export const BODIES_BESIDE = `
CREATE INDEX body_here ON body (hash) WHERE packing IS NULL OR packing = 'zstd';
CREATE TABLE body_unused (
  hash TEXT PRIMARY KEY,
  at INTEGER NOT NULL -- since when
) WITHOUT ROWID;
`;
