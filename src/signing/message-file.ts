import { isObject, ownEntry } from '../base/json.ts';
import { RegistryError } from '../errors.ts';
import { type HeaderLine, type HttpRequest, TOKEN } from './message.ts';

/** A message as JSON: the body is text, a header that came several times is a list. */
export interface MessageFile {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/**
 * Reads `{method, url, headers, body}`.
 *
 * @throws RegistryError `input_invalid` with the member that is wrong
 */
export function readMessageFile(text: string): HttpRequest {
  const value = parsed(text);
  const { method, url, headers, body } = value;
  if (typeof method !== 'string') throw invalid('method is not a string');
  if (typeof url !== 'string') throw invalid('url is not a string');
  if (headers !== undefined && !isObject(headers)) throw invalid('headers is not an object');
  if (body !== undefined && body !== null && typeof body !== 'string') throw invalid('body is not a string');
  const lines = Object.entries(headers ?? {}).flatMap(([name, one]) => linesOf(name, one));
  return {
    method,
    url,
    headers: lines,
    ...(typeof body === 'string' && { body: new TextEncoder().encode(body) }),
  };
}

/** The message as JSON; headers in the order in which they stand. */
export function writeMessageFile({ method, url, headers, body }: HttpRequest): MessageFile {
  const grouped: Record<string, string | readonly string[]> = {};
  for (const [name, value] of headers) {
    const known = ownEntry(grouped, name);
    grouped[name] = known === undefined ? value : [known, value].flat();
  }
  return {
    method,
    url,
    headers: grouped,
    ...(body !== undefined && { body: new TextDecoder().decode(body) }),
  };
}

function linesOf(name: string, value: unknown): readonly HeaderLine[] {
  if (!TOKEN.test(name)) throw invalid(`headers has ${JSON.stringify(name)}, which is not a header name`);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one): HeaderLine => {
    if (typeof one !== 'string') throw invalid(`headers.${name} is neither a string nor a list of strings`);
    return [name, one];
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid('it is not valid JSON', cause);
  }
  if (!isObject(value)) throw invalid('it is not an object');
  return value;
}

function invalid(reason: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `the message cannot be read: ${reason}`, {
    cause,
    hint: 'write it as {"method": "POST", "url": "https://…", "headers": {…}, "body": "…"}',
  });
}
