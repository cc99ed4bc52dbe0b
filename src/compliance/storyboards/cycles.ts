/** The first way round that leads back to its start, as names; undefined when there is none. Names that nothing has are no edges. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const cycle = walk(start, edges, done);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Depth first without recursion: the depth is the file's, and files are strangers'. */
function walk(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  const path: { readonly name: string; readonly rest: string[] }[] = [];
  const enter = (name: string) => path.push({ name, rest: [...(edges.get(name) ?? [])] });
  if (!done.has(start)) enter(start);
  while (path.length > 0) {
    const top = path.at(-1);
    const following = top?.rest.shift();
    if (following === undefined) {
      done.add(path.pop()?.name ?? '');
      continue;
    }
    const seen = path.findIndex(({ name }) => name === following);
    if (seen >= 0) return [...path.slice(seen).map(({ name }) => name), following];
    if (!done.has(following) && edges.has(following)) enter(following);
  }
  return undefined;
}
