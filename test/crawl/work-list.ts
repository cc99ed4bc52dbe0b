import { present } from '../../src/base/json.ts';
import type { VisitWork } from '../../src/domain/source.ts';
import type { BusyDomains } from '../../src/records/row-selection.ts';

/** A visit of a domain, without its sources: what these tests do not look at. */
export function workFor(key: string): VisitWork {
  return { kind: 'domain', key, depth: 0, sources: [] };
}

export const keysOf = (works: readonly VisitWork[]): string[] => works.map((work) => work.key);

/** A store's work list in memory: `take` hands out, `giveBack` puts back, and both remember. */
export function workList(
  keys: readonly string[],
  foundVia: (key: string) => string | undefined = () => undefined,
) {
  const waiting = [...keys];
  const given: string[] = [];
  return {
    waiting,
    given,
    async take(limit: number, busy?: BusyDomains): Promise<readonly VisitWork[]> {
      const isWanted = (key: string) => busy?.files?.has(foundVia(key) ?? '') !== true;
      const taken = waiting.filter(isWanted).slice(0, limit);
      for (const key of taken) waiting.splice(waiting.indexOf(key), 1);
      return taken.map((key) => ({ ...workFor(key), ...present({ foundVia: foundVia(key) }) }));
    },
    async release(works: readonly VisitWork[]): Promise<void> {
      given.push(...keysOf(works));
    },
  };
}

export const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `d${index}.example`);
