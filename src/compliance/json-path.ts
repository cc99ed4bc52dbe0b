import { asText, isObject, member, pointerTo } from '../base/json.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';

/** One step of a path: a member, an index, every item, or the first item with a member of this value. */
export type PathStep =
  | string
  | number
  | { readonly every: true }
  | { readonly key: string; readonly value: string };

/** What stands at one place that a path leads to. */
export interface Found {
  /** JSON Pointer; of the member that is missing where nothing is there. */
  readonly pointer: string;
  readonly present: boolean;
  readonly value?: unknown;
}

/** A hostile answer may have millions of items. */
const MAX_FOUND = 10_000;
const MAX_STEPS = 64;
const STEP = /(?:^|\.)([^.[\]]+)|\[(?:(\d{1,9})|(\*)|([^\]=]{1,200})=([^\]]{0,200}))\]/y;

/**
 * Reads a path of the public format: `products[0].pricing_options[0].price`, `creatives[*].status`. The form
 * `products[delivery_type=guaranteed]` (the first such item) is ours. Undefined for what is no path.
 */
export function parsePath(path: string): readonly PathStep[] | undefined {
  const text = path.replace(/^\$\.?(?=[^.]|$)/, '');
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (match === null || steps.length === MAX_STEPS) return undefined;
    const [, name, index, every, key, value] = match;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (every !== undefined) steps.push({ every: true });
    else steps.push({ key: key ?? '', value: unquoted(value ?? '') });
  }
  return steps;
}

/** Without the quotes around it, of either kind; the same text where there are none. */
export function unquoted(text: string): string {
  const quote = text.charAt(0);
  const isQuoted = (quote === '"' || quote === "'") && text.length > 1 && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

/** Every place that a path leads to, at most 10,000; a place where nothing is stands there too, as not present. */
export function resolvePath(root: unknown, steps: readonly PathStep[]): readonly Found[] {
  let at: readonly Found[] = [{ pointer: '', present: true, value: root }];
  for (const step of inTheirWords(root, steps))
    at = at.flatMap((found) => next(found, step)).slice(0, MAX_FOUND);
  return at;
}

/** The first place; whoever wants one value takes this. */
export function firstAt(root: unknown, path: string): Found {
  const steps = parsePath(path);
  const found = steps === undefined ? undefined : resolvePath(root, steps)[0];
  return found ?? { pointer: '', present: false };
}

function next(from: Found, step: PathStep): readonly Found[] {
  if (!from.present) return [from];
  const { pointer, value } = from;
  if (typeof step === 'string') return [memberAt(value, step, pointer)];
  if (typeof step === 'number') return [itemAt(value, step, pointer)];
  if (!Array.isArray(value) || value.length === 0)
    return [{ pointer: pointerTo(pointer, 0), present: false }];
  if ('every' in step) return value.slice(0, MAX_FOUND).map((_, index) => itemAt(value, index, pointer));
  const index = value.findIndex((item) => asText(member(item, step.key)) === step.value);
  return index < 0 ? [{ pointer, present: false }] : [itemAt(value, index, pointer)];
}

function memberAt(value: unknown, name: string, parent: string): Found {
  const pointer = pointerTo(parent, name);
  // the public format has `rights.length` for the number of items
  if (name === 'length' && Array.isArray(value)) return { pointer, present: true, value: value.length };
  if (!isObject(value) || !Object.hasOwn(value, name)) return { pointer, present: false };
  return { pointer, present: true, value: value[name] };
}

function itemAt(value: unknown, index: number, parent: string): Found {
  const pointer = pointerTo(parent, index);
  if (!Array.isArray(value) || index >= value.length) return { pointer, present: false };
  return { pointer, present: true, value: value[index] };
}

/** A storyboard is written in one vocabulary, and the agent may answer in the other: the section and the version are found in both. */
function inTheirWords(root: unknown, steps: readonly PathStep[]): readonly PathStep[] {
  const [first, ...rest] = steps;
  if (typeof first !== 'string' || !isObject(root) || Object.hasOwn(root, first)) return steps;
  const key = (['section', 'versionKey'] as const).find((kind) =>
    VOCABULARIES.some((one) => VOCABULARY_NAMES[one][kind] === first),
  );
  if (key === undefined) return steps;
  const theirs = VOCABULARIES.map((one) => VOCABULARY_NAMES[one][key]).find((name) =>
    Object.hasOwn(root, name),
  );
  return theirs === undefined ? steps : [theirs, ...rest];
}

/** The same value with another at this place; what is missing on the way is made, and lists have no gaps. */
export function putAt(at: unknown, [step, ...rest]: readonly PathStep[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const object = isObject(at) ? at : {};
    return { ...object, [step]: putAt(object[step], rest, value) };
  }
  if (typeof step !== 'number') return at;
  const list = Array.isArray(at) ? [...at] : [];
  if (step <= list.length) list[step] = putAt(list[step], rest, value);
  return list;
}
