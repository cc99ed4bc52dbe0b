import { isObject } from '../base/json.ts';
import { RegistryFailure } from './failure.ts';

/** How to recognise the answer of an operation. */
export interface Known {
  /** A field of each of its answers; empty: any object. Absent: the answer is not JSON, and is returned as text. */
  readonly has?: string;
  /** The list on its pages; the answer for an agent that opted out does not have it. */
  readonly items?: string;
}

/** The content of an answer. Throws a `RegistryFailure` `not_understood` for anything that is not an answer of this operation. */
export async function contentOf(answer: Response, { has, items }: Known): Promise<unknown> {
  const text = await answer.text();
  if (has === undefined) return text;
  const strange = (reason: string, cause?: unknown) =>
    new RegistryFailure('not_understood', `the answer ${reason}`, { status: answer.status, cause });
  if (!/^application\/([\w.-]+\+)?json/.test(answer.headers.get('content-type') ?? ''))
    throw strange('is not JSON');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw strange('is not JSON', cause);
  }
  if (!isObject(content)) throw strange('is not an object');
  if (has !== '' && !(has in content)) throw strange(`has no field "${has}"`);
  if (items !== undefined && !Array.isArray(content[items] ?? [])) throw strange(`has no array "${items}"`);
  return content;
}

/** The cursor of the next page; undefined on the last page. Throws as `contentOf`. */
export function nextCursorOf(page: Readonly<Record<string, unknown>>): string | undefined {
  // a feed has a cursor on its last page, too, for later changes
  const next = page.has_more === false ? undefined : (page.next_cursor ?? page.cursor ?? undefined);
  if (next === undefined || (typeof next === 'string' && next !== '')) return next;
  throw new RegistryFailure('not_understood', 'the cursor of the next page is not a string');
}
