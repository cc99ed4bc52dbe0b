import { foundTwice } from '../../base/found-twice.ts';
import type { Difference, Rederive } from '../../ports/self-check.ts';
import { call, type SqlStore, type SqlTask, UNHURRIED } from '../sql-tasks.ts';
import { type Param, prepare } from '../statements.ts';
import { identity, liveAuthorisations, rowOf } from '../visits/authorisation-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';

/** Maximum number of differing edges reported for each side. */
const MAX_TOLD = 3;

/** What differs between the live edges of these publishers and those that their declarations give. */
export async function recountEdges(
  store: SqlStore,
  publishers: Iterable<string>,
  { derive, now }: { readonly derive: Rederive; readonly now: number },
): Promise<readonly Difference[]> {
  const recount = createEdgeRecount(store, derive);
  const differences: Difference[] = [];
  for (const publisher of publishers)
    differences.push(...(await foundTwice(() => store.read(() => recount(publisher, now), UNHURRIED))));
  return differences;
}

/**
 * Derives the edges of a publisher from its declaration anew, and compares them with its live rows; nothing where they
 * are the same. A declaration whose edges are about to be derived again, or that only an earlier reader read, says nothing.
 */
function createEdgeRecount(
  store: Pick<SqlStore, 'dialect'>,
  derive: Rederive,
): (publisher: string, now: number) => SqlTask<readonly Difference[]> {
  const selectDeclared = prepare(store, liveDeclaration);
  return function* (publisher, now) {
    const row = yield* selectDeclared.first({ publisher });
    if (row === undefined || (row.rederive_at !== null && row.rederive_at <= now)) return [];
    const facts = derive(storedDeclaration(row), now);
    if (facts === undefined) return [];
    const live = (yield* call((db) => liveAuthorisations(db, publisher))).map(identity);
    const [kept, counted] = without(
      live,
      facts.authorisations.map((edge) => identity(rowOf(edge, 0))),
    );
    if (kept.length === 0 && counted.length === 0) return [];
    return [{ kind: 'edges', of: publisher, kept: told(kept), counted: told(counted) }];
  };
}

/** Values that only one of the lists contains; duplicates count separately. */
function without(
  one: readonly string[],
  other: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const left = new Map<string, number>();
  for (const text of other) left.set(text, (left.get(text) ?? 0) + 1);
  const only = one.filter((text) => {
    const n = left.get(text) ?? 0;
    left.set(text, n - 1);
    return n <= 0;
  });
  return [only, [...left].flatMap(([text, n]) => Array<string>(Math.max(n, 0)).fill(text))];
}

function told(edges: readonly string[]): string {
  const more = edges.length > MAX_TOLD ? `; ${edges.length} in total` : '';
  return edges.length === 0 ? 'nothing more' : edges.slice(0, MAX_TOLD).join('; ') + more;
}

function liveDeclaration(param: Param<{ publisher: string }>) {
  return selectDeclarations()
    .select('source.rederive_at')
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', param('publisher'));
}
