import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, toggle } from '../../flags.ts';
import { counted, nextCommands, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const DAY_MS = 86_400_000;

/** Needs the right to delete, which a running registry does not have on PostgreSQL. */
export default command({
  name: 'prune',
  description:
    'Delete the old end of the audit log behind a signed checkpoint. Needs the role of the owner on PostgreSQL.',
  flags: {
    days: integerFlag('--days <n>', 'records older than this are deleted', [90, 36_500], 730),
    yes: toggle('--yes', 'do it; without this flag, show the plan'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: ({ days, yes = false, ...flags }) =>
    withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { composeAudit } = await import('../../../compose/audit.ts');
      const audit = await composeAudit(config, records, clock);
      const verdict = await records.audit.verify();
      if (!verdict.whole)
        throw new RegistryError(
          'input_invalid',
          `the audit log is broken at record ${verdict.record}, and evidence is not pruned`,
          {
            hint: 'look at it first: agent-registry audit verify',
          },
        );
      const through = await records.audit.olderThan(clock.now() - days * DAY_MS);
      const checkpoint = through && (await audit.checkpoint(through));
      const deleted = checkpoint && yes ? await records.audit.prune(checkpoint, clock.now()) : 0;
      // whoever finds the checkpoint of a mere plan could delete behind it
      const token = (yes && checkpoint?.token) || null;
      if (flags.json) printJson({ through: through?.record ?? null, deleted, token });
      else if (through === undefined) printLine(`no record is older than ${counted(days, 'day')}`);
      else if (yes) {
        printLine(`deleted ${counted(deleted, 'record')}, up to record ${through.record}`);
        nextCommands(['audit verify', 'audit head']);
      } else
        printLine(`would delete all records up to ${through.record}; nothing was done; say --yes to do it`);
      return EXIT.ok;
    }),
});
