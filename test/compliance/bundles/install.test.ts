import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type InstallOptions,
  type StagedBundle,
  stageBundle,
} from '../../../src/compliance/bundles/install.ts';
import { reviewBundle } from '../../../src/compliance/bundles/review.ts';
import { tempFolder } from '../../cli/support/cli.ts';
import { archiveOf, BUNDLE, bundleWith, fileOf, folderOf, type TarEntry, tarOf } from './support/archives.ts';

const NOW = Date.UTC(2026, 10, 29);
const HOUR = 3_600_000;

/** Stages a bundle in an empty folder, unless another one is given. */
function stage(path: string, options: Partial<InstallOptions> = {}): Promise<StagedBundle> {
  return stageBundle(path, { bundles: tempFolder(), now: NOW, ...options });
}

/** The message and the hint of the rejection. */
async function refusal(path: string, options: Partial<InstallOptions> = {}) {
  const bundles = join(tempFolder(), 'bundles');
  const error = await stage(path, { bundles, ...options }).catch((fault: unknown) => fault);
  expect(existsSync(bundles) ? readdirSync(bundles) : []).toEqual([]);
  return error;
}

const invalid = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'input_invalid',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    hint: expect.any(String),
  });

describe('a bundle is installed', () => {
  it('from an archive with one folder at the top', async () => {
    const bundles = join(tempFolder(), 'new/bundles');
    const archive = await archiveOf(BUNDLE, [
      ['adcp-3.7.1/README.md', 'read me'],
      ['adcp-3.7.1/compliance/.cache/x.yaml', 'id: x'],
      ['adcp-3.7.1/skills/compliance/notes.yaml', 'id: y'],
      [{ name: 'adcp-3.7.1/latest', type: 'symlink', linkname: '/etc' }],
    ]);
    const staged = await stage(archive, { bundles });
    await staged.install();
    await staged.discard();
    expect(staged.ignored).toBe(4);
    expect(readdirSync(bundles)).toEqual(['3.7.1']);
    const files = readdirSync(join(bundles, '3.7.1'), { recursive: true, encoding: 'utf8' }).toSorted();
    expect(files.filter((name) => /\.(?:json|yaml|md)$/.test(name))).toEqual([
      'bundle.json',
      ...Object.keys(BUNDLE),
    ]);
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    expect(JSON.parse(readFileSync(join(bundles, '3.7.1/bundle.json'), 'utf8'))).toEqual({
      version: '3.7.1',
      line: '3.7',
      vocabulary: 'adcp',
      digest: 'sha256:ce58aa08f0c83e6b1a0bb56e7d88586b6dcecfba9886224ce20c5c5c517aedac',
      source: { name: 'bundle.tgz', sha256 },
      installed_at: '2026-11-29T00:00:00.000Z',
      storyboards: 2,
    });
  });

  it('with the same digest from a folder, a plain tar and an archive without a folder at the top', async () => {
    const folder = folderOf(BUNDLE);
    const entries = Object.entries(BUNDLE);
    const sources = [
      folder,
      folderOf(Object.fromEntries(entries.map(([name, text]) => [`adcp-3.7.1/${name}`, text]))),
      fileOf(await tarOf(entries), 'bundle.tar'),
      await archiveOf(BUNDLE, [], './'),
      await archiveOf(BUNDLE),
    ];
    const staged = await Promise.all(sources.map((source) => stage(source)));
    expect(new Set(staged.map(({ manifest }) => manifest.digest)).size).toBe(1);
    const other = await stage(folderOf(bundleWith({ 'compliance/universal/errors.yaml': null })));
    expect(other.manifest.digest).not.toBe(staged[0]?.manifest.digest);
  });

  it('as the version of its index, or of the folder at the top if there is no index', async () => {
    const files = bundleWith({ 'compliance/index.json': null });
    const named = await stage(await archiveOf(files, [], 'adcp-4.0.0-beta.2/'));
    expect(named.manifest).toMatchObject({ version: '4.0.0-beta.2', line: '4.0' });
    const indexed = await stage(await archiveOf(BUNDLE, [], 'adcp-9.9.9/'));
    expect(indexed.manifest.version).toBe('3.7.1');
  });

  it('for the vocabulary of the tasks that its storyboards call', async () => {
    const capabilities = BUNDLE['compliance/universal/capabilities.yaml'] ?? '';
    const ours = capabilities.replace('task: get_adcp_capabilities', 'task: get_proto_capabilities');
    const ownFiles = { 'compliance/universal/capabilities.yaml': ours };
    const staged = await stage(folderOf(bundleWith(ownFiles)));
    expect(staged.manifest.vocabulary).toBe('proto');
    const withoutSchemas = { ...ownFiles, 'schemas/protocol/get-adcp-capabilities-response.json': null };
    const unpacked = await stage(folderOf(bundleWith(withoutSchemas)));
    expect(reviewBundle(unpacked.bundle)).toMatchObject({ storyboards: 2, missingSchemas: [] });
    const neither = capabilities.replace('task: get_adcp_capabilities', 'task: get_products');
    const files = bundleWith({ 'compliance/universal/capabilities.yaml': neither });
    expect((await stage(folderOf(files))).manifest.vocabulary).toBe('adcp');
    const unknown = { ...files, 'compliance/index.json': '{}' };
    expect(await refusal(await archiveOf(unknown))).toEqual(invalid('bundle.tgz: its vocabulary is unknown'));
  });

  it('and what this program cannot evaluate is reported, once each', async () => {
    const staged = await stage(
      await archiveOf(
        bundleWith({
          'compliance/universal/errors.yaml': `id: errors
title: Errors
track: weather
phases:
  - id: p
    steps:
      - {id: a, task: get_products, response_schema_ref: gone.json}
      - {id: b, task: get_products, response_schema_ref: gone.json, validations: [{check: smells_good}]}
`,
        }),
      ),
    );
    expect(reviewBundle(staged.bundle)).toEqual({
      ...{ storyboards: 2, steps: 3, checks: 3 },
      limitations: [
        {
          ...{ kind: 'check', name: 'smells_good', reason: 'an unknown kind of check', count: 2 },
          storyboards: ['capabilities', 'errors'],
        },
      ],
      missingSchemas: [{ schema: 'gone.json', storyboards: ['errors'] }],
      warnings: [
        {
          code: 'track_unknown',
          message: 'unknown track weather: its result counts for no track',
          files: ['universal/errors.yaml'],
        },
      ],
    });
  });

  it('again over a folder with other files, and cleans up what a killed installation left', async () => {
    const bundles = folderOf({
      '3.7.1/compliance/universal/old.yaml': 'id: old',
      '.staging-killed/compliance/index.json': '{}',
      '.staging-running/compliance/index.json': '{}',
    });
    const at = (name: string, ms: number) => utimesSync(join(bundles, name), ms / 1_000, ms / 1_000);
    at('.staging-killed', NOW - 2 * HOUR);
    at('.staging-running', NOW);
    const staged = await stage(await archiveOf(), { bundles });
    await staged.install();
    expect(readdirSync(bundles).toSorted()).toEqual(['.staging-running', '3.7.1']);
    expect(existsSync(join(bundles, '3.7.1/compliance/universal/old.yaml'))).toBe(false);
    expect(existsSync(join(bundles, '3.7.1/bundle.json'))).toBe(true);
  });
});

