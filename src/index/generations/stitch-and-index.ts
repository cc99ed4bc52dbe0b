import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeclaredFacts } from '../../domain/declared-facts.ts';
import { stitchAgent } from '../../domain/stitch.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { Tracing } from '../../ports/tracing.ts';
import type { DirtyAgent, StitchedAgent } from '../../records/agents/documents.ts';
import { bisectFailures, type OnPostponed, tracedBatch } from './batches.ts';
import { indexLag, updateGenerations } from './update-generations.ts';
import { type ShouldContinue, withLease } from './with-lease.ts';

const DERIVED_AT_ONCE = 100;
/** When a declaration that cannot be derived is tried again, unless a visit finds another version of it before. */
const REDERIVE_AGAIN_MS = 24 * 3_600_000;
const BATCH = 500;
/** When an agent that cannot be stitched is tried again, unless its facts change before. */
const STITCH_AGAIN_MS = 3_600_000;

export interface Indexer {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  /** Derives the facts of a declaration again when one of its dates is reached. */
  readonly rederive: Parameters<typeof deriveDue>[1];
  /** Ends a pass early; the next one does the rest. */
  readonly signal?: AbortSignal;
  readonly tracing?: Tracing;
  /** Called for agents and declarations that failed and are tried again later. */
  readonly onPostponed?: OnPostponed;
  /** Called when a background pass succeeds again, with the number of failures before it. */
  readonly onRecovered?: (failures: number) => void;
  /** Called with the distance of the index to the end of the change log, and the number of documents written. */
  readonly onUpdated?: (updated: { readonly lag: number; readonly written: number }) => void;
}

/** Edges appended to the log in one transaction; the file of one manager may have 100,000. */
const APPENDED_AT_ONCE = 2_000;
/** How long one call appends edges: stitched agents must be indexed meanwhile. */
const APPEND_MS = 1_000;

/** The holder stitches and updates the index for all processes of these records. */
const LEASE = 'index';
const LEASE_MS = 30_000;

/**
 * From facts to the index: due dates of declarations, then stitching, then the change log. Does nothing if another process does it,
 * and writes nothing if there is nothing to do. Returns the number of documents written.
 */
export async function stitchAndIndex(indexer: Indexer): Promise<number> {
  await stitch(indexer);
  return (await update(indexer)) ?? 0;
}

/**
 * The first half, which needs only the records. Returns false if another process holds the lease. Edges are appended to the edge
 * log for `appendMs` milliseconds; the next call continues.
 */
export async function stitch(indexer: Indexer, appendMs = APPEND_MS): Promise<boolean> {
  const { records, clock, rederive, tracing, onPostponed } = indexer;
  if (!(await isDirty(indexer))) return true;
  const now = () => clock.now();
  const stitched = await withIndexLease(indexer, async (shouldContinue) => {
    await deriveDue(records, rederive, now, shouldContinue, onPostponed);
    // before new edges: the removal of an agent must precede them in the feed
    const changed = await stitchDirty(records, now, shouldContinue, tracing, onPostponed);
    const until = performance.now() + appendMs;
    while (
      shouldContinue() &&
      (await records.edgeLog.appendPending(APPENDED_AT_ONCE, now())) === APPENDED_AT_ONCE
    ) {
      if (performance.now() > until) break;
      await yieldToEventLoop();
    }
    return changed;
  });
  return stitched !== undefined;
}

/**
 * The second half, which needs the index too. Returns the number of documents written; undefined if another process holds the
 * lease. Rejects as `updateGenerations` does.
 */
export async function update(indexer: Indexer): Promise<number | undefined> {
  const { records, index, onUpdated, tracing } = indexer;
  const { behind, lag, fault } = await indexLag(records, index);
  onUpdated?.({ lag, written: 0 });
  if (!behind && fault !== undefined) throw fault;
  if (!behind) return 0;
  const written = await withIndexLease(indexer, (shouldContinue) =>
    updateGenerations(records, index, shouldContinue, tracing),
  );
  if (written !== undefined) onUpdated?.({ lag: (await indexLag(records, index)).lag, written });
  return written;
}

