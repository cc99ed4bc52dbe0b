/** Puts `text` in the place of some of a text. In UTF-16 units of the text as it was given. */
export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** A text after its edits, and the way back from a place in it. */
interface Edited {
  readonly text: string;
  /** The place in the text as it was given; what was put in has the place of what it stands for. */
  originOf(offset: number): number;
}

/** Where something of the text as it was given went: behind `to` both run on side by side. */
interface Step {
  readonly from: number;
  readonly to: number;
}

/**
 * A text with all edits made, in linear time. Where two overlap, the one that begins first counts, and of those that begin
 * together the longer one, then the one that puts less; an insertion goes before what replaces its place.
 */
export function withEdits(text: string, edits: readonly Edit[]): Edited {
  const parts: string[] = [];
  const steps: Step[] = [{ from: 0, to: 0 }];
  let [at, length] = [0, 0];
  const put = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (const edit of [...edits].sort(inOrder)) {
    if (edit.offset < at) continue;
    put(text.slice(at, edit.offset));
    put(edit.text);
    at = edit.offset + edit.length;
    steps.push({ from: at, to: length });
  }
  put(text.slice(at));
  return { text: parts.join(''), originOf: (offset) => originIn(steps, offset) };
}

/** Those of some edits that do not lie inside the place of an outer one. */
export function notInside(edits: readonly Edit[], outer: readonly Edit[]): readonly Edit[] {
  const places = outer.filter(({ length }) => length > 0).sort(inOrder);
  let next = 0;
  let end = -1; // of the places that begin before the edit
  return [...edits].sort(inOrder).filter(({ offset, length }) => {
    for (let place = places[next]; place !== undefined; place = places[next]) {
      if (place.offset > offset || (place.offset === offset && length === 0)) break;
      end = Math.max(end, place.offset + place.length);
      next += 1;
    }
    return offset >= end;
  });
}

function inOrder(a: Edit, b: Edit): number {
  if (a.offset !== b.offset) return a.offset - b.offset;
  if (a.length === 0 || b.length === 0) return a.length - b.length;
  return b.length - a.length || a.text.length - b.text.length;
}

function originIn(steps: readonly Step[], offset: number): number {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle]?.to ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const step = steps[low] ?? { from: 0, to: 0 };
  const next = steps[low + 1];
  return Math.min(step.from + offset - step.to, next?.from ?? Infinity);
}
