import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from './support/cli.ts';

async function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = ['--store', `sqlite:${join(folder, 'registry.sqlite')}`];
  expect((await run('sources', 'add', 'one.example', ...store)).code).toBe(0);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  return { folder, file, store };
}

describe('export to a place that is none', () => {
  it.each([
    ['a file where a folder should be', '--to', (file: string) => file, 'give a folder'],
    ['a folder in a file', '--to', (file: string) => join(file, 'exports'), 'give a folder'],
    ['a file in no folder', '--warc', (file: string) => join(file, 'x.warc.gz'), 'give a file'],
  ] as const)('%s: says what is expected', async (_what, flag, place, hint) => {
    const { file, store } = await openStore();
    const { code, stderr } = await run('export', flag, place(file), ...store);
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
    expect(stderr).not.toContain('internal error, please report');
  });
});
