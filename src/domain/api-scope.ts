/** What an API key may do for its member; each operation for owners needs one of them. */
export const API_SCOPES = [
  'read', // what owners alone see: settings, dry runs, evidence, whether a credential is stored
  'settings', // to change the settings of an agent
  'credentials', // to store and to forget a test credential
  'runs', // to ask for a run
] as const;

export type ApiScope = (typeof API_SCOPES)[number];