describe('an archive is rejected', () => {
  it('with another SHA-256 than the expected one, before it is unpacked', async () => {
    const archive = fileOf(Buffer.from('no archive'));
    const actual = createHash('sha256').update('no archive').digest('hex');
    expect(await refusal(archive, { sha256: 'a'.repeat(64) })).toEqual(
      invalid(`bundle.tgz: its SHA-256 is ${actual}, not ${'a'.repeat(64)}`),
    );
    const good = await archiveOf();
    const sha256 = createHash('sha256').update(readFileSync(good)).digest('hex').toUpperCase();
    await expect(stage(good, { sha256: `sha256:${sha256}`.replace('SHA', 'sha') })).resolves.toBeDefined();
    expect(await refusal(good, { sha256: 'abc' })).toMatchObject({ code: 'usage' });
    expect(await refusal(folderOf(BUNDLE), { sha256 })).toMatchObject({ code: 'usage' });
  });

  const entries: readonly (readonly [string, TarEntry, string])[] = [
    ['that leads out', ['adcp-3.7.1/compliance/../../x.yaml', 'x'], 'the path leads out of the archive'],
    ['that leads out, outside the content', ['../x.md', 'x'], 'the path leads out of the archive'],
    ['that leads out on Windows', ['adcp-3.7.1\\..\\..\\x.md', 'x'], 'the path leads out of the archive'],
    ['with an absolute path', ['/tmp/compliance/x.yaml', 'x'], 'the path leads out of the archive'],
    ['with a drive', ['C:/compliance/x.yaml', 'x'], 'the path leads out of the archive'],
    [
      'that is a symbolic link',
      [{ name: 'adcp-3.7.1/compliance/x.yaml', type: 'symlink', linkname: '/etc/passwd' }],
      'a link or a device',
    ],
    [
      'that makes a content folder a link',
      [{ name: 'adcp-3.7.1/schemas', type: 'symlink', linkname: '/etc' }],
      'a link or a device',
    ],
    [
      'that is a hard link',
      [{ name: 'adcp-3.7.1/schemas/x.json', type: 'link', linkname: 'adcp-3.7.1/compliance/index.json' }],
      'a link or a device',
    ],
    [
      'that is a device',
      [{ name: 'adcp-3.7.1/compliance/x.yaml', type: 'character-device' }],
      'a link or a device',
    ],
    ['that is there twice', ['adcp-3.7.1/compliance/index.json', '{}'], 'the path occurs twice'],
    [
      'that differs from another in case only',
      ['adcp-3.7.1/compliance/universal/Errors.yaml', 'x'],
      'conflicts with compliance/universal/errors.yaml',
    ],
    [
      'in a folder that differs from another in case only',
      ['adcp-3.7.1/compliance/Universal/x.yaml', 'x'],
      'conflicts with compliance/universal',
    ],
    [
      'below a file',
      ['adcp-3.7.1/compliance/index.json/x.yaml', 'x'],
      'conflicts with compliance/index.json',
    ],
    ['of a second bundle', ['other/compliance/x.yaml', 'x'], 'a second bundle, beside adcp-3.7.1'],
    [
      'with odd characters',
      ['adcp-3.7.1/compliance/\u001b[2J.yaml', 'x'],
      'the path has other characters than letters, digits, "_", "." and "-"',
    ],
    [
      'with a long path',
      [`adcp-3.7.1/compliance/${'x'.repeat(200)}.yaml`, 'x'],
      'the path is longer than 200 characters',
    ],
    ['that is large', ['adcp-3.7.1/schemas/x.json', ' '.repeat(8 * 1024 ** 2 + 1)], 'larger than 8 MiB'],
  ];
  it.each(entries)('for an entry %s', async (_what, entry, reason) => {
    const bytes = await tarOf([
      ...Object.entries(BUNDLE).map(([name, text]) => [`adcp-3.7.1/${name}`, text] as const),
      entry,
    ]);
    const [header] = entry;
    const name = typeof header === 'string' ? header : header.name;
    expect(await refusal(fileOf(bytes, 'b.tar'))).toEqual(invalid(`b.tar: ${name.slice(0, 200)}: ${reason}`));
  });

  it('if the files of a folder are too large together', async () => {
    const folder = folderOf(BUNDLE);
    for (let at = 0; at < 17; at += 1) {
      const file = join(folder, `schemas/large-${at}.json`);
      writeFileSync(file, '');
      truncateSync(file, 8 * 1024 ** 2);
    }
    expect(await refusal(folder)).toEqual(invalid(/its files are larger than 128 MiB together$/));
  });

  it('if it unpacks to much more than its size', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 ** 2));
    expect(await refusal(fileOf(bomb))).toEqual(
      invalid('bundle.tgz: unpacks to more than 128 MiB or 100 times its size'),
    );
  });

  it.each([
    ['a truncated gzip', async () => gzipSync(await tarOf(Object.entries(BUNDLE))).subarray(0, -200)],
    [
      'a tar that ends between two files',
      async () => (await tarOf([['compliance/a.yaml', 'x']])).subarray(0, 1024),
    ],
    [
      'a tar that ends inside a file',
      async () =>
        Buffer.concat([
          (await tarOf([['compliance/a.yaml', 'x'.repeat(9_000)]])).subarray(0, 4_096),
          Buffer.alloc(1_024),
        ]),
    ],
    ['a text', async () => Buffer.from('x'.repeat(5_000))],
    ['nothing', async () => Buffer.alloc(0)],
  ])('if it is %s', async (_what, bytes) => {
    expect(await refusal(fileOf(await bytes()))).toEqual(
      invalid('bundle.tgz: not a complete tar or tar.gz archive'),
    );
  });

  it('if it is not there', async () => {
    expect(await refusal('/nowhere/bundle.tgz')).toMatchObject({
      code: 'usage',
      message: 'cannot read /nowhere/bundle.tgz',
    });
  });
});

