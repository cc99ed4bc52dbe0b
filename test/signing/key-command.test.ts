import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askCommand } from '../../src/signing/key-command.ts';

/** A shell script, as operators put before the client of a key service. */
function script(...lines: readonly string[]): readonly string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'registry-command-')), 'keys.sh');
  writeFileSync(file, lines.join('\n'));
  return ['/bin/sh', file];
}

describe('a command for keys', () => {
  it('prints what it is asked for, and is told what to work on', async () => {
    expect(await askCommand(script('cat'), Buffer.from('bytes'))).toBe('bytes');
  });

  it.each([
    ['cannot be started', ['/nowhere/at-all'], 'it could not be started'],
    ['fails', script('exit 3'), 'it exited with 3'],
    ['is killed', script('kill -TERM $$'), 'it exited with SIGTERM'],
    // a shell that is killed leaves the client that it waits for, which holds the pipe
    ['prints too much, also by what it has started', script('yes keys & wait'), 'more than 262144 bytes'],
    [
      'leaves something behind that holds the pipe',
      script('sleep 600 &', 'yes keys'),
      'more than 262144 bytes',
    ],
  ])('gives none when it %s', async (_what, words, why) => {
    await expect(askCommand(words)).rejects.toMatchObject({
      code: 'keys_unavailable',
      message: expect.stringContaining(why),
    });
  });
});
