import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeclaredFacts } from '../../domain/declared-facts.ts';
import { stitchAgent } from '../../domain/stitch.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { Tracing } from '../../ports/tracing.ts';
import type { DirtyAgent, StitchedAgent } from '../../records/agents/documents.ts';
import { type OnPutOff, tracedBatch, withoutBad } from './batches.ts';
import { indexLag, updateGenerations } from './update-generations.ts';
import { type GoOn, workAlone } from './work-alone.ts';

const DERIVED_AT_ONCE = 100;
/** How long one that cannot be derived is left alone; a visit that finds another version of it comes sooner. */
const REDERIVE_AGAIN_MS = 24 * 3_600_000;
const BATCH = 500;
/** How long an agent that cannot be stitched is left alone, unless its facts change. */
const PUT_OFF_MS = 3_600_000;

export interface Indexer {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  /** Derives facts anew where a date in a declaration has come; discovery brings it. */
  readonly rederive: Parameters<typeof deriveDue>[1];
  /** Ends a pass early; what is left is done in the next one. */
  readonly signal?: AbortSignal;
  readonly tracing?: Tracing;
  /** Hears of agents and declarations that could not be worked on, and were put off. */
  readonly onPutOff?: OnPutOff;
  /** Hears that a pass in the background succeeds again, after so many that did not. */
  readonly onRecovered?: (failures: number) => void;
  /** Hears how far the index is behind the change log, and how many documents were written into it. */
  readonly onUpdated?: (updated: { readonly lag: number; readonly written: number }) => void;
}

/** Edges numbered in one transaction; a manager's file may bring 100,000. */
const TOLD_AT_ONCE = 2_000;
/** How long one call tells of edges: what was stitched is to be searched meanwhile. */
const TELL_MS = 1_000;

/** Who has it stitches and updates the index for all processes on these records. */
const LEASE = 'index';
const LEASE_MS = 30_000;

/**
 * From facts to the index: dates that have come, then stitching, then the change log. Leaves it to another process that
 * is at it, and leaves no trace where there is nothing to do. Returns documents written.
 */
export async function stitchAndIndex(indexer: Indexer): Promise<number> {
  await stitch(indexer);
  return (await update(indexer)) ?? 0;
}

/**
 * The first half, which needs the records only. False: another process is at it. Of edges that began and ended it tells
 * for so long, milliseconds; the next call tells more.
 */
export async function stitch(indexer: Indexer, tellMs = TELL_MS): Promise<boolean> {
  const { records, clock, rederive, tracing, onPutOff } = indexer;
  await records.agents.numberChanges(); // of a process that was killed before it could
  if (!(await isDirty(indexer))) return true;
  const now = () => clock.now();
  const stitched = await alone(indexer, async (goOn) => {
    await deriveDue(records, rederive, now, goOn, onPutOff);
    const changed = await stitchDirty(records, now, goOn, tracing, onPutOff);
    await records.agents.numberChanges(); // that an agent left is told before what it has again
    const until = performance.now() + tellMs;
    while (goOn() && (await records.edgeLog.appendPending(TOLD_AT_ONCE, now())) === TOLD_AT_ONCE) {
      if (performance.now() > until) break;
      await yieldToEventLoop();
    }
    return changed;
  });
  return stitched !== undefined;
}

/**
 * The second half, which needs the index too. Returns documents written; undefined: another process is at it. Rejects as
 * `updateGenerations` does.
 */
export async function update(indexer: Indexer): Promise<number | undefined> {
  const { records, index, onUpdated, tracing } = indexer;
  const { behind, lag, fault } = await indexLag(records, index);
  onUpdated?.({ lag, written: 0 });
  if (!behind && fault !== undefined) throw fault;
  if (!behind) return 0;
  const written = await alone(indexer, (goOn) => updateGenerations(records, index, goOn, tracing));
  if (written !== undefined) onUpdated?.({ lag: (await indexLag(records, index)).lag, written });
  return written;
}

async function isDirty({ records, clock }: Indexer): Promise<boolean> {
  const now = clock.now();
  if ((await records.agents.takeDirty(1, now)).length > 0) return true;
  if (await records.edgeLog.hasPending()) return true;
  return (await records.sources.dueRederivations(now, 1)).length > 0;
}

async function alone<T>(indexer: Indexer, work: (goOn: GoOn) => Promise<T>): Promise<T | undefined> {
  const { records, clock, signal } = indexer;
  const wanted = { leases: records.leases, clock, name: LEASE, leaseMs: LEASE_MS };
  const outcome = await workAlone(wanted, (stillOurs) =>
    work(() => {
      stillOurs();
      return signal?.aborted !== true;
    }),
  );
  return 'done' in outcome ? outcome.done : undefined;
}

/**
 * Stitches every agent whose facts changed since it was last stitched, and those whose time has come. An agent that
 * changed a thousand times meanwhile is stitched once; one that changes again while this runs waits for the next call,
 * or the agents that a crawl names all the time would keep it busy. One that fails is told and put
 * off, and keeps the others from nothing. Returns how many documents differ from before.
 */
export async function stitchDirty(
  records: Records,
  now: () => number,
  goOn: GoOn = () => true,
  tracing?: Tracing,
  onPutOff: OnPutOff = () => {},
): Promise<number> {
  const stitch = (agents: readonly DirtyAgent[]) => stitchBatch(records, agents, now);
  const putOff = async (dirty: DirtyAgent, error: unknown) => {
    const until = now() + PUT_OFF_MS;
    await records.agents.putOff(dirty, until);
    onPutOff({ kind: 'agent', key: dirty.agent, until, error });
  };
  let changed = 0;
  while (goOn()) {
    const dirty = await records.agents.takeDirty(BATCH, now());
    if (dirty.length === 0) break;
    const traces = dirty.map((item) => item.trace);
    const attributes = { 'agent_registry.agents': dirty.length };
    changed += await tracedBatch(tracing, { name: 'stitch', traces, attributes }, () =>
      withoutBad(dirty, stitch, putOff),
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
 * Derives the facts of stored declarations anew where a date in them has come (`effective_from`, `effective_until`):
 * a visit with no request to anybody. One that fails is told and put off, and keeps the others from nothing.
 */
export async function deriveDue(
  records: Records,
  derive: (declaration: StoredDeclaration, now: number) => DeclaredFacts,
  now: () => number,
  goOn: GoOn = () => true,
  onPutOff: OnPutOff = () => {},
): Promise<void> {
  const deriveAll = async (declarations: readonly StoredDeclaration[]) => {
    for (const declaration of declarations)
      await records.sources.commitRederivation(declaration, derive(declaration, now()), now());
    return declarations.length;
  };
  const putOff = async (declaration: StoredDeclaration, error: unknown) => {
    const until = now() + REDERIVE_AGAIN_MS;
    await records.sources.putOffRederivation(declaration, until);
    onPutOff({ kind: 'declaration', key: declaration.key, until, error });
  };
  while (goOn()) {
    const due = await records.sources.dueRederivations(now(), DERIVED_AT_ONCE);
    if (due.length === 0) return;
    for (const declaration of due) await withoutBad([declaration], deriveAll, putOff);
    await yieldToEventLoop(); // requests and signals are not to wait for a long backlog
  }
}
