import type { ConstructorOptions } from 'pg-boss';
import { clientAt } from '../../records/postgres/live-client.ts';
import type { LiveAddress } from '../live-address.ts';

/** A schema of its own beside the records' tables; also the name that a database administrator sees. */
export const QUEUE_SCHEMA = 'registry_queue';
/** Longer than a database that is frozen for half a minute; a connection that is dead is given up after it. */
const QUERY_TIMEOUT_MS = 60_000;

/** How the queue connects, and how often it looks after itself, seconds. */
export function bossOptions(
  { cron, superviseSeconds }: { readonly cron?: boolean; readonly superviseSeconds: number },
  address: LiveAddress<string>,
): ConstructorOptions {
  // the library makes a pool of pg's with all that it is given
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
