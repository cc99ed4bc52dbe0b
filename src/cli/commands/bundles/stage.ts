import type { AppliedChange } from '../../../compliance/bundles/apply-change.ts';
import type { Config } from '../../../config.ts';
import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { CHANGE, type OpenStore, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const ACTOR = { kind: 'operator' } as const;

const makeDefault = command({
  name: 'default',
  description:
    'Use a bundle for the verdicts and badges of the agents of its line. The previous default is kept, to go back to. The built-in bundle replaces all installed defaults of its line.',
  arguments: [['<version>', 'the bundle: a version or an alias']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, name) =>
    withStore(flags, CHANGE, async (store, config) => {
      const { records, clock } = store;
      const { installedBundle, isBuiltIn, namedVersion, requireFiles } = await import('./installed.ts');
      const version = await namedVersion(records, name);
      const { lineOf } = await import('../../../domain/badge.ts');
      const defaults = (await records.bundles.list()).filter(({ stage }) => stage === 'default');
      let replaced: readonly string[];
      if (isBuiltIn(version)) {
        replaced = defaults.filter(({ line }) => line === lineOf(version)).map((one) => one.version);
        for (const other of replaced) await records.bundles.setStage(other, 'off', ACTOR, clock.now());
      } else {
        const bundle = await installedBundle(records, version);
        await requireFiles(bundle, config.bundles);
        const rivals = defaults.filter(
          ({ line, vocabulary }) => line === bundle.line && vocabulary === bundle.vocabulary,
        );
        replaced = rivals.map((one) => one.version).filter((one) => one !== version);
        await records.bundles.setStage(version, 'default', ACTOR, clock.now());
      }
      const agents = await applyChange(store, config);
      if (flags.json) printJson({ version, stage: 'default', replaced, agents });
      else {
        printLine(`${version} is now the default of line ${lineOf(version)}`);
        printAgents(agents);
        for (const other of replaced)
          printLine(`${other} is off; to go back: agent-registry bundles default ${other}`);
        nextCommands(['bundles list']);
      }
      return EXIT.ok;
    }),
});

const preview = command({
  name: 'preview',
  description:
    'Also test the agents of its line with a bundle, without any effect on their status and badges. A default stops being one.',
  arguments: [['<version>', 'the bundle: a version or an alias']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, name) =>
    withStore(flags, CHANGE, async (store, config) => {
      const { records, clock } = store;
      const { installedBundle, isBuiltIn, namedVersion, requireFiles } = await import('./installed.ts');
      const version = await namedVersion(records, name);
      if (isBuiltIn(version))
        throw new RegistryError('usage', `${version} is the built-in bundle, which has no preview`, {
          hint: `make it the default: agent-registry bundles default ${version}`,
        });
      const bundle = await installedBundle(records, version);
      await requireFiles(bundle, config.bundles);
      await records.bundles.setStage(version, 'preview', ACTOR, clock.now());
      const replaced = bundle.stage === 'default' ? [version] : [];
      const agents = await applyChange(store, config);
      if (flags.json) printJson({ version, stage: 'preview', replaced, agents });
      else {
        printAgents(agents);
        printLine(`${version} is in preview: agents of line ${bundle.line} are also tested with it`);
        if (bundle.stage === 'default') printLine(`line ${bundle.line} has no installed default any more`);
        nextCommands([`bundles compare VERSION ${version}`, `bundles default ${version}`]);
      }
      return EXIT.ok;
    }),
});

/** Agents that were tested with the bundle that now decides about them stand as that test left them. */
async function applyChange(store: OpenStore, config: Config): Promise<AppliedChange> {
  const { applyBundleChange } = await import('../../../compliance/bundles/apply-change.ts');
  const { updateIndex } = await import('../../setup/after-change.ts');
  const { records, clock } = store;
  const options = { now: clock.now(), tiers: await tiersOf(config), fallback: config.complianceTarget };
  const applied = await applyBundleChange(records, options);
  await updateIndex(store);
  return applied;
}

function printAgents({ switched, changed }: AppliedChange): void {
  if (switched === 0) return;
  const agents = switched === 1 ? 'agent has' : 'agents have';
  printLine(`${switched} ${agents} the results of another bundle now, ${changed} of them another status`);
}

export default [makeDefault, preview];
