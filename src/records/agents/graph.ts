import type { Selectable } from 'kysely';
import { defined, present } from '../../base/json.ts';
import type { MemberCard } from '../../domain/agent-facts.ts';
import { type Db, listOf, type RecordsDatabase } from '../database.ts';
import { memberCard } from '../owners/registrations.ts';
import type { AuthorisationTable, MemberTable } from '../tables.ts';
import { type EntryPage, type PublisherEntryPage, readEntries, readEntriesOf } from './entries.ts';
import { createPublisherReads } from './publishers.ts';

interface EdgePage {
  readonly after?: string;
  readonly limit: number;
  /** Live edges, or ended ones; a publisher may have both. */
  readonly isLive: boolean;
  /** Entries that are read at most; of a publisher with more of them for one agent, the first ones. Default 10,000. */
  readonly entries?: number;
}

interface EdgesRead {
  readonly edges: readonly AgentEdge[];
  /** The publisher up to which was read; absent: there are no others behind. */
  readonly last?: string;
}

/** The entries of one publisher for one agent that were read: all of them, unless a limit was reached. */
export interface AgentEdge {
  readonly publisher: string;
  readonly agent: string;
  readonly authorizedFor?: string;
  /** It covers something that the publisher has. */
  readonly sells: boolean;
  /** Properties that the entries cover, each once. */
  readonly properties: number;
  readonly pinsKeys: boolean;
  /** Epoch milliseconds; `seenUntil` is absent for a live edge. */
  readonly seenFrom: number;
  readonly seenUntil?: number;
  /** To whom the agent is registered. */
  readonly member?: MemberCard;
}

/**
 * The edges between publishers and agents, in both directions. Every read uses an index. Texts are in the order of their
 * bytes.
 */
export function createGraph(database: RecordsDatabase) {
  return {
    ...createPublisherReads(database),
    /** The agents that a publisher names now, each once, by `limit` of its entries; `isCut` when it has as many or more. */
    agentsOf: (publisher: string, limit: number) => database.read((db) => readAgentsOf(db, publisher, limit)),
    /** The same for several publishers in one question, `limit` for each of them; in the order of publishers and agents. */
    agentsOfEach: (publishers: readonly string[], limit: number) =>
      database.read((db) => readAgentsOfEach(db, publishers, limit)),
    /** The next publishers of an agent behind `after`, each once, at a cost that does not grow with their number. */
    publishersOf: (agent: string, page: EdgePage) => database.read((db) => readPublishersOf(db, agent, page)),
    /** The next domains behind `after` that authorise the agent now for something that they have. */
    domainsOf: (agent: string, after: string, limit: number) =>
      database.read((db) => readDomainsOf(db, agent, after, limit)),
    /** Whether any publisher ever authorised the agent, and how many do now; undefined for an unknown agent. */
    authorisationSummary: (agent: string) => database.read((db) => readAuthorisationSummary(db, agent)),
    /** The live entries behind a place, of one agent or of all, in the order of agent, publisher and number. */
    entries: (page: EntryPage) => database.read((db) => readEntries(db, page)),
    /** The live entries of one publisher behind a number, in the order of their numbers; of one agent or of all. */
    entriesOf: (publisher: string, page: PublisherEntryPage) =>
      database.read((db) => readEntriesOf(db, publisher, page)),
    /** Agents that the brand.json of a domain names now. */
    agentsNamedBy: (domain: string, limit: number) =>
      database.read((db) => readAgentsNamedBy(db, domain, limit)),
  };
}

export type Graph = ReturnType<typeof createGraph>;

/** Entries that are read for one page, unless the caller wants fewer. */
const MAX_ENTRIES = 10_000;

async function readAgentsOf(
  db: Db,
  publisher: string,
  limit: number,
): Promise<{ readonly edges: readonly AgentEdge[]; readonly isCut: boolean }> {
  const rows = await edgeRows(db)
    .where('authorisation.publisher', '=', publisher)
    .where('authorisation.seen_until', 'is', null)
    .orderBy('authorisation.agent')
    .orderBy('authorisation.id')
    .limit(limit)
    .execute();
  return { edges: edges(rows, ({ agent }) => agent), isCut: rows.length === limit };
}

/** By the first entries of each publisher. */
async function readAgentsOfEach(
  db: Db,
  publishers: readonly string[],
  limit: number,
): Promise<{ readonly edges: readonly AgentEdge[]; readonly isCut: boolean }> {
  const ranked = edgeRows(db)
    .select('authorisation.id')
    .select((row) =>
      row.fn
        .agg<number>('row_number')
        .over((over) =>
          over
            .partitionBy('authorisation.publisher')
            .orderBy('authorisation.agent')
            .orderBy('authorisation.id'),
        )
        .as('place'),
    )
    .where('authorisation.publisher', 'in', listOf(db, publishers))
    .where('authorisation.seen_until', 'is', null);
  const rows = await db
    .selectFrom(ranked.as('some_edges'))
    .selectAll()
    .where('place', '<=', limit)
    .orderBy('publisher')
    .orderBy('agent')
    .orderBy('id')
    .execute();
  return {
    edges: edges(rows, ({ publisher, agent }) => `${publisher} ${agent}`),
    isCut: rows.some(({ place }) => place === limit),
  };
}

