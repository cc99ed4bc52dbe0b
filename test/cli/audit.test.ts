import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { run, start, tempFolder, tempStore } from './support/cli.ts';
import { follows } from './support/schemas.ts';

afterEach(() => vi.unstubAllEnvs());

interface World {
  readonly store: readonly string[];
  readonly path: string;
  /** Adds a record. */
  deed(): Promise<unknown>;
  /** Runs `audit …` with --json and compares it with its schema. */
  json<T = object>(code: number, verb: string, ...flags: string[]): Promise<T>;
}

/** A store with three records, and a key for heads. */
async function world({ signed = true } = {}): Promise<World> {
  const store = ['--store', tempStore()] as const;
  const folder = join(tempFolder(), 'keys');
  if (signed) {
    await run('keys', 'generate', '--kind', 'audit', '--keys', folder);
    vi.stubEnv('REGISTRY_AUDIT_KEYS', folder);
  }
  let made = 0;
  const deed = () => {
    const file = join(tempFolder(), 'members.json');
    writeFileSync(file, JSON.stringify([{ slug: 'nova', display_name: `Nova ${made++}` }]));
    return run('members', 'import', file, ...store);
  };
  for (let n = 0; n < 3; n += 1) await deed();
  return {
    ...{ store, path: store[1].replace('sqlite:', ''), deed },
    async json<T>(code: number, verb: string, ...flags: string[]) {
      const ran = await run('audit', verb, ...flags, ...store, '--json');
      expect([ran.code, ran.stderr]).toEqual([code, expect.not.stringContaining('error')]);
      return follows<T>(ran.stdout, `cli/audit-${verb}.json`);
    },
  };
}

