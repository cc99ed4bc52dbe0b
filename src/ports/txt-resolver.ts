/** TXT records of the DNS. */
export interface TxtResolver {
  /** Never rejects: a failure is a value. The strings of one record are joined (RFC 1035, section 3.3.14). */
  texts(name: string): Promise<TxtAnswer>;
}

export type TxtAnswer =
  | { readonly ok: true; readonly texts: readonly string[] }
  /** In a few words, lower case. */
  | { readonly ok: false; readonly reason: string };