async function isDirty({ records, clock }: Indexer): Promise<boolean> {
  const now = clock.now();
  if ((await records.agents.takeDirty(1, now)).length > 0) return true;
  if (await records.edgeLog.hasPending()) return true;
  return (await records.sources.dueRederivations(now, 1)).length > 0;
}

async function withIndexLease<T>(
  indexer: Indexer,
  work: (shouldContinue: ShouldContinue) => Promise<T>,
): Promise<T | undefined> {
  const { records, clock, signal } = indexer;
  const wanted = { leases: records.leases, clock, name: LEASE, leaseMs: LEASE_MS };
  const outcome = await withLease(wanted, (stillOurs) =>
    work(() => {
      stillOurs();
      return signal?.aborted !== true;
    }),
  );
  return 'done' in outcome ? outcome.done : undefined;
}

/**
 * Stitches every agent whose facts changed since it was last stitched, and those that are due. An agent that changed a thousand
 * times is stitched once. One that changes again meanwhile waits for the next call, so that a crawl cannot keep this one busy. One
 * that fails is reported, tried again later, and does not block the others. Returns the number of changed documents.
 */
export async function stitchDirty(
  records: Records,
  now: () => number,
  shouldContinue: ShouldContinue = () => true,
  tracing?: Tracing,
  onPostponed: OnPostponed = () => {},
): Promise<number> {
  const stitch = (agents: readonly DirtyAgent[]) => stitchBatch(records, agents, now);
  const postpone = async (dirty: DirtyAgent, error: unknown) => {
    const until = now() + STITCH_AGAIN_MS;
    await records.agents.putOff(dirty, until);
    onPostponed({ kind: 'agent', key: dirty.agent, until, error });
  };
  let changed = 0;
  while (shouldContinue()) {
    const dirty = await records.agents.takeDirty(BATCH, now());
    if (dirty.length === 0) break;
    const traces = dirty.map((item) => item.trace);
    const attributes = { 'agent_registry.agents': dirty.length };
    changed += await tracedBatch(tracing, { name: 'stitch', traces, attributes }, () =>
      bisectFailures(dirty, stitch, postpone),
    );
    if (dirty.length < BATCH) break;
    await yieldToEventLoop();
  }
  return changed;
}

async function stitchBatch(
  records: Records,
  dirty: readonly DirtyAgent[],
  now: () => number,
): Promise<number> {
  const asked = new Map(dirty.map((item) => [item.agent, item]));
  const facts = await records.agents.facts([...asked.keys()]);
  const stitched: StitchedAgent[] = facts.map((fact) => ({
    agent: fact.agent,
    revision: 0,
    ...asked.get(fact.agent),
    stitched: stitchAgent(fact, now()),
  }));
  return (await records.agents.saveStitched(stitched, now())).length;
}

/**
 * Derives the facts of stored declarations again when one of their dates is reached (`effective_from`, `effective_until`), without
 * a request. One that fails is reported, tried again later, and does not block the others.
 */
export async function deriveDue(
  records: Records,
  derive: (declaration: StoredDeclaration, now: number) => DeclaredFacts,
  now: () => number,
  shouldContinue: ShouldContinue = () => true,
  onPostponed: OnPostponed = () => {},
): Promise<void> {
  while (shouldContinue()) {
    const due = await records.sources.dueRederivations(now(), DERIVED_AT_ONCE);
    if (due.length === 0) return;
    for (const declaration of due) {
      try {
        await records.sources.commitRederivation(declaration, derive(declaration, now()), now());
      } catch (error) {
        if (error instanceof RegistryError) throw error; // the store is unavailable, or another process took over
        const until = now() + REDERIVE_AGAIN_MS;
        await records.sources.putOffRederivation(declaration, until);
        onPostponed({ kind: 'declaration', key: declaration.key, until, error });
      }
    }
    await yieldToEventLoop(); // requests and signals must not wait for a long backlog
  }
}
