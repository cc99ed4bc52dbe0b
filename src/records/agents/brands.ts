import { present } from '../../base/json.ts';
import type { BrandDeclaration } from '../../domain/declaration.ts';
import { SHORTEST_BEGINNING } from '../../index/query/search-words.ts';
import type { BrandFile, BrandPage, Brands } from '../../ports/brands.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Reads of brand.json by index alone; the engine tells how long a text is before it is read. */
export function createBrands(store: SqlStore): Brands {
  const selectFiles = prepare(store, filesOf);
  const selectValues = prepare(store, valuesOf);
  const selectDomains = prepare(store, domainsInOrder);
  const selectNaming = prepare(store, housesNaming);
  const domainsWithWords = createDomainsWithWords(store);
  return {
    files: (domains, maxBytes) =>
      store.read(function* () {
        const rows = domains.length === 0 ? [] : yield* selectFiles.all({ domains });
        const hashes = fitting(new Map(rows.map((row) => [row.value_hash, Number(row.bytes)])), maxBytes);
        const read = hashes.length === 0 ? [] : yield* selectValues.all({ hashes });
        const values = new Map(read.map(({ hash, value }) => [hash, JSON.parse(value) as BrandDeclaration]));
        return rows.map(
          (row): BrandFile => ({
            ...{ domain: row.key, via: row.via, url: row.url, contentHash: row.content_hash },
            ...present({ lastSuccessAt: row.last_success_at, value: values.get(row.value_hash) ?? null }),
          }),
        );
      }),
    domains: async (page) => (await store.read(() => selectDomains.all(page))).map(({ key }) => key),
    withWords: (words, limit) => store.read(() => domainsWithWords(words, limit)),
    naming: async (domain, limit) =>
      (await store.read(() => selectNaming.all({ domain, limit }))).map(({ declarer }) => declarer),
  };
}

/** As many as fit, the shortest first: what many domains share counts once. */
function fitting(sizes: ReadonlyMap<string, number>, room: number): readonly string[] {
  let left = room;
  return [...sizes]
    .toSorted(([, a], [, b]) => a - b)
    .filter(([, bytes]) => {
      left -= bytes;
      return left >= 0;
    })
    .map(([hash]) => hash);
}

function filesOf(param: Param<{ domains: readonly string[] }>) {
  return sql
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select(['source.key', 'source.last_success_at'])
    .select(['declaration.via', 'declaration.url', 'declaration.content_hash', 'declaration.value_hash'])
    .select(({ fn }) => fn<number>('octet_length', ['declared_value.value']).as('bytes'))
    .where('source.kind', '=', 'brand')
    .where('source.key', 'in', param.list('domains'))
    .orderBy('source.key');
}

function valuesOf(param: Param<{ hashes: readonly string[] }>) {
  return sql.selectFrom('declared_value').select(['hash', 'value']).where('hash', 'in', param.list('hashes'));
}

function domainsInOrder(param: Param<BrandPage>) {
  return sql
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'brand')
    .where('declaration', 'is not', null)
    .where('key', '>', param('after'))
    .orderBy('key')
    .limit(param('limit'))
    .offset(param('skipped'));
}

function housesNaming(param: Param<{ domain: string; limit: number }>) {
  return sql
    .selectFrom('reference_to')
    .select('declarer')
    .where('domain', '=', param('domain'))
    .where('file', '=', 'brand')
    .where('reason', '=', 'brand')
    .orderBy('declarer')
    .limit(param('limit'));
}

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
function createDomainsWithWords(store: SqlStore) {
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
