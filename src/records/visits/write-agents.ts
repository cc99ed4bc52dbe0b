import { unparkAgent } from '../sources/due-sources.ts';
import { call, type Prepared, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import type { AgentDelta, Dialled, VisitMark } from './batch-effects.ts';

interface TouchedAgent {
  readonly agent: string;
  readonly at: number;
  readonly authorisations: number;
  readonly mentions: number;
  readonly publishers: number;
  readonly properties: number;
  readonly authorisedFrom: number | null;
  readonly trace: string | null;
}

const TOUCHED_KINDS = {
  ...({ at: 'number', authorisedFrom: 'number', authorisations: 'number' } as const),
  ...({ mentions: 'number', publishers: 'number', properties: 'number' } as const),
};

interface Sum {
  readonly agent: string;
  readonly name: string;
  readonly n: number;
}

interface AgentWriter {
  /** Writes the delta of a dirty agent; returns whether the agent is new. */
  write(delta: AgentDelta, changedBy: VisitMark): SqlTask<boolean>;
  /** The same, for one of many that are written at once and in the order of their URLs, where nothing else of agents is. */
  writeTogether(delta: AgentDelta, changedBy: VisitMark): SqlTask<boolean>;
  /** From now on the agent is called at this URL, and counts as named by this file: a stranger may have been first. */
  dial(agent: string, own: Dialled): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createAgentWriter(store: SqlStore): AgentWriter {
  const upsertAlone = prepare(store, touchedAgent);
  const upsertTogether = prepare(store, touchedAgent, { kinds: TOUCHED_KINDS });
  const addProperties = prepare(store, propertySum, { kinds: { n: 'number' } });
  const dropProperties = prepare(store, emptyPropertySum, {});
  const addTag = prepare(store, tagSum, { kinds: { n: 'number' } });
  const dropTag = prepare(store, emptyTagSum, {});
  const setUrl = prepare(store, dialledUrl);
  function* writeBy(upsert: typeof upsertAlone, delta: AgentDelta, { trace }: VisitMark): SqlTask<boolean> {
    const { agent, authorisations, mentions } = delta;
    const { at } = delta.named.by;
    const row = yield* upsert.first(touched(delta, at, trace));
    yield* writeSums(agent, delta.byType, addProperties, dropProperties);
    yield* writeSums(agent, delta.tags, addTag, dropTag);
    const isNew = row?.revision === 1;
    const added = authorisations + mentions;
    if (!isNew && added > 0 && row?.declarations === added) yield* call((db) => unparkAgent(db, agent, at));
    return isNew;
  }
  return {
    write: (delta, changedBy) => writeBy(upsertAlone, delta, changedBy),
    writeTogether: (delta, changedBy) => writeBy(upsertTogether, delta, changedBy),
    *dial(agent, { url, foundVia }) {
      yield* setUrl.run({ agent, url, foundVia });
    },
  };
}

function touched(delta: AgentDelta, at: number, trace: string | undefined): TouchedAgent {
  const { agent, authorisations, mentions, publishers, properties } = delta;
  const authorisedFrom = authorisations > 0 ? at : null;
  return {
    agent,
    at,
    authorisations,
    mentions,
    publishers,
    properties,
    authorisedFrom,
    trace: trace ?? null,
  };
}

function* writeSums(
  agent: string,
  sums: ReadonlyMap<string, number>,
  add: Prepared<Sum, unknown>,
  drop: Prepared<Sum, unknown>,
): SqlTask<void> {
  const changed = [...sums].map(([name, n]) => ({ agent, name, n })).filter(({ n }) => n !== 0);
  yield* add.runEach(changed);
  yield* drop.runEach(changed.filter(({ n }) => n < 0));
}

/** Adds to the sums; remembers when the last declaration ended, and forgets it when there is one again. */
function touchedAgent(param: Param<TouchedAgent>) {
  return sql
    .insertInto('agent')
    .values({
      agent: param('agent'),
      first_seen_at: param('at'),
      revision: 1,
      dirty_since: param('at'),
      authorisation_count: param('authorisations'),
      mention_count: param('mentions'),
      publisher_count: param('publishers'),
      property_count: param('properties'),
      authorised_from: param('authorisedFrom'),
      trace: param('trace'),
    })
    .onConflict((known) =>
      known.column('agent').doUpdateSet((row) => {
        const before = row('agent.authorisation_count', '+', row.ref('agent.mention_count'));
        const added = row('excluded.authorisation_count', '+', row.ref('excluded.mention_count'));
        const after = row(row.parens(before), '+', row.parens(added));
        return {
          revision: row('agent.revision', '+', 1),
          dirty_since: row.fn.coalesce('agent.dirty_since', 'excluded.dirty_since'),
          authorisation_count: row('agent.authorisation_count', '+', row.ref('excluded.authorisation_count')),
          mention_count: row('agent.mention_count', '+', row.ref('excluded.mention_count')),
          publisher_count: row('agent.publisher_count', '+', row.ref('excluded.publisher_count')),
          property_count: row('agent.property_count', '+', row.ref('excluded.property_count')),
          authorised_from: row.fn.coalesce('agent.authorised_from', 'excluded.authorised_from'),
          trace: row.fn.coalesce('excluded.trace', 'agent.trace'),
          declaration_ended_at: row
            .case()
            .when(after, '>', 0)
            .then(null)
            .when(before, '>', 0)
            .then(row.ref('excluded.dirty_since'))
            .else(row.ref('agent.declaration_ended_at'))
            .end(),
        };
      }),
    )
    .returning((row) => [
      'revision',
      row('authorisation_count', '+', row.ref('mention_count')).as('declarations'),
    ]);
}

function propertySum(param: Param<Sum>) {
  return sql
    .insertInto('agent_property_count')
    .values({ agent: param('agent'), property_type: param('name'), n: param('n') })
    .onConflict((known) =>
      known
        .columns(['agent', 'property_type'])
        .doUpdateSet((row) => ({ n: row('agent_property_count.n', '+', row.ref('excluded.n')) })),
    );
}

function emptyPropertySum(param: Param<Omit<Sum, 'n'>>) {
  return sql
    .deleteFrom('agent_property_count')
    .where('agent', '=', param('agent'))
    .where('property_type', '=', param('name'))
    .where('n', '<=', 0);
}

function tagSum(param: Param<Sum>) {
  return sql
    .insertInto('agent_tag')
    .values({ agent: param('agent'), tag: param('name'), n: param('n') })
    .onConflict((known) =>
      known
        .columns(['agent', 'tag'])
        .doUpdateSet((row) => ({ n: row('agent_tag.n', '+', row.ref('excluded.n')) })),
    );
}

function emptyTagSum(param: Param<Omit<Sum, 'n'>>) {
  return sql
    .deleteFrom('agent_tag')
    .where('agent', '=', param('agent'))
    .where('tag', '=', param('name'))
    .where('n', '<=', 0);
}

/** A registration's URL stands above what any file says. */
function dialledUrl(param: Param<Dialled & { agent: string }>) {
  return sql
    .updateTable('source')
    .set({ url: param('url'), found_via: param('foundVia') })
    .where('kind', '=', 'agent')
    .where('key', '=', param('agent'))
    .where((row) =>
      row.not(row.exists(row.selectFrom('registration').select('agent').where('agent', '=', param('agent')))),
    );
}
