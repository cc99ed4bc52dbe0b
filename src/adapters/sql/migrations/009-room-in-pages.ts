/**
 * Every visit rewrites the rows of its sources twice, and those of its captures. With room in a page, PostgreSQL
 * writes the new row beside the old one and leaves the indexes alone
 * (https://www.postgresql.org/docs/current/storage-hot.html). The pages of before get there as their rows are rewritten.
 */
export const ROOM_IN_PAGES = `
/* postgres: ALTER TABLE source SET (fillfactor = 70); */
/* postgres: ALTER TABLE capture SET (fillfactor = 70); */
`;
