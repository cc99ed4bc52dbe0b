import { isObject } from '../base/json.ts';
import { RegistryFailure } from './failure.ts';

/** By what the answer of an operation is known. */
export interface Known {
  /** A member that each of its answers has; empty: any object. Absent: the answer is no JSON, and is given as text. */
  readonly has?: string;
  /** The list that its pages carry; an agent that opted out has an answer without. */
  readonly items?: string;
}

/** What an answer says. Throws a `RegistryFailure` `not_understood` for what is no answer of this operation. */
export async function contentOf(answer: Response, { has, items }: Known): Promise<unknown> {
  const text = await answer.text();
  if (has === undefined) return text;
  const strange = (reason: string, cause?: unknown) =>
    new RegistryFailure('not_understood', `the answer ${reason}`, { status: answer.status, cause });
  if (!/^application\/([\w.-]+\+)?json/.test(answer.headers.get('content-type') ?? ''))
    throw strange('is no JSON');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw strange('is no JSON', cause);
  }
  if (!isObject(content)) throw strange('is no object');
  if (has !== '' && !(has in content)) throw strange(`has no "${has}"`);
  if (items !== undefined && !Array.isArray(content[items] ?? [])) throw strange(`has no list "${items}"`);
  return content;
}

/** The cursor of the page behind this one; undefined: there is none. Throws as `contentOf`. */
export function nextCursorOf(page: Readonly<Record<string, unknown>>): string | undefined {
  // a feed has a cursor on its last page, too: it goes on from there later
  const next = page.has_more === false ? undefined : (page.next_cursor ?? page.cursor ?? undefined);
  if (next === undefined || (typeof next === 'string' && next !== '')) return next;
  throw new RegistryFailure('not_understood', 'the cursor of the next page is no text');
}
