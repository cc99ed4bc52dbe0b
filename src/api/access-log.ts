import { setImmediate as afterTheAnswer } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { OwnerAccess } from '../records/owners/audit.ts';
import type { ApiKey, ApiKeyStore } from '../records/owners/keys.ts';
import type { OwnerStore } from '../records/owners/owner-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface OwnerAccessLog {
  note(access: OwnerAccess, now: number, log: FastifyBaseLogger): void;
  /** Resolves when all that was noted is written down, or reported in the log. */
  settled(): Promise<void>;
}

/**
 * Writes down which owner has read the runs of its agent, beside the answer. Nobody waits for it, and a store that cannot
 * be written keeps nobody from reading; the log then says what the audit log does not. One after the other, so that they
 * hold one connection to the store and no more.
 */
export function createOwnerAccessLog(owners: Pick<OwnerStore, 'noteAccess'>): OwnerAccessLog {
  const isFirst = createOnceAnHour();
  let last: Promise<void> = Promise.resolve();
  return {
    note(access, now, log) {
      const { agent, keyId: key, runId: run } = access;
      if (!isFirst(JSON.stringify([key, agent, run]), now)) return;
      last = last
        .then(() => afterTheAnswer())
        .then(() => owners.noteAccess(access, now))
        .catch((err) => log.warn({ err, key, agent, run }, 'owner access could not be recorded'));
    },
    settled: () => last,
  };
}

/**
 * Remembers the day on which a key was used, beside the request. It waits for nothing, and a store that cannot be written
 * keeps nobody from reading. It is tried once an hour for a key, so that such a store does not fill the log.
 */
export function createKeyUseLog(
  keys: Pick<ApiKeyStore, 'noteUse'>,
): (key: ApiKey, now: number, log: FastifyBaseLogger) => void {
  const isFirst = createOnceAnHour();
  return ({ id, lastUsedAt }, now, log) => {
    if (lastUsedAt !== undefined && now - lastUsedAt < DAY_MS) return;
    if (!isFirst(id, now)) return;
    keys
      .noteUse(id, now)
      .catch((err) => log.warn({ err, key: id }, 'use of an API key could not be recorded'));
  };
}

/** Whether something is done for the first time in an hour, by its name; true is remembered as done, in this process. */
function createOnceAnHour(): (name: string, now: number) => boolean {
  const doneAt = new Map<string, number>(); // oldest first
  return (name, now) => {
    for (const [done, at] of doneAt) {
      // what lies ahead is of a clock that has been put back
      if (at <= now && now - at < HOUR_MS) break;
      doneAt.delete(done);
    }
    if (doneAt.has(name)) return false;
    doneAt.set(name, now);
    return true;
  };
}
