import { depthOf } from '../../../base/json.ts';
import type { FileQuestion } from '../../../discovery/file-checks.ts';
import { JSON_BOUNDS } from '../../../discovery/json-faults.ts';
import { readMembers } from '../../body.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { timeText } from '../graph/reading.ts';
import { fieldVerdict } from './answers.ts';
import type { KeptReport } from './bounded-checks.ts';

/** The fields of a file that a request may contain, in the order of the file. */
const PARTS = [
  'contact',
  'authorized_agents',
  'properties',
  'placements',
  'placement_tags',
  'formats',
  'catalog_etag',
] as const;
const SWITCHES = ['include_schema', 'include_timestamp'] as const;
const NAMES: readonly string[] = [...PARTS, ...SWITCHES];
const SCHEMA = 'https://adcontextprotocol.org/schemas/3.2.4/adagents.json';

/** The text of a file with the given parts. Throws HttpProblems for unknown parts; their content is validated later. */
export function readCreation(body: unknown, now: number): FileQuestion {
  const value = readMembers(body, NAMES);
  for (const name of SWITCHES)
    if (value[name] !== undefined && typeof value[name] !== 'boolean')
      throw invalidValue(name, 'use true or false');
  if (!Array.isArray(value.authorized_agents))
    throw invalidValue('authorized_agents', 'a list of agents is required');
  const parts = PARTS.filter((name) => value[name] !== undefined).map((name) => [name, value[name]] as const);
  const file = {
    ...(value.include_schema === true && { $schema: SCHEMA }),
    ...Object.fromEntries(parts),
    ...(value.include_timestamp === true && { last_updated: timeText(now) }),
  };
  return { kind: 'adagents', text: `${fileText(file)}\n` };
}

/** Deeper than any file that somebody writes by hand. */
const SHALLOW = 16;

/**
 * The text of a file that came as JSON, indented for its lines, on one line where it is deep: each level of an indentation
 * is paid for by each value below it. Throws an HttpProblem for more levels than a file may have.
 */
export function fileText(value: unknown, parameter?: string): string {
  const depth = depthOf(value, JSON_BOUNDS.depth);
  if (depth > JSON_BOUNDS.depth)
    throw new HttpProblem(
      'invalid_value',
      `the file has more than ${JSON_BOUNDS.depth} levels`,
      parameter === undefined ? {} : { parameter },
    );
  return JSON.stringify(value, null, depth > SHALLOW ? 0 : 2);
}

/** The file with its verdict, or an HttpProblem with the first error. */
export function createdAnswer(question: FileQuestion, { at, report }: KeptReport): object {
  const first = report.findings.find(({ severity }) => severity === 'error');
  if (first !== undefined) {
    const hint = first.hint === undefined ? '' : `; ${first.hint}`;
    throw invalidValue(first.pointer.slice(0, 200), `${first.message}${hint}`.slice(0, 2_000));
  }
  const validation = fieldVerdict(question, report);
  return {
    success: true,
    data: { success: true, adagents_json: question.text, validation },
    timestamp: timeText(at),
  };
}
