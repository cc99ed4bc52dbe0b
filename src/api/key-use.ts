import type { FastifyBaseLogger } from 'fastify';
import type { ApiKey, ApiKeyStore } from '../ports/api-keys.ts';
import { createOnceAnHour } from './once-an-hour.ts';

const DAY_MS = 24 * 3_600_000;

export type NoteKeyUse = (key: ApiKey, now: number, log: FastifyBaseLogger) => void;

/**
 * Remembers the day on which a key was used, beside the request: it waits for nothing, and a store that cannot be
 * written keeps nobody from reading. It is tried once an hour for a key, so that such a store does not fill the log.
 */
export function createKeyUse(keys: Pick<ApiKeyStore, 'noteUse'>): NoteKeyUse {
  const isFirst = createOnceAnHour();
  return ({ id, lastUsedAt }, now, log) => {
    if (lastUsedAt !== undefined && now - lastUsedAt < DAY_MS) return;
    if (!isFirst(id, now)) return;
    keys.noteUse(id, now).catch((err) => log.warn({ err, key: id }, 'the use of a key could not be noted'));
  };
}
