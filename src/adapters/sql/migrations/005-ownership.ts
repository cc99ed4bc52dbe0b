/**
 * Since when an old proof is asked for again. Texts of open challenges said neither for whom nor for what they were, so
 * their members ask for new ones.
 */
export const OWNERSHIP = `
ALTER TABLE ownership ADD COLUMN asked_again_at INTEGER; -- null: it is not old
CREATE INDEX ownership_age ON ownership (proven_at);
DELETE FROM ownership_challenge;
`;
