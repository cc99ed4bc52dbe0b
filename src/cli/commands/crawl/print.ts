import type { Tally } from '../../../crawl/progress.ts';
import type { Change } from '../../../domain/change.ts';
import { counted, duration, paint, printJson, printLine, table } from '../../output/print.ts';

export interface CrawlSummary {
  readonly tally: Tally;
  /** Agents that the crawl came across; for a crawl of what is due, the new ones. */
  readonly agentsFound: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Why the command fails; absent when it does not. */
  readonly verdict?: string;
  /** Of a dry run: what would have changed. */
  readonly changes?: readonly Change[];
}

/** How many failures people see; all are in --json. */
const SHOWN_FAILURES = 10;

/** Prints the summary of a crawl; the JSON follows schemas/cli/crawl.json. */
export function printCrawl(summary: CrawlSummary, json: boolean): void {
  if (json) printJson(crawlJson(summary));
  else printLine(crawlText(summary));
}

function crawlJson({ tally, agentsFound, durationMs, interrupted, changes }: CrawlSummary) {
  return {
    outcomes: tally.outcomes,
    domains_visited: tally.visited.domains,
    agents_probed: tally.visited.agents,
    agents_found: agentsFound,
    duration_ms: Math.round(durationMs),
    interrupted,
    failures: tally.failures,
    ...(changes && {
      would_change: changes.map((change) => ({
        agent: change.agent,
        kind: change.kind,
        changes: changedParts(change),
      })),
    }),
  };
}

function crawlText(summary: CrawlSummary): string {
  const { tally, agentsFound, durationMs, interrupted, changes, verdict } = summary;
  const { domains, agents } = tally.visited;
  const lines = [
    `${paint('bold', `${counted(agentsFound, 'agent')} found`)}, ${counted(domains, 'domain')} visited, ${counted(agents, 'agent')} probed in ${duration(durationMs)}`,
    outcomeLine(tally),
    ...failureLines(tally),
    ...(changes === undefined ? [] : changeLines(changes)),
  ];
  if (verdict !== undefined) lines.push(verdict);
  if (interrupted) lines.push('stopped: run the same command again to resume');
  return lines.filter((line) => line !== '').join('\n');
}

function outcomeLine({ outcomes }: Tally): string {
  const seen = Object.entries(outcomes).filter(([, count]) => count > 0);
  return seen.length === 0
    ? ''
    : `  outcomes of files and probes: ${seen.map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`;
}

function failureLines({ failures }: Tally): string[] {
  if (failures.length === 0) return [];
  const rows = failures
    .slice(0, SHOWN_FAILURES)
    .map(({ source, code, detail }) => ['  ', source, code, detail]);
  const more = failures.length - rows.length;
  return [
    'problems:',
    table(rows),
    ...(more > 0
      ? [`  … and ${more} more (--json lists all; "agent-registry explain NAME" shows the details of one)`]
      : []),
  ];
}

function changeLines(changes: readonly Change[]): string[] {
  const rows = changes
    .slice(0, 50)
    .map((change) => ['  ', change.kind, change.agent, changedParts(change).join(', ')]);
  return [
    `dry run, nothing written: ${counted(changes.length, 'agent')} would change${changes.length > 0 ? ':' : ''}`,
    table(rows),
  ];
}

/** The parts of the record that differ, under the wire's names; what only serves the filters is left out. */
function changedParts({ before, after }: Change): string[] {
  const names = [...Object.keys(before ?? {}), ...Object.keys(after ?? {})];
  const inBase = [before?.base, after?.base].flatMap((base) => Object.keys((base ?? {}) as object));
  const parts = names.filter((name) => ['properties', 'capabilities', 'compliance'].includes(name));
  return [...new Set([...inBase, ...parts])];
}
