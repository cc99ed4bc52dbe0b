import pRetry from 'p-retry';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isConnectionRejected } from './postgres-error.ts';

/** First wait after a rejected connection; it grows. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Attempts while no connection is open; one that is being opened may be ready by then. */
const TRIES_WITHOUT = 3;

/** pg's pool, and how many of its connections are open: pg counts those that are being made too. */
export class ConnectionPool extends Pool {
  #open = 0;

  constructor(config: PoolConfig) {
    super(config);
    this.on('error', () => {}); // an idle connection broke: the pool drops it, and the next statement makes a new one
    this.on('connect', (client) => {
      this.#open += 1;
      // one that is in use may break outside of any statement too: the next statement on it says so, and nothing else must
      client.on('error', () => {});
    });
    this.on('remove', () => {
      this.#open -= 1;
    });
  }

  /**
   * Returns a connection, which the caller must release. If the server accepts no new connections, this waits for an open
   * one, as long as for a new one. Without an open one it rejects soon.
   */
  async take(): Promise<PoolClient> {
    return pRetry(() => this.connect(), {
      retries: Number.POSITIVE_INFINITY,
      maxRetryTime: this.options.connectionTimeoutMillis ?? 0,
      minTimeout: FIRST_PAUSE_MS,
      maxTimeout: LONGEST_PAUSE_MS,
      shouldRetry: ({ error, attemptNumber }) =>
        isConnectionRejected(error) && (this.#open > 0 || attemptNumber <= TRIES_WITHOUT),
    });
  }
}
