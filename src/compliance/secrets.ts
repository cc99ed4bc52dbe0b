import { isObject } from '../calling/json.ts';
import { redact } from '../calling/redact.ts';

/** Takes secrets out of what an agent said or was sent. */
export type Redact = <T>(value: T) => T;

const HIDDEN = '[redacted]';
/** Members whose text is a secret whoever wrote it. */
const SECRET_NAMES =
  /^(proxy-)?(authori[sz]ation|cookie|set-cookie)$|^(x-)?api[_-]?key$|^((access|refresh|id|bearer|auth|client)[_-]?)?(token|secret)$|^pass(word|phrase)$|^(private|secret)[_-]?key$|^credentials?$/i;
/** `Bearer …` wherever it stands. */
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

/** Hides the given credentials in every form in which an agent may echo them: as they are, percent-encoded, in base64. */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  return (value) => redact(value, ...forms);
}

function formsOf(secret: string): readonly string[] {
  if (secret === '') return [];
  const bytes = Buffer.from(secret);
  const basic = Buffer.from(`:${secret}`).toString('base64');
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    quoted,
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    basic,
  ];
}

/**
 * Hides what is a secret by its form or its name (`Bearer …`, `authorization`, `password`), for what is kept and shown:
 * a run itself may have to hand such a value on.
 */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(BEARER, `$1 ${HIDDEN}`);
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && SECRET_NAMES.test(key) ? HIDDEN : hideSecrets(item),
    ]),
  );
}
