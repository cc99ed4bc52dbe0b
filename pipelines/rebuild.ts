import { RegistryError } from '../src/errors.ts';
import { type Comparison, compareGenerations } from '../src/index/generations/compare-generations.ts';
import { copyRecords } from '../src/index/generations/copy-records.ts';
import {
  builtGeneration,
  findGeneration,
  leftOvers,
  previousGeneration,
} from '../src/index/generations/find-generation.ts';
import { ensureSwitchable, isAhead, rememberAllApplied } from '../src/index/generations/history.ts';
import { catchUp } from '../src/index/generations/update-generations.ts';
import { type ShouldContinue, withLease } from '../src/index/generations/with-lease.ts';
import type { AgentIndex, Generation } from '../src/ports/agent-index.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Records } from '../src/ports/records.ts';
import type { HeldBy } from '../src/records/upkeep/named-leases.ts';
import { holderText } from '../src/this-process.ts';

/** Lease for changes to the list of generations: one rebuild, switch or clean-up at a time. */
export const REBUILD_LEASE = 'rebuild';
const LEASE_MS = 60_000;

/** Steps of a rebuild or a switch. */
export type RebuildStep = 'begin' | 'copy' | 'catch up' | 'built' | 'compare' | 'switch' | 'follow';

export interface RebuildContext {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the number of agents copied so far, and the total. */
  readonly onProgress: (copied: number, total: number) => void;
  /** Called for documents that the engine permanently refuses; the rebuild continues without them. */
  readonly onRefused: (error: RegistryError) => void;
  /** Called at the beginning of each step. */
  readonly onStep?: (step: RebuildStep) => void;
}

export interface SwitchOptions {
  /** Switch even if the new generation is more than a tenth smaller. */
  readonly acceptShrink: boolean;
  /** Replace a live generation of other records, whose registry loses its search. */
  readonly replaceForeign?: boolean;
}

/** Result of a switch. */
export interface Switched extends Comparison {
  readonly generation: Generation;
  readonly previous: Generation | undefined;
}

/**
 * Builds a generation beside the live one from the records, without a network, and does not switch to it. Uses the one of an
 * earlier rebuild if it is complete.
 */
export function build(context: RebuildContext): Promise<Generation> {
  return withRebuildLease(context, (shouldContinue) => buildUnderLease(context, shouldContinue));
}

/** Builds a generation and switches to it. May be killed at any moment and run again. */
export function rebuild(context: RebuildContext, options: SwitchOptions): Promise<Switched> {
  return withRebuildLease(context, async (shouldContinue) => {
    await ensureOurs(context, options); // before the work, not after it
    return switchTo(context, await buildUnderLease(context, shouldContinue), options, shouldContinue);
  });
}

/** Switches to the generation that is built but not live. */
export function promote(context: RebuildContext, options: SwitchOptions): Promise<Switched> {
  return withRebuildLease(context, async (shouldContinue) =>
    switchTo(context, await builtGeneration(context.index), options, shouldContinue),
  );
}

/** Brings the previous generation up to date and switches back to it. */
export function rollback(context: RebuildContext, options: SwitchOptions): Promise<Switched> {
  return withRebuildLease(context, async (shouldContinue) =>
    switchTo(context, await previousGeneration(context.index), options, shouldContinue),
  );
}

/** Drops the generations that are neither live nor kept for a rollback, and returns them. */
export function pruneGenerations(context: RebuildContext): Promise<readonly Generation[]> {
  return withRebuildLease(context, async (shouldContinue) => {
    const dropped: Generation[] = [];
    for (const generation of leftOvers(await context.index.generations.list())) {
      if (!shouldContinue()) break;
      await context.index.generations.drop(generation.id);
      dropped.push(generation);
    }
    return dropped;
  });
}

async function buildUnderLease(context: RebuildContext, shouldContinue: ShouldContinue): Promise<Generation> {
  const { records, index, clock } = context;
  const { generations } = index;
  context.onStep?.('begin');
  await index.checkWrites({ newGeneration: true }); // hours of copying end with a switch
  const built = (await dropUnusable(context, shouldContinue)).at(-1);
  if (built !== undefined) return built;
  const id = await generations.begin(clock.now());
  // the copy contains every change up to here, so that catching up need not apply the whole log
  await rememberAllApplied(records, index, id);
  context.onStep?.('copy');
  if (!(await copyRecords(id, context, shouldContinue))) throw interrupted();
  await follow(context, id, 'catch up', shouldContinue);
  context.onStep?.('built');
  await generations.built(id);
  return findGeneration(index, id);
}

/**
 * Drops leftovers that cannot be switched to, and returns the others. Half a copy is not resumed: agents that were delisted
 * meanwhile would stay in it.
 */
