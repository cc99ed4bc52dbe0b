import type { InstalledBundle } from '../../../domain/bundle.ts';
import { RegistryError } from '../../../errors.ts';
import type { Records } from '../../../ports/records.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { listFlag, textFlag } from '../../flags.ts';
import { counted, nextCommands, note, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import { bundleBody, printBundle } from './show.ts';

/** The same archive again repairs the files, or brings them to another machine. */
export default command({
  name: 'add',
  description:
    'Install a bundle in preview, from an archive (tar, tar.gz) or a folder with compliance/ and schemas/. Run it on every machine that tests agents, unless they share the folder of REGISTRY_BUNDLES.',
  arguments: [['<source>', 'the archive or the folder']],
  flags: {
    sha256: textFlag(
      '--sha256 <hex>',
      'the SHA-256 that the archive must have, as its publisher announces it',
    ),
    line: textFlag('--line <line>', 'the line that the bundle must have, such as 3.1'),
    alias: listFlag(
      '--alias <label>',
      'another label for this version, such as stable; it moves here from another bundle (repeatable)',
    ),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run({ sha256, line, alias, ...flags }, path) {
    for (const label of alias) checkAlias(label);
    return withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { stageBundle } = await import('../../../compliance/bundles/install.ts');
      const { reviewBundle } = await import('../../../compliance/bundles/review.ts');
      const options = { ...(sha256 !== undefined && { sha256 }), ...(line !== undefined && { line }) };
      const staged = await stageBundle(path, { bundles: config.bundles, now: clock.now(), ...options });
      try {
        const { version, digest, vocabulary, line: ofVersion } = staged.manifest;
        const before = (await records.bundles.list()).find((one) => one.version === version);
        if (before !== undefined && before.digest !== digest) throw otherDigest(before, digest);
        await staged.install();
        const aliases = [...new Set([...(before?.aliases ?? []), ...alias])];
        const added = { version, line: ofVersion, vocabulary, digest, aliases };
        const outcome = await records.bundles.add(added, { kind: 'operator' }, clock.now());
        if (outcome === 'other_digest') throw otherDigest(added, digest);
        const { bundleRows } = await import('./installed.ts');
        const row = (await bundleRows(records, config.bundles)).find((one) => one.version === version);
        if (row === undefined) throw new Error(`bundle ${version} was removed meanwhile`);
        const bundle = bundleBody(row, staged.bundle, reviewBundle(staged.bundle));
        if (flags.json) printJson({ outcome, ignored_files: staged.ignored, bundle });
        else {
          printLine(`${outcome === 'added' ? 'installed' : 'already installed, and complete:'} ${version}`);
          printBundle(bundle);
          if (row.stage === 'preview')
            printLine(
              '  agents of its line are also tested with it, without any effect on status and badges',
            );
          if (staged.ignored > 0) note(`${counted(staged.ignored, 'other file')} ignored`);
          nextCommands(await nextSteps(records, added, row.stage));
        }
        return EXIT.ok;
      } finally {
        await staged.discard();
      }
    });
  },
});

/** Version labels, lines and `latest` are resolved by version; an alias must not shadow them. */
function checkAlias(label: string): void {
  if (/^[a-z][a-z0-9-]{0,31}$/.test(label) && label !== 'latest' && !/^v\d/.test(label)) return;
  throw new RegistryError('usage', `invalid --alias '${label.slice(0, 100)}'`, {
    hint: 'give a word of lower-case letters, digits and "-" such as stable; not latest, a version or a line',
  });
}

function otherDigest({ version, digest }: Pick<InstalledBundle, 'version' | 'digest'>, given: string) {
  return new RegistryError(
    'input_invalid',
    `version ${version} is installed with the digest ${digest}, but this bundle has ${given}`,
    {
      hint: `a published version does not change: check where the bundle comes from. To replace the installed one, first run: agent-registry bundles remove ${version}`,
    },
  );
}

async function nextSteps(
  { bundles }: Pick<Records, 'bundles'>,
  { version, line, vocabulary }: Pick<InstalledBundle, 'version' | 'line' | 'vocabulary'>,
  stage: InstalledBundle['stage'],
): Promise<readonly string[]> {
  if (stage === 'default') return ['bundles list'];
  const { shippedBundles } = await import('../../../compliance/storyboards/bundle.ts');
  const current = (await bundles.list()).find(
    (one) => one.stage === 'default' && one.line === line && one.vocabulary === vocabulary,
  );
  const steps = [
    `bundles compare ${current?.version ?? shippedBundles()[0]} ${version}    # when agents were tested with it`,
    `bundles default ${version}`,
  ];
  return stage === 'preview' ? steps : [`bundles preview ${version}`, ...steps];
}