async function readPublishersOf(
  db: Db,
  agent: string,
  { after = '', limit, isLive, entries = MAX_ENTRIES }: EdgePage,
): Promise<EdgesRead> {
  // a partial index of live entries, another one of those that ended
  const state = isLive ? 'is' : 'is not';
  const next = await db
    .selectFrom('authorisation')
    .select('publisher')
    .distinct()
    .where('agent', '=', agent)
    .where('publisher', '>', after)
    .where('seen_until', state, null)
    .orderBy('publisher')
    .limit(limit)
    .execute();
  if (next.length === 0) return { edges: [] };
  const publishers = next.map(({ publisher }) => publisher);
  const rows = await edgeRows(db)
    .where('authorisation.agent', '=', agent)
    .where('authorisation.publisher', 'in', listOf(db, publishers))
    .where('authorisation.seen_until', state, null)
    .orderBy('authorisation.publisher')
    .orderBy('authorisation.id')
    .limit(entries)
    .execute();
  const found = edges(rows, ({ publisher }) => publisher);
  if (rows.length < entries) return { edges: found, ...defined({ last: publishers[limit - 1] }) };
  // the last publisher may have more entries: the next page has all of them, unless they are more than are read for one
  const whole = found.length > 1 ? found.slice(0, -1) : found;
  return { edges: whole, ...defined({ last: whole.at(-1)?.publisher }) };
}

/** Reads nothing but an index. */
async function readDomainsOf(
  db: Db,
  agent: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('authorisation')
    .select('publisher')
    .distinct()
    .where('agent', '=', agent)
    .where('publisher', '>', after)
    .where('seen_until', 'is', null)
    .where('sells', '=', 1)
    .orderBy('publisher')
    .limit(limit)
    .execute();
  return rows.map(({ publisher }) => publisher);
}

async function readAuthorisationSummary(
  db: Db,
  agent: string,
): Promise<{ readonly ever: boolean; readonly publishers: number } | undefined> {
  const row = await db
    .selectFrom('agent')
    .select(['authorised_from', 'publisher_count'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  return row && { ever: row.authorised_from !== null, publishers: row.publisher_count };
}

async function readAgentsNamedBy(db: Db, domain: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('mention')
    .select('agent')
    .distinct()
    .where('declarer', '=', domain)
    .where('file', '=', 'brand')
    .where('seen_until', 'is', null)
    .orderBy('agent')
    .limit(limit)
    .execute();
  return rows.map(({ agent }) => agent);
}

/** Entries, each with the member that the agent is registered to. */
function edgeRows(db: Db) {
  return db
    .selectFrom('authorisation')
    .leftJoin('registration', 'registration.agent', 'authorisation.agent')
    .leftJoin('member', 'member.slug', 'registration.member')
    .select(['authorisation.publisher', 'authorisation.agent', 'authorisation.authorized_for'])
    .select(['authorisation.count_by_type', 'authorisation.sells', 'authorisation.seen_from'])
    .select('authorisation.seen_until')
    .select((row) =>
      row.case().when('authorisation.signing_keys', 'is', null).then(0).else(1).end().as('pins'),
    )
    .select(['member.slug', 'member.display_name', 'member.tier', 'member.tier_label'])
    .select('member.founding_member');
}

type Member = Pick<MemberTable, 'slug' | 'display_name' | 'tier' | 'tier_label' | 'founding_member'>;
type EdgeRow = Pick<
  Selectable<AuthorisationTable>,
  'publisher' | 'agent' | 'authorized_for' | 'count_by_type' | 'sells' | 'seen_from' | 'seen_until'
> & { readonly pins: number } & { readonly [name in keyof Member]: Member[name] | null };

/** The entries with the same key as one edge, in the order of the rows. */
function edges(rows: readonly EdgeRow[], keyOf: (row: EdgeRow) => string): readonly AgentEdge[] {
  return [...Map.groupBy(rows, keyOf).values()].map(edge);
}

function edge(rows: readonly EdgeRow[]): AgentEdge {
  const [first] = rows as [EdgeRow];
  const { slug, display_name, founding_member, tier, tier_label } = first;
  const isKnown = slug !== null && display_name !== null && founding_member !== null;
  const ends = rows.map((row) => row.seen_until);
  return {
    publisher: first.publisher,
    agent: first.agent,
    sells: rows.some((row) => row.sells === 1),
    properties: rows.reduce((sum, row) => sum + propertiesOf(row), 0),
    pinsKeys: rows.some((row) => row.pins === 1),
    seenFrom: Math.min(...rows.map((row) => row.seen_from)),
    ...present({
      authorizedFor: rows.find((row) => row.authorized_for !== null)?.authorized_for,
      seenUntil: ends.includes(null) ? null : Math.max(...ends.map(Number)),
      member: isKnown ? memberCard({ slug, display_name, founding_member, tier, tier_label }) : null,
    }),
  };
}

function propertiesOf({ count_by_type }: EdgeRow): number {
  const counts = JSON.parse(count_by_type) as Readonly<Record<string, number>>;
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}
