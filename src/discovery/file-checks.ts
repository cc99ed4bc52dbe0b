import { jsonBytes, withinBytes } from '../base/json-bytes.ts';
import type { FileKind } from '../domain/declaration.ts';
import { excerptOf, type FileExcerpt } from './check/excerpt.ts';
import { basisOf } from './check/summary-words.ts';
import type { FileCheck } from './check-file.ts';
import { findingOf } from './report.ts';

/** A file to check: the one of a domain, or a text. */
export interface FileQuestion {
  /** Absent: of a text, recognised by its content; of a domain, adagents. */
  readonly kind?: FileKind;
  /** Who publishes the file; of a text it may be unknown. */
  readonly domain?: string;
  /** Absent: the file is fetched from the domain. */
  readonly text?: string | Uint8Array;
  /** The largest corrected file in the report, in bytes. Default 32 KiB. */
  readonly fixedBytes?: number;
  /** The report includes the lines of the file, and its text up to 24 KiB. */
  readonly withLines?: boolean;
}

/** The report of a check, bounded whatever the file contains. */
export interface FileReport extends Omit<FileCheck, 'simple'> {
  /** Of the file as it is and as it would be. */
  readonly excerpt?: FileExcerpt;
  /** Something was left out, because there is too much of it. */
  readonly isCut: boolean;
}

/** Checks files for strangers, beside the loop. */
export interface FileChecks {
  /** Rejects with a CheckRefused; never for what is in a file. */
  check(question: FileQuestion): Promise<FileReport>;
  close(): Promise<void>;
}

const REFUSALS = {
  visited_now: 'the registry is crawling this site right now',
  busy: 'rate limit exceeded for this site, for a site that its file refers to, or for the registry',
  too_costly: 'the file exceeds the time or memory limit of a check',
  closed: 'the registry is shutting down',
} as const;

/** Why there is no answer: a refusal of ours, which says nothing about what was to be looked at. */
export class CheckRefused extends Error {
  readonly reason: keyof typeof REFUSALS;
  /** Until the same may be asked for again, milliseconds. */
  readonly waitMs: number;

  constructor(reason: CheckRefused['reason'], waitMs = 5_000) {
    super(REFUSALS[reason]);
    this.name = 'CheckRefused';
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

const KIB = 1024;
const FIXED_BYTES = 32 * KIB;
/** A longer text is not repeated for the editor. */
const TEXT_BYTES = 24 * KIB;
const NOTHING = { publishers: [], outOfTime: [], withoutEffect: [], agents: [], more: 0 };

/** The report of a file that takes more than a check may. */
export function tooCostly(kind: FileKind = 'adagents'): FileReport {
  const findings = [findingOf('too_costly', '', 'more than a check may use')];
  const summary = { basis: basisOf({ findings }), ...NOTHING };
  return {
    valid: false,
    kind,
    agents: [],
    listed: 0,
    sellersNow: 0,
    findings,
    trail: [],
    summary,
    isCut: false,
  };
}

/** A check within 200 KiB of JSON, its lines and a larger corrected file beside. */
export function reportOf(
  { simple: _, text, findings, agents, summary, trail, fixed, ...rest }: FileCheck,
  { fixedBytes = FIXED_BYTES, withLines = false }: Pick<FileQuestion, 'fixedBytes' | 'withLines'> = {},
): FileReport {
  const { publishers, outOfTime, withoutEffect, agents: named } = summary;
  const told = {
    findings: withinBytes(findings, 64 * KIB),
    agents: withinBytes(agents, 16 * KIB),
    publishers: withinBytes(publishers, 24 * KIB),
    outOfTime: withinBytes(outOfTime, 5 * KIB),
    withoutEffect: withinBytes(withoutEffect, 5 * KIB),
    named: withinBytes(named, 10 * KIB),
    trail: withinBytes(trail, 8 * KIB),
  };
  const given = { findings, agents, publishers, outOfTime, withoutEffect, named, trail };
  const isFixShown = fixed === undefined || jsonBytes(fixed) <= fixedBytes;
  const names = Object.keys(given) as (keyof typeof given)[];
  return {
    ...rest,
    findings: told.findings,
    agents: told.agents,
    trail: told.trail,
    summary: {
      basis: summary.basis,
      publishers: told.publishers,
      outOfTime: told.outOfTime,
      withoutEffect: told.withoutEffect,
      agents: told.named,
      more: summary.more,
    },
    ...(fixed !== undefined && isFixShown && { fixed }),
    ...(withLines && text !== undefined && { excerpt: excerptOf(text, fixed, linesOf(told.findings)) }),
    ...(withLines && text !== undefined && jsonBytes(text) <= TEXT_BYTES && { text }),
    isCut: !isFixShown || names.some((name) => told[name].length < given[name].length),
  };
}

function linesOf(findings: FileCheck['findings']): readonly number[] {
  return findings.flatMap(({ line }) => line ?? []);
}
