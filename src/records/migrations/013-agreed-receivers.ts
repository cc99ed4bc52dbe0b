/** A subscription is active once its receiver has agreed. Those of before are asked too. */
export const AGREED_RECEIVERS = `
ALTER TABLE feed_subscription ADD COLUMN verified_at INTEGER; -- null: its receiver has not agreed, and gets nothing but the question
UPDATE feed_subscription
  SET since = created_at, due_at = created_at, first_change_at = NULL, attempts = 0, refusals = 0, fence = fence + 1
  WHERE dead_at IS NULL;
`;
