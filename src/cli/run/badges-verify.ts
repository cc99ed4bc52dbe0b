import { composeFetcher, systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import type { BadgeClaims } from '../../signing/badge-claims.ts';
import { type BadgeExpectation, type BadgeVerdict, readBadge } from '../../signing/badge-token.ts';
import { fixedKeys, type KeySource, readJwkSet } from '../../signing/key-source.ts';
import type { BadgesVerifyFlags } from '../commands/badges.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { readInput } from '../input/read-input.ts';
import { onInterrupt } from '../interrupt.ts';
import { printJson, printLine } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { networkOf, readText, settingsOf } from '../settings.ts';

const DEADLINE_MS = 10_000;

/** `registry badges verify`: 0 when the token holds, 1 when it does not, 130 when it was interrupted. */
export async function verifyBadge(text: string, flags: BadgesVerifyFlags): Promise<ExitCode> {
  const agent = flags.agent === undefined ? undefined : readAgentUrl(flags.agent, 'verified');
  const token = isToken(text) ? text : (await readInput(text)).trim();
  const keys = await keysOf(flags);
  if (keys === 'interrupted') return EXIT.interrupted;
  const expected: BadgeExpectation = {
    keys,
    now: flags.at ?? Math.floor(systemClock.now() / 1_000),
    ...(agent !== undefined && { agent }),
    ...(flags.issuer !== undefined && { issuer: flags.issuer.replace(/\/+$/, '') }),
  };
  const verdict = await readBadge(token, expected);
  print(verdict, flags.json === true);
  return verdict.valid ? EXIT.ok : EXIT.findings;
}

/** A JSON object in base64url begins so; half a token is one too, and no file. */
function isToken(text: string): boolean {
  return /^eyJ[\w.-]*$/.test(text);
}

async function keysOf(flags: BadgesVerifyFlags): Promise<KeySource | 'interrupted'> {
  const { jwks } = flags;
  const url = /^https?:/i.test(jwks) ? URL.parse(jwks) : null;
  if (url === null) return fixedKeys(setOf(await readText(jwks, '--jwks'), jwks));
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new RegistryError('usage', `--jwks ${jwks}: keys that come without TLS prove nothing`, {
      hint: 'name an https address, or a file',
    });
  return fetched(url, flags);
}

/** An agent is called with http where it is asked to be; files are not, so this is a call. */
async function fetched(url: URL, flags: BadgesVerifyFlags): Promise<KeySource | 'interrupted'> {
  const config = settingsOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const { signal, dispose } = onInterrupt();
  const visit = { host: url.hostname, deadlineMs: DEADLINE_MS, openOrigin: flags.jwks, signal };
  try {
    return await fetcher.visit(visit, async ({ fetch }) =>
      readKeys(url, await fetch(url, { redirect: 'manual' })),
    );
  } catch (error) {
    if (signal.aborted) return 'interrupted';
    return fixedKeys(undefined, `${url.href}: ${error instanceof Error ? error.message : 'no answer'}`);
  } finally {
    await fetcher.close();
    dispose();
  }
}

async function readKeys(url: URL, response: Response): Promise<KeySource> {
  const text = await response.text();
  if (response.status !== 200) return fixedKeys(undefined, `${url.href}: http status ${response.status}`);
  return fixedKeys(readJwkSet(text), `${url.href} is no JWK set`);
}

function setOf(text: string, file: string) {
  const set = readJwkSet(text);
  if (set !== undefined) return set;
  throw new RegistryError('input_invalid', `--jwks ${file}: it is no JWK set`, {
    hint: 'save /.well-known/jwks.json of the registry there',
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** The JSON follows schemas/cli/badges-verify.json. */
function print(verdict: BadgeVerdict, json: boolean): void {
  if (json)
    printJson(
      verdict.valid ? { valid: true, ...NO_FAULT, claims: verdict.claims } : { ...verdict, claims: null },
    );
  else if (verdict.valid) for (const line of sentences(verdict.claims)) printLine(visible(line));
  else printLine(visible(`refused at the check of ${verdict.check}: ${verdict.detail} (${verdict.code})`));
}

const NO_FAULT = { code: null, check: null, detail: null } as const;

function sentences(claims: BadgeClaims): readonly string[] {
  const { sub, role, verified_protocol_version: line, verified_at, verification_modes } = claims;
  return [
    `verified: ${sub} has the badge ${role} ${line} (${verification_modes.join(', ')}) since ${verified_at}`,
    `  for ${claims.verified_specialisms.join(', ')}`,
    `  issued by ${claims.iss}, valid until ${new Date(claims.exp * 1_000).toISOString()}`,
  ];
}
