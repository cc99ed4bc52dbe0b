import {
  previousGeneration,
  promote,
  type RebuildContext,
  rebuild,
  rollback,
} from '../../../pipelines/rebuild.ts';
import { systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import { compareGenerations } from '../../indexing/compare-generations.ts';
import type { Generation } from '../../ports/agent-index.ts';
import type { IndexFlags, IndexStep } from '../commands/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { counted, note } from '../output/print.ts';
import { printGenerations, printPlan, switchPlan } from '../output/print-index.ts';
import { withStore } from '../with-store.ts';

/** `registry index …`: the plan, or with --yes the deed. */
export function indexCommand(step: IndexStep, flags: IndexFlags): Promise<ExitCode> {
  return withStore(flags, { create: false }, async ({ records, index }) => {
    const interrupt = onInterrupt();
    const context: RebuildContext = {
      records,
      index,
      clock: systemClock,
      signal: interrupt.signal,
      onProgress: progressLine(),
    };
    try {
      return await STEPS[step](context, flags);
    } finally {
      interrupt.dispose();
    }
  });
}

const STEPS: Readonly<Record<IndexStep, (context: RebuildContext, flags: IndexFlags) => Promise<ExitCode>>> =
  {
    status: async (context, flags) =>
      show(await context.index.generations.list(), flags, await context.records.agents.lastSeq()),
    rebuild: async (context, flags) => {
      if (!flags.yes)
        return plan(
          [
            `would copy ${counted(await context.records.agents.countListed(), 'agent')} from the records into a new generation; the live one goes on answering`,
          ],
          flags,
        );
      const built = await rebuild(context);
      if (context.signal.aborted) return stopped();
      note('built; "registry index promote" compares it with the live one and shows the plan of the switch');
      return show([built], flags);
    },
    promote: async (context, flags) => {
      const building = (await context.index.generations.list()).find(
        (generation) => generation.state === 'building',
      );
      if (building === undefined) throw nothingBuilt();
      if (!flags.yes)
        return plan(switchPlan(await compareGenerations(context.index, building.id), building.id), flags);
      await promote(context, building.id, flags.acceptShrink === true);
      return show(await context.index.generations.list(), flags);
    },
    rollback: async (context, flags) => {
      const previous = await previousGeneration(context.index);
      if (!flags.yes)
        return plan(
          [`would bring generation ${previous.id} up to date from the change log and switch to it`],
          flags,
        );
      await rollback(context, flags.acceptShrink === true);
      return show(await context.index.generations.list(), flags);
    },
  };

function show(generations: readonly Generation[], flags: IndexFlags, lastSeq?: number): ExitCode {
  printGenerations(generations, flags.json === true, lastSeq);
  return EXIT.ok;
}

function plan(sentences: readonly string[], flags: IndexFlags): ExitCode {
  printPlan(sentences, flags.json === true);
  return EXIT.ok;
}

function nothingBuilt(): RegistryError {
  return new RegistryError('not_found', 'there is no new generation of the index to promote', {
    hint: '"registry index rebuild --yes" builds one',
  });
}

function stopped(): ExitCode {
  note('stopped: run the same command again to go on where it stopped');
  return EXIT.interrupted;
}

/** A line on stderr every hundred thousand agents or tenth, with the time that is left. */
function progressLine(): RebuildContext['onProgress'] {
  const startedAt = performance.now();
  let next = 0;
  return (copied, total) => {
    if (copied < next && copied < total) return;
    next = copied + Math.max(1, Math.min(100_000, Math.floor(total / 10)));
    const left = copied === 0 ? 0 : ((performance.now() - startedAt) / copied) * Math.max(0, total - copied);
    note(`${copied} of ${total} agents copied, about ${Math.ceil(left / 1_000)} s left`);
  };
}
