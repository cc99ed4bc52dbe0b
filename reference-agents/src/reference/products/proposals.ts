import type { Collection } from '@agent-registry/surface/agent-kit';
import { ANONYMOUS, refuse, type TaskCall } from '../handler.ts';
import type { CatalogueProduct } from './catalogue-product.ts';
import type { AnswerDraft } from './draft.ts';
import { type Filters, plainFilters } from './filters.ts';
import type { BriefWish } from './wish.ts';

interface Entry {
  readonly id: string;
  readonly score: number;
  readonly why: string;
}

/** An answer of get_products, as it is kept for a refinement. */
interface StoredProposal {
  readonly wish: BriefWish;
  readonly filters: Filters;
  readonly entries: readonly Entry[];
  readonly pinned: readonly string[];
  readonly omitted: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface Proposal {
  readonly draft: AnswerDraft;
  readonly filters: Filters;
}

const HOUR_MS = 3_600_000;
/** How long an answer can be refined, milliseconds; those to nobody in particular are forgotten sooner. */
const KEPT_MS = 24 * HOUR_MS;
const KEPT_FOR_ANYBODY_MS = HOUR_MS;

/** Answers of one caller that are kept; the oldest goes first. */
const MAX_KEPT = 200;
/** The products of one kept answer, characters of JSON. Those that suit least are not kept beyond it. */
const MAX_ENTRIES = 64_000;
/** Expired answers that one call clears away. */
const CLEARED_AT_ONCE = 20;

/** Keeps an answer, and gives the id that a refinement names it by. */
export function keepProposal(call: TaskCall, { draft, filters }: Proposal): string {
  clearExpired(call);
  const kept = proposalsOf(call);
  // The moment stands in front, so that the order of the keys is that of time.
  const id = call.newId(`prop_${call.now.toString(36).padStart(9, '0')}`);
  const expiresAt = call.now + (isAnybody(call) ? KEPT_FOR_ANYBODY_MS : KEPT_MS);
  const { wish } = draft;
  const stored = {
    wish,
    filters: plainFilters(filters),
    entries: entriesOf(draft),
    pinned: [...draft.pinned],
    omitted: [...draft.omitted],
    expiresAt,
  };
  kept.put(id, stored, expiresAt);
  if (kept.count() > MAX_KEPT) for (const { key } of kept.list({ limit: 1 })) kept.delete(key);
  if (!isAnybody(call)) latestOf(call).put('latest', id);
  return id;
}

/**
 * The answer that is refined: the named one, or else the latest to this caller; undefined when there is none. Products
 * that are no longer sold are left out of it. Refuses an unknown or expired one with REFERENCE_NOT_FOUND.
 */
export function findProposal(
  call: TaskCall,
  proposalId: string | undefined,
  sold: readonly CatalogueProduct[],
): Proposal | undefined {
  const id = proposalId ?? (isAnybody(call) ? undefined : latestOf(call).get('latest'));
  const stored = id === undefined ? undefined : proposalsOf(call).get(id);
  if (stored !== undefined && call.now < stored.expiresAt) return restored(stored, sold);
  if (proposalId === undefined) return undefined;
  return refuse(
    'REFERENCE_NOT_FOUND',
    '/proposal_id: unknown or expired proposal',
    '/proposal_id',
    'send a brief, or refine without a proposal_id',
  );
}

/** The best first, as many as there is room for. */
function entriesOf({ list }: AnswerDraft): readonly Entry[] {
  const entries = list.map(({ product, score, why }) => ({ id: product.product_id, score, why }));
  let room = MAX_ENTRIES;
  const end = entries.findIndex((entry) => {
    room -= JSON.stringify(entry).length;
    return room < 0;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

function restored(stored: StoredProposal, sold: readonly CatalogueProduct[]): Proposal {
  const byId = new Map(sold.map((product) => [product.product_id, product]));
  const list = stored.entries.flatMap(({ id, score, why }) => {
    const product = byId.get(id);
    return product === undefined ? [] : [{ product, score, why }];
  });
  const { wish, filters, pinned, omitted } = stored;
  return { draft: { list, wish, pinned: new Set(pinned), omitted: new Set(omitted) }, filters };
}

function clearExpired({ agent, now }: TaskCall): void {
  for (const { owner, key } of agent.state.due<StoredProposal>('proposals', now, CLEARED_AT_ONCE)) {
    agent.state.collection<StoredProposal>('proposals', owner).delete(key);
  }
}

function proposalsOf({ agent, caller }: TaskCall): Collection<StoredProposal> {
  return agent.state.collection<StoredProposal>('proposals', caller.id);
}

function latestOf({ agent, caller }: TaskCall): Collection<string> {
  return agent.state.collection<string>('latest_proposal', caller.id);
}

/** Nobody knows which of those without a name asked before. */
function isAnybody({ caller }: TaskCall): boolean {
  return caller.id === ANONYMOUS.id;
}
