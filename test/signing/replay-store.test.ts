import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openReplayStore } from '../../src/records/sqlite/replay-store.ts';
import { tempFolder } from '../cli/support/cli.ts';

const seen = (nonce: string, until = 100) => ({ key: 'k', nonce, until });
const folder = tempFolder;

describe('the replay store', () => {
  it('knows a nonce of a key the second time, also after it was closed', async () => {
    const path = join(folder(), 'nonces.sqlite');
    const before = openReplayStore(path);
    expect(await before.remember(seen('a'), 1)).toBe(true);
    expect(await before.remember(seen('a'), 1)).toBe(false);
    await before.close();
    const after = openReplayStore(path);
    expect(await after.remember(seen('a'), 1)).toBe(false);
    expect(await after.remember({ ...seen('a'), key: 'other' }, 1)).toBe(true);
    await after.close();
  });

  it('is full for a key that has used its allowance, for no other, and for as long as its nonces count', async () => {
    const store = openReplayStore(':memory:');
    for (const nonce of ['a', 'b', 'c']) await store.remember(seen(nonce), 1);
    expect(await store.isFull('k', 1, 4)).toBe(false);
    expect(await store.isFull('k', 1, 3)).toBe(true);
    expect(await store.isFull('other', 1, 1)).toBe(false);
    expect(await store.isFull('k', 101, 1)).toBe(false);
    await store.close();
  });

  it('is shared by processes, and outlives one that is killed', async () => {
    const path = join(folder(), 'nonces.sqlite');
    const script = join(folder(), 'remember.ts');
    const module = new URL('../../src/records/sqlite/replay-store.ts', import.meta.url).href;
    writeFileSync(
      script,
      `import { openReplayStore } from '${module}';
       const store = openReplayStore(process.argv[2]);
       console.log(await store.remember({ key: 'k', nonce: 'a', until: 100 }, 1));
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(String((await once(child.stdout, 'data'))[0]).trim()).toBe('true');
    child.kill('SIGKILL');
    await once(child, 'close');
    const store = openReplayStore(path);
    expect(await store.remember(seen('a'), 1)).toBe(false);
    await store.close();
  });

  it('forgets what can be accepted no more, and nothing earlier', async () => {
    const store = openReplayStore(':memory:');
    expect(await store.remember(seen('a', 100), 1)).toBe(true);
    expect(await store.remember(seen('a', 100), 100)).toBe(false);
    expect(await store.remember(seen('a', 300), 101)).toBe(true);
    await store.close();
  });

  it('says what is wrong with a file that is none', async () => {
    const path = join(folder(), 'x.sqlite');
    writeFileSync(path, 'this is no database, but it is long enough to look like one at first sight');
    expect(() => openReplayStore(path)).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
  });
});