describe('a folder is rejected', () => {
  it('with a link in its content', async () => {
    const folder = folderOf(BUNDLE);
    symlinkSync('/etc/passwd', join(folder, 'compliance/universal/x.yaml'));
    expect(await refusal(folder)).toEqual(invalid(/: compliance\/universal\/x\.yaml: a link or a device$/));
  });

  it('with two bundles', async () => {
    const folder = folderOf({ 'a/compliance/x.yaml': 'x', 'b/compliance/x.yaml': 'x' });
    expect(await refusal(folder)).toEqual(invalid(/: contains several bundles: a, b$/));
  });
});

describe('a bundle is rejected', () => {
  const board = (id: string, more = '') =>
    `id: ${id}\ntitle: ${id}\ntrack: core\n${more}phases:\n  - {id: p, steps: [{id: s, task: get_products}]}\n`;
  const bundles: readonly (readonly [string, Readonly<Record<string, string | null>>, string | RegExp])[] = [
    [
      'without storyboards',
      { 'compliance/universal/capabilities.yaml': null, 'compliance/universal/errors.yaml': null },
      'bundle.tgz: contains no storyboards',
    ],
    [
      'with two storyboards of one id',
      { 'compliance/universal/x.yaml': board('errors', 'summary: another\n') },
      'bundle.tgz: compliance/universal/x.yaml: duplicate id errors, also in universal/errors.yaml',
    ],
    [
      'with storyboards that need each other',
      {
        'compliance/universal/a.yaml': board('a', 'requires_scenarios: [b]\n'),
        'compliance/universal/b.yaml': board('b', 'prerequisites: [a]\n'),
      },
      /^bundle\.tgz: compliance\/universal\/a\.yaml: circular dependency of a: a → b → a; /,
    ],
    [
      'with a storyboard that cannot be read',
      { 'compliance/universal/x.yaml': 'phases: [' },
      /^bundle\.tgz: compliance\/universal\/x\.yaml: /,
    ],
    [
      'without the schemas that it names',
      { 'schemas/protocol/get-adcp-capabilities-response.json': null },
      'bundle.tgz: contains none of the 1 schemas that its storyboards name, such as protocol/get-adcp-capabilities-response.json',
    ],
    [
      'with an index that is not JSON',
      { 'compliance/index.json': '{' },
      'bundle.tgz: compliance/index.json: not a JSON object',
    ],
    [
      'with an index whose version is a line',
      { 'compliance/index.json': '{"adcp_version": "3.7"}' },
      'bundle.tgz: compliance/index.json: adcp_version is not of the form major.minor.patch',
    ],
    [
      'with the version of the built-in bundle',
      { 'compliance/index.json': '{"adcp_version": "3.0.0"}' },
      'bundle.tgz: its version 3.0.0 is the one of the built-in bundle',
    ],
  ];
  it.each(bundles)('%s', async (_what, changes, message) => {
    expect(await refusal(await archiveOf(bundleWith(changes)))).toEqual(invalid(message));
  });

  it('of an unknown version, or of another line than expected', async () => {
    const files = bundleWith({ 'compliance/index.json': null });
    expect(await refusal(await archiveOf(files, [], 'bundle/'))).toEqual(
      invalid('bundle.tgz: its version is unknown'),
    );
    expect(await refusal(await archiveOf(), { line: '3.1' })).toEqual(
      invalid('bundle.tgz: version 3.7.1 is of line 3.7, not 3.1'),
    );
    await expect(stage(await archiveOf(), { line: '3.7' })).resolves.toBeDefined();
  });
});

it('leaves a half-copied folder alone until it installs the version', async () => {
  const bundles = tempFolder();
  mkdirSync(join(bundles, '3.7.1'));
  writeFileSync(join(bundles, '3.7.1/x'), '');
  const staged = await stage(await archiveOf(), { bundles });
  await staged.discard();
  expect(readdirSync(bundles)).toEqual(['3.7.1']);
  expect(readdirSync(join(bundles, '3.7.1'))).toEqual(['x']);
});