function tampered(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('agent-registry audit verify', () => {
  it('finds a log whole, and names the first record that somebody changed', async () => {
    const { json, path, store } = await world();
    expect(await json(0, 'verify')).toMatchObject({ whole: true, records: 3, broken_record: null });
    tampered(path, "UPDATE audit SET actor = 'ark_0123456789abcdef' WHERE id = 2");
    expect(await json(1, 'verify')).toMatchObject({ whole: false, broken_record: 2 });
    expect((await run('audit', 'verify', ...store)).stdout).toBe(
      'broken at record 2: it was changed after it was written\n',
    );
  });

  it('sees by a head that is kept elsewhere that the end was cut off', async () => {
    const { store, path, json, deed } = await world();
    const { code, stdout: head } = await run('audit', 'head', ...store);
    expect([code, head]).toEqual([0, expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
    const file = join(tempFolder(), 'heads');
    await deed();
    writeFileSync(file, head + (await run('audit', 'head', ...store)).stdout);
    expect(await json(0, 'verify', '--head', file)).toMatchObject({ heads: 2, verified_heads: 2 });
    tampered(path, 'DELETE FROM audit WHERE id > 2; DELETE FROM audit_head');
    expect(await json(0, 'verify')).toMatchObject({ whole: true, records: 2 });
    expect(await json(1, 'verify', '--head', file)).toMatchObject({ whole: false, broken_record: 3 });
  });

  it('takes no signed head for a checkpoint, behind which records could be deleted', async () => {
    const { store, path, json, deed } = await world();
    await run('audit', 'head', ...store);
    await deed();
    tampered(
      path,
      "INSERT INTO audit_head SELECT 'checkpoint', record, hash, at, token FROM audit_head; DELETE FROM audit WHERE id <= 3",
    );
    expect(await json(1, 'verify')).toMatchObject({ whole: false, broken_record: 3 });
  });

  it('believes no head that somebody else signed, and none of other records', async () => {
    const { store } = await world();
    const { stdout: head } = await run('audit', 'head', ...store);
    const refused = async (text: string) => {
      const file = join(tempFolder(), 'head');
      writeFileSync(file, text);
      const { code, stderr } = await run('audit', 'verify', '--head', file, ...store);
      expect(code).toBe(1);
      return stderr;
    };
    const [header, claims, signature = ''] = head.trim().split('.');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await refused(`${header}.${claims}.${other}`)).toContain('its signature does not match');
    expect(await refused('nonsense')).toContain('three base64url parts');
    expect(await refused('\n')).toContain('the file contains no head');
    const elsewhere = await world();
    expect(await refused((await run('audit', 'head', ...elsewhere.store)).stdout)).toContain(
      'belongs to the records',
    );
  });
});

describe('agent-registry audit head', () => {
  it('is the same while nothing is added, and says when it is not signed', async () => {
    const { store, json } = await world({ signed: false });
    const first = await json<{ token: null }>(0, 'head');
    expect(first).toMatchObject({ record: 3, token: null });
    expect(await json(0, 'head')).toEqual(first);
    const { stdout, stderr } = await run('audit', 'head', ...store);
    expect([JSON.parse(stdout).record, stderr]).toEqual([3, expect.stringContaining('REGISTRY_AUDIT_KEYS')]);
  });

  it('hands out no head that was put into the records', async () => {
    const { store, path } = await world();
    const { stdout: ours } = await run('audit', 'head', ...store);
    tampered(path, "UPDATE audit_head SET token = 'e30.e30.AA'");
    const claims = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { stdout: again } = await run('audit', 'head', ...store);
    expect(claims(again)).toMatchObject({ record: 3, hash: claims(ours).hash });
    tampered(path, `UPDATE audit_head SET hash = '${'0'.repeat(64)}'`);
    const { code, stdout, stderr } = await run('audit', 'head', ...store);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('a different head is stored')]);
  });

  it('is kept and told in the service log while serve runs', async () => {
    const { store } = await world();
    const serving = start(['serve', '--port', '0', ...store, '--log-level', 'info']);
    const told = await serving.until('stderr', /head of the audit log/);
    expect(told).toMatch(/"record":3,"hash":"[\da-f]{64}","token":"eyJ/);
    serving.child.kill('SIGTERM');
    expect((await serving.ended).code).toBe(0);
  });
});

describe('agent-registry audit prune', () => {
  it('shows the plan, and with --yes leaves a log that is whole behind its checkpoint', async () => {
    const { path, json, deed } = await world();
    tampered(path, 'DELETE FROM audit'); // its times are old enough when the clock of the records was far behind
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 200 * 86_400_000 });
    await deed();
    await deed();
    vi.useRealTimers();
    await deed();
    expect(await json(0, 'prune', '--days', '100')).toMatchObject({ through: 2, deleted: 0, token: null });
    expect(await json(0, 'verify')).toMatchObject({ records: 3, checkpoint: null });
    expect(await json(0, 'prune', '--days', '100', '--yes')).toMatchObject({ through: 2, deleted: 2 });
    expect(await json(0, 'verify')).toMatchObject({ whole: true, records: 2, checkpoint: 2 });
    const foreign = join(tempFolder(), 'keys');
    await run('keys', 'generate', '--kind', 'audit', '--keys', foreign);
    vi.stubEnv('REGISTRY_AUDIT_KEYS', foreign); // for it the checkpoint is somebody else's
    expect(await json(1, 'verify')).toMatchObject({ whole: false, broken_record: 2 });
    tampered(path, "UPDATE audit_head SET token = NULL WHERE kind = 'checkpoint'");
    expect(await json(1, 'verify')).toMatchObject({ whole: false, broken_record: 2 });
  });

  it('prunes no evidence, and nothing without a key', async () => {
    const { store, path } = await world({ signed: false });
    tampered(path, 'UPDATE audit SET at = 1');
    const refused = async () => (await run('audit', 'prune', '--yes', ...store)).stderr;
    expect(await refused()).toContain('the audit log is broken at record 1');
    tampered(path, 'DELETE FROM audit');
    vi.useFakeTimers({ toFake: ['Date'], now: 1 });
    const file = join(tempFolder(), 'members.json');
    for (const name of ['a', 'b']) {
      writeFileSync(file, JSON.stringify([{ slug: 'nova', display_name: name }]));
      await run('members', 'import', file, ...store);
    }
    vi.useRealTimers();
    expect(await refused()).toContain('REGISTRY_AUDIT_KEYS is not set');
  });
});
