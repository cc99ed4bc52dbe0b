import { pointerTo, stepsOf } from './json.ts';
import { JsonTokens } from './json-tokens.ts';

/** A place in a text, both 1-based; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of a text, in UTF-16 units: what a code frame marks and a fix replaces. */
export interface TextSpan {
  readonly offset: number;
  readonly length: number;
}

/** Where something begins, and how much of the text it is. */
export interface Place extends Position, TextSpan {}

/** Where a value stands; a member of an object has the place of its key too, quotes included. */
export interface ValuePlace extends Place {
  readonly key?: Place;
}

/** A tree of the pointers that are looked for, so that the rest of the document is passed over. */
interface Wanted {
  pointer?: string;
  readonly steps: Map<string, Wanted>;
}

interface FoundSpan extends TextSpan {
  readonly key?: TextSpan | undefined;
}

/** An array or object that the pass is inside of. */
interface Open {
  /** Undefined for one that is passed over. */
  readonly wanted: Wanted | undefined;
  /** Of the element that is read in an array; -1 in an object. */
  index: number;
  readonly offset: number;
  readonly key: TextSpan | undefined;
}

/**
 * Where the values of some JSON pointers (RFC 6901) stand in a text that JSON.parse accepts. A pointer to
 * something that is not there gets the place of its nearest container. Of repeated keys the last one counts.
 * One pass over the text, however many pointers there are.
 */
export function positionsOf(text: string, pointers: Iterable<string>): ReadonlyMap<string, ValuePlace> {
  const asked = new Map([...new Set(pointers)].map((pointer) => [pointer, pointer]));
  const found = findSpans(text, wantedTree(asked.keys()));
  for (const pointer of asked.keys()) asked.set(pointer, nearest(found, pointer));
  const spans = new Set([...asked.values()].flatMap((pointer) => found.get(pointer) ?? []));
  const placeOf = placesOf(
    text,
    [...spans].flatMap((span) => [span, span.key ?? []].flat()),
  );
  const positions = new Map<string, ValuePlace>();
  for (const [pointer, standsAt] of asked) {
    const span = found.get(standsAt);
    if (span === undefined) continue;
    const key = span.key === undefined ? {} : { key: placeOf(span.key) };
    positions.set(pointer, { ...placeOf(span), ...key });
  }
  return positions;
}

/** Lines and columns of parts of a text, in one pass up to the last of them. Lines end as editors end them. */
export function placesOf(text: string, spans: readonly TextSpan[]): (span: TextSpan) => Place {
  const lines = new Map<number, Position>();
  let [at, line, start] = [0, 1, 0];
  for (const offset of spans.map((span) => span.offset).sort((a, b) => a - b)) {
    for (; at < offset; at += 1) {
      const code = text.charCodeAt(at);
      const endsLine = code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a);
      if (endsLine) [line, start] = [line + 1, at + 1];
    }
    lines.set(offset, { line, column: offset - start + 1 });
  }
  return ({ offset, length }) => ({ ...(lines.get(offset) ?? { line: 1, column: 1 }), offset, length });
}

/** The text of a key as it is meant: unescaped, without its quotes. A broken escape, which no JSON has, stays as it is. */
export function keyText(text: string, { offset, length }: TextSpan): string {
  const raw = text.slice(offset, offset + length);
  const bare = raw.slice(1, -1);
  if (!bare.includes('\\')) return bare;
  try {
    return JSON.parse(raw) as string;
  } catch {
    return bare; // a text with faults is walked too, and the escape is told as one of them
  }
}

function findSpans(text: string, root: Wanted): Map<string, FoundSpan> {
  const found = new Map<string, FoundSpan>();
  const tokens = new JsonTokens(text);
  const stack: Open[] = [];
  let next: Wanted | undefined = root; // what is wanted of the value that comes next
  let key: TextSpan | undefined;
  const keep = (wanted: Wanted | undefined, offset: number, keyOf: TextSpan | undefined): void => {
    if (wanted?.pointer !== undefined)
      found.set(wanted.pointer, { offset, length: tokens.end - offset, key: keyOf });
  };
  for (let kind = tokens.next(); kind !== 'end'; kind = tokens.next()) {
    const top = stack.at(-1);
    if (kind === '{' || kind === '[') {
      stack.push({ wanted: next, index: kind === '[' ? 0 : -1, offset: tokens.offset, key });
      next = kind === '[' ? next?.steps.get('0') : undefined;
      key = undefined;
    } else if (kind === '}' || kind === ']') {
      if (top !== undefined) keep(top.wanted, top.offset, top.key);
      stack.pop();
    } else if (kind === ',') {
      next = undefined;
      key = undefined;
      if (top === undefined || top.index < 0) continue;
      top.index += 1;
      next = top.wanted?.steps.get(String(top.index));
    } else if (kind === 'string' && top?.index === -1 && key === undefined) {
      key = { offset: tokens.offset, length: tokens.end - tokens.offset };
      next = top.wanted?.steps.get(keyText(text, key));
    } else if (kind !== ':') keep(next, tokens.offset, key);
  }
  return found;
}

function wantedTree(pointers: Iterable<string>): Wanted {
  const root: Wanted = { pointer: '', steps: new Map() };
  for (const pointer of pointers) {
    let [node, path] = [root, ''];
    for (const name of stepsOf(pointer)) {
      path = pointerTo(path, name);
      const below: Wanted = node.steps.get(name) ?? { pointer: path, steps: new Map() };
      node.steps.set(name, below);
      node = below;
    }
  }
  return root;
}

function nearest(found: ReadonlyMap<string, unknown>, pointer: string): string {
  let path = pointer;
  while (path !== '' && !found.has(path)) path = path.slice(0, path.lastIndexOf('/'));
  return path;
}
