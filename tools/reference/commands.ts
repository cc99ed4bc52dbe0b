import type { Command } from 'commander';
import { createReferenceProgram } from '../../reference-agents/src/commands/index.ts';
import { PROGRAM } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { createRegistryProgram } from '../../src/cli/run-cli.ts';
import { anchorOf, code, pageHead, sentence, table } from './markdown.ts';

const WIDTH = 100;
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'The command succeeded.',
  findings: 'There are findings, a step failed, or too many visits failed.',
  usage: 'The usage or a setting is wrong, or the output cannot be written.',
  store: 'The store, the index or the queue cannot be used.',
  unanswered: 'The agent sent no valid protocol response.',
  interrupted: 'The command was interrupted.',
};

/** The page of the commands of the reference agents, from the root of the repository. */
export const REFERENCE_AGENTS_PAGE = 'reference-agents/docs/commands.md';

/** Every command with its own help text, and the exit codes of all. */
export async function commandsPage(): Promise<string> {
  const commands = leavesOf(await createRegistryProgram(() => undefined));
  const ofAgents = (await createReferenceProgram(() => undefined)).commands;
  return [
    pageHead(
      'Commands',
      '`agent-registry COMMAND --help` prints the same text. To get the program, see [Installing](../operating/install.md).',
    ),
    commandTable(commands),
    '## Exit codes\n',
    table(
      ['code', 'meaning'],
      Object.entries(EXIT).map(([key, exit]) => [code(exit), EXIT_MEANINGS[key as keyof typeof EXIT]]),
    ),
    ...commands.map((leaf) => {
      const owner = ofAgents.find((command) => command.name() === leaf.command.name());
      return owner === undefined ? helpSection(leaf) : leadToAgents(leaf, owner);
    }),
  ].join('\n');
}

/** The commands of the reference agents, each with its help text. */
export async function referenceCommandsPage(): Promise<string> {
  const commands = leavesOf(await createReferenceProgram(() => undefined));
  return [
    pageHead(
      'Commands of the reference agents',
      'These commands require a checkout. `--help` prints the same text. See also the [commands of the registry](../../docs/reference/commands.md).',
    ),
    commandTable(commands),
    ...commands.map(helpSection),
  ].join('\n');
}

function commandTable(commands: readonly Leaf[]): string {
  return table(
    ['command', 'what it does'],
    commands.map(({ name, command }) => [
      `[${code(name)}](#${anchorOf(name)})`,
      sentence(command.description()),
    ]),
  );
}

function helpSection({ name, command }: Leaf): string {
  return `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`;
}

/** What stands in place of the help of a command whose flags only the reference agents know. */
function leadToAgents({ name, command }: Leaf, owner: Command): string {
  const anchors = leavesOf(owner, PROGRAM).map((leaf) => anchorOf(leaf.name));
  const place = `../../${REFERENCE_AGENTS_PAGE}#${anchors[0]}`;
  return `## ${name}\n\n${sentence(command.description())} Its flags: [commands of the reference agents](${place}).\n`;
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(command: Command, parent = ''): readonly Leaf[] {
  const name = `${parent} ${command.name()}`.trim();
  const visible = command.createHelp().visibleCommands(command);
  const children = visible.filter((child) => child.name() !== 'help');
  if (children.length === 0) return [{ name, command }];
  return children.flatMap((child) => leavesOf(child, name));
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim().replaceAll(/[ \t]+$/gm, '');
}
