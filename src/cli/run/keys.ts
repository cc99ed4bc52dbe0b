import { systemClock } from '../../compose.ts';
import { addKey, listSigningKeys, publishedKeys, rotateKeys, saveKey } from '../../signing/key-folder.ts';
import { generateKey, publicJwk } from '../../signing/private-key.ts';
import { type KeyKind, PURPOSES } from '../../signing/profile.ts';
import type { GenerateFlags, KeysFlags, NewKeyFlags, OverlapFlags, RotateFlags } from '../commands/keys.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { generateCredentialKeys, rotateCredentialKeys } from './credential-keys.ts';

/** Badges are signed, and their keys published, by the registry itself. */
const RESTART =
  'restart registry serve, which publishes it: REGISTRY_BADGE_KEYS has to name the folder or file';

/** `registry keys generate`. The private part goes to its file and nowhere else. */
export async function generateCommand(flags: GenerateFlags): Promise<ExitCode> {
  const { kind } = flags;
  if (kind === 'credential') return generateCredentialKeys(flags);
  const options = newKey(flags, kind);
  const { kid, file, jwk } =
    flags.out === undefined
      ? await addKey(flags.keys, options, systemClock.now())
      : await saveKey(flags.out, await generateKey(options));
  if (flags.json) printJson({ kid, file, jwk: publicJwk(jwk) });
  else {
    printLine(`${kid}: the private key is in ${file}, readable for you alone`);
    printLine(JSON.stringify(publicJwk(jwk)));
    if (kind === 'badge') printLine(RESTART);
  }
  return EXIT.ok;
}

/** `registry keys jwks`: the set itself, with --json and without. */
export async function jwksCommand(flags: KeysFlags & OverlapFlags): Promise<ExitCode> {
  const keys = await listSigningKeys(flags.keys);
  printJson({ keys: publishedKeys(keys, systemClock.now(), flags.overlap * 1_000) });
  return EXIT.ok;
}

/** `registry keys rotate`. */
export async function rotateCommand(flags: RotateFlags): Promise<ExitCode> {
  const { kind } = flags;
  if (kind === 'credential') return rotateCredentialKeys(flags);
  const options = { ...newKey(flags, kind), overlapMs: flags.overlap * 1_000, revoke: flags.revoke === true };
  const { added, retired, removed } = await rotateKeys(flags.keys, options, systemClock.now());
  if (flags.json)
    printJson({ kid: added.kid, file: added.file, jwk: publicJwk(added.jwk), retired, removed });
  else {
    printLine(`${added.kid}: the private key is in ${added.file}, readable for you alone`);
    for (const kid of retired) printLine(`${kid}: retired`);
    for (const kid of removed)
      printLine(`${kid}: ${flags.revoke ? 'revoked' : 'published no longer'}, its file is gone`);
    printLine(kind === 'badge' ? RESTART : 'publish the new set now: registry keys jwks');
  }
  return EXIT.ok;
}

function newKey({ alg, vocabulary, kid }: NewKeyFlags, kind: KeyKind) {
  return { alg, purpose: PURPOSES[kind], vocabulary, ...(kid !== undefined && { kid }) };
}
