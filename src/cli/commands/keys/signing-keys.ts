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
const HEADING = 'Signing keys:';

const NEW_KEY = {
  ...KEY_FOLDER_FLAG,
  ...JSON_FLAG,
  kind: choiceFlag(
    '--kind <kind>',
    'what the key signs; a key of the kind credential encrypts the test credentials of owners',
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
  kid: textFlag('--kid <id>', 'key id; by default its purpose and thumbprint'),
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

/** The registry publishes these keys itself. */
const USED_BY_SERVE = {
  badge: 'agent-registry serve publishes this key itself: set REGISTRY_BADGE_KEYS to the folder or file',
  audit: 'agent-registry serve signs heads with this key: set REGISTRY_AUDIT_KEYS to the folder or file',
} as const;
/** The default file of credential keys, outside of the folder of published keys. */
const CREDENTIAL_KEYS = '.registry/credential-keys.json';

/** The private part is written to its file only. */
const generate = command({
  name: 'generate',
  heading: HEADING,
  description:
    'Create a key. The private key is written to a file that only you can read; the public key is printed.',
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
      printLine(`${kid}: private key written to ${file} (readable only by you)`);
      printLine(JSON.stringify(publicJwk(jwk)));
      if (kind === 'badge' || kind === 'audit') printLine(USED_BY_SERVE[kind]);
    }
    return EXIT.ok;
  },
});

/** Prints the set only. */
const jwks = command({
  name: 'jwks',
  heading: HEADING,
  description: 'Print the JWK set to publish: the public keys in use and recently retired ones.',
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
  description: 'Create a key and retire the others of its kind, which stay published during the overlap.',
  flags: {
    revoke: toggle(
      '--revoke',
      'revoke the old keys at once and write them to revoked.json; use it for a leaked key',
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
      printLine(`${added.kid}: private key written to ${added.file} (readable only by you)`);
      for (const kid of retired) printLine(`${kid}: retired`);
      for (const kid of removed)
        printLine(`${kid}: ${revoke ? 'revoked' : 'no longer published'}, file deleted`);
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

/** Creates a file with one key, which has no public part. */
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
    printLine(`${created}: key written to ${file} (readable only by you)`);
    printLine(
      'keep a copy separate from the backups of the store: without this key, stored credentials cannot be decrypted',
    );
    if (credentialKeys === '') printLine(`set REGISTRY_CREDENTIAL_KEYS=${file} for the registry`);
  }
  return EXIT.ok;
}

/** The new key becomes the first; the others still decrypt. */
async function rotateCredentialKeys(kid: string | undefined, json = false): Promise<ExitCode> {
  const { systemClock } = await import('../../../compose/clock.ts');
  const { addSealingKey } = await import('../../../signing/sealing-keys.ts');
  const file = fileOf(configOf({}).credentialKeys);
  const added = await addSealingKey(file, systemClock.now(), kid);
  if (json) printJson({ kid: added, file });
  else {
    printLine(
      `${added}: added as the first key in ${file}; the other keys still decrypt existing credentials`,
    );
    printLine('encrypt the stored credentials with the new key: agent-registry agents reseal');
  }
  return EXIT.ok;
}

function fileOf(setting: string): string {
  if (keyCommand(setting) === undefined) return setting === '' ? CREDENTIAL_KEYS : setting;
  throw new RegistryError('usage', 'the credential keys are managed by a command', {
    hint: 'add the new key as the first of the set that the command returns',
  });
}
