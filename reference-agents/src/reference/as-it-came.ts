/** Requests that were put into our words, with what came. */
const originals = new WeakMap<object, object>();

/** Keeps what a request came as, for whatever is said of its very words: an approval, an idempotency key. */
export function keepOriginal<T extends object>(own: T, original: object): T {
  if (own !== original) originals.set(own, original);
  return own;
}

/** The request as its caller sent it. */
export function asItCame(request: object): object {
  return originals.get(request) ?? request;
}
