import type { Selectable } from 'kysely';
import type { FileKind } from '../../../domain/declaration.ts';
import type { Mention } from '../../../domain/declared-facts.ts';
import { registrableDomain } from '../../../domain/domain-name.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { MentionTable } from '../schema.ts';
import type { AgentDelta } from './agent-delta.ts';

type Row = Selectable<MentionTable>;
type NewRow = Omit<Row, 'id' | 'seen_until'>;

/** What a file says of an agent besides naming it: the JSON column `details`. */
export type MentionDetails = Omit<Mention, 'agent' | 'declaredUrl' | 'declarer' | 'file' | 'entry'>;

export interface MentionOptions {
  readonly at: number;
  readonly hadRows: boolean;
  readonly touch: (agent: string, url: string) => AgentDelta;
}

/** As the writer of authorisations, for the mentions of one file. Returns the agents that are or were mentioned. */
export type MentionWriter = (
  declarer: string,
  file: FileKind,
  mentions: readonly Mention[],
  options: MentionOptions,
) => ReadonlyMap<string, string>;

/** Inside the caller's transaction. */
export function createMentionWriter(database: SqliteDatabase): MentionWriter {
  const selectLive = prepare(database, liveRows);
  const insert = prepare(database, newRow);
  const close = prepare(database, closeRow);
  return (declarer, file, mentions, { at, hadRows, touch }) => {
    const live = hadRows ? selectLive.all({ declarer, file }) : [];
    const gone = new Map(live.map((row) => [identity(row), row]));
    for (const mention of mentions) {
      const row = rowOf(mention, at);
      if (gone.size > 0 && gone.delete(identity(row))) continue;
      insert.run(row);
      const delta = touch(mention.agent, mention.declaredUrl);
      delta.mentions += 1;
      if (row.own === 1) delta.ownUrl = mention.declaredUrl;
    }
    for (const row of gone.values()) {
      close.run({ id: row.id, at });
      touch(row.agent, row.declared_url).mentions -= 1;
    }
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
  return registrableDomain(declarer) === registrableDomain(new URL(agent).hostname);
}

function identity(row: NewRow): string {
  return JSON.stringify([row.agent, row.entry, row.declared_url, row.details]);
}

function liveRows(place: Place<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('mention')
    .selectAll()
    .where('declarer', '=', place('declarer'))
    .where('file', '=', place('file'))
    .where('seen_until', 'is', null);
}

function newRow(place: Place<NewRow>) {
  return sql.insertInto('mention').values({
    declarer: place('declarer'),
    file: place('file'),
    agent: place('agent'),
    entry: place('entry'),
    declared_url: place('declared_url'),
    own: place('own'),
    details: place('details'),
    seen_from: place('seen_from'),
  });
}

function closeRow(place: Place<{ id: number; at: number }>) {
  return sql
    .updateTable('mention')
    .set({ seen_until: place('at') })
    .where('id', '=', place('id'));
}
