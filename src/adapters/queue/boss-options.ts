import type { ConstructorOptions } from 'pg-boss';
import { clientAt } from '../../records/postgres/live-client.ts';
import type { LiveAddress } from '../live-address.ts';

/** The schema of the queue, beside the tables of the records. */
export const QUEUE_SCHEMA = 'registry_queue';
/** Longer than half a minute for which a database may be frozen; a dead connection is closed after it. */
const QUERY_TIMEOUT_MS = 60_000;

/** Connection and maintenance of the queue; intervals in seconds. */
export function bossOptions(
  { cron, superviseSeconds }: { readonly cron?: boolean; readonly superviseSeconds: number },
  address: LiveAddress<string>,
): ConstructorOptions {
  // the library passes all of this to the pool of `pg`
  const live = { Client: clientAt(address) };
  const connection = { ...live, keepAlive: true, query_timeout: QUERY_TIMEOUT_MS };
  return {
    ...connection,
    connectionString: address.current(),
    application_name: 'registry-queue',
    schema: QUEUE_SCHEMA,
    max: 4,
    schedule: cron ?? false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    cronMonitorIntervalSeconds: Math.min(superviseSeconds * 2, 30),
  };
}
