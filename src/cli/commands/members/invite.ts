import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, textFlag } from '../../flags.ts';
import { nextCommands, note, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const DAY_MS = 86_400_000;

/** Only the link goes to stdout. */
export default command({
  name: 'invite',
  description: 'Create a link to join as a member and get an API key. The link works once.',
  flags: {
    member: textFlag(
      '--member <slug>',
      'invite to this existing member; by default, to a new member, whose slug gets the prefix joined-',
    ),
    days: integerFlag('--days <n>', 'days until the link expires', [1, 90], 7),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: ({ member, days, ...flags }) =>
    withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { secretHash, newSecret } = await import('../../../owners/secrets.ts');
      const secret = newSecret();
      const expiresAt = clock.now() + days * DAY_MS;
      const hash = secretHash(secret) as string;
      await records.members.invite({ hash, expiresAt, ...(member !== undefined && { member }) }, clock.now());
      const url = `${config.baseUrl || 'http://127.0.0.1:8080'}/join?invitation=${secret}`;
      const expires_at = new Date(expiresAt).toISOString();
      if (flags.json) printJson({ url, invitation: secret, member: member ?? null, expires_at });
      else {
        printLine(url);
        if (config.baseUrl === '')
          note('REGISTRY_BASE_URL is not set: replace the host with the address of your registry');
        note(
          `the link works once, until ${expires_at}; its user joins ${member ?? 'as a new member, without a tier: agents are tested but earn no badges until you import a tier'}`,
        );
        nextCommands(['members list']);
      }
      return EXIT.ok;
    }),
});
