/** Contacts are complete, and accreditations have the field's name beside ours: every agent is stitched anew, once. */
export const RECORD_SHAPE = `
UPDATE agent SET revision = revision + 1, dirty_since = 0;
`;
