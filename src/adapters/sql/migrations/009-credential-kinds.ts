/** What a sealed credential is. */
export const CREDENTIAL_KINDS = `
ALTER TABLE test_credential ADD COLUMN kind TEXT NOT NULL DEFAULT 'bearer';
`;
