import { setTimeout as pause } from 'node:timers/promises';

/** Somebody who asks the API all the while. */
export interface SteadyReader {
  /** Ends it; resolves with how often it asked, and what it got that was not 200. */
  stop(): Promise<{ readonly reads: number; readonly failures: readonly string[] }>;
}

const BETWEEN_MS = 20;
const DEADLINE_MS = 30_000;

export function startReader(url: string): SteadyReader {
  let asks = true;
  let reads = 0;
  const failures: string[] = [];
  const reading = (async () => {
    while (asks) {
      reads += 1;
      const failure = await failureOf(url);
      if (failure !== undefined) failures.push(failure);
      await pause(BETWEEN_MS);
    }
  })();
  return {
    async stop() {
      asks = false;
      await reading;
      return { reads, failures };
    },
  };
}

async function failureOf(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const body = await answer.text();
    return answer.status === 200 ? undefined : `${answer.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return String(error);
  }
}
