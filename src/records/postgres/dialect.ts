import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
} from 'kysely';
import type { QueryResult as PgResult, PoolClient } from 'pg';
import { storable } from '../database.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUnavailable } from './postgres-error.ts';

/**
 * Kysely's dialect for PostgreSQL, on our pool. Kysely's own driver returns a connection to the pool after any error; here
 * one whose server is gone, or did not answer in time, is closed.
 */
export class PoolDialect extends PostgresDialect {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new PoolDriver(this.#pool);
  }
}

class PoolDriver implements Driver {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(await this.#pool.take());
  }

  async beginTransaction(connection: PoolConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
  }

  /** After an error PostgreSQL answers a commit with a rollback. */
  async commitTransaction(connection: PoolConnection): Promise<void> {
    if ((await connection.query('commit')).command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<PgResult> {
    try {
      return await this.#client.query(text, values.map(storable));
    } catch (error) {
      this.#isBroken ||= isUnavailable(error);
      throw error;
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount } = await this.query(sql, parameters);
    return { rows, ...(rowCount !== null && { numAffectedRows: BigInt(rowCount) }) };
  }

  /** The server rolls back by itself when a connection breaks. */
  async rollback(): Promise<void> {
    if (this.#isBroken) return;
    await this.#client.query('rollback').catch(() => {
      this.#isBroken = true;
    });
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  // biome-ignore lint/correctness/useYield: results are read in pages
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('queries are not streamed');
  }
}
