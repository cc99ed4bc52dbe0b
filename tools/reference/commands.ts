import type { Command } from 'commander';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { createRegistryProgram } from '../../src/cli/program.ts';
import { anchorOf, code, pageHead, sentence, table } from './markdown.ts';

const WIDTH = 100;
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'The command did what it was asked to do.',
  findings: 'There are findings, a step failed, or too many visits failed.',
  usage: 'The usage or a setting is wrong, or the output cannot be written.',
  store: 'The store, the index or the queue cannot be used.',
  unanswered: 'The agent gave no answer of the protocol.',
  interrupted: 'The command was interrupted.',
};

/** Every command with its own help text, and the exit codes of all. */
export async function commandsPage(): Promise<string> {
  const commands = leavesOf(await createRegistryProgram(() => undefined));
  return [
    pageHead(
      'Commands',
      '`agent-registry COMMAND --help` prints the same texts. [Installing](../operating/install.md) says how to get the program.',
    ),
    table(
      ['command', 'what it does'],
      commands.map(({ name, command }) => [
        `[${code(name)}](#${anchorOf(name)})`,
        sentence(command.description()),
      ]),
    ),
    '## Exit codes\n',
    table(
      ['code', 'meaning'],
      Object.entries(EXIT).map(([key, exit]) => [code(exit), EXIT_MEANINGS[key as keyof typeof EXIT]]),
    ),
    ...commands.map(({ name, command }) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`),
  ].join('\n');
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(command: Command, parent = ''): readonly Leaf[] {
  const name = `${parent} ${command.name()}`.trim();
  const children = command.commands.filter((child) => child.name() !== 'help');
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
