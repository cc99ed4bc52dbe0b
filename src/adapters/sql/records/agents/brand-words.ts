import { SHORTEST_BEGINNING } from '../../../../query/search-words.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** Domains of one word that are looked at; it bounds what a question costs. */
const LOOKED_AT = 2_000;
/** Words of which the one is looked for that fewest have: the longest. */
const COUNTED = 4;
/** Behind every word. */
const LAST = '\u{10ffff}';

/** The words that one of a question stands for: all from the first on that are before the last. */
interface WordRange {
  readonly first: string;
  readonly last: string;
}

/** Domains by all of some words, as `Brands.withWords` has them. */
export function createDomainsWithWords(store: SqlStore) {
  const selectHaving = prepare(store, domainsHaving);
  const selectAmong = prepare(store, domainsAmong);
  return function* (words: readonly string[], limit: number): SqlTask<readonly string[]> {
    let found: readonly string[] | undefined;
    let rarest: WordRange | undefined; // the one that was read, of which those with the word itself stand first
    const ranges = words.toSorted((a, b) => b.length - a.length).map(rangeOf);
    for (const range of ranges.slice(0, COUNTED)) {
      const most = found?.length ?? LOOKED_AT;
      const rows = yield* selectHaving.all({ ...range, limit: most });
      if (found !== undefined && rows.length >= most) continue;
      found = [...new Set(rows.map(({ domain }) => domain))];
      rarest = range;
    }
    for (const range of ranges) {
      if (range === rarest || found === undefined || found.length === 0) continue;
      const rows = yield* selectAmong.all({ ...range, domains: found });
      const having = new Set(rows.map(({ domain }) => domain));
      found = found.filter((domain) => having.has(domain));
    }
    return found?.slice(0, limit) ?? [];
  };
}

function rangeOf(word: string): WordRange {
  return { first: word, last: word.length >= SHORTEST_BEGINNING ? word + LAST : `${word} ` };
}

function domainsHaving(param: Param<WordRange & { readonly limit: number }>) {
  return sql
    .selectFrom('brand_word')
    .select('domain')
    .where('word', '>=', param('first'))
    .where('word', '<', param('last'))
    .orderBy('word')
    .orderBy('domain')
    .limit(param('limit'));
}

function domainsAmong(param: Param<WordRange & { readonly domains: readonly string[] }>) {
  return sql
    .selectFrom('brand_word')
    .select('domain')
    .distinct()
    .where('domain', 'in', param.list('domains'))
    .where('word', '>=', param('first'))
    .where('word', '<', param('last'));
}
