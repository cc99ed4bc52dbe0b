/** Who is woken when the feed goes on. Each row is its own outbox. */
export const SUBSCRIPTIONS = `
CREATE TABLE feed_subscription (
  id TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  agents INTEGER NOT NULL, -- told up to here: numbers in the change log and in the edge log
  edges INTEGER NOT NULL,
  first_change_at INTEGER, -- of what is not told yet; null: there is nothing to tell
  since INTEGER, -- when the present round of tries began
  due_at INTEGER,
  attempts INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  told_at INTEGER,
  last_error TEXT,
  dead_at INTEGER,
  fence INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX feed_subscription_member ON feed_subscription (member, created_at);
`;
