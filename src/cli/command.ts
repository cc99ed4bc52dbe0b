import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';

/** Called once with the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** Adds one command to the program. What it needs to run is imported only when it runs, so that --help is quick. */
export type DefineCommand = (program: Command, done: Done) => void;

/** Appends an example to a command's help. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText(
    'afterAll', // of its subcommands too
    `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`,
  );
}
