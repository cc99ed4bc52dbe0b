import type { Capture } from '../../../src/domain/capture.ts';
import type { VisitWork } from '../../../src/domain/source.ts';
import type { DomainVisit, FileVisit } from '../../../src/domain/visit.ts';
import type { Records } from '../../../src/ports/records.ts';

export const BATCH = 100;
const LEASE_MS = 60_000;
const MONTH = 30 * 86_400_000;

/**
 * Finds what is due, takes it and writes the visits, batch after batch: what was visited lies behind them in the index.
 * Milliseconds of each batch. A tenth of a month's domains is due.
 */
export async function takeBatches(records: Records, now: number, batches: number) {
  const [picks, takes]: [number[], number[]] = [[], []];
  let commitMs = 0;
  for (let at = now + MONTH / 10, batch = 0; batch < batches; batch += 1, at += 1_000) {
    const picking = performance.now();
    await records.sources.due('domain', BATCH, at);
    const taking = performance.now();
    const works = await records.sources.takeDue('domain', BATCH, at, LEASE_MS);
    const committing = performance.now();
    await Promise.all(works.map((work) => records.sources.commitDomainVisit(visitOf(work, at))));
    commitMs += performance.now() - committing;
    takes.push(committing - taking);
    picks.push(taking - picking);
  }
  return { picks, takes, commitMs };
}

/** Everything is as it was, with a file and without one. */
export function visitOf({ key, sources }: VisitWork, at: number): DomainVisit {
  const files = sources.map(({ lease, source }): FileVisit => {
    const url = `https://${key}/.well-known/${lease.kind}.json`;
    const common = { lease, nextVisitAt: at + MONTH, memory: {}, findings: [] };
    if (source.lastSuccessAt !== undefined) {
      const { validators } = source;
      const file = { failures: 0, absentVisits: 0, validators, captures: [answered(url, at, 304)] };
      return { ...common, ...file, outcome: 'unchanged' };
    }
    const error = { code: 'http_404', detail: `${url} answered 404` };
    const absent = { absentSince: source.absentSince ?? at, absentVisits: 13 };
    const captures = [answered(url, at, 404)];
    return { ...common, ...absent, captures, outcome: 'absent', failures: 13, validators: [], error };
  });
  return { domain: key, at, files, found: [] };
}

function answered(url: string, at: number, status: number): Capture {
  const from = { requestedUrl: url, finalUrl: url, trail: [], at, durationMs: 80 };
  return { ok: true, ...from, status, headers: {}, body: new Uint8Array(), bodyHash: '' };
}
