import { jsonBytes, withinBytes } from '../base/json.ts';
import type { FileKind } from '../domain/declaration.ts';
import type { FileCheck } from './check-file.ts';
import { findingOf } from './report.ts';

/** A file that somebody wants to have checked: the one of a domain, or a text. */
export interface FileQuestion {
  readonly kind: FileKind;
  /** Who publishes the file; of a text it may be unknown. */
  readonly domain?: string;
  /** Absent: the file is fetched from the domain. */
  readonly text?: string;
}

/** What is told of a check: bounded, whatever is in the file. */
export interface FileReport extends Omit<FileCheck, 'simple'> {
  /** Something was left out, because there is too much of it. */
  readonly isCut: boolean;
}

/** Checks files for strangers, beside the loop. */
export interface FileChecks {
  /** Rejects with a CheckRefused; never for what is in a file. */
  check(question: FileQuestion): Promise<FileReport>;
  close(): Promise<void>;
}

/** Why there is no report. */
export class CheckRefused extends Error {
  readonly reason: 'visited_now' | 'too_costly' | 'closed';

  constructor(reason: CheckRefused['reason']) {
    super(`the file was not checked: ${reason}`);
    this.name = 'CheckRefused';
    this.reason = reason;
  }
}

const KIB = 1024;

/** The report of a file that takes more than a check may. */
export function tooCostly(kind: FileKind): FileReport {
  const summary = { publishers: [], outOfTime: [], withoutEffect: [], agents: [], more: 0 };
  const findings = [findingOf('too_costly', '', 'more than a check may take')];
  return { valid: false, kind, agents: [], findings, trail: [], summary, isCut: false };
}

/** A check within 200 KiB of JSON. */
export function reportOf({
  simple: _,
  findings,
  agents,
  summary,
  trail,
  fixed,
  ...rest
}: FileCheck): FileReport {
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
  const isFixShown = fixed === undefined || jsonBytes(fixed) <= 32 * KIB;
  const names = Object.keys(given) as (keyof typeof given)[];
  return {
    ...rest,
    findings: told.findings,
    agents: told.agents,
    trail: told.trail,
    summary: {
      publishers: told.publishers,
      outOfTime: told.outOfTime,
      withoutEffect: told.withoutEffect,
      agents: told.named,
      more: summary.more,
    },
    ...(fixed !== undefined && isFixShown && { fixed }),
    isCut: !isFixShown || names.some((name) => told[name].length < given[name].length),
  };
}
