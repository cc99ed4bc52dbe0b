import { RegistryError } from '../../../errors.ts';
import type { BadgeClaims } from '../../../signing/badge-claims.ts';
import type { BadgeExpectation, BadgeVerdict } from '../../../signing/badge-token.ts';
import type { KeySource } from '../../../signing/key-source.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, requiredFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl } from '../../input/read-agent-url.ts';
import { readInput, readTextFile } from '../../input/read-text.ts';
import { onInterrupt } from '../../interrupt.ts';
import { printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { withFetcher } from '../../setup/fetcher.ts';
import { JSON_FLAG, NETWORK_FLAGS, type NetworkFlags } from '../../shared-flags.ts';

const DEADLINE_MS = 10_000;

/** 0 when the token holds, 1 when it does not, 130 when it was interrupted. */
export default command({
  name: 'verify',
  description:
    'Check the token of a badge with the public keys of its registry. Exit with 0 when it is valid, 1 when not.',
  arguments: [['<token>', 'the token itself, a file with it, or - for stdin']],
  flags: {
    jwks: requiredFlag(
      '--jwks <file|url>',
      'the public keys, /.well-known/jwks.json of the registry; with a file nothing is fetched',
    ),
    agent: textFlag('--agent <url>', 'the agent that the badge must be for'),
    issuer: textFlag('--issuer <url>', 'the public address of the registry that the badge must be from'),
    at: integerFlag('--at <s>', 'verify as of this moment, Unix seconds', [0, 1e12]),
    ...NETWORK_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry badges verify badge.jwt --jwks jwks.json --agent https://sales.example/mcp',
    'agent-registry badges verify - --jwks https://registry.example/.well-known/jwks.json',
  ],
  async run({ jwks, issuer, at, json, ...flags }, given) {
    const { systemClock } = await import('../../../compose.ts');
    const { readBadge } = await import('../../../signing/badge-token.ts');
    const agent = flags.agent === undefined ? undefined : namedAgentUrl(flags.agent, 'verified');
    const token = isToken(given) ? given : (await readInput(given)).trim();
    const keys = await keysOf(jwks, flags);
    if (keys === 'interrupted') return EXIT.interrupted;
    const expected: BadgeExpectation = {
      keys,
      now: at ?? Math.floor(systemClock.now() / 1_000),
      ...(agent !== undefined && { agent }),
      ...(issuer !== undefined && { issuer: issuer.replace(/\/+$/, '') }),
    };
    const verdict = await readBadge(token, expected);
    print(verdict, json === true);
    return verdict.valid ? EXIT.ok : EXIT.findings;
  },
});

/** A JSON object in base64url begins so; half a token is one too, and no file. */
function isToken(text: string): boolean {
  return /^eyJ[\w.-]*$/.test(text);
}

async function keysOf(jwks: string, network: NetworkFlags): Promise<KeySource | 'interrupted'> {
  const { fixedKeys } = await import('../../../signing/key-source.ts');
  const url = /^https?:/i.test(jwks) ? URL.parse(jwks) : null;
  if (url === null) return fixedKeys(await setOf(await readTextFile(jwks, '--jwks'), jwks));
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new RegistryError('usage', `--jwks ${jwks}: keys that come without TLS prove nothing`, {
      hint: 'name an https address, or a file',
    });
  return fetched(jwks, url, network);
}

/** An agent is called with http where it is asked to be; files are not, so this is a call. */
async function fetched(jwks: string, url: URL, network: NetworkFlags): Promise<KeySource | 'interrupted'> {
  const { fixedKeys } = await import('../../../signing/key-source.ts');
  const { signal, dispose } = onInterrupt();
  const visit = { host: url.hostname, deadlineMs: DEADLINE_MS, openOrigin: jwks, signal };
  try {
    return await withFetcher(network, ({ fetcher }) =>
      fetcher
        .visit(visit, async ({ fetch }) => readKeys(url, await fetch(url, { redirect: 'manual' })))
        .catch((error) =>
          signal.aborted
            ? 'interrupted'
            : fixedKeys(undefined, `${url.href}: ${error instanceof Error ? error.message : 'no answer'}`),
        ),
    );
  } finally {
    dispose();
  }
}

async function readKeys(url: URL, response: Response): Promise<KeySource> {
  const { fixedKeys, readJwkSet } = await import('../../../signing/key-source.ts');
  const text = await response.text();
  if (response.status !== 200) return fixedKeys(undefined, `${url.href}: http status ${response.status}`);
  return fixedKeys(readJwkSet(text), `${url.href} is no JWK set`);
}

async function setOf(text: string, file: string) {
  const { readJwkSet } = await import('../../../signing/key-source.ts');
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
