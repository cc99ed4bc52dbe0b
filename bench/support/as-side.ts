import { once } from 'node:events';
import type { Cost } from './side.ts';

/** The other end of `runSide`: does the work with the input, and sends what it cost. */
export async function asSide<Input, Result>(work: (input: Input) => Promise<Result>): Promise<void> {
  const input = await sideInput<Input>();
  const started = performance.now();
  const before = process.cpuUsage();
  const result = await work(input);
  const { user, system } = process.cpuUsage(before);
  const cost: Cost<Result> = {
    cpuMs: (user + system) / 1_000,
    wallMs: performance.now() - started,
    peakRssMiB: process.resourceUsage().maxRSS / 1_024,
    result,
  };
  await new Promise<void>((resolve, reject) => {
    process.send?.(cost, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  process.disconnect();
}

/** What the side was started with: the first message. */
export async function sideInput<Input>(): Promise<Input> {
  const [{ input }] = (await once(process, 'message')) as [{ readonly input: Input }];
  return input;
}

/** The other end of `startSide`: says that it is ready, answers messages, and stops when its parent is gone. */
export function asServer<Ready>(ready: Ready, answer: (message: unknown) => unknown, stop: () => void): void {
  process.on('message', (message) => process.send?.(answer(message)));
  process.on('disconnect', stop);
  process.send?.(ready);
}
