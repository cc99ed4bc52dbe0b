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

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
}

export type HttpMessage = HttpRequest | HttpResponse;

/** A method, or the name of a header (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What a field value may be made of; a line break in it would forge lines of the signature base. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** The values of all lines of a header, trimmed, in their order. */
export function linesOf({ headers }: Pick<HttpMessage, 'headers'>, name: string): readonly string[] {
  return headers
    .filter(([candidate]) => candidate.toLowerCase() === name)
    .map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''));
}

/** The combined value of a header (RFC 9421, section 2.1); undefined when it is not there. */
export function fieldValue(message: Pick<HttpMessage, 'headers'>, name: string): string | undefined {
  const lines = linesOf(message, name);
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
