import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** What somebody got who asked for the list of agents. */
export interface ListAnswer {
  /** 0: no answer at all. */
  readonly status: number;
  /** The addresses, in their order; empty unless the status is 200. */
  readonly agents: readonly string[];
  readonly names: readonly string[];
  readonly retryAfter: string | null;
  /** From the request to the last byte, without what the machine held up this process and the asked one meanwhile. */
  readonly ms: number;
  /** The beginning of what was sent instead of a list. */
  readonly text: string;
}

/** What an answer is, in a word; `wrong` is what must never be. */
export interface Judged {
  readonly as: string;
  readonly wrong?: string;
}

/** Somebody who asks for the whole list all the while, one question after the other. */
export interface ListReader {
  /** How often each kind of answer came so far. */
  count(as: string): number;
  /** The last answer's kind. */
  last(): string | undefined;
  /** Ends it after one more answer. */
  stop(): Promise<{ readonly reads: number; readonly wrong: readonly string[]; readonly kinds: string }>;
}

const BETWEEN_MS = 20;
const DEADLINE_MS = 30_000;
const RESOLUTION_MS = 10;
const NONE = { agents: [], names: [] } as const;

/** `pid` is the process that is asked: what it waited for a processor is not its answer's time. */
export async function askList(url: string, pid?: number): Promise<ListAnswer> {
  const held = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  held.enable();
  const waited = waitedMs(pid);
  const askedAt = performance.now();
  const elapsed = () =>
    performance.now() - askedAt - Math.max(0, held.max / 1e6 - RESOLUTION_MS) - (waitedMs(pid) - waited);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const text = await answer.text();
    const head = { status: answer.status, retryAfter: answer.headers.get('retry-after'), ms: elapsed() };
    if (answer.status !== 200) return { ...head, ...NONE, text: text.slice(0, 300) };
    const { agents } = JSON.parse(text) as { readonly agents: readonly { url: string; name: string }[] };
    return { ...head, agents: agents.map(({ url }) => url), names: agents.map(({ name }) => name), text: '' };
  } catch (error) {
    return { status: 0, ...NONE, retryAfter: null, ms: elapsed(), text: String(error) };
  } finally {
    held.disable();
  }
}

/** How long the main thread of a process was ready to run and had no processor, since it began, milliseconds. */
function waitedMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0; // it has ended, or the system does not say
  }
}

export function startListReader(
  url: string,
  judge: (answer: ListAnswer) => Judged,
  pid?: number,
): ListReader {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  let last: string | undefined;
  let asks = true;
  const ask = async () => {
    const judged = judge(await askList(url, pid));
    last = judged.as;
    counts.set(judged.as, (counts.get(judged.as) ?? 0) + 1);
    if (judged.wrong !== undefined) wrong.push(judged.wrong);
  };
  const reading = (async () => {
    while (asks) {
      await ask();
      await pause(BETWEEN_MS);
    }
    await ask();
  })();
  return {
    count: (as) => counts.get(as) ?? 0,
    last: () => last,
    async stop() {
      asks = false;
      await reading;
      const reads = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const kinds = [...counts].map(([as, count]) => `${count} × ${as}`).join(', ');
      return { reads, wrong, kinds };
    },
  };
}

/** Longest that somebody waits to hear that the index is away (the project's own promise), milliseconds. */
const PROMISED_MS = 2_000;

/** For a time in which the index may be away: a whole list (`whole` says which), or a prompt 503 with Retry-After. */
export function wholeOr503(
  whole: (agents: readonly string[]) => string | undefined,
): (answer: ListAnswer) => Judged {
  return ({ status, agents, retryAfter, ms, text }) => {
    if (status === 200) {
      const as = whole(agents);
      return as === undefined ? { as: 'a part', wrong: `a part: ${agents.length} agents` } : { as };
    }
    if (status !== 503) return { as: `${status}`, wrong: `${status} ${text}` };
    if (retryAfter === null) return { as: '503', wrong: '503 without Retry-After' };
    if (ms > PROMISED_MS) return { as: '503', wrong: `503 after ${Math.round(ms)} ms` };
    return { as: '503' };
  };
}

export function sameAgents(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((url, at) => url === b[at]);
}
