import { jsonBytes } from '../../../base/json-bytes.ts';
import type { AgentEdge } from '../../../records/agents/graph.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
import { beginOf } from './list-properties.ts';
import { createSoldIds } from './product-selection.ts';
import { discoveryMethod, type GraphParts, MAX_BYTES, pagesOf, timeText } from './reading.ts';

export const STATUSES = ['authorized', 'revoked'] as const;
export type PublisherStatus = (typeof STATUSES)[number];

export interface PublishersQuestion {
  readonly statuses: readonly PublisherStatus[];
  /** In lower case; empty: every publisher. */
  readonly search: string;
  readonly since: number;
  readonly withIds: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A publisher of an agent; times are RFC 3339. */
interface AgentPublisher {
  readonly publisher_domain: string;
  readonly discovery_method: string | null;
  readonly manager_domain: string | null;
  readonly properties_authorized: number;
  readonly properties_total: number;
  readonly signing_keys_pinned: boolean;
  readonly status: PublisherStatus;
  readonly last_verified_at: string | null;
}

/** A page of the publishers of an agent; undefined for one that none authorised when its file was read. Throws HttpProblems. */
export async function publishersOfAgent(parts: GraphParts, agent: string, asked: PublishersQuestion) {
  const standing = await parts.records.graph.authorisationSummary(agent);
  if (!standing?.ever) return undefined;
  const { statuses, since, search, cursor } = asked;
  const places = pagesOf(
    parts,
    `publishers of ${agent} ${statuses} ${since}${search === '' ? '' : ` ${search}`}`,
  );
  const after = places.after(cursor) ?? (search === '' ? undefined : beginOf(search));
  const { items, last, indexedAt } = await readPage(parts, agent, asked, after);
  return {
    agent_url: agent,
    publishers: items,
    directory_indexed_at: indexedAt === 0 ? null : timeText(indexedAt),
    next_cursor: places.next(last) ?? null,
  };
}

async function readPage(
  parts: GraphParts,
  agent: string,
  asked: PublishersQuestion,
  after: string | undefined,
) {
  const { records } = parts;
  const { statuses, since, limit, search } = asked;
  const read = await Promise.all(
    statuses.map(async (status) => {
      const page = { limit, isLive: status === 'authorized', ...(after !== undefined && { after }) };
      return { status, ...(await records.graph.publishersOf(agent, page)) };
    }),
  );
  const ends = read.flatMap(({ last }) => last ?? []).sort();
  const all = read.flatMap(({ status, edges }) => edges.map((edge) => ({ status, edge })));
  // in order: behind those that begin so there are no more
  const isOver = all.some(({ edge }) => !edge.publisher.startsWith(search));
  const rows = all
    .filter(({ edge }) => edge.publisher.startsWith(search))
    .filter(({ edge }) => ends[0] === undefined || edge.publisher <= ends[0])
    .sort((a, b) => (a.edge.publisher < b.edge.publisher ? -1 : 1));
  const domains = [...new Set(rows.map(({ edge }) => edge.publisher))];
  const [authorised, known] = await Promise.all([
    records.agents.authorisedAmong(agent, domains),
    records.graph.publishersAmong(domains),
  ]);
  const publishers = new Map(known.map((one) => [one.domain, one]));
  const idsOf = asked.withIds ? createSoldIds(parts, agent) : undefined;
  const items: AgentPublisher[] = [];
  let [last, bytes, indexedAt] = [undefined as string | undefined, 0, 0];
  for (const { status, edge } of rows) {
    const publisher = publishers.get(edge.publisher);
    const isShown =
      (status === 'authorized') === authorised.has(edge.publisher) &&
      (edge.seenUntil ?? edge.seenFrom) >= since;
    const ids = isShown && status === 'authorized' ? await idsOf?.(edge.publisher) : undefined;
    if (ids === 'later') return { items, last, indexedAt };
    const item = isShown ? { ...directoryItem(edge, status, publisher), ...ids } : undefined;
    bytes += item === undefined ? 0 : jsonBytes(item) + 1;
    if (items.length === limit || bytes > MAX_BYTES) return { items, last, indexedAt };
    last = edge.publisher;
    indexedAt = Math.max(indexedAt, publisher?.lastSuccessAt ?? 0);
    if (item !== undefined) items.push(item);
  }
  return { items, last: isOver ? undefined : ends[0], indexedAt };
}

function directoryItem(
  edge: AgentEdge,
  status: PublisherStatus,
  publisher: KnownPublisher | undefined,
): AgentPublisher {
  const { via, manager, lastSuccessAt, properties = 0 } = publisher ?? {};
  const covered = status === 'authorized' ? edge.properties : 0;
  return {
    publisher_domain: edge.publisher,
    discovery_method: via === undefined ? null : discoveryMethod(via),
    manager_domain: manager ?? null,
    properties_authorized: covered,
    properties_total: Math.max(properties, covered),
    signing_keys_pinned: edge.pinsKeys,
    status,
    last_verified_at: lastSuccessAt === undefined ? null : timeText(lastSuccessAt),
  };
}
