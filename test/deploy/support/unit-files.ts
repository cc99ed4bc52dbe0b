import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compose-file.ts';

export const UNITS = join(ROOT, 'deploy/systemd');
/** What the units start; a test puts another path in its place. */
export const INSTALLED = '/opt/agent-registry/bin/agent-registry';

/** Each service with the words of its ExecStart. */
export function serviceCommands(): readonly (readonly [name: string, words: readonly string[]])[] {
  return readdirSync(UNITS)
    .filter((name) => name.endsWith('.service'))
    .map((name) => {
      const line = /^ExecStart=(.+)$/m.exec(readFileSync(join(UNITS, name), 'utf8'))?.[1] ?? '';
      return [name.replace(/^agent-registry-|\.service$/g, ''), line.split(' ')];
    });
}
