import { isObject, pointerTo } from '../../base/json.ts';
import { plain, UNSHOWN } from '../../pages/texts.ts';

/** Maximum size of a tool's answer as JSON, in bytes, so that it fits into the context of an assistant. */
export const MAX_TOOL_BYTES = 64 * 1_024;

/** Lists are shortened to these lengths, in turn, until the answer fits. */
const LENGTHS = [200, 100, 50, 20, 10, 5, 3, 1];

/** Characters of a field name in the path of a list. */
const MAX_NAME = 60;

/** A shortened list. */
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
 * Shortens the longest lists of an answer until it has at most MAX_TOOL_BYTES; undefined where that is not enough. The list at
 * `page` is not shortened: the cursor continues after it, so that its rest would never be returned. Invisible characters become
 * spaces, as on our pages: they could hide text from the people who read along.
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
    // the path appears in our own text
    return [shownText(name), shortened(one, bounds, pointerTo(path, plain(name, MAX_NAME)))];
  });
  return Object.fromEntries(members);
}

/** A text without invisible characters, except line breaks and tabs. */
function shownText(text: string): string {
  return text.toWellFormed().replace(UNSHOWN, (found) => found.replace(/[^\t\n]/gu, ' '));
}
