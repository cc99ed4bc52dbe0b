import { Command } from 'commander';
import { VERSION } from '../version.ts';
import type { ExitCode } from './exit-codes.ts';

/** The name of the program and of the package that installs it. */
export const PROGRAM = 'agent-registry';

/** Called once with the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** The examples of the commands that have their own. */
const own = new WeakMap<Command, readonly string[]>();

/** Adds one command to the program. What it needs to run is imported only when it runs, so that --help is quick. */
export type DefineCommand = (program: Command, done: Done) => void;

/** Appends examples to a command's help, and to that of its subcommands that have none of their own. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const text = `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
  own.set(command, lines);
  return command.addHelpText('afterAll', ({ command: asked }) =>
    asked === command || !own.has(asked) ? text : '',
  );
}

/** The examples in a command's own help, without those of its parent. */
export function examplesOf(command: Command): readonly string[] {
  return own.get(command) ?? [];
}

/** A command line of these commands, with the same rules. */
export function createProgram(commands: readonly DefineCommand[], done: Done): Command {
  const program = new Command(PROGRAM)
    .description('Finds, probes, indexes and serves the agents that publishers and brands declare.')
    .version(VERSION)
    .showHelpAfterError('(see --help)')
    .exitOverride();
  for (const define of commands) define(program, done);
  return program;
}
