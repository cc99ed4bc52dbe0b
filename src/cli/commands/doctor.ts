import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { integerFlag, toggle } from '../flags.ts';
import { paint, printJson, printLine } from '../output/print.ts';
import { configOf, publicFaceOf } from '../setup/settings.ts';
import { READ, WRITE, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

/** A tick list; 1 when something is wrong, 3 when it is the store. */
export default command({
  name: 'doctor',
  description: 'Check settings, store, index, clock and name resolution, and show how to fix problems.',
  flags: {
    confirmClock: toggle('--confirm-clock', 'confirm that the time is right after the clock jumped'),
    deep: toggle(
      '--deep',
      'also recompute counts, compliance standings and index documents of a sample of agents',
    ),
    sample: integerFlag(
      '--sample <n>',
      'number of random agents that --deep recomputes',
      [1, 1_000_000],
      1_000,
    ),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: ['agent-registry doctor', 'agent-registry doctor --deep --sample 10000'],
  async run(flags) {
    const { checkStoredCredentials } = await import('../../compose/credentials.ts');
    const { unusableBundles } = await import('../../compliance/bundles/installed-files.ts');
    const { openBodies, openStore } = await import('../../compose/engines.ts');
    const { newestExport } = await import('../../api/export/files.ts');
    const { indexLag } = await import('../../index/generations/update-generations.ts');
    const { compareSample } = await import('../../index/generations/compare-sample.ts');
    const { derivedAnew } = await import('../../discovery/derived-anew.ts');
    const { runChecks } = await import('../../ops/doctor.ts');
    if (flags.confirmClock) await withStore(flags, WRITE, ({ clock }) => clock.confirm());
    const ticks = await runChecks({
      readConfig: () => configOf(flags),
      readFiles: (given) => publicFaceOf(given),
      openStore: (config) => openStore(config, READ),
      openBodies,
      newestExport: (config) => newestExport(config.exports),
      indexLag,
      credentials: (config, records) => checkStoredCredentials(config, records),
      bundles: async (config, records) => unusableBundles(await records.bundles.list(), config.bundles),
      ...(flags.deep && {
        deep: {
          ...{ sample: flags.sample, compareSample, derive: derivedAnew },
          keep: (found) => withStore(flags, WRITE, ({ records }) => records.keepSelfCheck(found)),
        },
      }),
    });
    if (flags.json) printJson({ ok: ticks.every((tick) => tick.ok), checks: ticks });
    else {
      for (const { ok, name, detail, hint } of ticks) {
        printLine(`${ok ? paint('green', '✓') : paint('red', '✗')} ${name}: ${detail}`);
        if (hint !== undefined) printLine(`    hint: ${hint}`);
      }
    }
    if (ticks.some((tick) => !tick.ok && tick.name === 'store')) return EXIT.store;
    return ticks.every((tick) => tick.ok) ? EXIT.ok : EXIT.findings;
  },
});
