import { type Entry, withoutNumber } from './catalogue.ts';
import type { Engine } from './client.ts';
import { EngineFault, indexUnavailable, isIndexNotFound } from './errors.ts';
import type { IndexNames } from './mapping.ts';

/**
 * One step in a change of names. All steps of a change are done together or not at all, and none is if the state is not
 * the one that it was planned on: a name that is to be removed must be there, an index to be dropped must exist, and
 * the engine lets no two indices be the write index of one alias.
 */
export type NameStep =
  | { readonly add: Readonly<Record<string, unknown>> }
  | { readonly remove: Readonly<Record<string, unknown>> }
  | { readonly remove_index: { readonly index: string } };

/**
 * Returns false when the state was another one than planned on: nothing is changed then, or an attempt whose answer was
 * lost has changed it.
 */
export async function changeNames(engine: Engine, actions: readonly NameStep[]): Promise<boolean> {
  try {
    const request = { method: 'POST', path: '/_aliases', body: { actions } } as const;
    await engine.send<{ readonly acknowledged: boolean }>(request, engine.changes, ({ acknowledged }) => {
      if (!acknowledged) throw new EngineFault('not every node has applied the switch yet');
    });
    return true;
  } catch (thrown) {
    const fault = thrown as EngineFault;
    if (isIndexNotFound(fault) || isSecondWriteIndex(fault)) return false;
    throw indexUnavailable(engine.place, fault);
  }
}

export function isSecondWriteIndex({ type, message }: EngineFault): boolean {
  return type === 'illegal_state_exception' && message.includes('more than one write index');
}

/**
 * Makes `target` live, what was live `previous`, and drops what was previous, in one step. Generations of other records
 * lose their names and are left to whoever owns them.
 */
export function promotionSteps(
  names: IndexNames,
  entries: readonly Entry[],
  target: Entry,
  now: number,
): readonly NameStep[] {
  const dropped = entries.filter((entry) => entry.isOurs && entry.isPrevious && entry !== target);
  const others = entries.filter((entry) => entry !== target && !dropped.includes(entry));
  const given = Math.max(...entries.map((entry) => entry.given));
  const promoted = withoutNumber(names.promoted(target.id, 0));
  const stale = target.aliases.filter((alias) => alias === names.previous || alias.startsWith(promoted));
  return [
    ...dropped.map(({ index }) => ({ remove_index: { index } })),
    ...others.flatMap((entry) => retire(names, entry)),
    ...stale.map((alias) => remove(target, alias)),
    ...liveNames(names, target.id, now).map(([alias, options]) => add(target, alias, options)),
    ...markGiven(names, target, given),
  ];
}

/** The names of a live generation beside its handle. */
export function liveNames(
  names: IndexNames,
  id: number,
  now: number,
): readonly (readonly [string, object])[] {
  return [
    [names.live, { is_write_index: true }],
    ...names.allReads.map((name) => [name, {}] as const),
    [names.promoted(id, now), {}],
  ];
}

/** Drops `target`, provided that `live` still is the live one. */
export function dropSteps(names: IndexNames, target: Entry, live: Entry | undefined): readonly NameStep[] {
  const drop = { remove_index: { index: target.index } };
  if (live === undefined) return [drop];
  const isUnchanged = [remove(live, names.live), add(live, names.live, { is_write_index: true })];
  return [drop, ...isUnchanged, ...markGiven(names, live, target.given)];
}

/** Remembers the highest number that was given, so that none is given twice. */
function markGiven(names: IndexNames, entry: Entry, given: number): readonly NameStep[] {
  if (given <= entry.given) return [];
  const mark = withoutNumber(names.given(entry.id, 0));
  const stale = entry.aliases.filter((alias) => alias.startsWith(mark));
  return [...stale.map((alias) => remove(entry, alias)), add(entry, names.given(entry.id, given))];
}

function retire(names: IndexNames, entry: Entry): readonly NameStep[] {
  const lost = entry.aliases.filter(
    (alias) => alias === names.live || alias === names.previous || alias.startsWith(names.readsOfAny),
  );
  const kept = entry.isOurs && entry.isLive ? [add(entry, names.previous)] : [];
  return [...lost.map((alias) => remove(entry, alias)), ...kept];
}

function add({ index }: Entry, alias: string, options: object = {}): NameStep {
  return { add: { index, alias, ...options } };
}

function remove({ index }: Entry, alias: string): NameStep {
  return { remove: { index, alias, must_exist: true } };
}
