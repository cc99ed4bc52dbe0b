import { sql as rawSql } from 'kysely';
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
  const insert = prepare(store, newWords);
  const remove = prepare(store, goneWord);
  return function* (domain, words, hadRows) {
    const before = hadRows ? yield* selectWords.all({ domain }) : [];
    const ended = new Set(before.map(({ word }) => word));
    const begun = words.filter((word) => !ended.delete(word));
    if (begun.length > 0) yield* insert.run({ domain, words: begun });
    yield* together([...ended].map((word) => remove.run({ domain, word })));
  };
}

function wordsOfDomain(param: Param<{ domain: string }>) {
  return sql.selectFrom('brand_word').select('word').where('domain', '=', param('domain'));
}

/** All in one statement: a brand has a handful, at every first visit. */
function newWords(param: Param<{ domain: string; words: readonly string[] }>) {
  return sql
    .insertInto('brand_word')
    .columns(['domain', 'word'])
    .expression((row) =>
      row
        .selectFrom(param.listed('words'))
        .select((word) => [word.val(param('domain')).as('domain'), 'value as word'])
        .where(rawSql<boolean>`true`),
    )
    .onConflict((known) => known.columns(['domain', 'word']).doNothing());
}

function goneWord(param: Param<BrandWord>) {
  return sql.deleteFrom('brand_word').where('domain', '=', param('domain')).where('word', '=', param('word'));
}