async function dropUnusable(
  { records, index }: RebuildContext,
  shouldContinue: ShouldContinue,
): Promise<readonly Generation[]> {
  const usable: Generation[] = [];
  for (const generation of leftOvers(await index.generations.list())) {
    if (!shouldContinue()) throw interrupted();
    const { state, fault } = generation;
    const isUsable = state === 'built' && fault === undefined && !(await isAhead(records, generation));
    if (isUsable) usable.push(generation);
    else await index.generations.drop(generation.id);
  }
  return usable;
}

async function ensureOurs({ index }: RebuildContext, { replaceForeign }: SwitchOptions): Promise<void> {
  const id = replaceForeign === true ? undefined : await index.generations.foreign();
  if (id !== undefined) throw foreignLive(id);
}

/** Switches all readers in one step. The generation is brought up to date before and after it. */
async function switchTo(
  context: RebuildContext,
  target: Generation,
  options: SwitchOptions,
  shouldContinue: ShouldContinue,
): Promise<Switched> {
  const { records, index, clock } = context;
  const { id } = target;
  const { acceptShrink, replaceForeign = false } = options;
  await ensureOurs(context, options);
  await ensureSwitchable(records, target);
  await index.checkWrites({ newGeneration: true });
  const live = (await index.generations.list()).find((generation) => generation.state === 'live');
  await follow(context, id, 'catch up', shouldContinue);
  if (live !== undefined) await catchUpLive(context, live, shouldContinue); // so that the comparison is of the same changes
  await index.settle(id);
  context.onStep?.('compare');
  const comparison = await compareGenerations(records, index, id);
  if (comparison.shrinks && !acceptShrink) throw shrink(id, comparison);
  await follow(context, id, 'switch', shouldContinue);
  await index.generations.promote(id, clock.now(), { replaceForeign });
  await follow(context, id, 'follow', () => true);
  const list = await index.generations.list();
  const previous = list.find((generation) => generation.state === 'previous');
  return { ...comparison, generation: await findGeneration(index, id), previous };
}

/** Brings the live generation up to date if possible; the one to be replaced may be in any state. */
async function catchUpLive(
  context: RebuildContext,
  live: Generation,
  shouldContinue: ShouldContinue,
): Promise<void> {
  const { records, index, onRefused } = context;
  if (live.fault !== undefined || (await isAhead(records, live))) return;
  await catchUp(records, index, live, shouldContinue, onRefused).catch((error) => {
    if (!(error instanceof RegistryError && error.code === 'index_unavailable')) throw error;
  });
}

async function follow(
  context: RebuildContext,
  id: number,
  step: RebuildStep,
  shouldContinue: ShouldContinue,
): Promise<void> {
  const { records, index, onStep, onRefused } = context;
  onStep?.(step);
  await catchUp(records, index, await findGeneration(index, id), shouldContinue, onRefused);
  if (!shouldContinue()) throw interrupted();
}

async function withRebuildLease<T>(
  context: RebuildContext,
  work: (shouldContinue: ShouldContinue) => Promise<T>,
): Promise<T> {
  const { records, clock, signal } = context;
  const wanted = { leases: records.leases, clock, name: REBUILD_LEASE, leaseMs: LEASE_MS };
  const outcome = await withLease(wanted, (stillOurs) =>
    work(() => {
      stillOurs();
      return !signal.aborted;
    }),
  );
  if ('done' in outcome) return outcome.done;
  throw occupied(outcome.heldBy);
}

/** Another process is changing the generations. */
function occupied({ holder, until }: HeldBy): RegistryError {
  const who = holderText(holder);
  return new RegistryError(
    'lease_held',
    `${who} is rebuilding or switching the index; its lease expires at ${new Date(until).toISOString()}`,
    {
      hint: 'wait until it finishes ("agent-registry index status" shows progress); after a crash the lease expires by itself',
    },
  );
}

/** The rebuild was stopped before the switch. */
function interrupted(): RegistryError {
  return new RegistryError(
    'interrupted',
    'stopped before the switch: readers still use the previous generation',
    {
      hint: 'run the same command again',
    },
  );
}

/** The live generation belongs to another registry. */
function foreignLive(id: number): RegistryError {
  return new RegistryError(
    'usage',
    `the live generation ${id} belongs to other records: a switch would take their registry offline`,
    {
      hint:
        'give each registry its own REGISTRY_INDEX_PREFIX; ' +
        'to replace the other index on purpose, add --replace-foreign',
    },
  );
}

/** The new generation is much smaller, without `acceptShrink`. */
function shrink(id: number, { live, candidate }: Comparison): RegistryError {
  return new RegistryError(
    'input_invalid',
    `generation ${id} has ${candidate} agents, the live generation has ${live}: more than 10 % fewer`,
    {
      hint:
        'nothing was switched. Find the cause; then "agent-registry index promote --accept-shrink --yes" switches to it, ' +
        '"agent-registry index prune --yes" drops it',
    },
  );
}
