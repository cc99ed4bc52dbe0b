import { isObject, pointerTo } from '../../base/json.ts';
import { plain, UNSHOWN } from '../../pages/texts.ts';

/** What one tool answers at most, as JSON: what an assistant can read and still think, bytes. */
export const MAX_TOOL_BYTES = 64 * 1_024;

/** What lists are cut to, in turn, until an answer fits. */
const LENGTHS = [200, 100, 50, 20, 10, 5, 3, 1];

/** Of a member, in the path of a list: characters. */
const MAX_NAME = 60;

/** A list that is not shown whole. */
interface CutList {
  /** A JSON Pointer. */
  readonly path: string;
  readonly shown: number;
  readonly of: number;
}

export interface BoundedAnswer {
  readonly value: unknown;
  readonly cut: readonly CutList[];
}

/**
 * An answer with its longest lists cut, so that it has at most MAX_TOOL_BYTES; undefined where that is not enough. The list at
 * `page` stays whole: what follows it has a cursor, so that nothing would be shown of what is left out. What no screen shows
 * is a space, as on our pages: it would carry words past the people who read along.
 */
export function boundedAnswer(answer: unknown, page?: string): BoundedAnswer | undefined {
  for (const most of [Number.POSITIVE_INFINITY, ...LENGTHS]) {
    const cut: CutList[] = [];
    const value = shortened(answer, { most, page, cut }, '');
    if (Buffer.byteLength(JSON.stringify(value)) <= MAX_TOOL_BYTES) return { value, cut };
  }
  return undefined;
}

interface Bounds {
  readonly most: number;
  readonly page: string | undefined;
  readonly cut: CutList[];
}

function shortened(value: unknown, bounds: Bounds, path: string): unknown {
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) {
    const shown = path === bounds.page ? value : value.slice(0, bounds.most);
    if (shown.length < value.length) bounds.cut.push({ path, shown: shown.length, of: value.length });
    return shown.map((one, at) => shortened(one, bounds, `${path}/${at}`));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => {
    // the path stands among our own words
    return [shownText(name), shortened(one, bounds, pointerTo(path, plain(name, MAX_NAME)))];
  });
  return Object.fromEntries(members);
}

/** A text without what is not shown; lines of a file stay lines. */
function shownText(text: string): string {
  return text.toWellFormed().replace(UNSHOWN, (found) => found.replace(/[^\t\n]/gu, ' '));
}
