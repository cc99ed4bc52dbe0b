/** What a history of an agent's health reads of each probe; null in rows of before, whose `value` has it. */
export const HEALTH = `
ALTER TABLE observation ADD COLUMN online INTEGER;
ALTER TABLE observation ADD COLUMN response_ms INTEGER;
ALTER TABLE observation ADD COLUMN error_class TEXT;
`;
