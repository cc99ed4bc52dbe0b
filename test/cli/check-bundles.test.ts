import { describe, expect, it } from 'vitest';
import { checkBundles } from '../../src/cli/commands/check/bundles.ts';
import type { CheckFlags } from '../../src/cli/commands/check/flags.ts';
import { stageBundle } from '../../src/compliance/bundles/install.ts';
import { readConfig } from '../../src/config.ts';
import type { InstalledBundle } from '../../src/domain/bundle.ts';
import { archiveOf } from '../compliance/bundles/support/archives.ts';
import { declaring } from '../compliance/support/judged-runs.ts';
import { tempFolder } from './support/cli.ts';

const FLAGS = { only: [], track: [] } as unknown as CheckFlags;

describe('the bundle of a check that is recorded', () => {
  it('is not used where its files on this machine are not those of the registry', async () => {
    const bundles = tempFolder();
    const staged = await stageBundle(await archiveOf(), { bundles, now: 0 });
    await staged.install();
    const config = readConfig({ REGISTRY_BUNDLES: bundles });
    const { version, line, vocabulary, digest } = staged.manifest;
    const installed = (agreed: string): InstalledBundle => ({
      ...{ version, line, vocabulary, digest: agreed },
      ...{ stage: 'default', aliases: [], addedAt: 0 },
    });
    const chosen = async (agreed: string) => {
      const { choose } = await checkBundles(FLAGS, config, { installed: [installed(agreed)] });
      return choose?.({ ...declaring(), supported_versions: ['3.7'], vocabulary: 'adcp' });
    };
    expect((await chosen(digest))?.bundle.version).toBe('3.7.1');
    await expect(chosen('sha256:other')).rejects.toMatchObject({
      code: 'bundle_unavailable',
      message: 'bundle 3.7.1 has other files on this machine than were installed',
    });
  });
});
