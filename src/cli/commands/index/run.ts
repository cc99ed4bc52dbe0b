import {
  build,
  promote,
  pruneGenerations,
  REBUILD_LEASE,
  type RebuildContext,
  rebuild,
  rollback,
  type Switched,
} from '../../../../pipelines/rebuild.ts';
import { type Config, indexNodes } from '../../../config.ts';
import { RegistryError } from '../../../errors.ts';
import { compareGenerations } from '../../../index/generations/compare-generations.ts';
import {
  builtGeneration,
  leftOvers,
  previousGeneration,
} from '../../../index/generations/find-generation.ts';
import { ensureSwitchable, isAhead } from '../../../index/generations/history.ts';
import type { Generation } from '../../../ports/agent-index.ts';
import type { Records } from '../../../ports/records.ts';
import { hasEnded } from '../../../this-process.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { onInterrupt } from '../../interrupt.ts';
import { note } from '../../output/print.ts';
import { READ, WRITE, withStore } from '../../setup/store.ts';
import type { JsonFlag, StoreFlags } from '../../shared-flags.ts';
import { agentsIn, prunePlan, rebuildPlan, switchedSentences, switchPlan } from './plans.ts';
import { type IndexEngine, printDone, printPlan, printStatus } from './print.ts';
import { noteSteps, showCopy } from './progress.ts';

interface IndexFlags extends StoreFlags, JsonFlag {
  readonly yes?: true;
  readonly acceptShrink?: true;
  readonly replaceForeign?: true;
  readonly promote?: boolean;
}

export type IndexStep = 'status' | 'rebuild' | 'promote' | 'rollback' | 'prune';

/** Waits for an OpenSearch that is starting, allocating shards or overloaded, because no caller is waiting. */
const PATIENCE_MS = 60_000;

/** Runs `agent-registry index …`: prints the plan or, with --yes, executes it. */
export function runIndexStep(step: IndexStep, flags: IndexFlags): Promise<ExitCode> {
  const access = step !== 'status' && flags.yes ? WRITE : READ;
  return withStore(flags, { ...access, indexPatienceMs: PATIENCE_MS }, async ({ records, index }, config) => {
    const interrupt = onInterrupt();
    const shown = showCopy();
    const noteStep = noteSteps();
    const context: RebuildContext = {
      records,
      index,
      clock: records.clock,
      signal: interrupt.signal,
      onProgress: shown.update,
      onRefused: ({ message, hint }) => note(`${message}: ${hint}`),
      onStep(name) {
        shown.end();
        noteStep(name);
      },
    };
    try {
      if (step === 'status') await status(context, config, flags);
      else if (flags.yes) await show(await CHANGES[step](context, flags), context, flags);
      else printPlan(await planOf(step, context, flags), flags.json === true);
      return EXIT.ok;
    } finally {
      shown.end();
      interrupt.dispose();
    }
  });
}

type ChangingStep = Exclude<IndexStep, 'status'>;
/** Returns what would be done, or what was done, in sentences. */
type Sentences = (context: RebuildContext, flags: IndexFlags) => Promise<readonly string[]>;

const PLANS: Readonly<Record<ChangingStep, Sentences>> = {
  rebuild: async ({ index, records }, flags) => {
    const list = await index.generations.list();
    const found = {
      list,
      listed: await records.agents.countListed(),
      foreign: await index.generations.foreign(),
      ahead: await aheadAmong(records, list),
    };
    return rebuildPlan(found, flags.promote !== false);
  },
  promote: async (context) => planOfSwitch(context, await builtGeneration(context.index)),
  rollback: async (context) => planOfSwitch(context, await previousGeneration(context.index)),
  prune: async ({ index }) => prunePlan(leftOvers(await index.generations.list())),
};

/** The plan, after the reason why it cannot be executed now, if any. */
async function planOf(step: ChangingStep, context: RebuildContext, flags: IndexFlags) {
  const plan = await PLANS[step](context, flags);
  if (step === 'prune') return plan;
  const readOnly = await context.index
    .checkWrites({ newGeneration: true })
    .then(() => undefined, readOnlyReason);
  if (readOnly === undefined) return plan;
  return [`read only at the moment: ${readOnly.message}`, `hint: ${readOnly.hint}`, ...plan];
}

const CHANGES: Readonly<Record<ChangingStep, Sentences>> = {
  rebuild: async (context, flags) =>
    flags.promote === false
      ? builtText(await build(context))
      : switchSentences(await rebuild(context, accepted(flags))),
  promote: async (context, flags) => switchSentences(await promote(context, accepted(flags))),
  rollback: async (context, flags) => switchSentences(await rollback(context, accepted(flags))),
  prune: async (context) => {
    const dropped = await pruneGenerations(context);
    if (dropped.length === 0) return ['nothing to drop'];
    return dropped.map((generation) => `dropped generation ${generation.id} (${agentsIn(generation)})`);
  },
};

async function status({ records, index, clock }: RebuildContext, config: Config, flags: IndexFlags) {
  const now = clock.now();
  const held = await records.leases.heldBy(REBUILD_LEASE, now);
  const rebuilding = held !== undefined && !hasEnded(held.holder) ? held : undefined;
  const generations = await index.generations.list();
  const lastSeq = await records.agents.lastSeq();
  const ahead = await aheadAmong(records, generations);
  const readOnly = await index.checkWrites().then(() => undefined, readOnlyReason);
  const found = { engine: engineOf(config), generations, lastSeq, ahead, rebuild: rebuilding, readOnly };
  printStatus(found, flags.json === true);
}

function readOnlyReason(error: unknown): RegistryError {
  if (error instanceof RegistryError && error.code === 'index_read_only') return error;
  throw error;
}

async function show(sentences: readonly string[], { records, index }: RebuildContext, flags: IndexFlags) {
  const lastSeq = await records.agents.lastSeq();
  printDone(sentences, await index.generations.list(), lastSeq, flags.json === true);
}

async function planOfSwitch({ records, index }: RebuildContext, target: Generation) {
  await ensureSwitchable(records, target);
  const lag = (await records.agents.lastSeq()) - target.appliedSeq;
  const comparison = await compareGenerations(records, index, target.id);
  const foreign = await index.generations.foreign();
  return switchPlan({ list: await index.generations.list(), foreign }, target, comparison, lag);
}

/** The numbers of the generations with changes that the records do not have. */
async function aheadAmong(records: Records, list: readonly Generation[]): Promise<ReadonlySet<number>> {
  const ahead = new Set<number>();
  for (const generation of list) if (await isAhead(records, generation)) ahead.add(generation.id);
  return ahead;
}

function switchSentences(switched: Switched): readonly string[] {
  return switchedSentences(switched, switched.generation, switched.previous);
}

function builtText(generation: Generation): readonly string[] {
  return [
    `generation ${generation.id} is built (${agentsIn(generation)}) but not live`,
    '"agent-registry index promote" compares it with the live generation and shows the plan',
  ];
}

function accepted(flags: IndexFlags) {
  return { acceptShrink: flags.acceptShrink === true, replaceForeign: flags.replaceForeign === true };
}

function engineOf(config: Config): IndexEngine {
  const nodes = indexNodes(config);
  if (nodes.length === 0) return { kind: 'records' };
  return { kind: 'opensearch', addresses: nodes.map(({ origin }) => origin) };
}
