import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { DeclarationKind, Mention } from '../../domain/declared-facts.ts';
import { hasHost, registrableDomain, registrableDomainOf } from '../../domain/domain-name.ts';
import { type Db, insertInChunks } from '../database.ts';
import type { MentionTable } from '../tables.ts';
import { changeOf } from './named-agents.ts';
import { changesBetween, type Declarer, type FactsOptions } from './visit-changes.ts';

export interface SeenMention extends Mention {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

type Row = Selectable<MentionTable>;
type NewRow = Omit<Row, 'id' | 'seen_until'>;

/** What a file says of an agent besides naming it: the JSON column `details`. */
type MentionDetails = Omit<Mention, 'agent' | 'declaredUrl' | 'declarer' | 'file' | 'entry'>;

/**
 * Makes the live mentions of a file those of a new declaration, as `writeAuthorisations` does. Returns the agents that are or
 * were mentioned, with their URLs.
 */
export async function writeMentions(
  db: Db,
  { domain, file }: Declarer,
  mentions: readonly Mention[],
  { at, hadRows, changes }: FactsOptions,
): Promise<ReadonlyMap<string, string>> {
  const foundVia = `${domain} ${file}`;
  const live = hadRows ? await liveMentions(db, domain, file) : [];
  const rows = mentions.map((mention) => rowOf(mention, at));
  const { begun, ended } = changesBetween<Row, NewRow>(live, rows, identity);
  const touch = ({ agent, declared_url: url }: NewRow) =>
    changeOf(changes.agents, agent, { url, foundVia, at, trace: changes.trace });
  for (const row of begun) {
    const { agent, declared_url: url } = row;
    const change = touch(row);
    change.mentions += 1;
    if (file === 'brand' && hasHost(domain, new URL(agent).hostname)) change.dialled = { url, foundVia };
  }
  for (const row of ended) touch(row).mentions -= 1;
  await insertInChunks(begun, (some) => db.insertInto('mention').values(some).execute());
  const endedIds = ended.map(({ id }) => id);
  await insertInChunks(endedIds, (some) =>
    db.updateTable('mention').set({ seen_until: at }).where('id', 'in', some).execute(),
  );
  return new Map([
    ...live.map((row) => [row.agent, row.declared_url] as const),
    ...mentions.map((mention) => [mention.agent, mention.declaredUrl] as const),
  ]);
}

function liveMentions(db: Db, domain: string, file: DeclarationKind): Promise<Row[]> {
  return db
    .selectFrom('mention')
    .selectAll()
    .where('declarer', '=', domain)
    .where('file', '=', file)
    .where('seen_until', 'is', null)
    .orderBy('id')
    .execute();
}

function rowOf(mention: Mention, at: number): NewRow {
  const { agent, declaredUrl, declarer, file, entry, ...details } = mention;
  return {
    declarer,
    file,
    agent,
    entry,
    declared_url: declaredUrl,
    own: file === 'brand' && isOnOwnDomain(declarer, agent) ? 1 : 0,
    details: JSON.stringify(details satisfies MentionDetails),
    seen_from: at,
  };
}

function isOnOwnDomain(declarer: string, agent: string): boolean {
  return registrableDomain(declarer) === registrableDomainOf(agent);
}

function identity(row: NewRow): string {
  return JSON.stringify([row.agent, row.entry, row.declared_url, row.details]);
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
