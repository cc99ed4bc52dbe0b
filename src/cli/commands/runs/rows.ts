import { hash } from 'node:crypto';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../../base/ajv.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../../domain/agent-url.ts';
import { storyboardOf } from '../../../domain/badge.ts';
import {
  NOTHING_RECORDED,
  outcomeOf,
  type RunTrigger,
  type SpecialismStatus,
  type Verdict,
} from '../../../domain/judged-run.ts';
import { shortText } from '../../../domain/text.ts';
import type { ImportedRun } from '../../../records/runs/compliance-store.ts';
import type { RowText } from './split-rows.ts';

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
    if (value === undefined) return { line, reason: 'the row is not valid JSON' };
    if (!validate(value)) return { line, reason: sentence(validate.errors?.[0]) };
    return runOf(value as RunEntry, line, now);
  };
}

function runOf(entry: RunEntry, line: number, now: number): RunRow | RefusedRow {
  const address = parseAgentUrl(entry.agent_url);
  if (!address.ok) return { line, reason: `/agent_url: ${AGENT_URL_PROBLEMS[address.problem]}` };
  const startedAt = Date.parse(entry.started_at);
  const finishedAt = Date.parse(entry.finished_at ?? entry.started_at);
  if (Number.isNaN(startedAt) || Number.isNaN(finishedAt))
    return { line, reason: 'a time is not a valid timestamp' };
  if (finishedAt < startedAt) return { line, reason: '/finished_at is before /started_at' };
  if (finishedAt > now + MAX_AHEAD_MS) return { line, reason: '/finished_at is in the future' };
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
    ...declaredOf(entry),
    observations: (entry.observations ?? []).map(({ category, severity, message }) => ({
      category,
      severity,
      message,
    })),
  };
}

/**
 * The statuses by declared specialism (specification, 2.5): as the row gives them, else as the storyboard of that name
 * came out. A row that names only statuses declares those; a status of what is not declared is left out.
 */
function declaredOf({ declared_specialisms, specialism_status, storyboard_statuses = [] }: RunEntry) {
  const given = specialism_status ?? {};
  const declared = [...new Set(declared_specialisms ?? Object.keys(given))];
  const boards = new Map(storyboard_statuses.map((board) => [board.storyboard_id, board]));
  const statusOf = (specialism: string): SpecialismStatus => {
    if (Object.hasOwn(given, specialism)) return given[specialism] ?? 'untested';
    const board = boards.get(storyboardOf(specialism));
    const outcome = board === undefined ? 'skipped' : outcomeOf(board);
    return outcome === 'pass' || outcome === 'fail' ? outcome : 'untested';
  };
  return {
    declaration_read: declared_specialisms !== undefined || specialism_status !== undefined,
    declared_specialisms: declared,
    specialism_status: Object.fromEntries(declared.map((specialism) => [specialism, statusOf(specialism)])),
  };
}

/** The same row has the same id, whenever and wherever it is imported; a UUID in form (RFC 9562, version 8). */
function idOf(agent: string, startedAt: number, trigger: string | null): string {
  const hex = hash('sha256', JSON.stringify([agent, startedAt, trigger]));
  const part = (from: number, to: number) => hex.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
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
  if (error === undefined) return 'the row is not a run';
  const { instancePath, message, params, keyword } = error;
  const unknown =
    keyword === 'additionalProperties' ? ` ('${String(params.additionalProperty).slice(0, 100)}')` : '';
  const values = keyword === 'enum' ? ` (${(params.allowedValues as unknown[]).join(', ')})` : '';
  return `${instancePath || 'the row'} ${message ?? 'is invalid'}${unknown}${values}`;
}
