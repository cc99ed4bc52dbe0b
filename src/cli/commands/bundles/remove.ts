import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Also deletes files that were left here by a removal on another machine. */
export default command({
  name: 'remove',
  description:
    'Delete a bundle with its files on this machine and the results of its tests. The runs themselves are kept. A default cannot be deleted.',
  arguments: [['<version>', 'the bundle, as in bundles list']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, version) =>
    withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { deleteVersion } = await import('../../../compliance/bundles/install.ts');
      const { checkFiles } = await import('../../../compliance/bundles/installed-files.ts');
      const { isBuiltIn, unknownBundle } = await import('./installed.ts');
      if (isBuiltIn(version))
        throw new RegistryError('usage', `${version} is the built-in bundle and cannot be deleted`, {
          hint: 'to test with another bundle: agent-registry bundles default VERSION',
        });
      const outcome = await records.bundles.remove(version, { kind: 'operator' }, clock.now());
      if (outcome === 'default')
        throw new RegistryError('usage', `${version} is a default and cannot be deleted`, {
          hint: `make another one the default, or first run: agent-registry bundles preview ${version}`,
        });
      const { state } = await checkFiles(config.bundles, version);
      if (outcome === 'unknown' && state === 'missing') throw unknownBundle(version);
      if (state !== 'missing') await deleteVersion(config.bundles, version);
      if (flags.json) printJson({ version, removed: true });
      else {
        printLine(`deleted ${version}`);
        nextCommands(['bundles list']);
      }
      return EXIT.ok;
    }),
});
