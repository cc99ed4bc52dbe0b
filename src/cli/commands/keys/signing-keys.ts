import { RegistryError } from '../../../errors.ts';
import { keyCommand } from '../../../signing/key-command.ts';
import {
  ALGORITHMS,
  KEY_KINDS,
  type KeyKind,
  PURPOSES,
  type SignatureAlgorithm,
  TAG_VOCABULARIES,
} from '../../../signing/profile.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { choiceFlag, type FlagValues, integerFlag, textFlag, toggle } from '../../flags.ts';
import { printJson, printLine } from '../../output/print.ts';
import { configOf } from '../../setup/settings.ts';
import { JSON_FLAG, KEY_FOLDER_FLAG } from '../../shared-flags.ts';

const DAY_IN_SECONDS = 86_400;
const HEADING = 'Signing keys, for messages:';

const NEW_KEY = {
  ...KEY_FOLDER_FLAG,
  ...JSON_FLAG,
  kind: choiceFlag(
    '--kind <kind>',
    'what it signs; a key of the kind credential seals the test credentials of owners',
    [...KEY_KINDS, 'credential'],
    'request',
  ),
  alg: choiceFlag('--alg <alg>', 'algorithm', Object.keys(ALGORITHMS) as SignatureAlgorithm[], 'ed25519'),
  vocabulary: choiceFlag(
    '--vocabulary <vocabulary>',
    'the vocabulary of its purpose and tags',
    TAG_VOCABULARIES,
    'proto',
  ),
  kid: textFlag('--kid <id>', 'its name; by default its purpose and thumbprint'),
};
type NewKeyFlags = FlagValues<typeof NEW_KEY>;

const OVERLAP = {
  overlap: integerFlag(
    '--overlap <s>',
    'seconds that a retired key stays published',
    [0, 365 * DAY_IN_SECONDS],
    DAY_IN_SECONDS,
  ),
};

/** What the registry signs itself, so that nobody has to publish anything. */
const USED_BY_SERVE = {
  badge:
    'agent-registry serve reads and publishes it by itself: REGISTRY_BADGE_KEYS has to name the folder or file',
  audit: 'agent-registry serve signs heads with it: REGISTRY_AUDIT_KEYS has to name the folder or file',
} as const;
/** Where credential keys are, unless the setting or --out says otherwise: not in the folder of keys that are published. */
const CREDENTIAL_KEYS = '.registry/credential-keys.json';

/** The private part goes to its file and nowhere else. */
const generate = command({
  name: 'generate',
  heading: HEADING,
  description:
    'Make a key. Its private part goes to a file that only you can read; its public part is printed.',
  flags: {
    out: textFlag('--out <file>', 'write the private key to this file instead of the folder'),
    ...NEW_KEY,
  },
  async run(flags) {
    const { kind, out } = flags;
    if (kind === 'credential') return generateCredentialKeys(flags.kid, out, flags.json);
    const { systemClock } = await import('../../../compose/clock.ts');
    const { addKey, saveKey } = await import('../../../signing/key-folder.ts');
    const { generateKey, publicJwk } = await import('../../../signing/private-key.ts');
    const options = newKey(flags, kind);
    const { kid, file, jwk } =
      out === undefined
        ? await addKey(flags.keys, options, systemClock.now())
        : await saveKey(out, await generateKey(options));
    if (flags.json) printJson({ kid, file, jwk: publicJwk(jwk) });
    else {
      printLine(`${kid}: the private key is in ${file}, readable for you alone`);
      printLine(JSON.stringify(publicJwk(jwk)));
      if (kind === 'badge' || kind === 'audit') printLine(USED_BY_SERVE[kind]);
    }
    return EXIT.ok;
  },
});

/** The set itself. */
const jwks = command({
  name: 'jwks',
  heading: HEADING,
  description:
    'Print the JWK set to publish: the public parts of the keys in use and of recently retired ones.',
  flags: { ...KEY_FOLDER_FLAG, ...OVERLAP },
  async run({ keys: folder, overlap }) {
    const { systemClock } = await import('../../../compose/clock.ts');
    const { listSigningKeys, publishedKeys } = await import('../../../signing/key-folder.ts');
    printJson({ keys: publishedKeys(await listSigningKeys(folder), systemClock.now(), overlap * 1_000) });
    return EXIT.ok;
  },
});

