/**
 * Growth of a store: rows and bytes of domains that are visited repeatedly, with and without changes, and of agents that are
 * probed every hour. Writes straight into the records, without a network.
 *
 *   npm run bench -- growth [--quick]
 */
import { parseArgs } from 'node:util';
import type { Capture } from '../src/domain/capture.ts';
import type { VisitWork } from '../src/domain/source.ts';
import type { DomainVisit, FileVisit } from '../src/domain/visit.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { growProbes } from './support/grow-probes.ts';
import { withScratchStore } from './support/scratch.ts';
import { bytesOf, sizes } from './support/sizes.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const DOMAINS = options.quick ? 100 : 10_000;
const AGENTS = options.quick ? 100 : 10_000;
const VISITS = 10;
const BATCH = 200;
const START = 1_800_000_000_000;
const HOUR = 3_600_000;

await grow('Domains that never published', notThere);
await grow('Publishers whose file stays as it is', (url, at, round) =>
  round === 0 ? aFile(url, at) : unchanged(url, at),
);

await withScratchStore(async (path) => {
  const records = await openSqliteRecords({ path });
  const row = await growProbes(records, AGENTS, (table) => bytesOf(path, table));
  await records.close();
  printTable('Agents probed every hour', [row]);
});

type Answer = (url: string, at: number, round: number) => Capture;

async function grow(title: string, answer: Answer): Promise<void> {
  await withScratchStore(async (path) => {
    const records = await openSqliteRecords({ path });
    const domains = Array.from({ length: DOMAINS }, (_, i) => `d${i}.example`);
    await records.sources.add(
      domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' })),
      START,
    );
    const rows: Record<string, string | number>[] = [];
    for (let round = 0; round < VISITS; round += 1) {
      const at = START + round * 24 * HOUR;
      for (;;) {
        const works = await records.sources.takeDue('domain', BATCH, at, HOUR);
        if (works.length === 0) break;
        await Promise.all(
          works.map((work) => records.sources.commitDomainVisit(visitOf(work, at, round, answer))),
        );
      }
      if (round !== 0 && round !== VISITS - 1) continue;
      const { captures, captureBytes, bytes } = sizes(path);
      rows.push({
        visits: round + 1,
        'captures a domain': captures / DOMAINS,
        'their bytes a domain': Math.round(captureBytes / DOMAINS),
        'bytes of all a domain': Math.round(bytes / DOMAINS),
      });
    }
    await records.close();
    printTable(`${title} (${DOMAINS} domains)`, rows);
  });
}

function visitOf({ key, sources }: VisitWork, at: number, round: number, answer: Answer): DomainVisit {
  const files = sources.map(({ lease, source }): FileVisit => {
    const urls = [`https://${key}/.well-known/${lease.kind}.json`];
    const captures = urls.map((url) => answer(url, at, round));
    const isThere = captures[0]?.ok === true && captures[0].status !== 404;
    return {
      lease,
      captures,
      nextVisitAt: at + 24 * HOUR,
      outcome: isThere ? 'unchanged' : 'absent',
      failures: isThere ? 0 : round + 1,
      validators: isThere ? [{ url: urls[0] as string, etag: '"1"', bodyHash: hashOf(key) }] : [],
      ...(!isThere && {
        error: { code: 'http_404', detail: `${urls[0]} answered 404` },
        absentSince: source.absentSince ?? at,
      }),
      absentVisits: isThere ? 0 : round + 1,
      memory: {},
      findings: [],
    };
  });
  return { domain: key, at, files, found: [] };
}

/** A file of its own for each domain. */
function hashOf(key: string): string {
  return Buffer.from(key).toString('hex').padEnd(64, '0').slice(0, 64);
}

function answered(url: string, at: number, status: number, text: string): Capture {
  const body = new TextEncoder().encode(text);
  const bodyHash = text === '' ? '' : hashOf(new URL(url).hostname);
  const from = { requestedUrl: url, finalUrl: url, trail: [], at, durationMs: 80 };
  return { ok: true, ...from, status, headers: {}, body, bodyHash };
}

function notThere(url: string, at: number): Capture {
  return answered(url, at, 404, `<html>not found ${at}</html>`);
}

function aFile(url: string, at: number): Capture {
  return answered(url, at, 200, JSON.stringify({ authorized_agents: [], of: url }));
}

function unchanged(url: string, at: number): Capture {
  return answered(url, at, 304, '');
}
