import { pause } from '../../base/back-off.ts';
import type { SignedAudit } from '../../compose/audit.ts';
import type { Logger } from '../../ops/log.ts';

const HOUR_MS = 3_600_000;

/**
 * Signs and keeps the head of the audit log at once, and every hour when it has moved. Each one stands in the service
 * log, which is kept elsewhere: whoever changes the audit log cannot change it there. What it gives ends it.
 */
export function keepAuditHeads(audit: Pick<SignedAudit, 'takeHead'>, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  const running = keepUntil(stop.signal, audit, log);
  return () => {
    stop.abort();
    return running;
  };
}

async function keepUntil(
  signal: AbortSignal,
  audit: Pick<SignedAudit, 'takeHead'>,
  log: Logger,
): Promise<void> {
  for (let last = 0; !signal.aborted; ) {
    try {
      const head = await audit.takeHead();
      if (head !== undefined && head.record !== last) {
        const { record, hash, token } = head;
        log.info({ record, hash, ...(token !== undefined && { token }) }, 'head of the audit log');
        last = record;
      }
    } catch (err) {
      log.warn({ err }, 'the head of the audit log could not be stored');
    }
    await pause(HOUR_MS, signal);
  }
}
