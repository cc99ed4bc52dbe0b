import { RegistryError } from '../../errors.ts';
import type { MovedTable, MovePlan, MoveProgress } from '../../records/copy-store.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { requiredFlag, textFlag, toggle } from '../flags.ts';
import { readTextFile } from '../input/arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { counted, duration, note, printJson, printLine, table } from '../output/print.ts';
import { JSON_FLAG } from '../shared-flags.ts';

/** The plan, or with --yes the deed; 1 when the plan cannot be done. */
export default command({
  name: 'migrate',
  description: 'Copy the records of an SQLite store into an empty PostgreSQL database, in one transaction.',
  flags: {
    from: requiredFlag('--from <address>', 'store to copy, sqlite:PATH; writers are locked out meanwhile'),
    toEnv: textFlag('--to-env <name>', 'environment variable with the address of the target database'),
    to: textFlag(
      '--to <address|@file>',
      'postgres://user@host/database, or @path of a file with the address; a password typed here is visible in the process list',
    ),
    live: toggle(
      '--live',
      'copy even while processes use the store; changes they make after the copy starts are not included',
    ),
    yes: toggle('--yes', 'execute; without this flag, only show the plan'),
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry migrate --from sqlite:.registry/registry.sqlite --to-env DATABASE_URL',
    'agent-registry migrate --from sqlite:.registry/registry.sqlite --to @/run/secrets/store --yes',
  ],
  async run({ from, to, toEnv, yes, live = false, json = false }) {
    const { copyStore } = await import('../../compose/schema.ts');
    const { systemClock } = await import('../../compose/clock.ts');
    const move = copyStore(from, await targetOf(to, toEnv));
    if (!yes) {
      const plan = await move.plan({ now: systemClock.now(), live });
      printMovePlan(plan, json, live);
      return plan.refusal === undefined ? EXIT.ok : EXIT.findings;
    }
    const interrupt = onInterrupt();
    const startedAt = performance.now();
    try {
      const now = systemClock.now();
      const { signal } = interrupt;
      const tables = await move.run({ now, live, onProgress: progressLines(startedAt), signal });
      const durationMs = performance.now() - startedAt;
      printMoved({ tables, place: move.target, durationMs, ...(live && { copyOf: now }) }, json);
      return EXIT.ok;
    } finally {
      interrupt.dispose();
    }
  },
});

/** The address from --to-env, from the file of --to @file, or from --to. */
async function targetOf(to: string | undefined, toEnv: string | undefined): Promise<string> {
  if ((to === undefined) === (toEnv === undefined))
    throw new RegistryError('usage', 'exactly one of --to and --to-env is required', {
      hint: '--to-env keeps the password out of the process list',
    });
  if (to?.startsWith('@')) return (await readTextFile(to.slice(1), '--to')).trim();
  const address = to ?? process.env[toEnv ?? ''];
  if (address) return address;
  throw new RegistryError('usage', `the environment variable ${toEnv} (--to-env) is not set`, {
    hint: `set it, as in ${toEnv}=postgres://… agent-registry migrate …`,
  });
}

/** Lines on stderr: every tenth or hundred thousand rows, with the time that is left, and each step after them. */
function progressLines(startedAt: number): (progress: MoveProgress) => void {
  let next = 0;
  return ({ step, done, total }) => {
    if (step === 'counts') note('all rows copied; comparing counts');
    else if (done >= next && total > 0) {
      next = done + Math.max(1, Math.min(100_000, Math.floor(total / 10)));
      const left = ((performance.now() - startedAt) / Math.max(1, done)) * (total - done);
      note(`${done} of ${total} rows copied${done === 0 ? '' : `, about ${duration(left)} left`}`);
    }
  };
}

/** What has to be done by hand once the records are in PostgreSQL. */
const AFTERWARDS = [
  'the SQLite file is unchanged: set REGISTRY_STORE to the new address for all processes before starting them',
  'an existing OpenSearch index of these records stays valid; the index in the SQLite file is not copied: set REGISTRY_INDEX to an OpenSearch and run "agent-registry index rebuild --yes"',
];

/** What `--live` makes is no move. */
const LIVE = 'with --live, changes made after the copy starts stay in the source only';

/** Prints what a move would do; the JSON follows schemas/cli/migrate.json. */
function printMovePlan(plan: MovePlan, json: boolean, live: boolean): void {
  const sentences = [...planSentences(plan), ...(live && plan.refusal === undefined ? [LIVE] : [])];
  if (json) {
    const { source, target, tables, refusal } = plan;
    const rows = tables.map(({ name, rows, targetRows }) => ({ name, rows, target_rows: targetRows }));
    const why = refusal === undefined ? {} : { refusal };
    printJson({ done: false, source, target, tables: rows, plan: sentences, ...why });
    return;
  }
  printLine(table([['table', 'rows', 'in the target'], ...plan.tables.map(planRow)]));
  for (const sentence of sentences) printLine(sentence);
  printLine(plan.refusal === undefined ? 'plan only; add --yes to execute it' : 'nothing was done');
}

function planRow({ name, rows, targetRows }: MovePlan['tables'][number]): string[] {
  return [name, String(rows), String(targetRows)];
}

function planSentences({ source, target, tables, refusal }: MovePlan): string[] {
  if (refusal !== undefined) return [`nothing can be copied: ${refusal}`];
  const rows = tables.reduce((sum, { rows: some }) => sum + some, 0);
  return [
    `would copy ${counted(rows, 'row')} from ${source.place} to ${target.place} in one transaction: all of them or none`,
    'the source is locked for writing meanwhile; leases and rate-limit state are not copied. Stop all crawls, workers and servers first',
    ...AFTERWARDS,
  ];
}

/** Prints what was moved; the JSON follows schemas/cli/migrate.json. */
function printMoved(
  moved: {
    readonly tables: readonly MovedTable[];
    readonly place: string;
    readonly durationMs: number;
    /** When a store that others work on was copied. */
    readonly copyOf?: number;
  },
  json: boolean,
): void {
  const { tables, place, durationMs } = moved;
  const copyOf = moved.copyOf === undefined ? undefined : new Date(moved.copyOf).toISOString();
  if (json) {
    const live = copyOf === undefined ? {} : { copy_of: copyOf };
    printJson({ done: true, target: place, tables, duration_ms: Math.round(durationMs), ...live });
    return;
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  printLine(
    `${counted(rows, 'row')} of ${counted(tables.length, 'table')} copied to ${place}; the counts match`,
  );
  printLine(`it took ${duration(durationMs)}`);
  if (copyOf !== undefined)
    printLine(`the copy shows the state at ${copyOf}; later changes are not included`);
  for (const sentence of AFTERWARDS) printLine(sentence);
}
