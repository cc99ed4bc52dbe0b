/** Who does something: an operator, for a member or not; a member by an API key; or an agent by a message that it signed. */
export type Actor =
  | { readonly kind: 'operator'; readonly member?: string }
  | { readonly kind: 'key'; readonly keyId: string; readonly member: string }
  | { readonly kind: 'signature'; readonly keyId: string };

/** A member, by one of its keys. */
export type KeyActor = Extract<Actor, { readonly kind: 'key' }>;
