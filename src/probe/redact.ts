/** The same value with every text free of the secret, wherever an agent may have echoed it. */
export function redact<T>(value: T, secret: string): T {
  if (secret === '') return value;
  const clean = (_key: string, item: unknown) =>
    typeof item === 'string' ? item.replaceAll(secret, '[redacted]') : item;
  return JSON.parse(JSON.stringify(value), clean) as T;
}
