/** An API key of a member, without what would let anybody use it. Times are epoch milliseconds. */
export interface ApiKey {
  /** Begins the key itself, so that an owner recognises it. */
  readonly id: string;
  readonly member: string;
  readonly label?: string;
  readonly createdAt: number;
  /** To the day. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
}

export interface NewApiKey {
  readonly id: string;
  /** SHA-256 of the whole key, lower case hex. */
  readonly hash: string;
  readonly member: string;
  readonly label?: string;
}

/** The keys of members. All but `noteUse` are durable and leave an audit record. */
export interface ApiKeyStore {
  /** Rejects with `not_found` for an unknown member. */
  create(key: NewApiKey, now: number): Promise<ApiKey>;
  /** All of them, or those of one member, oldest first; revoked ones too. */
  list(member?: string): Promise<readonly ApiKey[]>;
  /** For every process at once, as nobody remembers a key. A revoked one stays as it is. Undefined: no such key. */
  revoke(id: string, now: number): Promise<ApiKey | undefined>;
  find(id: string): Promise<(ApiKey & { readonly hash: string }) | undefined>;
  /** Remembers the day of use; writes at most once in 24 hours for a key. */
  noteUse(id: string, now: number): Promise<void>;
}
