import type { AgentQuery } from '../../../src/domain/agent-query.ts';
import { sealCursor } from '../../../src/index/query/cursor.ts';
import { FILTERS } from './filters.ts';

/** One request of the list operation, and the search that it leads to. */
export interface Question {
  /** Of the filter. */
  readonly name: string;
  readonly path: string;
  readonly query: AgentQuery;
}

export interface QuestionOptions {
  readonly agents: number;
  readonly cursorSecret: Uint8Array;
  /** More parameters for each request. */
  readonly switches?: Readonly<Record<string, string>>;
  readonly seed: number;
}

const LIMIT = 50;

/**
 * So many requests of each filter in turn, no two alike, so that nothing rendered before can be sent again: every
 * second one is a first page (its cursor stands before all agents), the others begin anywhere in the list.
 */
export function* questions(
  count: number,
  { agents, cursorSecret, switches = {}, seed }: QuestionOptions,
): Generator<Question> {
  const random = randomNumbers(seed);
  for (let at = 0; at < count; at += 1)
    for (const { name, parameters, filter } of FILTERS) {
      const after = at % 2 === 0 ? firstPage(random) : position(Math.floor(random() * agents));
      const cursor = sealCursor(cursorSecret, filter, after);
      const search = new URLSearchParams([
        ...parameters,
        ...Object.entries({ ...switches, limit: String(LIMIT), cursor }),
      ] as [string, string][]);
      yield { name, path: `/api/registry/agents?${search}`, query: { filter, after, limit: LIMIT } };
    }
}

/** The URLs of synthetic agents begin so; what follows sorts after it. */
function position(agent: number): string {
  return `https://agent-${String(agent).padStart(8, '0')}`;
}

function firstPage(random: () => number): string {
  return `https://a-${random()}`;
}

/** mulberry32: the same numbers everywhere. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
