import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../bin/agent-registry.mjs', import.meta.url));
/** Says on stderr with which flags a process was started. */
const TELL = `data:text/javascript,process.stderr.write('flags:'+process.execArgv+';')`;

// Node's default is four threads for the collector. On two cores the thread that answers then waits for a core: 165 of 6,000
// honest requests met such a pause beside abuse, and 38 with one thread.
it.each([
  ['serve', '--v8-pool-size=0,--max-semi-space-size=8'],
  ['crawl', '--max-semi-space-size=16,--heap-growing-percent=100,--max-opt=2'],
  ['heartbeat', '--max-semi-space-size=16,--heap-growing-percent=100'],
])('starts %s with the flags that it needs', (command, flags) => {
  const { stderr } = spawnSync(process.execPath, [LAUNCHER, command, '--no-such-option'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: `--import ${TELL}` },
  });
  expect(stderr).toContain(`flags:${flags};`);
  expect(stderr).toContain('--no-such-option');
});
