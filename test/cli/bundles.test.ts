import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import type { StoryboardStatus } from '../../src/domain/judged-run.ts';
import { NEVER_RUN, type Standing } from '../../src/domain/standing.ts';
import type { Records } from '../../src/ports/records.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { archiveOf, BUNDLE, bundleWith, folderOf, NEXT } from '../compliance/bundles/support/archives.ts';
import { ownedAt } from '../contract/compliance-fixtures.ts';
import { run, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';

let folder: string;
let store: string;

/** A store, and a folder for bundles that is not there yet. */
beforeEach(async () => {
  const place = tempFolder();
  folder = join(place, 'bundles');
  store = join(place, 'store.sqlite');
  vi.stubEnv('REGISTRY_BUNDLES', folder);
  await createStore(store);
  return () => vi.unstubAllEnvs();
});

async function createStore(path: string): Promise<void> {
  const { close } = await openStore(readConfig({ REGISTRY_STORE: `sqlite:${path}` }), { create: true });
  await close();
}

const bundles = (...args: readonly string[]) => run('bundles', ...args, '--store', `sqlite:${store}`);

/** Runs a command with --json that has to end with this code; what it prints follows its schema. */
async function json<T = unknown>(schema: string, code: number, ...args: readonly string[]): Promise<T> {
  const ran = await bundles(...args, '--json');
  expect(ran.code, ran.stderr).toBe(code);
  return follows<T>(ran.stdout, `cli/bundles-${schema}.json`);
}

async function good(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await bundles(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

interface Row {
  readonly version: string;
  readonly stage: string;
  readonly aliases: readonly string[];
  readonly files: string;
}

async function rows<Name extends keyof Row>(name: Name): Promise<Readonly<Record<string, Row[Name]>>> {
  const { bundles: listed } = await json<{ bundles: readonly Row[] }>('list', 0, 'list');
  return Object.fromEntries(listed.map((row) => [row.version, row[name]]));
}

describe('agent-registry bundles add', () => {
  it('installs an archive in preview, and prints what it is and what cannot be evaluated', async () => {
    const archive = await archiveOf();
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    const { code, stdout, stderr } = await bundles(
      'add',
      archive,
      ...['--sha256', sha256, '--line', '3.7', '--alias', 'stable'],
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`installed 3.7.1
3.7.1: line 3.7, vocabulary adcp, stage preview
  aliases: stable
  2 storyboards, 2 steps, 2 checks, 1 schema
  digest: sha256:ce58aa08f0c83e6b1a0bb56e7d88586b6dcecfba9886224ce20c5c5c517aedac
  parts that this program cannot evaluate; they do not count against an agent:
    kind   name         storyboards  reason
    check  smells_good  1            an unknown kind of check
  agents of its line are also tested with it, without any effect on status and badges
`);
    expect(stderr).toBe(`next: agent-registry bundles compare 3.0.0 3.7.1    # when agents were tested with it
      agent-registry bundles default 3.7.1
`);
    expect(readdirSync(folder)).toEqual(['3.7.1']);
  });

  it('installs a folder, and says that it is known when it is added again', async () => {
    const source = folderOf(BUNDLE);
    const first = await json('add', 0, 'add', source);
    expect(first).toMatchObject({
      ...{ outcome: 'added', ignored_files: 0 },
      bundle: { version: '3.7.1', stage: 'preview', storyboards: 2, schemas: 1, files: 'ok' },
    });
    rmSync(join(folder, '3.7.1'), { recursive: true }); // as on another machine
    expect(await rows('files')).toMatchObject({ '3.7.1': 'missing' });
    expect(await json('add', 0, 'add', await archiveOf())).toMatchObject({ outcome: 'known' });
    expect(await rows('files')).toMatchObject({ '3.7.1': 'ok' });
  });

  it('moves an alias, and keeps the others', async () => {
    await good('add', await archiveOf(), '--alias', 'stable', '--alias', 'lts');
    await good('add', await archiveOf(NEXT), '--alias', 'stable');
    expect(await rows('aliases')).toEqual({ '3.0.0': [], '3.7.1': ['lts'], '3.7.2': ['stable'] });
    await good('add', await archiveOf(), '--alias', 'stable');
    expect(await rows('aliases')).toEqual({ '3.0.0': [], '3.7.1': ['lts', 'stable'], '3.7.2': [] });
  });

  it.each(['latest', '3.1', '3', 'v3', '3.1.19', '3.1-beta', 'Stable', '', 'a b'])(
    'rejects the alias %j',
    async (alias) => {
      const { code, stderr } = await bundles('add', await archiveOf(), '--alias', alias);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`invalid --alias '${alias}'`)]);
      expect(existsSync(folder)).toBe(false);
    },
  );

  it('keeps an installed version when another bundle claims to be it', async () => {
    await good('add', await archiveOf());
    const other = await archiveOf(bundleWith({ 'compliance/universal/errors.yaml': null }));
    const { code, stderr } = await bundles('add', other);
    expect(code).toBe(1);
    expect(stderr).toContain('version 3.7.1 is installed with the digest sha256:ce58aa08f0c8');
    expect(stderr).toContain('agent-registry bundles remove 3.7.1');
    expect(await rows('files')).toMatchObject({ '3.7.1': 'ok' });
    expect(readdirSync(folder)).toEqual(['3.7.1']);
    await good('remove', '3.7.1');
    await good('add', other);
    expect(await rows('files')).toMatchObject({ '3.7.1': 'ok' });
  });

  it('leaves nothing behind when the bundle is rejected', async () => {
    const { code, stderr } = await bundles('add', await archiveOf(), '--sha256', 'a'.repeat(64));
    expect(code).toBe(1);
    expect(stderr).toContain('bundle.tgz: its SHA-256 is ');
    const invalid = await bundles('add', await archiveOf(bundleWith({ 'compliance/index.json': '[' })));
    expect(invalid.stderr).toBe(
      'agent-registry: bundle.tgz: compliance/index.json: not a JSON object\n  hint: correct or remove the file\n',
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(await rows('version')).toEqual({ '3.0.0': '3.0.0' });
  });
});

describe('agent-registry bundles list and show', () => {
  it('lists the built-in bundle, also without a folder', async () => {
    expect(await good('list')).toMatch(
      /^version +line +vocabulary +stage +aliases +storyboards +digest +files on this machine\n3\.0\.0 +3\.0 +proto +default +- +37 +[0-9a-f]{12} +built in\n$/,
    );
  });

  it('report files that were deleted or altered on this machine, and show does not open them', async () => {
    await good('add', await archiveOf());
    const file = join(folder, '3.7.1/compliance/universal/errors.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}# changed\n`);
    expect(await good('list')).toMatch(/\n3\.7\.1 .* preview .* ce58aa08f0c8 +altered: run bundles add\n$/);
    const { code, stderr } = await bundles('show', '3.7.1');
    expect(code).toBe(1);
    expect(stderr).toContain('bundle 3.7.1 has other files on this machine than were installed');
    const doctor = await run('doctor', '--store', `sqlite:${store}`);
    expect(doctor.stdout).toContain('✗ bundles: the bundle 3.7.1 cannot be used on this machine (altered)');
    rmSync(join(folder, '3.7.1'), { recursive: true });
    expect(await rows('files')).toMatchObject({ '3.7.1': 'missing' });
    expect((await bundles('default', '3.7.1')).stderr).toContain('is not installed on this machine');
  });

  it('report files of another installation of the version', async () => {
    await good('add', await archiveOf());
    const elsewhere = join(tempFolder(), 'bundles');
    vi.stubEnv('REGISTRY_BUNDLES', elsewhere);
    const other = join(tempFolder(), 'other.sqlite');
    await createStore(other);
    const archive = await archiveOf(bundleWith({ 'compliance/universal/errors.yaml': null }));
    expect((await run('bundles', 'add', archive, '--store', `sqlite:${other}`)).code).toBe(0);
    expect(await rows('files')).toMatchObject({ '3.7.1': 'other_digest' });
    expect((await bundles('default', '3.7.1')).code).toBe(1);
  });

  it('show one with what this program cannot evaluate of it', async () => {
    await good('add', await archiveOf());
    expect(await json('show', 0, 'show', '3.7.1')).toMatchObject({
      ...{ version: '3.7.1', line: '3.7', stage: 'preview', storyboards: 2, steps: 2, checks: 2, schemas: 1 },
      limitations: [{ kind: 'check', name: 'smells_good', storyboards: ['capabilities'] }],
      missing_schemas: [],
    });
    expect(await good('show', '3.0.0')).toContain('this program can evaluate all of it');
    const { code, stderr } = await bundles('show', '9.9.9');
    expect([code, stderr]).toEqual([1, expect.stringContaining('bundle 9.9.9 is not installed')]);
  });
});

describe('agent-registry bundles default and preview', () => {
  it('switch a line to a bundle and back', async () => {
    await good('add', await archiveOf());
    await good('add', await archiveOf(NEXT));
    expect(await json('stage', 0, 'default', '3.7.1')).toEqual({
      ...{ version: '3.7.1', stage: 'default', replaced: [], agents: { switched: 0, changed: 0 } },
    });
    expect(await json('stage', 0, 'default', '3.7.2')).toMatchObject({ replaced: ['3.7.1'] });
    expect(await rows('stage')).toEqual({ '3.0.0': 'default', '3.7.1': 'off', '3.7.2': 'default' });
    expect(await good('default', '3.7.1')).toBe(
      '3.7.1 is now the default of line 3.7\n3.7.2 is off; to go back: agent-registry bundles default 3.7.2\n',
    );
    expect(await json('stage', 0, 'preview', '3.7.1')).toMatchObject({
      ...{ stage: 'preview', replaced: ['3.7.1'] },
    });
    expect(await rows('stage')).toMatchObject({ '3.7.1': 'preview', '3.7.2': 'off' });
    await good('add', await archiveOf(NEXT), '--alias', 'stable');
    expect(await json('stage', 0, 'default', 'stable')).toMatchObject({ version: '3.7.2' });
    expect((await bundles('default', '9.9.9')).stderr).toContain('bundle 9.9.9 is not installed');
    expect((await bundles('preview', '9.9.9')).stderr).toContain('bundle 9.9.9 is not installed');
  });

  it('turn off the installed defaults of both vocabularies when the built-in bundle becomes the default', async () => {
    const index = (version: string) => ({ 'compliance/index.json': `{"adcp_version": "${version}"}` });
    const ask = BUNDLE['compliance/universal/capabilities.yaml'] ?? '';
    const ours = { 'compliance/universal/capabilities.yaml': ask.replace('get_adcp_', 'get_proto_') };
    await good('add', await archiveOf(bundleWith(index('3.0.26'))));
    await good('add', await archiveOf(bundleWith({ ...index('3.0.9'), ...ours })));
    await good('add', await archiveOf());
    for (const version of ['3.0.26', '3.0.9', '3.7.1']) await good('default', version);
    const all = { '3.0.26': 'default', '3.0.9': 'default', '3.7.1': 'default' };
    expect(await rows('stage')).toEqual({ '3.0.0': 'off', ...all });
    expect(await json('stage', 0, 'default', '3.0.0')).toMatchObject({ replaced: ['3.0.26', '3.0.9'] });
    expect(await rows('stage')).toEqual({
      ...{ '3.0.0': 'default', '3.0.26': 'off', '3.0.9': 'off', '3.7.1': 'default' },
    });
    expect((await bundles('preview', '3.0.0')).code).toBe(2);
  });
});

describe('agent-registry bundles remove', () => {
  it('deletes a bundle with its files, and no default', async () => {
    await good('add', await archiveOf());
    await good('default', '3.7.1');
    const refused = await bundles('remove', '3.7.1');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('agent-registry bundles preview 3.7.1'),
    ]);
    await good('preview', '3.7.1');
    expect(await json('remove', 0, 'remove', '3.7.1')).toEqual({ version: '3.7.1', removed: true });
    expect(readdirSync(folder)).toEqual([]);
    expect((await bundles('remove', '3.7.1')).stderr).toContain('bundle 3.7.1 is not installed');
    expect((await bundles('remove', '3.0.0')).code).toBe(2);
    expect((await bundles('remove', '..')).stderr).toContain('bundle .. is not installed');
  });

  it('deletes files that a removal on another machine left here', async () => {
    await good('add', await archiveOf());
    const records = await openSqliteRecords({ path: store });
    expect(await records.bundles.remove('3.7.1', { kind: 'operator' }, 1)).toBe('removed');
    await records.close();
    await good('remove', '3.7.1');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('agent-registry bundles compare', () => {
  const NOW = Date.UTC(2026, 10, 29);
  const board = (id: string, result: StoryboardStatus['result']): StoryboardStatus => ({
    ...{ storyboard_id: id, title: id, category: '', track: 'core', result: result ?? 'pass' },
    ...{ steps_passed: 1, steps_total: 1, last_tested_at: null, last_passed_at: null },
    ...{ requested_compliance_target: null, proto_version: null },
  });

  function standing(
    status: Standing['status'],
    results: Readonly<Record<string, StoryboardStatus['result']>>,
  ) {
    const run = { runId: 'r', at: NOW, trigger: null, requestedTarget: null, protoVersion: null };
    const storyboards = Object.entries(results).map(([id, result]) => board(id, result));
    return { ...NEVER_RUN, status, latest: run, storyboards } as unknown as Standing;
  }

  const PASSES = standing('passing', { errors: 'pass', capabilities: 'pass' });

  async function stand(records: Records, agent: string, byBundle: Readonly<Record<string, Standing>>) {
    const decide = decideChange({ now: NOW });
    await records.compliance.reconsider(agent, (before) => ({ ...decide(before), byBundle }), NOW);
  }

  it('shows the agents whose status differs, and the storyboards with another result', async () => {
    await good('add', await archiveOf());
    await good('add', await archiveOf(NEXT));
    const records = await openSqliteRecords({ path: store });
    const url = (name: string) => `https://${name}.acme.example/`;
    await ownedAt(
      records,
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [url(name), NOW])),
    );
    const fails = standing('failing', {
      new: 'fail',
      errors: 'skipped',
      capabilities: 'pass',
      other: 'pass',
    });
    await stand(records, url('a'), { '3.7.1': PASSES });
    await stand(records, url('b'), { '3.7.1': PASSES, '3.7.2': fails });
    await stand(records, url('c'), { '3.7.1': PASSES, '3.7.2': PASSES });
    await stand(records, url('d'), { '3.7.2': fails });
    await stand(records, url('e'), { '3.7.1': fails, '3.7.2': PASSES });
    await stand(records, url('f'), { '3.7.1': PASSES, '3.7.2': NEVER_RUN });
    await records.close();
    expect(await json('compare', 1, 'compare', '3.7.1', '3.7.2')).toEqual({
      ...{ before: '3.7.1', after: '3.7.2', agents: 3, only_before: 2, only_after: 1 },
      changes: [
        {
          ...{ agent_url: url('b'), status_before: 'passing', status_after: 'failing', storyboards_total: 2 },
          storyboards: [
            { storyboard_id: 'new', before: null, after: 'fail' },
            { storyboard_id: 'errors', before: 'pass', after: 'skipped' },
          ],
        },
        {
          ...{ agent_url: url('e'), status_before: 'failing', status_after: 'passing', storyboards_total: 2 },
          storyboards: [
            { storyboard_id: 'errors', before: 'skipped', after: 'pass' },
            { storyboard_id: 'new', before: 'fail', after: null },
          ],
        },
      ],
    });
    const { code, stdout } = await bundles('compare', '3.7.1', '3.7.2');
    expect(code).toBe(1);
    expect(stdout).toBe(`agent                    with 3.7.1  with 3.7.2  storyboards with another result
https://b.acme.example/  passing     failing     new - → fail, errors pass → skipped
https://e.acme.example/  failing     passing     errors skipped → pass, new fail → -
3 agents tested with both: 2 would change status
tested with one of them only: 2 agents with 3.7.1, 1 agent with 3.7.2
`);
  });

  it('exits with 0 when no agent would change status, and knows the versions', async () => {
    await good('add', await archiveOf());
    expect(await good('compare', '3.0.0', '3.7.1')).toBe(
      '0 agents tested with both: 0 would change status\n',
    );
    expect((await bundles('compare', '3.7.1', '3.7.9')).stderr).toContain('bundle 3.7.9 is not installed');
  });
});
