import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/ops/log.ts', import.meta.url).href;
/** Clears, sets a title, goes back, reorders, hides. */
const OBEYED =
  '\u001b[2J|\u001b]0;t\u0007|\u009b2J|\u009d0;t\u009c|\r|\b|\u007f|\u202e|\u2066|\u200b|\u{e0041}';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066]|[\u{e0000}-\u{e007f}]/u;

it('a log for people repeats the words of strangers, and nothing of them that a terminal would obey', () => {
  const script = `const { createLog } = await import(${JSON.stringify(MODULE)});
    const words = ${JSON.stringify(OBEYED)};
    const log = createLog({ level: 'info', pretty: true });
    log.warn({ words, [words]: 1, err: new Error(words) }, 'said: ' + words);`;
  const args = ['--no-warnings', '--input-type=module', '-e', script];
  const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { NO_COLOR: '1' } });
  expect([status, stderr]).toEqual([0, expect.stringContaining('said: ')]);
  expect(RAW.exec(stderr)?.[0]).toBeUndefined();
});
