import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteVersion, stageBundle } from '../../../src/compliance/bundles/install.ts';
import { createBundleLibrary, localOffers } from '../../../src/compliance/bundles/library.ts';
import { tempFolder } from '../../cli/support/cli.ts';
import { archiveOf, BUNDLE, bundleWith, NEXT } from './support/archives.ts';

/** A folder with these bundles installed. */
async function installed(...bundles: readonly Readonly<Record<string, string>>[]): Promise<string> {
  const folder = tempFolder();
  for (const files of bundles) await install(folder, files);
  return folder;
}

async function install(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const staged = await stageBundle(await archiveOf(files), { bundles: folder, now: Date.now() });
  await staged.install();
  await staged.discard();
}

const unavailable = (reason: string) =>
  expect.objectContaining({
    code: 'bundle_unavailable',
    message: `bundle 3.7.1 ${reason}`,
    hint: 'install it on this machine: agent-registry bundles add FILE',
  });
const MISSING = unavailable('is not installed on this machine');
const INCOMPLETE = unavailable('is not completely installed on this machine: it has no readable bundle.json');
const ALTERED = unavailable('has other files on this machine than were installed');

describe('the library', () => {
  it('has the built-in bundle, also without a folder', async () => {
    const library = createBundleLibrary('/nowhere/at/all');
    const bundle = await library.open('3.0.0');
    expect(bundle).toMatchObject({ version: '3.0.0', line: '3.0', vocabulary: 'proto', isEmbedded: true });
    expect(bundle.wholeDigest).toBe(bundle.digest);
    expect(bundle.schemas).toBeUndefined();
  });

  it('opens an installed bundle with its storyboards and schemas', async () => {
    const folder = await installed(BUNDLE, NEXT);
    const library = createBundleLibrary(folder);
    const offers = await localOffers(folder);
    expect(offers.map(({ version, stage }) => [version, stage])).toEqual([
      ['3.7.1', 'off'],
      ['3.7.2', 'default'],
    ]);
    const bundle = await library.open('3.7.1');
    expect(bundle).toMatchObject({
      ...{ version: '3.7.1', line: '3.7', vocabulary: 'adcp', isEmbedded: false },
      wholeDigest: 'sha256:ce58aa08f0c83e6b1a0bb56e7d88586b6dcecfba9886224ce20c5c5c517aedac',
    });
    expect(bundle.storyboards.map(({ storyboard }) => storyboard.id)).toEqual(['capabilities', 'errors']);
    const schema = bundle.schemas?.find('protocol/get-adcp-capabilities-response.json') ?? '';
    expect(bundle.schemas?.check(schema, {})).toMatchObject([{ message: 'is missing' }]);
  });

  it('reads a bundle once, however many runs open it, and again after another installation', async () => {
    const folder = await installed(BUNDLE);
    const library = createBundleLibrary(folder);
    const opened = await Promise.all(Array.from({ length: 10 }, () => library.open('3.7.1')));
    expect(new Set(opened).size).toBe(1);
    await deleteVersion(folder, '3.7.1');
    await install(folder, bundleWith({ 'compliance/universal/errors.yaml': null }));
    expect((await library.open('3.7.1')).storyboards).toHaveLength(1);
  });

  it('keeps at most four bundles in memory', async () => {
    const versions = ['4.0.1', '4.0.2', '4.0.3', '4.0.4', '4.0.5'];
    const index = (version: string) => ({ 'compliance/index.json': `{"adcp_version": "${version}"}` });
    const library = createBundleLibrary(
      await installed(...versions.map((version) => bundleWith(index(version)))),
    );
    const first = await library.open('4.0.1');
    expect(await library.open('4.0.1')).toBe(first);
    for (const version of versions) await library.open(version);
    expect(await library.open('4.0.1')).not.toBe(first);
  });

  it('opens no bundle that is missing, half-copied or altered, and opens it once it is repaired', async () => {
    const folder = await installed(BUNDLE);
    const altered: readonly (readonly [change: () => void, expected: unknown])[] = [
      [() => writeFileSync(join(folder, '3.7.1/compliance/universal/errors.yaml'), 'id: other'), ALTERED],
      [() => writeFileSync(join(folder, '3.7.1/schemas/more.json'), '{}'), ALTERED],
      [() => rmSync(join(folder, '3.7.1/schemas'), { recursive: true }), ALTERED],
      [() => rmSync(join(folder, '3.7.1/bundle.json')), INCOMPLETE],
      [() => writeFileSync(join(folder, '3.7.1/bundle.json'), '{"version": "3.7.1"'), INCOMPLETE],
      [() => rmSync(join(folder, '3.7.1'), { recursive: true }), MISSING],
      [() => mkdirSync(join(folder, '3.7.1')), INCOMPLETE],
    ];
    for (const [change, expected] of altered) {
      change();
      expect(
        await createBundleLibrary(folder)
          .open('3.7.1')
          .catch((error: unknown) => error),
      ).toEqual(expected);
    }
    const library = createBundleLibrary(folder);
    await expect(library.open('3.7.1')).rejects.toThrow();
    await install(folder, BUNDLE);
    expect((await library.open('3.7.1')).storyboards).toHaveLength(2);
  });

  it('opens nothing outside of its folder', async () => {
    const folder = await installed(BUNDLE);
    const library = createBundleLibrary(join(folder, 'inner'));
    await expect(library.open('../3.7.1')).rejects.toMatchObject({ code: 'bundle_unavailable' });
  });
});
