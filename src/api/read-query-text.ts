import { canonicalQuery, type ListQuery, readListQuery } from '../query/list-query.ts';
import { searchParams } from './parameters.ts';
import { queryProblem } from './problem.ts';

export interface ReadQuery {
  readonly query: ListQuery;
  /** Equal for all query strings that mean the same. */
  readonly key: string;
}

/** Reads the query string of a list request; throws an HttpProblem for one that breaks a rule. */
export type QueryReader = (text: string) => ReadQuery;

const MAX_TEXTS = 1_000;
const MAX_LENGTH = 1_024;

/** A reader that remembers the texts it read last: clients repeat themselves, and reading costs more than sending. */
export function createQueryReader(): QueryReader {
  const known = new Map<string, ReadQuery>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const read = readText(text);
    if (text.length > MAX_LENGTH) return read;
    if (known.size >= MAX_TEXTS) known.delete(known.keys().next().value ?? '');
    known.set(text, read);
    return read;
  };
}

function readText(text: string): ReadQuery {
  const read = readListQuery(searchParams(text));
  if (!read.ok) throw queryProblem(read.problem);
  return { query: read.query, key: canonicalQuery(read.query) };
}
