import { median } from '../../support/statistics.ts';
import { printTable } from '../../support/table.ts';
import type { ReadCounts } from '../sides/reader.ts';
import type { RebuildResult } from '../sides/rebuild-ours.ts';
import { load } from './machine.ts';

const SIDES = {
  ours: 'ours, with its switch',
  loader: 'reads the same records, loads them',
  bare: 'loads ready requests',
};
export type RebuildSide = keyof typeof SIDES;

/** One filling of an index; times in milliseconds. */
export interface Loaded {
  readonly documents: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly engineCpuMs: number;
}

/** Documents a second of each side, and ours beside the others of the same round. */
export function reportRates(measured: Readonly<Record<RebuildSide, readonly Loaded[]>>): void {
  const rate = ({ documents, wallMs }: Loaded) => (documents * 1_000) / wallMs;
  const ratio = (peer: RebuildSide) =>
    median(measured.ours.map((one, at) => rate(one) / rate(measured[peer][at] ?? one)));
  const cost = (one: Loaded) => (one.cpuMs + one.engineCpuMs) / one.documents;
  const cheaper = (peer: RebuildSide) =>
    median(measured.ours.map((one, at) => cost(measured[peer][at] ?? one) / cost(one)));
  const sides = (Object.keys(SIDES) as RebuildSide[]).filter((side) => measured[side].length > 0);
  const of = (side: RebuildSide, pick: (one: Loaded) => number) => median(measured[side].map(pick));
  printTable(
    `Rebuild of ${measured.ours[0]?.documents} documents (a reader all the while, n = ${measured.ours.length}; load ${load()})`,
    sides.map((side) => ({
      side: SIDES[side],
      'documents a second': Math.round(of(side, rate)),
      'ours / it': side === 'ours' ? '' : ratio(side),
      'by CPU of both': side === 'ours' ? '' : cheaper(side),
      seconds: of(side, (one) => one.wallMs / 1_000),
      'CPU µs a document': of(side, (one) => (one.cpuMs * 1_000) / one.documents),
      'OpenSearch CPU µs a document': of(side, (one) => (one.engineCpuMs * 1_000) / one.documents),
    })),
  );
}

/** What a reader saw meanwhile, round by round. */
export function reportReads(reads: readonly ReadCounts[]): void {
  printTable(
    'Reads meanwhile, through the API, each compared with what one generation would answer',
    reads.map((counts, round) => ({
      round: round + 1,
      'of the old generation': counts.old,
      'of the new one': counts.new,
      failed: counts.failed,
      mixed: counts.mixed,
      'old after new': counts.back,
      'worst ms': counts.worstMs,
    })),
  );
}

/** Where the time of each rebuild went. */
export function reportSteps(rebuilds: readonly RebuildResult[]): void {
  printTable(
    'Steps of the rebuild, seconds',
    rebuilds.map(({ steps, asked, differing }) => ({
      ...Object.fromEntries(
        [...Map.groupBy(steps, ([step]) => step)].map(([step, times]) => [
          step,
          times.reduce((total, [, ms]) => total + ms / 1_000, 0),
        ]),
      ),
      'sample queries': asked,
      'that differ': differing,
    })),
  );
}
