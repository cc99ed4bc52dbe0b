import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Only the head goes to stdout, on one line, so that lines can be collected elsewhere. */
export default command({
  name: 'head',
  description:
    'Sign the newest record of the audit log and print it on one line. Store it on another machine.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { composeAudit } = await import('../../../compose/audit.ts');
      const head = await (await composeAudit(config, records, clock)).takeHead();
      if (head === undefined) {
        note('the audit log is empty');
        return EXIT.ok;
      }
      const { record, hash, token } = head;
      if (flags.json) printJson({ record, hash, at: new Date(head.at).toISOString(), token: token ?? null });
      else printLine(token ?? JSON.stringify({ record, hash }));
      if (token === undefined) note('the head is not signed: set REGISTRY_AUDIT_KEYS');
      return EXIT.ok;
    }),
});
