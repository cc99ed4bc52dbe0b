/** Nonces of signed requests, on the records so that all machines know them. `until`: epoch seconds, as signatures say it. */
export const SIGNATURE_NONCES = `
CREATE TABLE signature_nonce (
  key TEXT NOT NULL,
  nonce TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (key, nonce)
) WITHOUT ROWID;
CREATE INDEX signature_nonce_key ON signature_nonce (key, until);
CREATE INDEX signature_nonce_until ON signature_nonce (until);
`;
