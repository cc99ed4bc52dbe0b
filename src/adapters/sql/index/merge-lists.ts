import type { TermList } from './term-list.ts';

/**
 * The union of ordered lists, in order and each URL once: a binary heap by head, so that 2,000 lists cost little
 * more than their first pieces.
 */
export function* mergeLists(lists: readonly TermList[]): Generator<string> {
  const heap = lists.filter((list) => list.head !== undefined);
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, at);
  let last: string | undefined;
  for (let top = heap[0]; top?.head !== undefined; top = heap[0]) {
    if (top.head !== last) {
      last = top.head;
      yield last;
    }
    top.next();
    if (top.head === undefined) removeTop(heap);
    sink(heap, 0);
  }
}

function removeTop(heap: TermList[]): void {
  const last = heap.pop();
  if (last !== undefined && heap.length > 0) heap[0] = last;
}

/** Moves the list at `at` down until no child starts before it. */
function sink(heap: TermList[], at: number): void {
  const moved = heap[at];
  if (moved === undefined) return;
  let place = at;
  for (;;) {
    const child = firstChild(heap, place);
    const below = heap[child];
    if (below === undefined || !startsBefore(below, moved)) break;
    heap[place] = below;
    place = child;
  }
  heap[place] = moved;
}

function firstChild(heap: readonly TermList[], at: number): number {
  const left = heap[2 * at + 1];
  const right = heap[2 * at + 2];
  return left !== undefined && right !== undefined && startsBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
}

function startsBefore(a: TermList, b: TermList): boolean {
  return (a.head as string) < (b.head as string);
}
