import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { ROOT } from './compose-file.ts';

/** Runs the service `keys` with its volumes in a folder of this machine; resolves with what it printed. */
export async function makeKeys(folder: string): Promise<string> {
  const volumes = Object.fromEntries(
    ['badge', 'audit', 'credential'].map((kind) => [
      `${kind.toUpperCase()}_KEYS`,
      join(folder, `${kind}-keys`),
    ]),
  );
  for (const path of Object.values(volumes)) mkdirSync(path, { recursive: true });
  const env = {
    ...COMPILE_CACHE,
    ...volumes,
    PROGRAM: join(ROOT, 'bin/agent-registry.mjs'),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  const script = join(ROOT, 'deploy/compose/make-keys.sh');
  return (await promisify(execFile)('bash', [script], { env })).stdout;
}
