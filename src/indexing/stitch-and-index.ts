import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { OnPutOff } from './batches.ts';
import { feedIndex, feedState } from './feed-index.ts';
import { deriveDue, stitchDirty } from './stitch-dirty.ts';

import { type GoOn, workAlone } from './work-alone.ts';

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
  /** Hears how far the index is behind the change log, and how many documents were written into it. */
  readonly onFed?: (fed: { readonly lag: number; readonly written: number }) => void;
}

/** Who has it stitches and feeds the index for all processes on these records. */
const LEASE = 'index';
const LEASE_MS = 30_000;

/**
 * From facts to the index: dates that have come, then stitching, then the change log. Leaves it to another process that
 * is at it, and leaves no trace where there is nothing to do. Returns documents written.
 */
export async function stitchAndIndex(indexer: Indexer): Promise<number> {
  await stitch(indexer);
  return (await feed(indexer)) ?? 0;
}

/** The first half, which needs the records only. False: another process is at it. */
export async function stitch(indexer: Indexer): Promise<boolean> {
  const { records, clock, rederive, tracing, onPutOff } = indexer;
  if (!(await isDirty(indexer))) return true;
  const now = () => clock.now();
  const stitched = await alone(indexer, async (goOn) => {
    await deriveDue(records, rederive, now, goOn, onPutOff);
    return stitchDirty(records, now, goOn, tracing, onPutOff);
  });
  return stitched !== undefined;
}

/**
 * The second half, which needs the index too. Returns documents written; undefined: another process is at it. Rejects as
 * `feedIndex` does.
 */
export async function feed(indexer: Indexer): Promise<number | undefined> {
  const { records, index, onFed, tracing } = indexer;
  const { behind, lag, fault } = await feedState(records, index);
  onFed?.({ lag, written: 0 });
  if (!behind && fault !== undefined) throw fault;
  if (!behind) return 0;
  const written = await alone(indexer, (goOn) => feedIndex(records, index, goOn, tracing));
  if (written !== undefined) onFed?.({ lag: (await feedState(records, index)).lag, written });
  return written;
}

async function isDirty({ records, clock }: Indexer): Promise<boolean> {
  const now = clock.now();
  if ((await records.agents.takeDirty(1, now)).length > 0) return true;
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
