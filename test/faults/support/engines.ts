import { type OpenSearchEngine, startOpenSearch } from '../../engines/start/opensearch.ts';
import { type PostgresEngine, startPostgres } from '../../engines/start/postgres.ts';

/** The engines that faults share, each started when it is first asked for; whoever breaks one mends it. */
export interface Engines {
  postgres(): Promise<PostgresEngine>;
  openSearch(): Promise<OpenSearchEngine>;
  /** Ends those that were started. */
  stop(): Promise<void>;
}

export function createEngines(log: (line: string) => void): Engines {
  let postgres: Promise<PostgresEngine> | undefined;
  let openSearch: Promise<OpenSearchEngine> | undefined;
  const starting = <T>(name: string, start: () => Promise<T>): Promise<T> => {
    log(`starting ${name}`);
    return start();
  };
  return {
    // durable: what is killed here has to find again what it acknowledged
    postgres: () => (postgres ??= starting('PostgreSQL', () => startPostgres({ durable: true }))),
    openSearch: () => (openSearch ??= starting('OpenSearch', () => startOpenSearch({ shortLived: true }))),
    async stop() {
      const started = await Promise.allSettled([postgres, openSearch]);
      for (const engine of started) if (engine.status === 'fulfilled') await engine.value?.stop();
    },
  };
}
