/** Domains whose brand.json counts, in their order; and which houses name a brand that stands elsewhere. */
export const BRAND_FILES = `
CREATE INDEX source_brand ON source (key) WHERE kind = 'brand' AND declaration IS NOT NULL;
CREATE INDEX reference_brand ON reference_to (domain, declarer) WHERE file = 'brand' AND reason = 'brand';
`;