const rotate = command({
  name: 'rotate',
  heading: HEADING,
  description: 'Make a key and retire the others of its kind, which stay published during the overlap.',
  flags: {
    revoke: toggle(
      '--revoke',
      'withdraw the old keys at once and write them to revoked.json, for a key that others know',
    ),
    ...NEW_KEY,
    ...OVERLAP,
  },
  async run(flags) {
    const { kind, json, revoke = false } = flags;
    if (kind === 'credential') return rotateCredentialKeys(flags.kid, json);
    const { systemClock } = await import('../../../compose/clock.ts');
    const { rotateKeys } = await import('../../../signing/key-folder.ts');
    const { publicJwk } = await import('../../../signing/private-key.ts');
    const { BADGE_KEY_OVERLAP_MS } = await import('../../../signing/badge-keys.ts');
    const least = { badge: BADGE_KEY_OVERLAP_MS, audit: Number.POSITIVE_INFINITY }; // old heads are verified with old keys
    const overlapMs = Math.max(flags.overlap * 1_000, kind === 'badge' || kind === 'audit' ? least[kind] : 0);
    const options = { ...newKey(flags, kind), overlapMs, revoke };
    const { added, retired, removed } = await rotateKeys(flags.keys, options, systemClock.now());
    if (json) printJson({ kid: added.kid, file: added.file, jwk: publicJwk(added.jwk), retired, removed });
    else {
      printLine(`${added.kid}: the private key is in ${added.file}, readable for you alone`);
      for (const kid of retired) printLine(`${kid}: retired`);
      for (const kid of removed)
        printLine(`${kid}: ${revoke ? 'revoked' : 'published no longer'}, its file is gone`);
      printLine(
        kind === 'badge' || kind === 'audit'
          ? USED_BY_SERVE[kind]
          : 'publish the new set now: agent-registry keys jwks',
      );
    }
    return EXIT.ok;
  },
});

export default [generate, jwks, rotate];

function newKey({ alg, vocabulary, kid }: NewKeyFlags, kind: KeyKind) {
  return { alg, purpose: PURPOSES[kind], vocabulary, ...(kid !== undefined && { kid }) };
}

/** A file with one key, which has no public part. */
async function generateCredentialKeys(
  kid: string | undefined,
  out: string | undefined,
  json = false,
): Promise<ExitCode> {
  const { systemClock } = await import('../../../compose/clock.ts');
  const { makeSealingKeys } = await import('../../../signing/sealing-keys.ts');
  const { credentialKeys } = configOf({});
  const file = out ?? fileOf(credentialKeys);
  const created = await makeSealingKeys(file, systemClock.now(), kid);
  if (json) printJson({ kid: created, file });
  else {
    printLine(`${created}: the key is in ${file}, readable for you alone`);
    printLine('keep a copy apart from the backups of the store: without it no stored credential opens');
    if (credentialKeys === '') printLine(`set REGISTRY_CREDENTIAL_KEYS=${file} where the registry runs`);
  }
  return EXIT.ok;
}

/** The new key comes first, and the others still open. */
async function rotateCredentialKeys(kid: string | undefined, json = false): Promise<ExitCode> {
  const { systemClock } = await import('../../../compose/clock.ts');
  const { addSealingKey } = await import('../../../signing/sealing-keys.ts');
  const file = fileOf(configOf({}).credentialKeys);
  const added = await addSealingKey(file, systemClock.now(), kid);
  if (json) printJson({ kid: added, file });
  else {
    printLine(`${added}: the key is the first in ${file}; what the others sealed still opens`);
    printLine('seal what is stored again: agent-registry agents reseal');
  }
  return EXIT.ok;
}

function fileOf(setting: string): string {
  if (keyCommand(setting) === undefined) return setting === '' ? CREDENTIAL_KEYS : setting;
  throw new RegistryError('usage', 'a command keeps the credential keys', {
    hint: 'add the new key where the command takes them from, as the first of the set',
  });
}
