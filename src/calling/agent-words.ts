import { elements, isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import { shortText } from '../domain/text.ts';

/** Longest quotation of an agent's own words, characters. */
export const MAX_WORDS = 300;
/** Beginning of a body in which the words are looked for, bytes. */
export const SNIPPET_BYTES = 8_192;

/** RFC 9110, section 8.3.1; longer ones are not media types that exist. */
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/;

/** The media type of a Content-Type header: lower case, without parameters; undefined when the header is none. */
export function mediaTypeOf(header: string | null): string | undefined {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : undefined;
}

/**
 * The words in the body of an answer with an error status: the message of a JSON object or of a JSON-RPC error, a plain text,
 * or the title of an HTML page. Never mark-up; at most 300 characters; undefined when there are none.
 */
export function wordsIn(body: string, contentType: string | undefined): string | undefined {
  const start = body.trimStart();
  if (contentType?.includes('html') === true || start.startsWith('<')) return titleOf(start);
  const object = parseObject(start);
  if (object !== undefined) return wordsOfJson(object);
  return contentType === undefined || contentType === 'text/plain' ? shortText(start, MAX_WORDS) : undefined;
}

function wordsOfJson(value: JsonObject): string | undefined {
  const error = member(value, 'error');
  const code = member(error, 'code');
  const first = elements(member(value, 'errors'))[0];
  const found = [
    isObject(error) ? member(error, 'message') : error,
    ...['message', 'detail', 'error_description', 'title'].map((key) => member(value, key)),
    isObject(first) ? member(first, 'message') : first,
  ].find((one) => typeof one === 'string' && one.trim() !== '');
  const isRpc = member(value, 'jsonrpc') === '2.0' && Number.isInteger(code);
  const tail = isRpc ? ` (JSON-RPC error ${String(code)})` : '';
  const text = shortText(found, MAX_WORDS - tail.length);
  return text === undefined ? undefined : `${text}${tail}`;
}

function titleOf(page: string): string | undefined {
  const opened = page.toLowerCase().indexOf('<title');
  const from = page.indexOf('>', opened);
  const to = page.indexOf('<', from);
  return opened < 0 || from < 0
    ? undefined
    : shortText(page.slice(from + 1, to < 0 ? undefined : to), MAX_WORDS);
}
