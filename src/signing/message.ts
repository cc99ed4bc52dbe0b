import { serializeString } from 'structured-headers';
import { trimBlanks } from './structured-fields.ts';
import { readTarget, type Target } from './target.ts';

/** The derived components that this module can compute (RFC 9421, section 2.2). */
const OF_TARGET: Readonly<Record<string, (target: Target) => string>> = {
  '@target-uri': (target) => target.uri,
  '@authority': (target) => target.authority,
  '@scheme': (target) => target.scheme,
  '@request-target': (target) => target.path + target.query,
  '@path': (target) => target.path,
  '@query': (target) => target.query || '?',
};

/** A header line as it came: repeated names stay apart, and nothing is folded. */
export type HeaderLine = readonly [name: string, value: string];

/** A request, or a webhook, with the bytes of its body. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  /** Absent or empty: no body. */
  readonly body?: Uint8Array;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
}

export type HttpMessage = HttpRequest | HttpResponse;

/** A method, or the name of a header (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What a field value may be made of; a line break in it would forge lines of the signature base. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** The values of all lines of a header, trimmed, in their order. */
export function headerLines({ headers }: Pick<HttpMessage, 'headers'>, name: string): readonly string[] {
  return headers
    .filter(([candidate]) => candidate.toLowerCase() === name)
    .map(([, value]) => trimBlanks(value));
}

/** Header lines of a message, and characters in all of them; a server of ours takes no larger header. */
const MAX_LINES = 256;
const MAX_HEADER = 65_536;

/** Whether a header is larger than any that is looked at. Asked before anything else is done with a stranger's message. */
export function isOverlong({ headers }: Pick<HttpMessage, 'headers'>): boolean {
  if (headers.length > MAX_LINES) return true;
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_HEADER;
}

/** The combined value of a header (RFC 9421, section 2.1); undefined when it is not there. */
export function headerValue(message: Pick<HttpMessage, 'headers'>, name: string): string | undefined {
  const lines = headerLines(message, name);
  return lines.length === 0 ? undefined : lines.join(', ');
}

export function isFieldValue(value: string): boolean {
  return FIELD_VALUE.test(value);
}

export function hasBody({ body }: Pick<HttpRequest, 'body'>): boolean {
  return body !== undefined && body.length > 0;
}

/** A copy with some headers in the place of whatever stood under their names. */
export function withHeaders(message: HttpRequest, added: Readonly<Record<string, string>>): HttpRequest {
  const kept = message.headers.filter(([name]) => !Object.hasOwn(added, name.toLowerCase()));
  return { ...message, headers: [...kept, ...Object.entries(added)] };
}

/** Whether a name is one that can be covered: a header, or a derived component that is known here. */
export function isComponent(name: string): boolean {
  return TOKEN.test(name) || name === '@method' || name === '@status' || Object.hasOwn(OF_TARGET, name);
}

/** What a component of this message is; undefined when the message does not have it. */
export function componentValue(message: HttpMessage, name: string): string | undefined {
  if (!name.startsWith('@')) return headerValue(message, name);
  if ('status' in message) return name === '@status' ? String(message.status) : undefined;
  if (name === '@method') return message.method;
  const read = readTarget(message.url);
  return read.ok ? OF_TARGET[name]?.(read.target) : undefined;
}

/**
 * The signature base (RFC 9421, section 2.5): one line for each component, then `@signature-params`, with no line
 * break after it. Undefined when the message lacks a component.
 */
export function signatureBase(
  message: HttpMessage,
  components: readonly string[],
  params: string,
): string | undefined {
  const lines: string[] = [];
  for (const name of components) {
    const value = componentValue(message, name);
    if (value === undefined) return undefined;
    lines.push(`${serializeString(name)}: ${value}`);
  }
  return [...lines, `"@signature-params": ${params}`].join('\n');
}
