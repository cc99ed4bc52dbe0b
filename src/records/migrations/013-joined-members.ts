/**
 * A member that joined has an id, which an import has to name. Those of before are found by the invitation that they used,
 * unless a member of that slug was removed since; they keep their slugs.
 */
export const JOINED_MEMBERS = `
ALTER TABLE member ADD COLUMN joined_id TEXT; -- null: an import made it
UPDATE member AS joined SET joined_id = (
  SELECT 'mem_' || substr(min(used.hash), 1, 16) FROM invitation AS used
  WHERE used.member IS NULL AND used.used_by = joined.slug AND NOT EXISTS (
    SELECT 1 FROM audit
    WHERE audit.action = 'member.remove' AND audit.subject = joined.slug AND audit.at >= used.used_at
  )
);
CREATE INDEX invitation_used_by ON invitation (used_by);
`;
