import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { DeclarationKind, Mention } from '../../domain/declared-facts.ts';
import { hasHost, registrableDomain, registrableDomainOf } from '../../domain/domain-name.ts';
import type { SeenMention } from '../../ports/agent-store.ts';
import type { MentionTable } from '../schema-crawl.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import type { Touch, VisitEffects } from './batch-effects.ts';

type Row = Selectable<MentionTable>;
type NewRow = Omit<Row, 'id' | 'seen_until'>;

/** What a file says of an agent besides naming it: the JSON column `details`. */
type MentionDetails = Omit<Mention, 'agent' | 'declaredUrl' | 'declarer' | 'file' | 'entry'>;

interface MentionOptions {
  readonly at: number;
  readonly hadRows: boolean;
  readonly touch: Touch;
  /** Sets the URL at which the agent is called. */
  readonly dial: VisitEffects['dial'];
}

/** As the writer of authorisations, for the mentions of one file. Returns the agents that are or were mentioned. */
type MentionWriter = (
  declarer: string,
  file: DeclarationKind,
  mentions: readonly Mention[],
  options: MentionOptions,
) => SqlTask<ReadonlyMap<string, string>>;

/** Inside the caller's transaction. */
export function createMentionWriter(store: SqlStore): MentionWriter {
  const selectLive = prepare(store, liveRows, {});
  const insert = prepare(store, newRow, { kinds: { own: 'number', seen_from: 'number' } });
  const close = prepare(store, closeRow, { kinds: { id: 'number', at: 'number' } });
  return function* (declarer, file, mentions, { at, hadRows, touch, dial }) {
    const live = hadRows ? yield* selectLive.all({ declarer, file }) : [];
    const ended = new Map(live.map((row) => [identity(row), row]));
    const rows = mentions.map((mention) => rowOf(mention, at));
    const begun = rows.filter((row) => ended.size === 0 || !ended.delete(identity(row)));
    for (const row of begun) {
      touch(row.agent, row.declared_url).mentions += 1;
      if (file === 'brand' && hasHost(declarer, new URL(row.agent).hostname))
        dial(row.agent, { url: row.declared_url, foundVia: `${declarer} brand` });
    }
    for (const row of ended.values()) touch(row.agent, row.declared_url).mentions -= 1;
    yield* insert.runEach(begun);
    yield* close.runEach([...ended.values()].map(({ id }) => ({ id, at })));
    return new Map([
      ...live.map((row) => [row.agent, row.declared_url] as const),
      ...mentions.map((mention) => [mention.agent, mention.declaredUrl] as const),
    ]);
  };
}

function rowOf(mention: Mention, at: number): NewRow {
  const { agent, declaredUrl, declarer, file, entry, ...details } = mention;
  return {
    declarer,
    file,
    agent,
    entry,
    declared_url: declaredUrl,
    own: file === 'brand' && standsOnOwnDomain(declarer, agent) ? 1 : 0,
    details: JSON.stringify(details satisfies MentionDetails),
    seen_from: at,
  };
}

function standsOnOwnDomain(declarer: string, agent: string): boolean {
  return registrableDomain(declarer) === registrableDomainOf(agent);
}

function identity(row: NewRow): string {
  return JSON.stringify([row.agent, row.entry, row.declared_url, row.details]);
}

function liveRows(param: Param<{ declarer: string; file: DeclarationKind }>) {
  return sql
    .selectFrom('mention')
    .selectAll()
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'))
    .where('seen_until', 'is', null)
    .orderBy('id');
}

function newRow(param: Param<NewRow>) {
  return sql.insertInto('mention').values({
    declarer: param('declarer'),
    file: param('file'),
    agent: param('agent'),
    entry: param('entry'),
    declared_url: param('declared_url'),
    own: param('own'),
    details: param('details'),
    seen_from: param('seen_from'),
  });
}

function closeRow(param: Param<{ id: number; at: number }>) {
  return sql
    .updateTable('mention')
    .set({ seen_until: param('at') })
    .where('id', '=', param('id'));
}

/** A mention with the time in which it was seen. */
export function seenMention(row: Selectable<MentionTable>): SeenMention {
  return {
    ...(JSON.parse(row.details) as MentionDetails),
    agent: row.agent,
    declaredUrl: row.declared_url,
    declarer: row.declarer,
    file: row.file,
    entry: row.entry,
    seenFrom: row.seen_from,
    ...present({ seenUntil: row.seen_until }),
  };
}
