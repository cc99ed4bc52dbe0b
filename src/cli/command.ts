import { Command } from 'commander';
import { VERSION } from '../version.ts';
import type { ExitCode } from './exit-codes.ts';
import type { FlagTable, FlagValues } from './flags.ts';

/** The name of the program and of the package that installs it. */
export const PROGRAM = 'agent-registry';

/** Called once with the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** A command, or a group of commands under one name. */
export interface CliCommand {
  /** Adds it to its parent, with the commands below it. */
  readonly addTo: (parent: Command, done: Done) => Promise<void>;
}

/** A file with a command, or with some that belong together; it is imported when they run or when help names them. */
export type CommandFile = () => Promise<{ readonly default: CliCommand | readonly CliCommand[] }>;

/** `<url>` for one value, `[url]` for one or none, `[domain...]` for any number, each with its description. */
type ArgumentTable = readonly (readonly [syntax: string, description: string])[];

type ArgumentValue<Syntax extends string> = Syntax extends `${string}...${string}`
  ? readonly string[]
  : Syntax extends `[${string}`
    ? string | undefined
    : string;

type ArgumentValues<Table extends ArgumentTable> = {
  readonly [Index in keyof Table]: ArgumentValue<Table[Index][0]>;
};

interface CommandDefinition<Flags extends FlagTable, Arguments extends ArgumentTable> {
  readonly name: string;
  readonly description: string;
  readonly arguments?: Arguments;
  /** In the order of the help; each is a field of the first argument of `run`. */
  readonly flags?: Flags;
  readonly examples?: readonly string[];
  /** For the help, where they say more than success or failure. */
  readonly exitCodes?: readonly (readonly [code: ExitCode, meaning: string])[];
  /** The title above it in the help of its group. */
  readonly heading?: string;
  /** Subcommands; a flag applies to the command that it follows. */
  readonly subcommands?: readonly CommandFile[];
  /** Imports what it needs, so that `--help` stays quick. */
  run(flags: FlagValues<Flags>, ...values: ArgumentValues<Arguments>): ExitCode | Promise<ExitCode>;
}

/** One command. The types of its flags and arguments follow from their tables. */
export function command<
  const Flags extends FlagTable = Record<never, never>,
  const Arguments extends ArgumentTable = readonly [],
>(definition: CommandDefinition<Flags, Arguments>): CliCommand {
  const { name, description, heading, examples = [], exitCodes = [], subcommands = [] } = definition;
  return {
    async addTo(parent, done) {
      const command = parent.command(name).description(description);
      for (const [syntax, text] of definition.arguments ?? []) command.argument(syntax, text);
      for (const [key, { option }] of Object.entries(definition.flags ?? {})) {
        if (option.attributeName() !== key) throw new TypeError(`${name}: ${option.flags} is called ${key}`);
        command.addOption(option);
      }
      if (heading !== undefined) command.helpGroup(heading);
      addExitCodes(command, exitCodes);
      addExamples(command, examples);
      if (subcommands.length > 0) command.enablePositionalOptions();
      await addAll(command, done, subcommands);
      command.action(async () => {
        const values = command.processedArgs as unknown as ArgumentValues<Arguments>;
        done(await definition.run(command.opts<FlagValues<Flags>>(), ...values));
      });
    },
  };
}

interface GroupDefinition {
  readonly name: string;
  readonly description: string;
  /** In the order of the help. */
  readonly commands: readonly (CliCommand | CommandFile)[];
  /** A subcommand that has none of its own shows those that begin with its words. */
  readonly examples: readonly string[];
}

/** Commands under one name, such as `agent-registry keys create`. */
export function group({ name, description, commands, examples }: GroupDefinition): CliCommand {
  return {
    async addTo(parent, done) {
      const command = parent.command(name).description(description);
      addExamples(command, examples);
      await addAll(command, done, commands);
      const names = command.commands.map((one) => one.name()).join(', ');
      command.showHelpAfterError(`(${wordsOf(command).trimEnd()} takes ${names}; see --help)`);
    },
  };
}

async function addAll(
  command: Command,
  done: Done,
  children: readonly (CliCommand | CommandFile)[],
): Promise<void> {
  const loaded = await Promise.all(
    children.map(async (one) => (typeof one === 'function' ? (await one()).default : one)),
  );
  for (const child of loaded.flat()) await child.addTo(command, done);
}

function addExitCodes(
  command: Command,
  codes: readonly (readonly [code: ExitCode, meaning: string])[],
): void {
  if (codes.length === 0) return;
  const lines = codes.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`);
  command.addHelpText('after', `\nExit codes:\n${lines.join('\n')}`);
}

/** The examples of the commands that have their own. */
const own = new WeakSet<Command>();

/** Appends examples to a command's help, and those that are of a subcommand to its help where it has none of its own. */
function addExamples(command: Command, lines: readonly string[]): void {
  if (lines.length === 0) return;
  own.add(command);
  command.addHelpText('afterAll', ({ command: shown }) => {
    if (shown === command) return examplesText(lines);
    return own.has(shown) ? '' : examplesText(lines.filter((line) => `${line} `.startsWith(wordsOf(shown))));
  });
}

function examplesText(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** The words that a command is called with, each with a space after it. */
function wordsOf(command: Command): string {
  return `${command.parent === null ? '' : wordsOf(command.parent)}${command.name()} `;
}

/** An empty command line with the rules of ours: usage errors and --help leave as CommanderErrors. */
export function emptyProgram(version = VERSION): Command {
  return new Command(PROGRAM)
    .description('Finds, probes, indexes and serves the agents that publishers and brands declare.')
    .version(version)
    .showHelpAfterError('(see --help)')
    .enablePositionalOptions()
    .exitOverride();
}
