import {
  type AliasedExpression,
  type CompiledQuery,
  createQueryId,
  DummyDriver,
  type Expression,
  Kysely,
  type LimitNode,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RootOperationNode,
  sql as rawSql,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type ValueNode,
} from 'kysely';
import { type RowSet, rowSetOf, type SetShape, Slot } from './row-sets.ts';
import type { Tables } from './schema.ts';
import type { Dialect, Prepared, SqlStore, SqlTask, Statement } from './sql-tasks.ts';

/** Builds queries; it never runs one, so it holds no connection. How they are run: `sql-tasks.ts`. */
export const sql = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Stands in a query for a value that is given at each run: `where('key', '=', param('key'))`. */
export interface Param<Input> {
  <Name extends keyof Input & string>(name: Name): Input[Name];
  /** For a list of texts: `where('agent', 'in', param.list('agents'))`. */
  list<Name extends keyof Input & string>(name: Name): Expression<string>;
  /** Such a list as a table to select from: `listed` with the one column `value`, in the list's order. */
  listed<Name extends keyof Input & string>(name: Name): AliasedExpression<{ value: string }, 'listed'>;
  /** The greater of two numbers; the engines have different names for it. */
  greater(a: Expression<number>, b: Expression<number>): Expression<number>;
}

type Engine = Pick<SqlStore, 'dialect'>;
type Built = ReturnType<typeof compile>;

/** Any query of Kysely's, built from tables or written as a text with its `sql` tag. */
type Query<Row> = OperationNodeSource & { compile(executor: never): CompiledQuery<Row> };

/**
 * Builds a query at its first use and keeps its text, with the constants in it: a partial index (`WHERE done = 0`) is chosen
 * only where it shows them. With a `shape`, many that are run together become one statement where that costs less.
 */
export function prepare<Input, Row>(
  { dialect }: Engine,
  build: (param: Param<Input>) => Query<Row>,
  shape?: SetShape<Input>,
): Prepared<Input, Row> {
  let [built, form]: [built?: Built, form?: RowSet] = [];
  const query = () => build(paramOf<Input>(dialect));
  const statement = (input: Input, wants: Statement['wants']): Statement => {
    built ??= builtFor(wants, dialect, builtOnce(dialect, build, query));
    const given = input as Readonly<Record<string, unknown>>;
    const values = built.parameters.map(
      (value) => (value instanceof Slot ? valueFor(value, given[value.name], dialect) : value), // a constant of a plain list of values
    );
    if (shape === undefined || dialect === 'sqlite') return { text: built.text, values, wants };
    form ??= rowSetOf(query().toOperationNode() as RootOperationNode, shape);
    return { text: built.text, values, wants, set: { form, input: given } };
  };
  return {
    *all(input) {
      return (yield statement(input, 'rows')) as Row[];
    },
    *first(input) {
      return (yield statement(input, 'row')) as Row | undefined;
    },
    *run(input) {
      return (yield statement(input, 'count')) as number;
    },
    *firstEach(inputs) {
      return (yield { each: inputs.map((input) => statement(input, 'row')) }) as (Row | undefined)[];
    },
    *runEach(inputs) {
      return (yield { each: inputs.map((input) => statement(input, 'count')) }) as number[];
    },
    *insertEach(inputs) {
      return (yield { each: inputs.map((input) => statement(input, 'id')) }) as number[];
    },
  };
}

/** The rows of a query whose text is built now: for rare work, where its shape depends on what is wanted. */
export function* all<Row>(engine: Engine, query: Query<Row>): SqlTask<Row[]> {
  return (yield statementOf(engine, query, 'rows')) as Row[];
}

/** The first row of such a query. */
export function* first<Row>(engine: Engine, query: Query<Row>): SqlTask<Row | undefined> {
  return (yield statementOf(engine, query, 'row')) as Row | undefined;
}

/** Runs such a query that writes; returns the number of rows changed. */
export function* run(engine: Engine, query: Query<unknown>): SqlTask<number> {
  return (yield statementOf(engine, query, 'count')) as number;
}

function statementOf({ dialect }: Engine, query: OperationNodeSource, wants: Statement['wants']): Statement {
  const compiler = dialect === 'sqlite' ? new SqliteCompiler() : new PostgresQueryCompiler();
  const { text, parameters } = compile(compiler, query);
  return { text, values: parameters.map(storable), wants };
}

/** PostgreSQL has no NUL in a text (https://www.postgresql.org/docs/current/datatype-character.html), so neither engine is given one. */
export function storable(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Parses a JSON column; null stays undefined. The text was written by this program, so its shape is known. */
export function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** The JSON text of a column; undefined becomes null. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** SQLite says the id of a new row by itself, and to return it takes as long as the insert. */
function builtFor(wants: Statement['wants'], dialect: Dialect, built: Built): Built {
  const isSaid = wants === 'id' && dialect === 'sqlite';
  return isSaid ? { ...built, text: built.text.replace(/ returning "id"$/, '') } : built;
}

/** By what builds them: a process that opens many stores builds a text once. */
const BUILT = { sqlite: new WeakMap<object, Built>(), postgres: new WeakMap<object, Built>() } as const;

function builtOnce(dialect: Dialect, build: object, query: () => OperationNodeSource): Built {
  const built = BUILT[dialect].get(build) ?? compile(new CONSTANTS_IN_TEXT[dialect](), query());
  BUILT[dialect].set(build, built);
  return built;
}

function compile(compiler: SqliteQueryCompiler | PostgresQueryCompiler, query: OperationNodeSource) {
  const built = compiler.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId());
  return { text: built.sql, parameters: built.parameters };
}

function paramOf<Input>(dialect: Dialect): Param<Input> {
  const param = ((name: string) => new Slot(name, false)) as unknown as Param<Input>;
  param.list = (name) => {
    const slot = new Slot(name, true);
    return dialect === 'sqlite'
      ? rawSql<string>`(select value from json_each(${slot}))`
      : rawSql<string>`(select unnest(${slot}::text[]))`;
  };
  param.listed = (name) => {
    const slot = new Slot(name, true);
    return dialect === 'sqlite'
      ? rawSql<{ value: string }>`json_each(${slot})`.as('listed')
      : rawSql<{ value: string }>`unnest(${slot}::text[])`.as<'listed'>(rawSql`listed(value)`);
  };
  param.greater = (a, b) =>
    dialect === 'sqlite' ? rawSql<number>`max(${a}, ${b})` : rawSql<number>`greatest(${a}, ${b})`;
  return param;
}

function valueFor({ isList }: Slot, value: unknown, dialect: Dialect): unknown {
  if (!isList) return storable(value);
  const list = (value as readonly string[]).map(storable);
  return dialect === 'sqlite' ? JSON.stringify(list) : list;
}

/** Without locks of rows: here the one writer holds the whole file. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate' && node.modifier !== 'ForKeyShare') super.visitSelectModifier(node);
  }
}

class SqliteWithConstants extends SqliteCompiler {
  protected override visitValue(node: ValueNode): void {
    if (node.value instanceof Slot) super.visitValue(node);
    else this.appendImmediateValue(node.value);
  }

  /** With a bare `limit ?` SQLite plans the statement again at each run, to look at the value (`sqlite3ExprIsInteger`, 3.46). */
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }
}

class PostgresWithConstants extends PostgresQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    if (node.value instanceof Slot) super.visitValue(node);
    else this.appendImmediateValue(node.value);
  }
}

const CONSTANTS_IN_TEXT = { sqlite: SqliteWithConstants, postgres: PostgresWithConstants } as const;
