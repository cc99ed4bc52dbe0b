/** Words of the names of a domain's brands. Files of before are derived anew, once and with no request. */
export const BRAND_WORDS = `
CREATE TABLE brand_word (
  domain TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (domain, word)
) WITHOUT ROWID;
CREATE INDEX brand_word_domain ON brand_word (word, domain);
UPDATE source SET rederive_at = 0 WHERE kind = 'brand' AND declaration IS NOT NULL;
`;

/**
 * Every visit rewrites the rows of its sources twice, and those of its captures. With room in a page, PostgreSQL
 * writes the new row beside the old one and leaves the indexes alone
 * (https://www.postgresql.org/docs/current/storage-hot.html). The pages of before get there as their rows are rewritten.
 */
export const ROOM_IN_PAGES = `
/* postgres: ALTER TABLE source SET (fillfactor = 70); */
/* postgres: ALTER TABLE capture SET (fillfactor = 70); */
`;
