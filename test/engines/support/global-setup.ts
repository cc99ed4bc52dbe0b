import type { TestProject } from 'vitest/node';
import { RegistryError } from '../../../src/errors.ts';
import { startOpenSearch } from '../start/opensearch.ts';
import { startPostgres } from '../start/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `postgres://…` of a server on which the tests may create databases. */
    readonly postgresUrl: string;
    /** Whether that server outlives the tests, so that they drop what they create there. */
    readonly isPostgresKept: boolean;
    /** `http://127.0.0.1:PORT` of an OpenSearch with no password. */
    readonly openSearchUrl: string;
  }
}

interface Running {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** With a hundred databases the server would begin to vacuum one of them every half second; none lives long enough to need it. */
const NO_HOUSEWORK = { autovacuum: 'off' };

/** Starts both engines once for all files, or takes those of ENGINES_POSTGRES and ENGINES_OPENSEARCH. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, openSearch] = await Promise.all([
    given('ENGINES_POSTGRES') ?? startPostgres({ settings: NO_HOUSEWORK }),
    given('ENGINES_OPENSEARCH') ?? startOpenSearch({ shortLived: true }),
  ]).catch(withHint);
  project.provide('postgresUrl', postgres.url);
  project.provide('isPostgresKept', given('ENGINES_POSTGRES') !== undefined);
  project.provide('openSearchUrl', openSearch.url);
  return async () => {
    await Promise.all([postgres.stop(), openSearch.stop()]);
  };
}

function given(variable: string): Running | undefined {
  const url = process.env[variable];
  return url === undefined || url === '' ? undefined : { url, stop: async () => {} };
}

/** Vitest prints only an error's message. */
function withHint(error: unknown): never {
  if (error instanceof RegistryError) throw new Error(`${error.message}\n${error.hint ?? ''}`);
  throw error;
}
