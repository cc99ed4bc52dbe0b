import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { AgentEdge } from '../../ports/graph.ts';
import { memberCard } from '../owners/registrations.ts';
import type { MemberTable } from '../schema-agents.ts';
import type { AuthorisationTable } from '../schema-crawl.ts';
import { type Param, sql } from '../statements.ts';

/** Entries that are read at once, where nobody wants fewer. */
export const MAX_ENTRIES = 10_000;

type Member = Pick<MemberTable, 'slug' | 'display_name' | 'tier' | 'tier_label' | 'founding_member'>;
type EdgeRow = Pick<
  Selectable<AuthorisationTable>,
  'publisher' | 'agent' | 'authorized_for' | 'count_by_type' | 'sells' | 'seen_from' | 'seen_until'
> & { readonly pins: number } & { readonly [name in keyof Member]: Member[name] | null };

/** The entries of each pair as one edge, in the order of the rows. */
export function grouped(rows: readonly EdgeRow[], keyOf: (row: EdgeRow) => string): readonly AgentEdge[] {
  return [...Map.groupBy(rows, keyOf).values()].map(edge);
}

function edge(rows: readonly EdgeRow[]): AgentEdge {
  const [first] = rows as [EdgeRow];
  const { slug, display_name, founding_member, tier, tier_label } = first;
  const isKnown = slug !== null && display_name !== null && founding_member !== null;
  const ends = rows.map((row) => row.seen_until);
  const until = ends.includes(null) ? null : Math.max(...ends.map(Number));
  return {
    publisher: first.publisher,
    agent: first.agent,
    sells: rows.some((row) => row.sells === 1),
    properties: rows.reduce((sum, row) => sum + propertiesOf(row), 0),
    pinsKeys: rows.some((row) => row.pins === 1),
    seenFrom: Math.min(...rows.map((row) => row.seen_from)),
    ...present({
      authorizedFor: rows.find((row) => row.authorized_for !== null)?.authorized_for,
      seenUntil: until,
      member: isKnown ? memberCard({ slug, display_name, founding_member, tier, tier_label }) : null,
    }),
  };
}

function propertiesOf({ count_by_type }: EdgeRow): number {
  const counts = JSON.parse(count_by_type) as Readonly<Record<string, number>>;
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

function edgeRows() {
  return sql
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

export function edgesOfPublisher(param: Param<{ publisher: string; limit: number }>) {
  return edgeRows()
    .where('authorisation.publisher', '=', param('publisher'))
    .where('authorisation.seen_until', 'is', null)
    .orderBy('authorisation.agent')
    .orderBy('authorisation.id')
    .limit(param('limit'));
}

/** The first entries of each publisher. */
export function edgesOfEach(param: Param<{ publishers: readonly string[]; limit: number }>) {
  const ranked = edgeRows()
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
    .where('authorisation.publisher', 'in', param.list('publishers'))
    .where('authorisation.seen_until', 'is', null);
  return sql
    .selectFrom(ranked.as('some_edges'))
    .selectAll()
    .where('place', '<=', param('limit'))
    .orderBy('publisher')
    .orderBy('agent')
    .orderBy('id');
}

/** The text shows which partial index is meant. */
export const edgesAmong =
  (isLive: boolean) => (param: Param<{ agent: string; publishers: readonly string[]; entries: number }>) =>
    edgeRows()
      .where('authorisation.agent', '=', param('agent'))
      .where('authorisation.publisher', 'in', param.list('publishers'))
      .where('authorisation.seen_until', isLive ? 'is' : 'is not', null)
      .orderBy('authorisation.publisher')
      .orderBy('authorisation.id')
      .limit(param('entries'));

export const nextPublishers =
  (isLive: boolean) => (param: Param<{ agent: string; after: string; limit: number }>) =>
    sql
      .selectFrom('authorisation')
      .select('publisher')
      .distinct()
      .where('agent', '=', param('agent'))
      .where('publisher', '>', param('after'))
      .where('seen_until', isLive ? 'is' : 'is not', null)
      .orderBy('publisher')
      .limit(param('limit'));

/** Read by the index alone. */
export const nextSold = (param: Param<{ agent: string; after: string; limit: number }>) =>
  nextPublishers(true)(param).where('sells', '=', 1);

export function agentsNamed(param: Param<{ declarer: string; limit: number }>) {
  return sql
    .selectFrom('mention')
    .select('agent')
    .distinct()
    .where('declarer', '=', param('declarer'))
    .where('file', '=', 'brand')
    .where('seen_until', 'is', null)
    .orderBy('agent')
    .limit(param('limit'));
}
