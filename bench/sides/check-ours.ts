import type { Sign } from '../../src/compliance/conversation/identities.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { readSigningKey } from '../../src/signing/private-key.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { createSigningFetch } from '../../src/signing/sign.ts';
import { asSide } from '../support/as-side.ts';
import { cpuMs } from '../support/cpu.ts';
import { type RecordedCall, recording } from '../support/recorded-calls.ts';
import { type PublicSet, runnerOf, type Subject, stepsOf } from '../support/runner-of.ts';

export interface CheckInput {
  readonly subject: Subject;
  readonly connectTo: readonly string[];
  /** A private one, with which all requests are signed. */
  readonly key?: Jwk;
  /** Default: our own bundle. */
  readonly publicSet?: PublicSet | undefined;
  /** Runs before those that count. */
  readonly warmUp: number;
  readonly runs: number;
}

export interface CheckResult {
  /** Steps that were run, in one run. */
  readonly steps: number;
  /** Of a run, and of the first one of this process with all that it loads. */
  readonly cpuMs: number;
  readonly firstCpuMs: number;
  /** What the last run of the warm-up sent. */
  readonly calls: readonly RecordedCall[];
}

/** Run after run against one agent, as a process does that tests agents all day. */
await asSide(
  async ({ subject, connectTo, key, publicSet, warmUp, runs }: CheckInput): Promise<CheckResult> => {
    const begun = cpuMs();
    const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
    const sign = key && (await signerOf(key));
    const run = await runnerOf(fetcher, { sign, publicSet });
    const steps = stepsOf(await run(subject));
    const firstCpuMs = cpuMs() - begun;
    for (let at = 1; at < warmUp; at += 1) await run(subject);
    const recorded = recording(fetcher);
    await (await runnerOf(recorded.fetcher, { sign, publicSet }))(subject);
    const before = cpuMs();
    for (let at = 0; at < runs; at += 1) await run(subject);
    const spent = cpuMs() - before;
    await fetcher.close();
    return { steps, cpuMs: spent / runs, firstCpuMs, calls: recorded.calls };
  },
);

async function signerOf(jwk: Jwk): Promise<Sign> {
  const key = await readSigningKey(jwk);
  return (fetch) => createSigningFetch(fetch, { kind: 'request', profile: '3.2', clock: systemClock, key });
}
