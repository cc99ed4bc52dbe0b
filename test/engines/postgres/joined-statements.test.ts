import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore, type PostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { type Prepared, type SqlTask, together } from '../../../src/records/sql-tasks.ts';
import { type Param, prepare, sql } from '../../../src/records/statements.ts';
import { freshDatabase } from '../support/engines.ts';

interface Input {
  readonly agent: string;
  readonly tag: string;
  readonly n: number;
}

let store: PostgresStore;
beforeAll(async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  store = createPostgresStore({ url, connections: 1 });
});
afterAll(() => store.close());

const added = (param: Param<Input>) =>
  sql.insertInto('agent_tag').values({ agent: param('agent'), tag: param('tag'), n: param('n') });
const changed = (param: Param<Input>) =>
  sql
    .updateTable('agent_tag')
    .set((row) => ({ n: row('n', '+', param('n')) }))
    .where('agent', '=', param('agent'))
    .where('tag', '=', param('tag'));
const apart = ['agent', 'tag'] as const;

const KINDS = {
  'inserts that do nothing to known rows': (one) =>
    prepare(
      one,
      (param: Param<Input>) =>
        added(param).onConflict((known) => known.columns(['agent', 'tag']).doNothing()),
      { kinds: { n: 'number' } },
    ),
  'inserts that add to known rows': (one) =>
    prepare(
      one,
      (param: Param<Input>) =>
        added(param)
          .onConflict((known) =>
            known.columns(['agent', 'tag']).doUpdateSet((row) => ({
              n: row('agent_tag.n', '+', row.ref('excluded.n')),
            })),
          )
          .returning('n'),
      { kinds: { n: 'number' } },
    ),
  updates: (one) => prepare(one, changed, { kinds: { n: 'number' }, apart }),
  'updates that tell what they made': (one) =>
    prepare(one, (param: Param<Input>) => changed(param).returning(['tag', 'n']), {
      kinds: { n: 'number' },
      apart,
    }),
  deletes: (one) =>
    prepare(
      one,
      (param: Param<Input>) =>
        sql.deleteFrom('agent_tag').where('agent', '=', param('agent')).where('n', '<', param('n')),
      {
        kinds: { n: 'number' },
        apart: ['agent'],
      },
    ),
  'reads of several rows': (one) =>
    prepare(
      one,
      (param: Param<Input>) =>
        sql
          .selectFrom('agent_tag')
          .select(['tag', 'n'])
          .where('agent', '=', param('agent'))
          .orderBy('tag')
          .limit(3),
      { kinds: { n: 'number' } },
    ),
  'reads that lock': (one) =>
    prepare(
      one,
      (param: Param<Input>) =>
        sql
          .selectFrom('agent_tag')
          .selectAll()
          .where('agent', '=', param('agent'))
          .where('tag', '=', param('tag'))
          .forUpdate(),
      { kinds: { n: 'number' } },
    ),
} satisfies Record<string, (one: PostgresStore) => Prepared<Input, object>>;

const text = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'NULL',
    '{}',
    '{"a",b}',
    '\\',
    '"',
    "'",
    'a\0',
    'a\ufffd',
    '\ud800',
    '\udc00',
    '',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const inputs = fc.array(fc.record({ agent: text, tag: text, n: fc.integer({ min: -3, max: 3 }) }), {
  maxLength: 30,
});
const WANTS = ['all', 'first', 'run'] as const;
/** Those that return no rows are asked for counts alone. */
const COUNTED: readonly string[] = ['inserts that do nothing to known rows', 'updates', 'deletes'];

class Undone extends Error {}

/** What a task answers, and the table after it; nothing of it is kept. */
async function outcome(task: () => SqlTask<readonly unknown[]>): Promise<unknown> {
  let seen: unknown;
  const rows = prepare(store, (_: Param<object>) =>
    sql.selectFrom('agent_tag').selectAll().orderBy('agent').orderBy('tag'),
  );
  const run = store.transaction(function* () {
    seen = { answers: yield* task(), rows: yield* rows.all({}) };
    throw new Undone();
  });
  await expect(run).rejects.toThrow(Undone);
  return seen;
}

it.each(Object.entries(KINDS))('%s are answered together as one after the other', async (name, kind) => {
  const known = KINDS['inserts that do nothing to known rows'](store);
  const statement: Prepared<Input, object> = kind(store);
  const wantedOf = COUNTED.includes(name) ? fc.constant('run' as const) : fc.constantFrom(...WANTS);
  await fc.assert(
    fc.asyncProperty(inputs, inputs, wantedOf, async (before, wanted, wants) => {
      const begin = function* (): SqlTask<void> {
        for (const input of before) yield* known.run(input);
      };
      const alone = outcome(function* () {
        yield* begin();
        const answers: unknown[] = [];
        for (const input of wanted) answers.push(yield* statement[wants](input));
        return answers;
      });
      const expected = await alone;
      const asOne = outcome(function* () {
        yield* begin();
        return yield* together<unknown>(wanted.map((input) => statement[wants](input)));
      });
      expect(await asOne).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

it('an insert says of each row which id it was given', async () => {
  const insert = prepare(
    store,
    (param: Param<{ name: string }>) =>
      sql
        .insertInto('property')
        .values({
          publisher: 'news.example',
          property_type: 'website',
          name: param('name'),
          identifiers: '[]',
          tags: '[]',
        })
        .returning('id'),
    {},
  );
  const names = Array.from({ length: 2_500 }, (_, at) => `Property ${at}`);
  const ids = await store.transaction(() => together(names.map((name) => insert.first({ name }))));
  const rows = await store.read(() =>
    prepare(store, (_: Param<object>) => sql.selectFrom('property').select(['id', 'name'])).all({}),
  );
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  expect(ids.map((row) => nameOf.get(row?.id as number))).toEqual(names);
});

it('a statement that fails ends the whole, and none of the others is kept', async () => {
  const insert = prepare(store, added, { kinds: { n: 'number' } });
  const row = { agent: 'twice', tag: 'x', n: 1 };
  await expect(store.transaction(() => together([insert.run(row), insert.run(row)]))).rejects.toThrow();
  const kept = prepare(store, (_: Param<object>) =>
    sql.selectFrom('agent_tag').select('tag').where('agent', '=', 'twice'),
  );
  expect(await store.read(() => kept.all({}))).toEqual([]);
});
