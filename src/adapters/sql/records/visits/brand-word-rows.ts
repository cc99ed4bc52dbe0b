import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

interface BrandWord {
  readonly domain: string;
  readonly word: string;
}

/** Makes the words of a domain's brands those of a new declaration. Inside the caller's transaction. */
type BrandWordWriter = (domain: string, words: readonly string[], hadRows: boolean) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createBrandWordWriter(store: SqlStore): BrandWordWriter {
  const selectWords = prepare(store, wordsOfDomain);
  const insert = prepare(store, newWord);
  const remove = prepare(store, goneWord);
  return function* (domain, words, hadRows) {
    const before = hadRows ? yield* selectWords.all({ domain }) : [];
    const ended = new Set(before.map(({ word }) => word));
    const begun = words.filter((word) => !ended.delete(word));
    yield* together(begun.map((word) => insert.run({ domain, word })));
    yield* together([...ended].map((word) => remove.run({ domain, word })));
  };
}

function wordsOfDomain(param: Param<{ domain: string }>) {
  return sql.selectFrom('brand_word').select('word').where('domain', '=', param('domain'));
}

function newWord(param: Param<BrandWord>) {
  return sql
    .insertInto('brand_word')
    .values({ domain: param('domain'), word: param('word') })
    .onConflict((known) => known.columns(['domain', 'word']).doNothing());
}

function goneWord(param: Param<BrandWord>) {
  return sql.deleteFrom('brand_word').where('domain', '=', param('domain')).where('word', '=', param('word'));
}
