import { systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import { apiKeyId, newApiKey } from '../../owners/api-key.ts';
import type { ApiKey } from '../../ports/members.ts';
import type { ApiKeysFlags, CreateKeyFlags } from '../commands/api-keys.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, printJson, printLine, table } from '../output/print.ts';
import { READ, WRITE, withStore } from '../with-store.ts';

const MAX_LABEL = 100;

/** `registry keys create`: the key is all that goes to stdout, so that a script can take it from there. */
export function createKey({ member, label, ...flags }: CreateKeyFlags): Promise<ExitCode> {
  if (label !== undefined && !isLabel(label)) {
    throw new RegistryError('usage', 'the label cannot be used', {
      hint: `give 1 to ${MAX_LABEL} characters on one line`,
    });
  }
  return withStore(flags, WRITE, async ({ records }) => {
    const { id, key, hash } = newApiKey();
    const wanted = { id, hash, member, ...(label !== undefined && { label }) };
    const created = await records.keys.create(wanted, systemClock.now());
    if (flags.json) printJson({ key, ...keyJson(created) });
    else {
      note(`an API key of ${member}; it is shown this once. Send it as "Authorization: Bearer KEY"`);
      printLine(key);
    }
    return EXIT.ok;
  });
}

/** `registry keys list`. */
export function listKeys(flags: ApiKeysFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records }) => {
    const keys = await records.keys.list(flags.member);
    if (flags.json) printJson({ keys: keys.map(keyJson) });
    else if (keys.length === 0) note('there are no API keys');
    else printLine(table([['key', 'member', 'made', 'used', 'revoked', 'label'], ...keys.map(row)]));
    return EXIT.ok;
  });
}

/** `registry keys revoke`; the whole key is taken too, as that may be all that somebody has. */
export function revokeKey(text: string, flags: ApiKeysFlags): Promise<ExitCode> {
  const id = apiKeyId(text) ?? text;
  return withStore(flags, WRITE, async ({ records }) => {
    const revoked = await records.keys.revoke(id, systemClock.now());
    if (revoked === undefined) {
      throw new RegistryError('not_found', 'there is no such API key', {
        hint: 'give its beginning, ark_ and 16 characters: registry keys list',
      });
    }
    if (flags.json) printJson(keyJson(revoked));
    else printLine(`${id} of ${revoked.member} is revoked`);
    return EXIT.ok;
  });
}

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
