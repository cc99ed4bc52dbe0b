import {
  type Compilable,
  createQueryId,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RootOperationNode,
  SqliteQueryCompiler,
} from 'kysely';
import { storable } from './prepared.ts';
import type { SqlStore } from './sql-store.ts';
import type { Call, Work } from './work.ts';

type Query<Row> = Compilable<Row> & OperationNodeSource;
type OfDialect = Pick<SqlStore, 'dialect'>;

/** Builds and runs a query that returns rows: for cold paths, where its shape depends on what is asked. */
export function* all<Row>(store: OfDialect, query: Query<Row>): Work<Row[]> {
  return (yield call(store, query, 'rows')) as Row[];
}

/** The first row of such a query. */
export function* first<Row>(store: OfDialect, query: Query<Row>): Work<Row | undefined> {
  return (yield call(store, query, 'row')) as Row | undefined;
}

/** Runs such a query that writes; returns the number of rows changed. */
export function* run(store: OfDialect, query: Query<unknown>): Work<number> {
  return (yield call(store, query, 'count')) as number;
}

function call({ dialect }: OfDialect, query: OperationNodeSource, wants: Call['wants']): Call {
  const compiler = dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler();
  const built = compiler.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId());
  return { text: built.sql, values: built.parameters.map(storable), wants };
}
