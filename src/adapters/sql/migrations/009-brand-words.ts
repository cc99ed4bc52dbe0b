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
