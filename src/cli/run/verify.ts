import { readFile } from 'node:fs/promises';
import { openReplayStore, sqlitePath, systemClock } from '../../compose.ts';
import { fixedKeys, type KeySource, readJwkSet } from '../../signing/key-source.ts';
import { readMessageFile } from '../../signing/message-file.ts';
import { readRevocations } from '../../signing/revocations.ts';
import { type SignatureVerdict, type VerifyOptions, verifyMessage } from '../../signing/verify.ts';
import type { VerifyFlags } from '../commands/verify.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readInput } from '../input/read-input.ts';
import { printJson, printLine } from '../output/print.ts';
import { readText } from '../settings.ts';

/** `registry verify`: 0 when the signature holds, 1 when it does not. */
export async function verifyCommand(file: string, flags: VerifyFlags): Promise<ExitCode> {
  const message = readMessageFile(await readInput(file));
  const options: VerifyOptions = {
    kind: flags.kind,
    profile: flags.profile,
    digest: flags.digest,
    keys: await keysOf(flags.jwks),
    now: flags.at ?? Math.floor(systemClock.now() / 1_000),
    ...(flags.revoked !== undefined && {
      revoked: readRevocations(await readText(flags.revoked, '--revoked')),
    }),
  };
  const replays = flags.store === undefined ? undefined : openReplayStore(pathOf(flags.store));
  try {
    const verdict = await verifyMessage(message, { ...options, ...(replays && { replays }) });
    print(verdict, flags.json === true);
    return verdict.verified ? EXIT.ok : EXIT.findings;
  } finally {
    await replays?.close();
  }
}

/** A set that is not to be had is a verdict like any other: whoever asks gets its code. */
async function keysOf(file: string): Promise<KeySource> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return fixedKeys(text === undefined ? undefined : readJwkSet(text), `${file} cannot be read as a JWK set`);
}

function pathOf(address: string): string {
  return /^\w+:/.test(address) ? sqlitePath(address) : address;
}

/** The JSON follows schemas/cli/verify.json. */
function print(verdict: SignatureVerdict, json: boolean): void {
  const detail = verdict.verified ? sentence(verdict) : verdict.detail;
  const { code, check } = verdict.verified ? { code: null, check: null } : verdict;
  if (json) printJson({ verified: verdict.verified, code, step: check, detail });
  else
    printLine(
      verdict.verified ? `verified: ${detail}` : `refused at the check of ${check}: ${detail} (${code})`,
    );
}

function sentence({ signer }: Extract<SignatureVerdict, { verified: true }>): string {
  const { keyid, alg, coversBody } = signer;
  return `signed by the key ${keyid} with ${alg}, ${coversBody ? 'body and all' : 'and no body is covered'}`;
}
