/**
 * The effect of abuse on honest callers: each part attacks one part of the system during honest work, and compares that work
 * with the same work undisturbed in the same run.
 *
 *   npm run bench -- abuse [--quick]
 *   node bench/abuse.ts [PART…] [--quick]
 */
import { parseArgs } from 'node:util';
import type { AbusePart } from './abuse/part.ts';

/** Each is `bench/abuse/NAME.ts` with the exported function `measure`. */
const PARTS: Readonly<Record<string, () => Promise<{ readonly measure: AbusePart }>>> = {
  edge: () => import('./abuse/edge.ts'),
  fuzz: () => import('./abuse/fuzz.ts'),
  crawl: () => import('./abuse/crawl.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
for (const name of names) {
  const load = PARTS[name];
  if (load === undefined) {
    console.error(`unknown part ${name}; the parts are ${Object.keys(PARTS).join(', ')}`);
    process.exit(2);
  }
  const { measure } = await load();
  if (!(await measure({ quick: values.quick }))) process.exitCode = 1;
}
