import type { JobKind } from '../../ports/job-queue.ts';

/** The jobs that this process has taken and not returned. */
export interface HeldJobs {
  add(kind: JobKind, ids: readonly string[]): void;
  drop(kind: JobKind, ids: readonly string[]): void;
  stop(): void;
}

/** Sends a heartbeat for all held jobs every `everyMs`; failures go to `onFault`. */
export function createHeldJobs(
  touch: (kind: JobKind, ids: string[]) => Promise<unknown>,
  everyMs: number,
  onFault: (error: unknown) => void,
): HeldJobs {
  const held = new Map<JobKind, Set<string>>();
  let touching = false;
  const touchAll = async () => {
    if (touching) return; // do not pile up requests on a database that hangs
    touching = true;
    try {
      for (const [kind, ids] of held) if (ids.size > 0) await touch(kind, [...ids]);
    } catch (error) {
      onFault(error);
    } finally {
      touching = false;
    }
  };
  const timer = setInterval(() => void touchAll(), everyMs);
  return {
    add(kind, ids) {
      const known = held.get(kind) ?? new Set();
      for (const id of ids) known.add(id);
      held.set(kind, known);
    },
    drop(kind, ids) {
      for (const id of ids) held.get(kind)?.delete(id);
    },
    stop: () => clearInterval(timer),
  };
}
