import { readFileSync } from 'node:fs';
import { FINDING_CODES } from '../../src/discovery/finding-codes.ts';
import { RECOVERY } from '../../src/protocol/problem.ts';
import { code, pageHead, sentence, table } from './markdown.ts';

const ERROR_CODES = new URL('../../schemas/protocol/3.0.0/core/known_error_code.json', import.meta.url);

/** What the readers of discovery files can find. */
export function findingCodesPage(): string {
  return [
    pageHead(
      'Finding codes',
      [
        '`agent-registry validate` and `agent-registry explain` show these findings about `adagents.json` and `brand.json`.',
        'An error means that something is left out, or that the file is against its format.',
        'A warning means that the file is read and needs a look.',
      ].join('\n'),
    ),
    table(
      ['code', 'severity', 'what is wrong', 'what to do'],
      Object.entries(FINDING_CODES).map(([name, { severity, message, ...more }]) => [
        code(name),
        severity,
        sentence(message),
        'hint' in more ? sentence(more.hint) : '',
      ]),
    ),
  ].join('\n');
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
        'The problem codes of the HTTP API stand in [API operations](api.md#problem-codes).',
      ].join('\n'),
    ),
    table(
      ['code', 'recovery', 'meaning'],
      Object.entries(RECOVERY).map(([name, recovery]) => [code(name), recovery, meanings[name] ?? '']),
    ),
  ].join('\n');
}
