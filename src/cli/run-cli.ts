import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { RegistryError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type CommandFile, type Done, emptyProgram, PROGRAM } from './command.ts';
import { COMMANDS, FIRST_COMMANDS, isReferenceCommand, MORE_COMMANDS } from './command-list.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printError, rootCause } from './output/print-error.ts';

/**
 * Runs one command line; returns the exit code. Every error ends here, as one sentence with a hint. `before` is called before a
 * command runs, and not for help.
 */
export async function runCli(given: readonly string[], before: () => void = () => {}): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const setCode = (result: ExitCode) => {
    code = result;
  };
  const args = routeHelp(given);
  try {
    const program = await createRegistryProgram(setCode, args);
    program.hook('preAction', before);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printError(error);
    return exitCodeOf(error);
  }
}

function exitCodeOf(thrown: unknown): ExitCode {
  const error = rootCause(thrown) ?? thrown;
  if (!(error instanceof RegistryError)) return EXIT.findings;
  if (/^(store|index|queue)_/.test(error.code)) return EXIT.store;
  if (error.code === 'usage' || error.code === 'port_in_use') return EXIT.usage;
  return error.code === 'interrupted' ? EXIT.interrupted : EXIT.findings;
}

/**
 * The command line as far as the arguments need it: the command that they name, or the names of all. Without arguments it is
 * whole.
 */
export async function createRegistryProgram(done: Done, args?: readonly string[]): Promise<Command> {
  const program = emptyProgram(await versionFor(args));
  program.helpInformation = overview;
  const named = namedIn(args);
  if (args !== undefined && named === undefined) {
    // enough for a mistyped or half a name: only the one that runs is loaded
    for (const name of [...Object.keys(COMMANDS), ...(isCompletion(args) ? [] : ['completion'])])
      program.command(name).description(FIRST_COMMANDS[name] ?? '');
  } else {
    const files = named === undefined ? Object.values(COMMANDS) : [named];
    const loaded = await Promise.all(files.map(async (file) => (await file()).default));
    for (const command of loaded.flat()) await command.addTo(program, done);
  }
  if (args === undefined || isCompletion(args)) (await import('./completion.ts')).addCompletion(program);
  return program;
}

function isCompletion([first]: readonly string[]): boolean {
  return first === 'completion' || first === 'complete';
}

/** One screen of 24 lines and 80 columns: what people start with, and where the rest is. */
function overview(): string {
  const line = (name: string, text: string, width: number) => `  ${name.padEnd(width)}${text}\n`;
  const first = Object.entries(FIRST_COMMANDS).map(([name, text]) => line(name, text, 10));
  const more = Object.entries(MORE_COMMANDS).map(([what, names]) => line(what, names.join(', '), 19));
  return `Usage: ${PROGRAM} COMMAND [ARGUMENTS]

Start with:
${first.join('')}
More:
${more.join('')}
"${PROGRAM} COMMAND --help" shows flags and examples; -V shows the version.
`;
}

/** The command of `NAME …`, `help NAME` or `complete -- NAME …`. */
function namedIn(args: readonly string[] = []): CommandFile | undefined {
  const [first, second, third] = args;
  const name = first === 'help' ? second : first === 'complete' ? third : first;
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

/** Whole where it is asked for: most of it is read from elsewhere. */
async function versionFor([first]: readonly string[] = []): Promise<string> {
  if (first !== '--version' && first !== '-V') return VERSION;
  return (await import('./version-line.ts')).versionLine();
}

/**
 * `help NAME …` as `NAME … --help`, which is the same text, for the commands whose flags only the reference agents know:
 * theirs is then asked for it.
 */
function routeHelp(args: readonly string[]): readonly string[] {
  const [help, name, ...rest] = args;
  return help === 'help' && isReferenceCommand(name) ? [name, ...rest, '--help'] : args;
}
