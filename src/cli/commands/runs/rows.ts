import { createHash } from 'node:crypto';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../../base/ajv.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../../domain/agent-url.ts';
import { NOTHING_RECORDED, type RunTrigger, type Verdict } from '../../../domain/judged-run.ts';
import { shortText } from '../../../domain/text.ts';
import type { ImportedRun } from '../../../ports/compliance.ts';

/** The text of one row, and the line on which it begins, counted from 1. */
interface RowText {
  readonly line: number;
  readonly text: string;
}

/** A run of a file with the agent that it is of. */
export interface RunRow {
  readonly line: number;
  readonly agent: string;
  readonly run: ImportedRun;
}

export interface RefusedRow {
  readonly line: number;
  readonly reason: string;
}

/** The row as the file has it; schemas/registry/run-import.json. */
interface RunEntry extends Partial<Omit<Verdict, 'headline' | 'algorithm_version'>> {
  readonly run_id?: string;
  readonly agent_url: string;
  readonly started_at: string;
  readonly finished_at?: string;
  readonly triggered_by?: RunTrigger | null;
  readonly dry_run?: boolean;
  readonly status: Verdict['status'];
  readonly requested_compliance_target?: string | null;
  readonly proto_version?: string | null;
  readonly headline?: string | null;
}

const MAX_HEADLINE = 500;
/** A clock elsewhere may be ahead of ours. */
const MAX_AHEAD_MS = 60_000;

/** Reads one row. A wrong one is a value with the reason: its neighbours are taken all the same. */
export function createRunParser(now: number): (row: RowText) => RunRow | RefusedRow {
  const validate = compile();
  return ({ line, text }) => {
    const value = parsed(text);
    if (value === undefined) return { line, reason: 'it is not JSON' };
    if (!validate(value)) return { line, reason: sentence(validate.errors?.[0]) };
    return runOf(value as RunEntry, line, now);
  };
}

function runOf(entry: RunEntry, line: number, now: number): RunRow | RefusedRow {
  const address = parseAgentUrl(entry.agent_url);
  if (!address.ok) return { line, reason: `/agent_url: ${AGENT_URL_PROBLEMS[address.problem]}` };
  const startedAt = Date.parse(entry.started_at);
  const finishedAt = Date.parse(entry.finished_at ?? entry.started_at);
  if (Number.isNaN(startedAt) || Number.isNaN(finishedAt)) return { line, reason: 'a time is no moment' };
  if (finishedAt < startedAt) return { line, reason: '/finished_at is before /started_at' };
  if (finishedAt > now + MAX_AHEAD_MS) return { line, reason: 'it ends in the future' };
  const trigger = entry.triggered_by ?? null;
  const run: ImportedRun = {
    run_id: entry.run_id ?? idOf(address.url, startedAt, trigger),
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    trigger,
    dry_run: entry.dry_run ?? false,
    outcome: entry.status === 'unknown' ? 'inconclusive' : 'complete',
    requested_compliance_target: entry.requested_compliance_target ?? null,
    proto_version: entry.proto_version ?? null,
    verdict: verdictOf(entry),
  };
  return { line, agent: address.url, run };
}

function verdictOf(entry: RunEntry): Verdict {
  const members = Object.keys(NOTHING_RECORDED) as (keyof RunEntry & keyof Verdict)[];
  const given = members.filter((name) => entry[name] !== undefined && entry[name] !== null);
  return {
    ...NOTHING_RECORDED,
    ...Object.fromEntries(given.map((name) => [name, entry[name]])),
    headline: shortText(entry.headline, MAX_HEADLINE) ?? '',
    declaration_read: entry.declared_specialisms !== undefined,
    observations: (entry.observations ?? []).map(({ category, severity, message }) => ({
      category,
      severity,
      message,
    })),
  };
}

/** The same row has the same id, whenever and wherever it is imported; a UUID in form (RFC 9562, version 8). */
function idOf(agent: string, startedAt: number, trigger: string | null): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([agent, startedAt, trigger]))
    .digest('hex');
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => hex.slice(from, to));
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function compile(): ValidateFunction {
  const ajv = createAjv();
  for (const file of ['track-detail', 'storyboard-status'])
    ajv.addSchema(readSchema(`registry/${file}.json`));
  return ajv.compile(readSchema('registry/run-import.json'));
}

function sentence(error: ErrorObject | undefined): string {
  if (error === undefined) return 'it is no run';
  const { instancePath, message, params, keyword } = error;
  const unknown =
    keyword === 'additionalProperties' ? ` ('${String(params.additionalProperty).slice(0, 100)}')` : '';
  const values = keyword === 'enum' ? ` (${(params.allowedValues as unknown[]).join(', ')})` : '';
  return `${instancePath || 'the row'} ${message ?? 'is wrong'}${unknown}${values}`;
}

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/** The rows of a file: the elements of a JSON array, else one on each line. None of them is parsed yet. */
export function splitRows(file: string): readonly RowText[] {
  const text = file.replace(/^\uFEFF/, '');
  return /^\s*\[/.test(text) ? elementsOf(text) : linesOf(text);
}

function linesOf(text: string): readonly RowText[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((row) => row.text !== '');
}

/** What stands between the outer brackets and the commas of the same depth, outside of strings. */
function elementsOf(text: string): readonly RowText[] {
  const rows: RowText[] = [];
  let depth = 0;
  let begin = 0;
  let inString = false;
  let line = 1;
  const take = (end: number) => {
    const raw = text.slice(begin, end);
    if (raw.trim() !== '') rows.push({ line: line - newlines(raw.trimStart()), text: raw.trim() });
    begin = end + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === '\n') line += 1;
    if (inString && sign === '\\') at += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && OPENING.has(sign)) {
      depth += 1;
      if (depth === 1) begin = at + 1;
    } else if (!inString && CLOSING.has(sign)) {
      if (depth === 1) take(at);
      depth -= 1;
    } else if (!inString && sign === ',' && depth === 1) take(at);
  }
  take(text.length);
  return rows;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
