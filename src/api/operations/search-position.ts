import { hash } from 'node:crypto';
import type { FoundAgent, FoundBlock } from '../../domain/agent-search.ts';
import { openPlace, sealPlace } from '../../index/query/cursor.ts';
import { type AskedSearch, canonicalSearch } from '../../index/query/search-query.ts';
import { queryProblem } from '../problem.ts';

/**
 * Where a page begins: in the block that begins at `place`, after those of its agents that were shown. The order of a block
 * changes with time, and agents come and go, so an offset would skip some agents and repeat others.
 */
export interface Position {
  readonly place?: string;
  /** The words that are searched for, where others of the search are ignored. */
  readonly words?: readonly string[];
  /** The concatenated marks of the agents that were shown, base64url. */
  readonly shown?: string;
}

/** Bytes of a mark. In one of 200,000 searches, two agents of a block have the same mark. */
const MARK = 4;
/** Maximum number of marks in a cursor; the oldest are dropped first. */
const MOST = 400;
/** The last agents of a block, which new agents may push into the next block. */
const CARRIED = 40;

/** The agents of a block that were not shown yet. */
export function notYetShown(agents: readonly FoundAgent[], { shown = '' }: Position): readonly FoundAgent[] {
  if (shown === '') return agents;
  const marks = new Set(marksIn(shown));
  return agents.filter(({ url }) => !marks.has(markOf(url)));
}

/** Where the page after these results begins; undefined after the last one. */
export function positionAfter(
  { agents, next }: Pick<FoundBlock, 'agents' | 'next'>,
  position: Position,
  results: readonly string[],
): Position | undefined {
  const { shown: _, place: from, ...kept } = position;
  const place = from === undefined ? kept : { ...kept, place: from };
  const now = new Set(results);
  const others = agents.filter(({ url }) => !now.has(url));
  if (notYetShown(others, position).length > 0) {
    const shown = [...marksIn(position.shown ?? ''), ...results.map(markOf)].slice(-MOST);
    return { ...place, shown: textOf(shown) };
  }
  if (next === undefined) return undefined;
  return { ...kept, place: next, shown: textOf(agents.slice(-CARRIED).map(({ url }) => markOf(url))) };
}

/** The position of a cursor. Throws an HttpProblem for one that is forged or of another search. */
export function openPosition(asked: AskedSearch, secret: Uint8Array): Position {
  if (asked.cursor === undefined) return {};
  const opened = openPlace(secret, searchText(asked), asked.cursor);
  if (!opened.ok) throw queryProblem(opened.problem);
  return JSON.parse(opened.after) as Position;
}

export function sealPosition(asked: AskedSearch, secret: Uint8Array, position: Position): string {
  return sealPlace(secret, searchText(asked), JSON.stringify(position));
}

/** The same for searches that find the same agents. */
function searchText(asked: AskedSearch): string {
  return `${canonicalSearch(asked)}${asked.online ? '&online=true' : ''}`;
}

function markOf(url: string): string {
  return hash('sha256', url, 'buffer').toString('latin1', 0, MARK);
}

function marksIn(shown: string): readonly string[] {
  const bytes = Buffer.from(shown, 'base64url').toString('latin1');
  return Array.from({ length: bytes.length / MARK }, (_, at) => bytes.slice(at * MARK, (at + 1) * MARK));
}

function textOf(marks: readonly string[]): string {
  return Buffer.from(marks.join(''), 'latin1').toString('base64url');
}
