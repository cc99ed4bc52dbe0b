import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadBadgeKeys } from '../../src/signing/badge-keys.ts';
import { readSealingKeys } from '../../src/signing/sealing-keys.ts';
import { makeKeys } from './support/make-keys.ts';

it('the keys of the compose file are made once, in files that only their owner can read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // a first start that was cut off: the folder is there, and the key is not
  mkdirSync(join(folder, 'badge-keys/new'), { recursive: true });
  await makeKeys(folder);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
  expect(files.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  const before = files.map((path) => readFileSync(path, 'utf8'));
  expect(await makeKeys(folder)).toBe('make-keys: the keys exist\n');
  expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);

  const { files: badges } = await loadBadgeKeys(join(folder, 'badge-keys/keys'), Date.now());
  expect(badges.length).toBe(1);
  expect(readdirSync(join(folder, 'audit-keys/keys'))).toEqual([expect.stringMatching(/^audit/)]);
  expect((await readSealingKeys(join(folder, 'credential-keys/keys.json'))).length).toBe(1);
});
