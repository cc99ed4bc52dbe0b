import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { AgentDelta } from './agent-delta.ts';
import { createDueSources } from './due-sources.ts';

interface TouchedAgent {
  readonly agent: string;
  readonly at: number;
  readonly authorisations: number;
  readonly mentions: number;
  readonly publishers: number;
  readonly properties: number;
  readonly authorisedFrom: number | null;
}

interface Sum {
  readonly agent: string;
  readonly name: string;
  readonly n: number;
}

/** Writes the delta of a dirty agent; returns whether the agent is new. Inside the caller's transaction. */
export function createAgentWriter(database: SqliteDatabase): (delta: AgentDelta) => boolean {
  const upsert = prepare(database, touchedAgent);
  const addProperties = prepare(database, propertySum);
  const dropProperties = prepare(database, emptyPropertySum);
  const addTag = prepare(database, tagSum);
  const dropTag = prepare(database, emptyTagSum);
  const dial = prepare(database, dialledUrl);
  const due = createDueSources(database);
  return (delta) => {
    const { agent, at, authorisations, mentions, publishers, properties } = delta;
    const authorisedFrom = authorisations > 0 ? at : null;
    const row = upsert.get({ agent, at, authorisations, mentions, publishers, properties, authorisedFrom });
    writeSums(agent, delta.byType, addProperties.run, dropProperties.run);
    writeSums(agent, delta.tags, addTag.run, dropTag.run);
    if (delta.ownUrl !== undefined) dial.run({ agent, url: delta.ownUrl });
    const isNew = row?.revision === 1;
    const added = authorisations + mentions;
    if (!isNew && added > 0 && row?.declarations === added) due.unpark(agent, at);
    return isNew;
  };
}

function writeSums(
  agent: string,
  sums: ReadonlyMap<string, number>,
  add: (sum: Sum) => unknown,
  drop: (sum: Sum) => unknown,
): void {
  for (const [name, n] of sums) {
    if (n !== 0) add({ agent, name, n });
    if (n < 0) drop({ agent, name, n });
  }
}

/** Adds to the sums; remembers when the last declaration ended, and forgets it when there is one again. */
function touchedAgent(place: Place<TouchedAgent>) {
  return sql
    .insertInto('agent')
    .values({
      agent: place('agent'),
      first_seen_at: place('at'),
      revision: 1,
      dirty_since: place('at'),
      authorisation_count: place('authorisations'),
      mention_count: place('mentions'),
      publisher_count: place('publishers'),
      property_count: place('properties'),
      authorised_from: place('authorisedFrom'),
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

function propertySum(place: Place<Sum>) {
  return sql
    .insertInto('agent_property_count')
    .values({ agent: place('agent'), property_type: place('name'), n: place('n') })
    .onConflict((known) =>
      known
        .columns(['agent', 'property_type'])
        .doUpdateSet((row) => ({ n: row('agent_property_count.n', '+', row.ref('excluded.n')) })),
    );
}

function emptyPropertySum(place: Place<Sum>) {
  return sql
    .deleteFrom('agent_property_count')
    .where('agent', '=', place('agent'))
    .where('property_type', '=', place('name'))
    .where('n', '<=', 0);
}

function tagSum(place: Place<Sum>) {
  return sql
    .insertInto('agent_tag')
    .values({ agent: place('agent'), tag: place('name'), n: place('n') })
    .onConflict((known) =>
      known
        .columns(['agent', 'tag'])
        .doUpdateSet((row) => ({ n: row('agent_tag.n', '+', row.ref('excluded.n')) })),
    );
}

function emptyTagSum(place: Place<Sum>) {
  return sql
    .deleteFrom('agent_tag')
    .where('agent', '=', place('agent'))
    .where('tag', '=', place('name'))
    .where('n', '<=', 0);
}

/** A registration's URL stands above what any file says. */
function dialledUrl(place: Place<{ agent: string; url: string }>) {
  return sql
    .updateTable('source')
    .set({ url: place('url') })
    .where('kind', '=', 'agent')
    .where('key', '=', place('agent'))
    .where((row) =>
      row.not(row.exists(row.selectFrom('registration').select('agent').where('agent', '=', place('agent')))),
    );
}
