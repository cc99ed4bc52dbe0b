import { present } from '../../../../base/json.ts';
import type { BrandDeclaration } from '../../../../domain/declaration.ts';
import type { BrandFile, BrandPage, Brands } from '../../../../ports/brands.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { createDomainsWithWords } from './brand-words.ts';

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
