/** The first way round that leads back to its start, as names; undefined when there is none. Names that nothing has are no edges. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  return findCycles(edges).next().value;
}

/**
 * Ways round that share no name, each from one name to itself; what is left has none. Each edge is followed once, and
 * without recursion: names and depth are the file's, and files are strangers'.
 */
export function* findCycles(
  edges: ReadonlyMap<string, readonly string[]>,
): Generator<readonly string[], undefined> {
  const done = new Set<string>();
  for (const start of edges.keys()) yield* walk(start, edges, done);
}

function* walk(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): Generator<readonly string[], void> {
  const path: { readonly name: string; readonly rest: Iterator<string> }[] = [];
  const places = new Map<string, number>();
  const enter = (name: string) => {
    places.set(name, path.length);
    path.push({ name, rest: (edges.get(name) ?? []).values() });
  };
  const leave = (length: number): readonly string[] => {
    const left = path.splice(length).map(({ name }) => name);
    for (const name of left) {
      places.delete(name);
      done.add(name);
    }
    return left;
  };
  if (!done.has(start)) enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const following = top.rest.next();
    if (following.done) {
      leave(path.length - 1);
      continue;
    }
    const place = places.get(following.value);
    if (place !== undefined) yield [...leave(place), following.value];
    else if (!done.has(following.value) && edges.has(following.value)) enter(following.value);
  }
}
