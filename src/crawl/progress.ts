import { OUTCOMES, type Outcome } from '../domain/outcome.ts';
import type { FileVisit, RunMark } from '../domain/visit.ts';

/** A source whose visit brought nothing usable. */
export interface Failure {
  /** A domain or an agent URL. */
  readonly source: string;
  readonly code: string;
  readonly detail: string;
}

/** Findings for content left out because a file exceeded a limit. An operator can raise each limit for a known manager. */
const BEYOND_BOUNDS: ReadonlySet<string> = new Set(
  ['agents', 'domains', 'entries', 'properties', 'references', 'tags'].map((what) => `too_many_${what}`),
);

/** How many failures a summary carries; the counts are exact, and every one is in the store for `explain`. */
const MAX_FAILURES = 1_000;

/** Counts what a run does. One for each run; the pipelines write, the command line reads. */
export class Tally {
  readonly outcomes: Record<Outcome, number> = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, 0]),
  ) as Record<Outcome, number>;
  readonly visited = { domains: 0, agents: 0 };
  readonly failures: Failure[] = [];
  /** Visits of domains that have begun and not ended. */
  underWay = 0;
  /** Agents never heard of before. */
  newAgents = 0;
  /** Domains of the run's own list (named, or due) of which nothing could be used, something being there. */
  failedDomains = 0;
  /** Domains that publish neither file. */
  absentDomains = 0;

  /** Counts one visit; several outcomes when it covered several files. */
  visit(kind: 'domains' | 'agents', outcomes: readonly Outcome[]): void {
    this.visited[kind] += 1;
    for (const outcome of outcomes) this.outcomes[outcome] += 1;
  }

  /** Notes what went wrong with a file, a domain or an agent. */
  note(failure: Failure): void {
    if (this.failures.length < MAX_FAILURES) this.failures.push(failure);
  }

  /** Notes what of a file was not read, because it has more than a file may. */
  cut(domain: string, { lease, findings }: FileVisit): void {
    for (const { code, message } of findings)
      if (BEYOND_BOUNDS.has(code))
        this.note({ source: domain, code, detail: `${lease.kind}.json: ${message}` });
  }

  absent(domain: string): void {
    this.absentDomains += 1;
    this.note({
      source: domain,
      code: 'absent',
      detail: 'the domain publishes neither adagents.json nor brand.json',
    });
  }
}

/** Where a visit stands in its run, and the trace that what it found goes on under. */
export function visitMark(
  { run, traced }: { readonly run?: Omit<RunMark, 'depth'>; readonly traced?: { readonly trace: string } },
  depth: number,
): { run?: RunMark; trace?: string } {
  return {
    ...(run && { run: { id: run.id, maxDepth: run.maxDepth, depth } }),
    ...(traced && { trace: traced.trace }),
  };
}
