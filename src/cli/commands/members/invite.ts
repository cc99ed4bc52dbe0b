import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, textFlag } from '../../flags.ts';
import { nextCommands, note, printJson, printLine } from '../../output/print.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const DAY_MS = 86_400_000;

/** The link is all that goes to stdout. */
export default command({
  name: 'invite',
  description: 'Make a link with which somebody becomes a member and gets an API key. It is good once.',
  flags: {
    member: textFlag(
      '--member <slug>',
      'the member that they join; without it they name a new one, whose slug begins with joined-',
    ),
    days: integerFlag('--days <n>', 'days for which it is good', [1, 90], 7),
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
          note('REGISTRY_BASE_URL is not set: put the address of your registry in the place of this one');
        note(`it is good once, until ${expires_at}; whoever has it becomes ${member ?? 'a new member'}`);
        nextCommands(['members list']);
      }
      return EXIT.ok;
    }),
});
