import { moveStore } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import type { MoveProgress } from '../../ports/store-move.ts';
import type { MigrateFlags } from '../commands/migrate.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { duration, note } from '../output/print.ts';
import { printMoved, printMovePlan } from '../output/print-move.ts';
import { readText } from '../settings.ts';

/** `registry migrate`: the plan, or with --yes the deed; 1 when the plan cannot be done. */
export async function migrateCommand(flags: MigrateFlags): Promise<ExitCode> {
  const move = moveStore(flags.from, await targetOf(flags));
  const json = flags.json === true;
  if (!flags.yes) {
    const plan = await move.plan();
    printMovePlan(plan, json);
    return plan.refusal === undefined ? EXIT.ok : EXIT.findings;
  }
  const interrupt = onInterrupt();
  const startedAt = performance.now();
  try {
    const tables = await move.run({ onProgress: progressLines(startedAt), signal: interrupt.signal });
    printMoved({ tables, place: move.target, durationMs: performance.now() - startedAt }, json);
    return EXIT.ok;
  } finally {
    interrupt.dispose();
  }
}

/** The address from --to-env, from the file of --to @file, or from --to. */
async function targetOf({ to, toEnv }: MigrateFlags): Promise<string> {
  if ((to === undefined) === (toEnv === undefined))
    throw new RegistryError('usage', 'one of --to and --to-env is needed, and not both', {
      hint: '--to-env keeps the password out of the process list',
    });
  if (to?.startsWith('@')) return (await readText(to.slice(1), '--to')).trim();
  const address = to ?? process.env[toEnv ?? ''];
  if (address) return address;
  throw new RegistryError('usage', `--to-env: the variable ${toEnv} is not set`, {
    hint: `set it, as in ${toEnv}=postgres://… registry migrate …`,
  });
}

const STEPS: Readonly<Record<Exclude<MoveProgress['step'], 'rows'>, string>> = {
  indexes: 'all rows copied; making the indexes',
  counts: 'counting the rows of both sides',
};

/** Lines on stderr: every tenth or hundred thousand rows, with the time that is left, and each step after them. */
function progressLines(startedAt: number): (progress: MoveProgress) => void {
  let next = 0;
  return ({ step, done, total }) => {
    if (step !== 'rows') note(STEPS[step]);
    else if (done >= next && total > 0) {
      next = done + Math.max(1, Math.min(100_000, Math.floor(total / 10)));
      const left = ((performance.now() - startedAt) / Math.max(1, done)) * (total - done);
      note(`${done} of ${total} rows copied${done === 0 ? '' : `, about ${duration(left)} left`}`);
    }
  };
}
