import type { Command, Option } from 'commander';
import { examplesOf } from './command.ts';
import { createRegistryProgram } from './program.ts';

/** One command as its help shows it. */
export interface CommandEntry {
  /** With the names of its parents: `agents register`. */
  readonly name: string;
  readonly description: string;
  /** `registry agents register [options] <url>`. */
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionEntry[];
  readonly examples: readonly string[];
}

export interface OptionEntry {
  /** `--limit <n>`. */
  readonly flags: string;
  readonly description: string;
  readonly required: boolean;
  /** As the help writes it; absent for none. */
  readonly default?: string;
  readonly choices?: readonly string[];
}

/** All commands in the order of `registry --help`; a command with subcommands stands before them. */
export async function commandReference(): Promise<readonly CommandEntry[]> {
  const program = createRegistryProgram(() => undefined);
  return program.commands.flatMap((command) => entriesOf(command, ''));
}

function entriesOf(command: Command, parents: string): readonly CommandEntry[] {
  const name = `${parents}${command.name()}`;
  return [
    {
      name,
      description: command.description(),
      usage: `registry ${name} ${command.usage()}`.trimEnd(),
      arguments: command.registeredArguments.map((argument) => ({
        name: argument.name(),
        description: argument.description,
      })),
      options: command.options.map(optionEntry),
      examples: examplesOf(command),
    },
    ...command.commands.flatMap((child) => entriesOf(child, `${name} `)),
  ];
}

function optionEntry(option: Option): OptionEntry {
  const { flags, description, mandatory, defaultValue, defaultValueDescription, argChoices, negate } = option;
  const shown =
    negate || defaultValue === undefined ? undefined : (defaultValueDescription ?? text(defaultValue));
  return {
    flags,
    description,
    required: mandatory,
    ...(shown !== undefined && { default: shown }),
    ...(argChoices && { choices: argChoices }),
  };
}

function text(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
