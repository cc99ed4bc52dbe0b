import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, toggle } from '../../flags.ts';
import { counted, nextCommands, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const DAY_MS = 86_400_000;

/** Needs the permission to delete, which a running registry does not have on PostgreSQL. */
export default command({
  name: 'prune',
  description:
    'Delete old records of the audit log, up to a signed checkpoint. On PostgreSQL it needs the role of the database owner.',
  flags: {
    days: integerFlag('--days <n>', 'delete records older than this', [90, 36_500], 730),
    yes: toggle('--yes', 'delete them; without this flag, only show the plan'),
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
          `the audit log is broken at record ${verdict.record}, so nothing is deleted`,
          {
            hint: 'check it first: agent-registry audit verify',
          },
        );
      const through = await records.audit.olderThan(clock.now() - days * DAY_MS);
      const checkpoint = through && (await audit.checkpoint(through));
      const deleted = checkpoint && yes ? await records.audit.prune(checkpoint, clock.now()) : 0;
      // the token of a plan that was not executed would permit the deletion
      const token = (yes && checkpoint?.token) || null;
      if (flags.json) printJson({ through: through?.record ?? null, deleted, token });
      else if (through === undefined) printLine(`no records are older than ${counted(days, 'day')}`);
      else if (yes) {
        printLine(`deleted ${counted(deleted, 'record')}, up to record ${through.record}`);
        nextCommands(['audit verify', 'audit head']);
      } else printLine(`would delete all records up to ${through.record}; add --yes to delete them`);
      return EXIT.ok;
    }),
});
