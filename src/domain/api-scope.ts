/** What an API key may do for its member; each operation for owners needs one of them. */
export const API_SCOPES = [
  'read', // what owners alone see: settings, dry runs, evidence, whether a credential is stored
  'agents', // to ask for agents, prove them, describe them and give them up
  'settings', // to change the settings of an agent, and who is woken by the feed
  'credentials', // to store and to forget a test credential
  'runs', // to ask for a run
  'keys', // to make and revoke keys of the member
] as const;

export type ApiScope = (typeof API_SCOPES)[number];

/** The scopes that are named, each once and in the order of the list; or a name that is none. */
export function readScopes(
  names: readonly string[],
): { readonly scopes: readonly ApiScope[] } | { readonly unknown: string } {
  const unknown = names.find((one) => !API_SCOPES.some((scope) => scope === one));
  return unknown === undefined
    ? { scopes: API_SCOPES.filter((scope) => names.includes(scope)) }
    : { unknown };
}

/** Of the label that a key is recognised by. */
export const MAX_KEY_LABEL = 100;

/** Whether a text can be a label: something on one line. */
export function isKeyLabel(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_KEY_LABEL && !/\p{Cc}/u.test(text);
}

/** Days after which a key ends. */
export const KEY_DAYS = { min: 1, max: 3_650 } as const;
