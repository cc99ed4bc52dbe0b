import { apiKeyRecord, revokedKeyRecord } from '../../../api/render/api-key.ts';
import { present } from '../../../base/json.ts';
import { withNearest } from '../../../base/near-names.ts';
import {
  API_SCOPES,
  type ApiScope,
  isKeyLabel,
  KEY_DAYS,
  MAX_KEY_LABEL,
  readScopes,
} from '../../../domain/api-scope.ts';
import { RegistryError } from '../../../errors.ts';
import type { ApiKey } from '../../../records/owners/keys.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, listFlag, requiredFlag, textFlag } from '../../flags.ts';
import { listTable, nextCommands, note, printJson, printLine } from '../../output/print.ts';
import { READ, WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HEADING = 'API keys of members:';

/** Only the key goes to stdout, so that a script can read it. */
const create = command({
  name: 'create',
  heading: HEADING,
  description: 'Create an API key for a member and print it once. Only its hash is stored.',
  flags: {
    member: requiredFlag('--member <slug>', 'the member'),
    label: textFlag('--label <text>', 'a label, for example the name of the program'),
    scope: listFlag('--scope <scope>', `a scope: ${API_SCOPES.join(', ')} (repeatable)`, 'all'),
    days: integerFlag('--days <n>', 'days until it expires; by default, never', [KEY_DAYS.min, KEY_DAYS.max]),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run({ member, label, scope, days, ...flags }) {
    const scopes = scopesOf(scope);
    if (label !== undefined && !isKeyLabel(label)) {
      throw new RegistryError('usage', 'invalid label', {
        hint: `give 1 to ${MAX_KEY_LABEL} characters on one line`,
      });
    }
    return withStore(flags, WRITE, async ({ records, clock }) => {
      const { newApiKey } = await import('../../../owners/secrets.ts');
      const { id, key, hash } = newApiKey();
      const now = clock.now();
      const expiresAt = days === undefined ? undefined : now + days * DAY_MS;
      const wanted = { id, hash, member, ...present({ label, scopes, expiresAt }) };
      printOnce(key, await records.keys.create(wanted, now), flags.json);
      return EXIT.ok;
    });
  },
});

/** Both keys work for a while, so that programs can be updated one after another. */
const renew = command({
  name: 'renew',
  heading: HEADING,
  description:
    'Create the successor of an API key and print it once. The old key expires after the overlap. The successor manages the keys that the old one created.',
  arguments: [['<id>', 'the id of the old key, as in keys list']],
  flags: {
    overlap: integerFlag('--overlap <h>', 'hours that both keys work', [0, 30 * 24], 24),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: ({ overlap, ...flags }, given) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      const { apiKeyId, newApiKey } = await import('../../../owners/secrets.ts');
      const from = apiKeyId(given) ?? given;
      const { id, key, hash } = newApiKey();
      const renewal = { from, id, hash, overlapMs: overlap * HOUR_MS };
      printOnce(key, await records.keys.renew(renewal, clock.now()), flags.json);
      if (!flags.json) note(`${from} expires in ${overlap} h, or at its own expiry if that is earlier`);
      return EXIT.ok;
    }),
});

const list = command({
  name: 'list',
  heading: HEADING,
  description:
    'List API keys with id, member, scopes, creator, and the dates of creation, last use, expiry and revocation.',
  flags: { member: textFlag('--member <slug>', 'only keys of this member'), ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, READ, async ({ records }) => {
      const keys = await records.keys.list(flags.member);
      if (flags.json) printJson({ keys: keys.map(apiKeyRecord) });
      else if (keys.length === 0) note('no API keys');
      else for (const line of listTable(HEADINGS, keys.map(row))) printLine(line);
      return EXIT.ok;
    }),
});

/** Also accepts the whole key. */
const revoke = command({
  name: 'revoke',
  heading: HEADING,
  description: 'Revoke an API key and all keys that it created. Takes effect at once and cannot be undone.',
  arguments: [['<id>', 'the id of the key, as in keys list']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, given) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      const { apiKeyId } = await import('../../../owners/secrets.ts');
      const id = apiKeyId(given) ?? given;
      const revoked = await records.keys.revoke(id, clock.now());
      if (revoked === undefined) {
        throw new RegistryError('not_found', 'unknown API key', {
          hint: 'use the id from `agent-registry keys list`: ark_ and 16 characters',
        });
      }
      if (flags.json) printJson(revokedKeyRecord(revoked));
      else {
        printLine(`revoked ${id} of ${revoked.member}`);
        for (const other of revoked.alsoRevoked) printLine(`revoked ${other}, which it created`);
        nextCommands([`keys create --member ${revoked.member}`]);
      }
      return EXIT.ok;
    }),
});

export default [create, renew, list, revoke];

/** Undefined: all scopes. */
function scopesOf(given: readonly string[]): readonly ApiScope[] | undefined {
  const read = readScopes(given);
  if ('unknown' in read)
    throw new RegistryError('usage', `unknown scope '${read.unknown.slice(0, 100)}'`, {
      hint: withNearest(`the scopes are ${API_SCOPES.join(', ')}`, read.unknown, API_SCOPES),
    });
  return given.length === 0 ? undefined : read.scopes;
}

function printOnce(key: string, created: ApiKey, json = false): void {
  if (json) printJson({ key, ...apiKeyRecord(created) });
  else {
    note(`API key of ${created.member}, shown only once. Send it as "Authorization: Bearer KEY"`);
    printLine(key);
    nextCommands([`agents list --member ${created.member}`, `keys list --member ${created.member}`]);
  }
}

const HEADINGS = [
  'key',
  'member',
  'scopes',
  'created',
  'last used',
  'expires',
  'revoked',
  'created by',
  'label',
];

function row({ id, member, label, scopes, ...key }: ApiKey): readonly string[] {
  const dates = [key.createdAt, key.lastUsedAt, key.expiresAt, key.revokedAt].map(day);
  return [`${id}…`, member, scopes?.join(' ') ?? 'all', ...dates, key.madeBy ?? '-', label ?? ''];
}

function day(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().slice(0, 10);
}
