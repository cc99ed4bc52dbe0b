import type { Command } from 'commander';
import { VERSION } from '../version.ts';
import { type CommandFile, type Done, emptyProgram, PROGRAM } from './command.ts';
import { COMMANDS, FIRST_COMMANDS, MORE_COMMANDS } from './command-list.ts';
import { isReferenceCommand } from './reference-agents.ts';

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
    for (const name of Object.keys(COMMANDS)) program.command(name).description(FIRST_COMMANDS[name] ?? '');
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
"${PROGRAM} COMMAND --help" shows flags and examples; -V is the version.
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
export function routeHelp(args: readonly string[]): readonly string[] {
  const [help, name, ...rest] = args;
  return help === 'help' && isReferenceCommand(name) ? [name, ...rest, '--help'] : args;
}
