import { asSide } from '../support/as-side.ts';
import { bareClients } from '../support/bare-clients.ts';
import { cpuMs } from '../support/cpu.ts';
import type { RecordedCall } from '../support/recorded-calls.ts';

export interface BareInput {
  /** Where any client reaches the agent. */
  readonly url: string;
  readonly calls: readonly RecordedCall[];
  readonly warmUp: number;
  readonly runs: number;
}

/** The calls of a run over and over, and nothing else; resolves the CPU milliseconds of one round. */
await asSide(async ({ url, calls, warmUp, runs }: BareInput): Promise<number> => {
  const replay = bareClients(url);
  const round = async () => {
    for (const call of calls) await replay(call);
  };
  for (let at = 0; at < warmUp; at += 1) await round();
  const before = cpuMs();
  for (let at = 0; at < runs; at += 1) await round();
  return (cpuMs() - before) / runs;
});
