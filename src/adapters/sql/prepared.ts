import type { SQLInputValue } from 'node:sqlite';
import {
  type Compilable,
  createQueryId,
  DummyDriver,
  Kysely,
  type OperationNodeSource,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type ValueNode,
} from 'kysely';
import type { SqliteDatabase } from './database.ts';
import type { Tables } from './schema.ts';

/** Builds query texts; it never runs one, so it holds no connection. */
export const sql = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Stands in a query for a value that is given at each run. */
export type Place<Input> = <Name extends keyof Input & string>(name: Name) => Input[Name];

/** A query whose text was built once; running it costs no more than the bare prepared statement. */
export interface Prepared<Input, Row> {
  all(input: Input): Row[];
  get(input: Input): Row | undefined;
  /** Row by row, for a reader that stops when it has enough. */
  each(input: Input): Iterable<Row>;
  /** Returns the number of rows changed. */
  run(input: Input): number;
}

class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Writes the constants of a query into its text and binds only its places: a partial index (`WHERE done = 0`) is
 * chosen only for a text that shows the constant. Constants are ours, never a user's.
 */
class PlacesCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    if (node.value instanceof Slot) super.visitValue(node);
    else this.appendImmediateValue(node.value);
  }
}

/**
 * Builds a query at its first use and keeps its text. `place('name')` marks where the value of that name is bound:
 * `prepare(database, (place: Place<{ key: string }>) => sql.selectFrom('source').where('key', '=', place('key')))`.
 */
export function prepare<Input, Row>(
  database: SqliteDatabase,
  build: (place: Place<Input>) => Compilable<Row> & OperationNodeSource,
): Prepared<Input, Row> {
  let text: string | undefined;
  let bound: readonly unknown[] = [];
  const statement = () => {
    if (text === undefined) {
      const query = build(((name: string) => new Slot(name)) as Place<Input>);
      const compiled = new PlacesCompiler().compileQuery(
        query.toOperationNode() as RootOperationNode,
        createQueryId(),
      );
      bound = compiled.parameters;
      text = compiled.sql;
    }
    return database.statement(text);
  };
  const values = (input: Input) => {
    const given = input as Readonly<Record<string, SQLInputValue | undefined>>;
    return bound.map((slot) => (slot instanceof Slot ? (given[slot.name] ?? null) : (slot as SQLInputValue)));
  };
  return {
    all: (input) => statement().all(...values(input)) as Row[],
    get: (input) => statement().get(...values(input)) as Row | undefined,
    each: (input) => statement().iterate(...values(input)) as Iterable<Row>,
    run: (input) => Number(statement().run(...values(input)).changes),
  };
}
