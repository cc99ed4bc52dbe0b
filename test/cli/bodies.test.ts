import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { answered, domain, sha256 } from '../contract/records-fixtures.ts';
import { fileVisit } from '../contract/records-steps.ts';
import { run, tempFolder } from './support/cli.ts';

afterEach(() => vi.unstubAllEnvs());

/** A store with the text of one file in it. */
async function storeWithText(folder: string, text: string): Promise<string> {
  const path = join(folder, 'store.sqlite');
  const records = await openSqliteRecords({ path });
  const now = records.clock.now();
  await records.sources.add([domain('news.example')], now);
  const [work] = await records.sources.takeDue('domain', 1, now, 60_000);
  if (work === undefined) throw new Error('nothing is due');
  const capture = answered('https://news.example/.well-known/adagents.json', text, now);
  const files = [
    fileVisit(work, 'adagents', { captures: [capture], nextVisitAt: now + 60_000 }),
    fileVisit(work, 'brand', { nextVisitAt: now + 60_000 }),
  ];
  await records.sources.commitDomainVisit({ domain: 'news.example', at: now, files, found: [] });
  await records.close();
  return path;
}

it('prune moves texts to the folder of REGISTRY_BODIES, and doctor looks at it', async () => {
  const folder = tempFolder();
  const store = ['--store', `sqlite:${await storeWithText(folder, 'one')}`];
  const bodies = join(folder, 'bodies');
  vi.stubEnv('REGISTRY_BODIES', `directory:${bodies}`);
  const { code, stdout } = await run('prune', ...store, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ bodies: 0, bodies_moved: 1, bodies_dropped: 0 });
  const hash = sha256('one');
  expect(readdirSync(join(bodies, hash.slice(0, 2)))).toEqual([`${hash}.zst`]);
  expect((await run('prune', ...store)).stdout).toContain('moved 0 bodies (0 bytes), deleted 0');
  const checked = JSON.parse((await run('doctor', ...store, '--json')).stdout);
  expect(checked.checks).toContainEqual({
    name: 'bodies',
    ok: true,
    detail: expect.stringContaining(bodies),
  });
  rmSync(bodies, { recursive: true });
});

it('prune deletes what is past its time although that folder cannot be used, and says so', async () => {
  const folder = tempFolder();
  const path = await storeWithText(folder, 'one');
  const bodies = join(folder, 'a-file');
  writeFileSync(bodies, '');
  vi.stubEnv('REGISTRY_BODIES', `directory:${bodies}`);
  const store = ['--store', `sqlite:${path}`];
  const { code, stdout, stderr } = await run('prune', ...store);
  expect(code).not.toBe(0);
  expect(stdout).toContain('deleted 0 captures');
  expect(stderr).toContain('the folder of file bodies cannot be used');
  const checked = JSON.parse((await run('doctor', ...store, '--json')).stdout);
  expect(checked.checks).toContainEqual(expect.objectContaining({ name: 'bodies', ok: false }));
  vi.unstubAllEnvs();
  const records = await openSqliteRecords({ path });
  expect(new TextDecoder().decode(await records.sources.body(sha256('one')))).toBe('one');
  await records.close();
});
