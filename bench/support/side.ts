import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What one side of a comparison cost: a process of its own, so that no side pays for another's garbage. */
export interface Cost<Result> {
  /** User and system time of the process while it worked, loading its modules not counted. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakRssMiB: number;
  readonly result: Result;
}

/** A server in a process of its own. */
export interface Serving<Reply> {
  /** Asks it something; it answers each message with one. */
  ask(message: unknown): Promise<Reply>;
  stop(): Promise<void>;
}

/** Runs `bench/sides/NAME.ts` (of `engines/NAME`, bench/engines/sides/NAME.ts) with an input in a process of its own, and resolves what it cost. */
export async function runSide<Result>(name: string, input: unknown): Promise<Cost<Result>> {
  const child = start(name, input);
  const answer = reply<Cost<Result>>(child);
  try {
    return await answer;
  } finally {
    await ended(child);
  }
}

/** Starts `bench/sides/NAME.ts` as a server; resolves with what it says first. */
export async function startSide<Ready, Reply>(
  name: string,
  input: unknown,
): Promise<Serving<Reply> & { readonly ready: Ready }> {
  const child = start(name, input);
  const ready = await reply<Ready>(child);
  return {
    ready,
    ask(message) {
      const answer = reply<Reply>(child);
      child.send(message as object);
      return answer;
    },
    async stop() {
      child.disconnect();
      await ended(child);
    },
  };
}

function start(name: string, input: unknown): ChildProcess {
  const place = name.replace(/^engines\//, '../engines/sides/');
  const path = new URL(`../sides/${place}.ts`, import.meta.url).pathname;
  const child = fork(path, { execArgv: profileFlags(name), serialization: 'advanced' });
  child.send({ input });
  return child;
}

/** `BENCH_PROFILE=DIR` leaves a CPU profile of every side there. */
function profileFlags(name: string): string[] {
  const dir = process.env.BENCH_PROFILE;
  const file = `${name.replaceAll('/', '-')}-${Date.now()}.cpuprofile`;
  return dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${file}`];
}

function reply<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => {
      child.off('message', answered);
      reject(new Error(`a side of the benchmark ended with ${code} before it answered`));
    };
    const answered = (message: unknown) => {
      child.off('exit', gone);
      resolve(message as T);
    };
    child.once('exit', gone);
    child.once('message', answered);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
