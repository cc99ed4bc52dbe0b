import { PROGRAM } from './cli/command.ts';
import { EXIT } from './cli/exit-codes.ts';
import { endWithParent } from './cli/interrupt.ts';
import { runCli } from './cli/run-cli.ts';
import { useEnvFile } from './cli/setup/env-file.ts';

/** A process whose command has ended is gone after this, milliseconds. */
const LEAVE_MS = 1_000;

endWithParent();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // a reader that has seen enough (`agent-registry search --json | head`) is no fault of ours
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(
    `${PROGRAM}: the output cannot be written (${error.code})\n  hint: write it to a device with free space; changes to the store are already made\n`,
  );
  process.exit(EXIT.usage);
});

process.exitCode = await runCli(process.argv.slice(2), () => useEnvFile(process.env));
// nothing is left to do: what a command left open keeps no process from its supervisor, which starts it again
setTimeout(() => process.exit(), LEAVE_MS).unref();
