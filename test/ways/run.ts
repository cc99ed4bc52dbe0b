import { readdirSync } from 'node:fs';
import type { Way } from './files-that-run.ts';

/** Each file `*.way.ts` beside this one measures one way through the code, in a process that loads nothing else. */
export interface MeasuredWay {
  readonly name: string;
  /** Files that the way may take at most. */
  readonly bound: number;
  measure(): Promise<Way>;
}

const names = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.way.ts'));
const list = process.argv.includes('--files');
let failed = 0;
for (const file of names.toSorted()) {
  const { way } = (await import(`./${file}`)) as { readonly way: MeasuredWay };
  const { files, functions } = await way.measure();
  if (files.length > way.bound || files.length === 0) failed += 1;
  process.stdout.write(
    `${way.name}: ${files.length} files of ours (at most ${way.bound}), ${functions} functions\n`,
  );
  if (list) process.stdout.write(`${files.map((path) => `  ${path}\n`).join('')}`);
}
process.exit(failed > 0 ? 1 : 0);
