import { ascending, sortedByKey } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { addItems, countItems, type FoundItem, markItemsDone } from '../sources/frontier.ts';
import { addAgents, addSources as addNewSources } from '../sources/known-sources.ts';
import { call, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import type { AgentDelta, BatchEffects, Contents, SeenAgent } from './batch-effects.ts';
import { createAgentWriter } from './write-agents.ts';

/** Writes what a batch added up to; returns the visit (its place in the batch) behind each new agent. */
type EffectsWriter = (effects: BatchEffects) => SqlTask<readonly number[]>;

/**
 * Inside the caller's transaction. Kind by kind, and each kind by its keys: processes that write the same rows take
 * them in one order, and those that all of them write come last.
 */
export function createEffectsWriter(store: SqlStore): EffectsWriter {
  const writeContents = createContentsWriter(store);
  const writeSeen = createSeenAgentWriter(store);
  const { write, writeTogether, dial } = createAgentWriter(store);

  function* addSources({ agents, sources }: BatchEffects): SqlTask<void> {
    const named = [...[...agents.values()].map((delta) => delta.named), ...sources.values()];
    for (const ofVisit of Map.groupBy(named, ({ by }) => by.index).values()) {
      const visits = ofVisit.map(({ visit }) => visit);
      yield* call((db) => addNewSources(db, visits, ofVisit[0]?.by ?? { at: 0 }));
    }
  }
  /** Returns the visit to which a new agent is credited. */
  function* writeOne(delta: AgentDelta, writeAgent: typeof write): SqlTask<number | undefined> {
    const { agent, named, changedBy } = delta;
    const isNew =
      changedBy === undefined
        ? (yield* call((db) => addAgents(db, [newAgent(agent, named.by)]))).has(agent)
        : yield* writeAgent(delta, changedBy);
    return isNew ? named.by.index : undefined;
  }
  /** The first statement about an agent is the one that locks it, or the order of the URLs would not hold. */
  function* writeAgents({ agents, seen }: BatchEffects): SqlTask<readonly number[]> {
    yield* call((db) =>
      addAgents(
        db,
        sortedByKey(seen).map(([url, one]) => newAgent(url, one)),
      ),
    );
    const urls = [...new Set([...seen.keys(), ...agents.keys()])].sort(ascending);
    // what is written at once comes by its text, so it keeps the order only where there is one text
    const isOneText = seen.size === 0 && [...agents.values()].every((delta) => delta.changedBy !== undefined);
    const writeAgent = isOneText ? writeTogether : write;
    const credits = yield* together(
      urls.map(function* (url) {
        const probed = seen.get(url);
        if (probed !== undefined) yield* writeSeen(probed);
        const delta = agents.get(url);
        return delta && (yield* writeOne(delta, writeAgent));
      }),
    );
    return credits.filter((credit) => credit !== undefined);
  }
  /** What others add may wait for what they have done, so nobody adds after it: two would wait for each other. */
  function* writeItems(effects: BatchEffects): SqlTask<void> {
    const items = valuesByKey(effects.items);
    const found = items.filter((item) => item.depth !== undefined) as FoundItem[];
    for (const { run, kind } of yield* call((db) => addItems(db, found))) {
      const delta = effects.run(run);
      delta[SUM_OF[kind]] += 1;
      if (kind === 'agent') delta.found += 1;
    }
    const done = items.filter((item) => item.doneAt !== undefined);
    for (const { run, kind, key } of yield* call((db) => markItemsDone(db, done))) {
      const delta = effects.run(run);
      delta[SUM_OF[kind]] -= 1;
      delta.done += 1;
      delta.at = Math.max(delta.at, effects.items.get(`${run} ${kind} ${key}`)?.doneAt ?? 0);
    }
  }
  return function* (effects) {
    yield* addSources(effects);
    yield* together(sortedByKey(effects.dialled).map(([agent, own]) => dial(agent, own)));
    const credits = yield* writeAgents(effects);
    yield* writeContents(effects.contents);
    yield* writeItems(effects);
    for (const [run, delta] of sortedByKey(effects.runs)) yield* call((db) => countItems(db, run, delta));
    return credits;
  };
}

/** What of a run is counted down when an item of the kind is done. */
const SUM_OF = { domain: 'domains', agent: 'agents' } as const;

function newAgent(agent: string, { at, trace = null }: Pick<SeenAgent, 'at'> & { trace?: string | null }) {
  return { agent, now: at, trace };
}

function valuesByKey<Value>(entries: ReadonlyMap<string, Value>): readonly Value[] {
  return sortedByKey(entries).map(([, value]) => value);
}

/** Contents come by their hashes. */
function createContentsWriter(store: SqlStore): (contents: Contents) => SqlTask<void> {
  const insertBody = prepare(store, newBody, { kinds: { bytes: 'bytes' } });
  const insertValue = prepare(store, newValue, {});
  const insertExposed = prepare(store, newExposed, {});
  return function* ({ bodies, values, exposed }) {
    yield* insertBody.runEach(sortedByKey(bodies).map(([hash, body]) => ({ hash, ...body })));
    yield* insertValue.runEach(sortedByKey(values).map(([hash, row]) => ({ hash, ...row })));
    yield* insertExposed.runEach(sortedByKey(exposed).map(([hash, value]) => ({ hash, value })));
  };
}

function newBody(param: Param<Tables['body']>) {
  return sql
    .insertInto('body')
    .values({ hash: param('hash'), bytes: param('bytes'), packing: param('packing') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newValue(param: Param<{ hash: string; value: string; findings: string }>) {
  return sql
    .insertInto('declared_value')
    .values({ hash: param('hash'), value: param('value'), findings: param('findings') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newExposed(param: Param<{ hash: string; value: string }>) {
  return sql
    .insertInto('exposed')
    .values({ hash: param('hash'), value: param('value') })
    .onConflict((known) => known.column('hash').doNothing());
}

/** Writes what was seen of a known agent. */
function createSeenAgentWriter(store: SqlStore): (seen: SeenAgent) => SqlTask<number> {
  const update = prepare(store, seenAgent);
  return (seen) => update.run(seen);
}

function seenAgent(param: Param<SeenAgent>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      last_checked_at: param('at'),
      last_seen_at: param('lastSeenAt'),
      health: param('health'),
      seen_text: param('seenText'),
      health_text: param('healthText'),
      protocol: param('protocol'),
      endpoint: param('endpoint'),
      good_at: param('goodAt'),
      good_protocol: param('goodProtocol'),
      good_endpoint: param('goodEndpoint'),
      good_exposed: param('goodExposed'),
      revision: row('revision', '+', param('changed')),
      dirty_since: row
        .case()
        .when(row.val(param('changed')), '=', 1)
        .then(row.fn.coalesce('dirty_since', row.val(param('at'))))
        .else(row.ref('dirty_since'))
        .end(),
      trace: row
        .case()
        .when(row.val(param('changed')), '=', 1)
        .then(row.fn.coalesce(row.val(param('trace')), 'trace'))
        .else(row.ref('trace'))
        .end(),
    }))
    .where('agent', '=', param('agent'));
}
