import { setImmediate as afterTheAnswer } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { OwnerStore, OwnersLook } from '../ports/owners.ts';
import { createOnceAnHour } from './once-an-hour.ts';

export interface OwnersLooks {
  note(look: OwnersLook, now: number, log: FastifyBaseLogger): void;
  /** Resolves when all that was noted is written down, or told of in the log. */
  settled(): Promise<void>;
}

/**
 * Writes down which owner has looked at the runs of its agent, beside the answer: nobody waits for it, and a store that
 * cannot be written keeps nobody from reading; the log then says what the audit log does not. One after the other, so
 * that they hold one connection to the store and no more.
 */
export function createOwnersLooks(owners: Pick<OwnerStore, 'noteLook'>): OwnersLooks {
  const isFirst = createOnceAnHour();
  let last: Promise<void> = Promise.resolve();
  return {
    note(look, now, log) {
      const { agent, keyId: key, runId: run } = look;
      if (!isFirst(JSON.stringify([key, agent, run]), now)) return;
      last = last
        .then(() => afterTheAnswer())
        .then(() => owners.noteLook(look, now))
        .catch((err) => log.warn({ err, key, agent, run }, "an owner's look could not be written down"));
    },
    settled: () => last,
  };
}
