/** A large body is kept packed; null: as it came. */
export const PACKED_BODIES = `
ALTER TABLE body ADD COLUMN packing TEXT;
`;
