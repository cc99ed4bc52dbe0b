import type { VisitWork } from '../../src/domain/source.ts';

/** A visit of a domain, without its sources: what these tests do not look at. */
export function workFor(key: string): VisitWork {
  return { kind: 'domain', key, depth: 0, sources: [] };
}

export const keysOf = (works: readonly VisitWork[]): string[] => works.map((work) => work.key);

/** A store's work list in memory: `take` hands out, `giveBack` puts back, and both remember. */
export function workList(keys: readonly string[]) {
  const waiting = [...keys];
  const given: string[] = [];
  return {
    waiting,
    given,
    async take(limit: number): Promise<readonly VisitWork[]> {
      return waiting.splice(0, limit).map(workFor);
    },
    async giveBack(works: readonly VisitWork[]): Promise<void> {
      given.push(...keysOf(works));
    },
  };
}

export const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `d${index}.example`);
