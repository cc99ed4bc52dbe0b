import { parseObject } from '../../../base/json.ts';
import { trimEnd } from '../../../domain/text.ts';
import { RegistryError } from '../../../errors.ts';
import type { BadgeClaims } from '../../../signing/badge-claims.ts';
import type { BadgeExpectation, BadgeVerdict } from '../../../signing/badge-token.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, requiredFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl, readInput, readTextFile } from '../../input/arguments.ts';
import { onInterrupt } from '../../interrupt.ts';
import { note, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { withFetcher } from '../../setup/fetcher.ts';
import { configOf } from '../../setup/settings.ts';
import { JSON_FLAG, NETWORK_FLAGS, type NetworkFlags } from '../../shared-flags.ts';

const DEADLINE_MS = 10_000;
const JWKS_PATH = '/.well-known/jwks.json';

/** Exit code 0 for a valid token, 1 for an invalid one, 130 if interrupted. */
export default command({
  name: 'verify',
  description:
    'Verify a badge token with the public keys of its registry. Exits with 0 if the token is valid, 1 if not.',
  arguments: [['<token>', 'the token, a file that contains it, or - for stdin']],
  flags: {
    jwks: requiredFlag(
      '--jwks <file|url>',
      'the public keys: /.well-known/jwks.json of the registry, or a local copy, which needs no network',
    ),
    revocations: textFlag(
      '--revocations <file|url>',
      'the list of revoked badges; by default the one that the fetched --jwks names',
    ),
    agent: textFlag('--agent <url>', 'the agent that the badge must belong to'),
    issuer: textFlag(
      '--issuer <url>',
      'the registry that must have issued the badge; by default the origin of the fetched --jwks, or REGISTRY_BASE_URL',
    ),
    at: integerFlag('--at <s>', 'verify as of this time, Unix seconds', [0, 1e12]),
    ...NETWORK_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry badges verify - --jwks https://registry.example/.well-known/jwks.json',
    'agent-registry badges verify badge.jwt --jwks jwks.json --issuer https://registry.example --agent https://sales.example/mcp',
  ],
  async run({ jwks, issuer, at, json, ...flags }, given) {
    const { systemClock } = await import('../../../compose/clock.ts');
    const { readBadge } = await import('../../../signing/badge-token.ts');
    const agent = flags.agent === undefined ? undefined : namedAgentUrl(flags.agent, 'verified');
    const token = isToken(given) ? given : (await readInput(given)).trim();
    const published = await publishedBy(jwks, flags);
    if (published === 'interrupted') return EXIT.interrupted;
    const believed = issuer ?? issuerBehind(jwks, published) ?? configuredIssuer();
    const expected: BadgeExpectation = {
      ...published,
      now: at ?? Math.floor(systemClock.now() / 1_000),
      ...(agent !== undefined && { agent }),
      ...(believed !== undefined && { issuer: trimEnd(believed, '/') }),
    };
    const verdict = await readBadge(token, expected);
    print(verdict, json === true);
    if (verdict.valid && published.revocations === undefined)
      note('revocations were not checked; give the list with --revocations');
    if (!verdict.valid && verdict.code === 'badge_issuer_unnamed')
      note('give the registry with --issuer, or set REGISTRY_BASE_URL');
    return verdict.valid ? EXIT.ok : EXIT.findings;
  },
});

/** Keys that are fetched from a registry identify it as the issuer: by its URL, or by its id if it has no public URL. */
function issuerBehind(jwks: string, { revocations }: Published): string | undefined {
  if (!isAddress(jwks) || !jwks.endsWith(JWKS_PATH)) return undefined;
  const named = revocations !== undefined && 'issuer' in revocations ? revocations.issuer : '';
  return named.startsWith('urn:uuid:') ? named : jwks.slice(0, -JWKS_PATH.length);
}

function configuredIssuer(): string | undefined {
  const { baseUrl } = configOf({});
  return baseUrl === '' ? undefined : baseUrl;
}

/** A JSON object in base64url begins like this; a truncated token counts as a token, not as a file name. */
function isToken(text: string): boolean {
  return /^eyJ[\w.-]*$/.test(text);
}

type Published = Pick<BadgeExpectation, 'keys' | 'revocations'>;

interface Fetched {
  readonly text?: string;
  /** Why it is missing. */
  readonly trouble: string;
}

/** The keys of a registry and its list of revocations, from files or over the network. */
async function publishedBy(
  jwks: string,
  flags: NetworkFlags & { readonly revocations?: string },
): Promise<Published | 'interrupted'> {
  const { fixedKeys, readJwkSet } = await import('../../../signing/key-source.ts');
  const { signal, dispose } = onInterrupt();
  try {
    const set = await textAt(jwks, '--jwks', flags, signal);
    const keys = set.text === undefined ? undefined : readJwkSet(set.text);
    if (keys === undefined && !isAddress(jwks)) throw noSet(jwks);
    const place = flags.revocations ?? listNamedBy(set.text, jwks);
    const revocations = place === undefined ? undefined : await listAt(place, flags, signal);
    if (signal.aborted) return 'interrupted';
    const trouble = set.text === undefined ? set.trouble : `${jwks} is not a JWK set`;
    return { keys: fixedKeys(keys, trouble), ...(revocations !== undefined && { revocations }) };
  } finally {
    dispose();
  }
}

/** A fetched set names its list, which must be on the same site. */
function listNamedBy(set: string | undefined, jwks: string): string | undefined {
  const named = parseObject(set ?? '')?.revocations;
  if (typeof named !== 'string' || !isAddress(jwks)) return undefined;
  return new URL(`./${named}`, jwks).href;
}

async function listAt(place: string, network: NetworkFlags, signal: AbortSignal) {
  const { readBadgeRevocations } = await import('../../../signing/badge-revocations.ts');
  const { text, trouble } = await textAt(place, '--revocations', network, signal);
  if (text === undefined) return { unavailable: trouble };
  try {
    return readBadgeRevocations(text);
  } catch (error) {
    return { unavailable: `${place}: ${(error as Error).message}` };
  }
}

async function textAt(
  place: string,
  flag: string,
  network: NetworkFlags,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isAddress(place)) return { text: await readTextFile(place, flag), trouble: '' };
  const url = new URL(place);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new RegistryError('usage', `${flag} ${place}: keys must be fetched with TLS`, {
      hint: 'use an https URL or a file',
    });
  // an agent is called with http where it is asked to be; files are not, so this is a call
  const visit = { host: url.hostname, deadlineMs: DEADLINE_MS, openOrigin: place, signal };
  const failed = (why: unknown) => ({
    trouble: `${url.href}: ${why instanceof Error ? why.message : 'no response'}`,
  });
  return withFetcher(network, ({ fetcher }) =>
    fetcher
      .visit(visit, async ({ fetch }) => {
        const response = await fetch(url, { redirect: 'manual' });
        const text = await response.text();
        return response.status === 200
          ? { text, trouble: '' }
          : { trouble: `${url.href}: http status ${response.status}` };
      })
      .catch(failed),
  );
}

function noSet(file: string): RegistryError {
  return new RegistryError('input_invalid', `--jwks ${file}: not a JWK set`, {
    hint: 'save /.well-known/jwks.json of the registry to this file',
  });
}

function isAddress(place: string): boolean {
  return /^https?:/i.test(place) && URL.canParse(place);
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
  else printLine(visible(`invalid: check ${verdict.check} failed: ${verdict.detail} (${verdict.code})`));
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
