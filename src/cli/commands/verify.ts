import { readFile } from 'node:fs/promises';
import type { KeySource } from '../../signing/key-source.ts';
import { DIGEST_RULES, MESSAGE_KINDS, PROFILE_RULES } from '../../signing/profile.ts';
import type { SignatureVerdict } from '../../signing/verify.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { choiceFlag, integerFlag, requiredFlag, textFlag } from '../flags.ts';
import { readInput, readTextFile } from '../input/arguments.ts';
import { printJson, printLine } from '../output/print.ts';
import { JSON_FLAG } from '../shared-flags.ts';

/** 0 when the signature holds, 1 when it does not. */
export default command({
  name: 'verify',
  description:
    'Verify the signature of a message {method, url, headers, body} and show the check that failed.',
  arguments: [['<file>', 'the message as JSON, or - for stdin']],
  flags: {
    jwks: requiredFlag('--jwks <file>', 'public keys of the signer, a JWK set'),
    at: integerFlag('--at <s>', 'time to verify at, Unix seconds (default: now)', [0, 1e12]),
    kind: choiceFlag('--kind <kind>', 'kind of message', MESSAGE_KINDS, 'request'),
    profile: choiceFlag(
      '--profile <line>',
      'encoding of signatures: 3.1 base64url, 3.2 base64',
      PROFILE_RULES,
      '3.2',
    ),
    digest: choiceFlag(
      '--digest <rule>',
      'whether the signature must cover the body of a request',
      DIGEST_RULES,
      'required',
    ),
    revoked: textFlag(
      '--revoked <file>',
      'file with revoked keys: {"revoked_kids": […]}, or one kid per line',
    ),
    store: textFlag('--store <address>', 'store nonces in sqlite:PATH and refuse repeated messages'),
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry verify signed.json --jwks jwks.json',
    'agent-registry verify signed.json --jwks jwks.json --kind webhook --store sqlite:nonces.sqlite --json',
  ],
  async run({ jwks, kind, profile, digest, at, revoked, store, json }, file) {
    const { openReplayStore } = await import('../../compose/agent-stores.ts');
    const { sqlitePath } = await import('../../compose/engines.ts');
    const { systemClock } = await import('../../compose/clock.ts');
    const { readMessageFile } = await import('../../signing/message-file.ts');
    const { readRevocations } = await import('../../signing/revocations.ts');
    const { verifyMessage } = await import('../../signing/verify.ts');
    const message = readMessageFile(await readInput(file));
    const options = {
      ...{ kind, profile, digest },
      keys: await keysIn(jwks),
      now: at ?? Math.floor(systemClock.now() / 1_000),
      ...(revoked !== undefined && { revoked: readRevocations(await readTextFile(revoked, '--revoked')) }),
    };
    const path = store !== undefined && /^\w+:/.test(store) ? sqlitePath(store) : store;
    const replays = path === undefined ? undefined : openReplayStore(path);
    try {
      const verdict = await verifyMessage(message, { ...options, ...(replays && { replays }) });
      print(verdict, json === true);
      return verdict.verified ? EXIT.ok : EXIT.findings;
    } finally {
      await replays?.close();
    }
  },
});

/** An unavailable key set is a verdict with a code, like any other. */
async function keysIn(file: string): Promise<KeySource> {
  const { fixedKeys, readJwkSet } = await import('../../signing/key-source.ts');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return fixedKeys(text === undefined ? undefined : readJwkSet(text), `${file} cannot be read as a JWK set`);
}

/** The JSON follows schemas/cli/verify.json. */
function print(verdict: SignatureVerdict, json: boolean): void {
  const detail = verdict.verified ? sentence(verdict) : verdict.detail;
  const { code, check } = verdict.verified ? { code: null, check: null } : verdict;
  if (json) printJson({ verified: verdict.verified, code, step: check, detail });
  else
    printLine(
      verdict.verified ? `verified: ${detail}` : `not verified, failed check "${check}": ${detail} (${code})`,
    );
}

function sentence({ signer }: Extract<SignatureVerdict, { verified: true }>): string {
  const { keyid, alg, coversBody } = signer;
  return `signed by the key ${keyid} with ${alg}, ${coversBody ? 'body covered' : 'body not covered'}`;
}
