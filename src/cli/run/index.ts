import { promote, type RebuildContext, rebuild, rollback } from '../../../pipelines/rebuild.ts';
import { systemClock } from '../../compose.ts';
import { type Comparison, compareGenerations } from '../../indexing/compare-generations.ts';
import type { Generation } from '../../ports/agent-index.ts';
import type { IndexFlags, IndexStep } from '../commands/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { note, printJson, printLine, table } from '../output/print.ts';
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
          `would copy ${await context.records.agents.countListed()} agents from the records into a new generation; the live one goes on answering`,
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
      if (building === undefined)
        return plan('there is nothing to promote: "registry index rebuild --yes" builds a generation');
      if (!flags.yes) return comparison(await compareGenerations(context.index, building.id), building);
      await promote(context, building.id, flags.acceptShrink === true);
      return show(await context.index.generations.list(), flags);
    },
    rollback: async (context, flags) => {
      if (!flags.yes)
        return plan('would bring the previous generation up to date from the change log and switch to it');
      await rollback(context, flags.acceptShrink === true);
      return show(await context.index.generations.list(), flags);
    },
  };

function show(generations: readonly Generation[], flags: IndexFlags, lastSeq?: number): ExitCode {
  if (flags.json)
    printJson({
      generations: generations.map(generationJson),
      ...(lastSeq !== undefined && { last_seq: lastSeq }),
    });
  else
    printLine(
      table([['generation', 'state', 'agents', 'up to change', 'made'], ...generations.map(generationRow)]),
    );
  if (lastSeq !== undefined && !flags.json) printLine(`the change log ends at ${lastSeq}`);
  return EXIT.ok;
}

function generationJson({ id, state, documents, appliedSeq, createdAt, promotedAt }: Generation) {
  const promoted = promotedAt === undefined ? {} : { promoted_at: new Date(promotedAt).toISOString() };
  return {
    id,
    state,
    documents,
    applied_seq: appliedSeq,
    created_at: new Date(createdAt).toISOString(),
    ...promoted,
  };
}

function generationRow({ id, state, documents, appliedSeq, createdAt }: Generation): string[] {
  return [String(id), state, String(documents), String(appliedSeq), new Date(createdAt).toISOString()];
}

function comparison({ live, candidate, shrinks, differing }: Comparison, { id }: Generation): ExitCode {
  printLine(`would switch to generation ${id}: ${candidate} agents, the live one has ${live}`);
  printLine(
    differing.length === 0
      ? 'all sample queries give the same first page'
      : `${differing.length} sample queries give another first page`,
  );
  if (shrinks) printLine('that is more than a tenth less: it needs --accept-shrink');
  return plan('nothing was done');
}

function plan(sentence: string): ExitCode {
  printLine(sentence);
  printLine('say --yes to do it');
  return EXIT.ok;
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
