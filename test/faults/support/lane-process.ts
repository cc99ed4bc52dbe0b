/** A lane: runs the faults whose names its parent sends, one after the other, with engines of its own. */
import { createEngines } from './engines.ts';
import { runFault } from './lane.ts';

const [scale, seed] = process.argv.slice(2).map(Number) as [number, number];
const engines = createEngines((line) => void process.stderr.write(`${line}\n`));
// a Ctrl-C in the terminal reaches the parent too, and its end is ours
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.on('message', (name: string) => {
  void runFault(name, { scale, seed, engines }).then((result) => process.send?.(result));
});

process.once('disconnect', () => {
  // at once: a fault that broke off may have left something open
  void engines.stop().finally(() => process.exit(0));
});
