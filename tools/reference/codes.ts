import { readFileSync } from 'node:fs';
import { structuredPatch } from 'diff';
import type { Sentence } from '../../src/discovery/adagents-codes.ts';
import { FETCH_CODES } from '../../src/discovery/check/fetch-codes.ts';
import { SYNTAX_FAULTS } from '../../src/discovery/check/syntax-faults.ts';
import { FINDING_CODES } from '../../src/discovery/finding-codes.ts';
import { generalMessage } from '../../src/discovery/report.ts';
import { RECOVERY } from '../../src/protocol/problem.ts';
import { textOf } from './examples/example.ts';
import { FINDING_EXAMPLES } from './examples/examples.ts';
import { code, pageHead, sentence, table } from './markdown.ts';

const ERROR_CODES = new URL('../../schemas/protocol/3.0.0/core/known_error_code.json', import.meta.url);

/** The findings about discovery files. */
export function findingCodesPage(): string {
  const codes = Object.entries<Sentence>({ ...FINDING_CODES, ...FETCH_CODES });
  return [
    pageHead(
      'Finding codes',
      [
        '`agent-registry validate` and `agent-registry explain` show these findings about `adagents.json` and `brand.json`.',
        '`explain` also shows those about `ard.json`, which begin with `ard_`.',
        'An error means that a part of the file is ignored, or that the file violates its format.',
        'A warning means that the file is read, but needs attention.',
        'The codes from `dns` on are the reasons why a file could not be fetched; `http_4xx` covers every status without a line of its own.',
        'In the table, `…` stands for the field or the value that a finding is about.',
        'Each code has an example below the table: `-` marks the file with the finding, `+` the corrected file.',
      ].join('\n'),
    ),
    table(
      ['code', 'severity', 'message', 'what to do'],
      codes.map(([name, { severity, message, hint = '' }]) => [
        `[${code(name)}](#${name})`,
        severity,
        sentence(generalMessage(message)),
        hint === '' ? '' : sentence(hint),
      ]),
    ),
    ...codes.flatMap(([name]) => [
      `## ${name}\n`,
      ...(name === 'syntax' ? [syntaxTable()] : []),
      exampleOf(name),
    ]),
  ].join('\n');
}

/** `syntax` has a sentence for each fault. */
function syntaxTable(): string {
  return table(
    ['fault', 'what to do', 'for example'],
    Object.values(SYNTAX_FAULTS).map(({ reason, hint, example }) => [
      sentence(reason.replaceAll('#', '…')),
      sentence(hint.replaceAll('#', '…')),
      code(example.replace('\u00a0', '⍽').replace('\t', '⇥')),
    ]),
  );
}

function exampleOf(name: string): string {
  const example = FINDING_EXAMPLES[name];
  if (example === undefined) return '';
  if ('words' in example) return `${example.words}\n`;
  const visible = (file: object | string): string => textOf(file).replace('\ufeff', '<BOM>');
  const [before, after] = [visible(example.before), visible(example.after)];
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 1 });
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? [' …'] : []), ...hunk.lines]);
  return `\`\`\`diff\n${lines.filter((line) => !line.startsWith('\\')).join('\n')}\n\`\`\`\n`;
}

/** The error codes of the protocol, with whether a retry helps. */
export function codesPage(): string {
  const { 'x-meanings': meanings } = JSON.parse(readFileSync(ERROR_CODES, 'utf8')) as {
    'x-meanings': Readonly<Record<string, string>>;
  };
  return [
    pageHead(
      'Error codes of the protocol',
      [
        'An agent refuses a task with one of these codes in `core/error.json`.',
        '`correctable`: change the request. `transient`: send the same request later. `terminal`: a retry does not help.',
        'The [API reference](../README.md#api-reference) lists the problem codes of the HTTP API.',
      ].join('\n'),
    ),
    table(
      ['code', 'recovery', 'meaning'],
      Object.entries(RECOVERY).map(([name, recovery]) => [code(name), recovery, meanings[name] ?? '']),
    ),
  ].join('\n');
}
