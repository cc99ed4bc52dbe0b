import { ascending, sortedByKey } from '../../locks.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { createFrontier } from '../sources/frontier.ts';
import { createKnownSources } from '../sources/known-sources.ts';
import type { AgentDelta } from './agent-delta.ts';
import type { BatchEffects, TouchedItem } from './batch-effects.ts';
import { createSeenAgentWriter } from './seen-agents.ts';
import { createContentsWriter } from './shared-contents.ts';
import { createAgentWriter } from './write-agents.ts';

/** Writes what a batch added up to; returns the visit (its place in the batch) behind each new agent. */
export type EffectsWriter = (effects: BatchEffects) => SqlTask<readonly number[]>;

/**
 * Inside the caller's transaction. Kind by kind, and each kind by its keys: processes that write the same rows take
 * them in one order, and those that all of them write come last.
 */
export function createEffectsWriter(store: SqlStore): EffectsWriter {
  const known = createKnownSources(store);
  const frontier = createFrontier(store);
  const writeContents = createContentsWriter(store);
  const writeSeen = createSeenAgentWriter(store);
  const { write: writeAgent, dial } = createAgentWriter(store);

  function* addSources({ agents, sources }: BatchEffects): SqlTask<void> {
    const named = [...[...agents.values()].map((delta) => delta.named), ...sources.values()];
    yield* known.add(named.map(({ visit, by }) => ({ visit, at: by.at, trace: by.trace })));
  }
  /** Returns the visit to which a new agent is credited. */
  function* writeOne(delta: AgentDelta): SqlTask<number | undefined> {
    const { agent, named, changedBy } = delta;
    const isNew =
      changedBy === undefined
        ? yield* known.addAgent(agent, named.by.at, named.by.trace)
        : yield* writeAgent(delta, changedBy);
    return isNew ? named.by.index : undefined;
  }
  /** The first statement about an agent is the one that locks it, or the order of the URLs would not hold. */
  function* writeAgents({ agents, seen }: BatchEffects): SqlTask<readonly number[]> {
    yield* together(sortedByKey(seen).map(([url, { at, trace }]) => known.addAgent(url, at, trace)));
    const urls = [...new Set([...seen.keys(), ...agents.keys()])].sort(ascending);
    const credits = yield* together(
      urls.map(function* (url) {
        const probed = seen.get(url);
        if (probed !== undefined) yield* writeSeen(probed);
        const delta = agents.get(url);
        return delta && (yield* writeOne(delta));
      }),
    );
    return credits.filter((credit) => credit !== undefined);
  }
  function* writeItem({ depth, doneAt, ...item }: TouchedItem, effects: BatchEffects): SqlTask<void> {
    const delta = effects.run(item.run);
    const pending = item.kind === 'domain' ? 'domains' : 'agents';
    if (doneAt !== undefined && (yield* frontier.markDone(item))) {
      delta.done += 1;
      delta.at = Math.max(delta.at, doneAt);
      delta[pending] -= 1;
    }
    if (depth === undefined || !(yield* frontier.add({ ...item, depth }))) return;
    delta[pending] += 1;
    if (item.kind === 'agent') delta.found += 1;
  }
  function* writeItems(effects: BatchEffects): SqlTask<void> {
    const items = valuesByKey(effects.items);
    yield* together(items.map((item) => writeItem(item, effects)));
  }
  return function* (effects) {
    yield* addSources(effects);
    yield* together(sortedByKey(effects.dialled).map(([agent, { url }]) => dial(agent, url)));
    const credits = yield* writeAgents(effects);
    yield* writeContents(effects.contents);
    yield* writeItems(effects);
    for (const [run, delta] of sortedByKey(effects.runs)) yield* frontier.count(run, delta);
    return credits;
  };
}

function valuesByKey<Value>(entries: ReadonlyMap<string, Value>): readonly Value[] {
  return sortedByKey(entries).map(([, value]) => value);
}
