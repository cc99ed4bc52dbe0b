import {
  type AliasedExpression,
  type Compilable,
  createQueryId,
  DummyDriver,
  type Expression,
  Kysely,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RootOperationNode,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql as text,
  type ValueNode,
} from 'kysely';
import type { Tables } from './schema.ts';
import type { Dialect, SqlStore } from './sql-store.ts';
import type { Call, Work } from './work.ts';

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
export interface Place<Input> {
  <Name extends keyof Input & string>(name: Name): Input[Name];
  /** For a list of texts: `where('agent', 'in', place.list('agents'))`. */
  list<Name extends keyof Input & string>(name: Name): Expression<string>;
  /** Such a list as a table to select from: `listed` with the one column `value`, in the list's order. */
  listed<Name extends keyof Input & string>(name: Name): AliasedExpression<{ value: string }, 'listed'>;
  /** The greater of two numbers, of which the engines have their own names. */
  greater(a: Expression<number>, b: Expression<number>): Expression<number>;
}

/** A query whose text was built once; running it costs no more than the bare prepared statement. */
export interface Prepared<Input, Row> {
  all(input: Input): Work<Row[]>;
  get(input: Input): Work<Row | undefined>;
  /** Returns the number of rows changed. */
  run(input: Input): Work<number>;
}

class Slot {
  readonly name: string;
  readonly isList: boolean;
  constructor(name: string, isList: boolean) {
    this.name = name;
    this.isList = isList;
  }
}

/**
 * The compilers write the constants of a query into its text and bind only its places: a partial index
 * (`WHERE done = 0`) is chosen only for a text that shows the constant. Constants are ours, never a user's.
 */
class SqlitePlaces extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    if (node.value instanceof Slot) super.visitValue(node);
    else this.appendImmediateValue(node.value);
  }

  /** `for update`: here the one writer holds the whole file. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate') super.visitSelectModifier(node);
  }
}

class PostgresPlaces extends PostgresQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    if (node.value instanceof Slot) super.visitValue(node);
    else this.appendImmediateValue(node.value);
  }
}

/**
 * Builds a query at its first use and keeps its text. `place('name')` marks where the value of that name is bound:
 * `prepare(store, (place: Place<{ key: string }>) => sql.selectFrom('source').where('key', '=', place('key')))`.
 */
export function prepare<Input, Row>(
  { dialect }: Pick<SqlStore, 'dialect'>,
  build: (place: Place<Input>) => Compilable<Row> & OperationNodeSource,
): Prepared<Input, Row> {
  let compiled: { readonly text: string; readonly slots: readonly unknown[] } | undefined;
  const call = (input: Input, wants: Call['wants']): Call => {
    compiled ??= compile(dialect, build(placeOf<Input>(dialect)));
    const given = input as Readonly<Record<string, unknown>>;
    const values = compiled.slots.map(
      (slot) => (slot instanceof Slot ? bound(given[slot.name], slot, dialect) : slot), // a constant of a plain list of values
    );
    return { text: compiled.text, values, wants };
  };
  return {
    *all(input) {
      return (yield call(input, 'rows')) as Row[];
    },
    *get(input) {
      return (yield call(input, 'row')) as Row | undefined;
    },
    *run(input) {
      return (yield call(input, 'count')) as number;
    },
  };
}

function placeOf<Input>(dialect: Dialect): Place<Input> {
  const place = ((name: string) => new Slot(name, false)) as unknown as Place<Input>;
  place.list = (name) => {
    const slot = new Slot(name, true);
    return dialect === 'sqlite'
      ? text<string>`(select value from json_each(${slot}))`
      : text<string>`(select unnest(${slot}::text[]))`;
  };
  place.listed = (name) => {
    const slot = new Slot(name, true);
    return dialect === 'sqlite'
      ? text<{ value: string }>`json_each(${slot})`.as('listed')
      : text<{ value: string }>`unnest(${slot}::text[])`.as<'listed'>(text`listed(value)`);
  };
  place.greater = (a, b) =>
    dialect === 'sqlite' ? text<number>`max(${a}, ${b})` : text<number>`greatest(${a}, ${b})`;
  return place;
}

function compile(dialect: Dialect, query: OperationNodeSource) {
  const compiler = dialect === 'sqlite' ? new SqlitePlaces() : new PostgresPlaces();
  const built = compiler.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId());
  return { text: built.sql, slots: built.parameters };
}

function bound(value: unknown, { isList }: Slot, dialect: Dialect): unknown {
  if (!isList) return storable(value);
  const list = (value as readonly string[]).map(storable);
  return dialect === 'sqlite' ? JSON.stringify(list) : list;
}

/** PostgreSQL has no NUL in a text (https://www.postgresql.org/docs/current/datatype-character.html), so neither engine is given one. */
export function storable(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
