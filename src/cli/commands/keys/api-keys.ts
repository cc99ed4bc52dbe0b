import { RegistryError } from '../../../errors.ts';
import type { ApiKey } from '../../../ports/members.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { requiredFlag, textFlag } from '../../flags.ts';
import { note, printJson, printLine, table } from '../../output/print.ts';
import { READ, WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const MAX_LABEL = 100;
const HEADING = 'API keys, for members:';

/** The key is all that goes to stdout, so that a script can take it from there. */
const create = command({
  name: 'create',
  heading: HEADING,
  description: 'Make an API key for a member and print it once. Only its hash is kept.',
  flags: {
    member: requiredFlag('--member <slug>', 'the member that it belongs to'),
    label: textFlag('--label <text>', 'a label to recognise it by'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run({ member, label, ...flags }) {
    if (label !== undefined && !isLabel(label)) {
      throw new RegistryError('usage', 'the label cannot be used', {
        hint: `give 1 to ${MAX_LABEL} characters on one line`,
      });
    }
    return withStore(flags, WRITE, async ({ records, clock }) => {
      const { newApiKey } = await import('../../../owners/api-key.ts');
      const { id, key, hash } = newApiKey();
      const wanted = { id, hash, member, ...(label !== undefined && { label }) };
      const created = await records.keys.create(wanted, clock.now());
      if (flags.json) printJson({ key, ...keyJson(created) });
      else {
        note(`an API key of ${member}; it is shown this once. Send it as "Authorization: Bearer KEY"`);
        printLine(key);
      }
      return EXIT.ok;
    });
  },
});

const list = command({
  name: 'list',
  heading: HEADING,
  description: 'Show the API keys with id, member, and when each was created, used and revoked.',
  flags: { member: textFlag('--member <slug>', 'those of one member'), ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, READ, async ({ records }) => {
      const keys = await records.keys.list(flags.member);
      if (flags.json) printJson({ keys: keys.map(keyJson) });
      else if (keys.length === 0) note('there are no API keys');
      else printLine(table([['key', 'member', 'made', 'used', 'revoked', 'label'], ...keys.map(row)]));
      return EXIT.ok;
    }),
});

/** The whole key is taken too, as that may be all that somebody has. */
const revoke = command({
  name: 'revoke',
  heading: HEADING,
  description: 'Revoke an API key at once. This cannot be undone.',
  arguments: [['<id>', 'its id, as in keys list']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, given) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      const { apiKeyId } = await import('../../../owners/api-key.ts');
      const id = apiKeyId(given) ?? given;
      const revoked = await records.keys.revoke(id, clock.now());
      if (revoked === undefined) {
        throw new RegistryError('not_found', 'there is no such API key', {
          hint: 'give the id, ark_ and 16 characters; agent-registry keys list shows it',
        });
      }
      if (flags.json) printJson(keyJson(revoked));
      else printLine(`${id} of ${revoked.member} is revoked`);
      return EXIT.ok;
    }),
});

export default [create, list, revoke];

function isLabel(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_LABEL && !/\p{Cc}/u.test(text);
}

function keyJson({ id, member, label, createdAt, lastUsedAt, revokedAt }: ApiKey) {
  return {
    id,
    member,
    label: label ?? null,
    created_at: instant(createdAt),
    last_used_at: lastUsedAt === undefined ? null : instant(lastUsedAt),
    revoked_at: revokedAt === undefined ? null : instant(revokedAt),
  };
}

function row({ id, member, label, createdAt, lastUsedAt, revokedAt }: ApiKey): readonly string[] {
  return [`${id}…`, member, day(createdAt), day(lastUsedAt), day(revokedAt), label ?? ''];
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

function day(at: number | undefined): string {
  return at === undefined ? '-' : instant(at).slice(0, 10);
}
