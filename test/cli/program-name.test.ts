import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAM } from '../../src/cli/command.ts';
import { createRegistryProgram } from '../../src/cli/run-cli.ts';
import { ROOT } from '../deploy/support/compose-file.ts';

const WRITTEN = [
  'README.md',
  'CONTRIBUTING.md',
  'docs',
  'deploy',
  'schemas/cli',
  'src',
  'pipelines',
  'reference-agents',
];
const COMMANDS = (await createRegistryProgram(() => {})).commands.map((command) => command.name());
/** A command as a reader would copy it, by the general word that is another program's name on npm. */
const BY_ANOTHER_NAME = new RegExp(
  `(?<![-/\\w.@=])(?<!\\b(?:[Tt]he|this|a|our) )registry (?:${COMMANDS.join('|')}|--help)\\b`,
);

it('is the same in every command that is printed or documented', () => {
  const lines = WRITTEN.flatMap((path) => filesOf(join(ROOT, path))).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => BY_ANOTHER_NAME.test(line))
      .map((line) => `${file.slice(ROOT.length + 1)}: ${line.trim()}`),
  );
  expect(lines).toEqual([]);
  expect(`registry ${COMMANDS[0]}`).toMatch(BY_ANOTHER_NAME);
  expect(`${PROGRAM} ${COMMANDS[0]}`).not.toMatch(BY_ANOTHER_NAME);
});

function filesOf(path: string): string[] {
  if (statSync(path).isFile())
    return /\.(ts|md|mjs|json|ya?ml|service|conf|example)$/.test(path) ? [path] : [];
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => filesOf(join(path, name)));
}
