/** Shorter secrets occur in many words by chance, and could be guessed from the gaps. */
const MIN_SECRET = 8;

/**
 * The same JSON value with every text and every name free of the secrets, wherever an agent may have echoed them.
 * What is shorter than eight characters is no secret, and stays.
 */
export function redact<T>(value: T, ...secrets: readonly string[]): T {
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET);
  return hidden.length === 0 ? value : (redactAll(value, hidden) as T);
}

function redactAll(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactAll(item, secrets));
  const members = Object.entries(value).map(([key, item]) => [
    redactText(key, secrets),
    redactAll(item, secrets),
  ]);
  return Object.fromEntries(members);
}

function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
