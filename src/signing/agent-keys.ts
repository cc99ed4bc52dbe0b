import { parseAgentUrl } from '../domain/agent-url.ts';
import type { AdagentsDeclaration, BrandDeclaration, PinnedKey } from '../domain/declaration.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Nonces } from '../records/counted-nonces.ts';
import { createKeyFiles, type KeyFiles } from './key-files.ts';
import {
  type FoundKey,
  findKey,
  type JwkSet,
  type KeySource,
  keysUnavailable,
  readJwkSet,
  unknownKey,
} from './key-source.ts';
import type { KeyKind } from './profile.ts';

const JWKS_BYTES = 64 * 1024;
const BRAND_BYTES = 256 * 1024;

export interface KeyDirectoryOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** The reader of brand.json; undefined for what is no valid one. */
  readonly readBrand: (bytes: Uint8Array) => BrandDeclaration | undefined;
}

/** The agent whose messages or approvals are to be verified. */
export interface SigningAgent {
  /** As declared, byte for byte. */
  readonly url: string;
  /** Its `identity.brand_json_url`, or `/.well-known/brand.json` on its domain. https. */
  readonly brandJsonUrl: string;
  readonly kind: KeyKind;
  /** From adagents.json; for webhooks they stand in the place of the agent's own keys. */
  readonly pins?: readonly PinnedKey[];
}

export interface KeyDirectory {
  keysOf(agent: SigningAgent): KeySource;
}

export interface PublishedKeyDirectory extends KeyDirectory {
  /**
   * All keys of an agent and where they are, or a sentence why there are none. Nothing but the agent's own origin is asked:
   * what is published elsewhere is not followed, and `elsewhere` is the host.
   */
  publishedBy(agent: Pick<SigningAgent, 'url' | 'brandJsonUrl'>): Promise<PublishedKeys>;
}

export type PublishedKeys =
  | { readonly jwksUri: string; readonly set: JwkSet }
  | { readonly reason: string }
  | { readonly elsewhere: string };

/** What messages that agents sign are verified with. */
export interface AgentSignatures {
  readonly directory: KeyDirectory;
  readonly replays: Nonces;
}

/**
 * Finds the keys of agents: brand.json, the one entry with the agent's URL, its JWK set, the key by `kid` (field
 * rules for key discovery). One directory for a process: it keeps the files that it fetched.
 */
export function createKeyDirectory({
  fetcher,
  clock,
  readBrand,
}: KeyDirectoryOptions): PublishedKeyDirectory {
  const brands = createKeyFiles({ fetcher, clock, maxBytes: BRAND_BYTES, read: readBrand });
  const sets = createKeyFiles({
    fetcher,
    clock,
    maxBytes: JWKS_BYTES,
    read: (bytes) => readJwkSet(new TextDecoder().decode(bytes)),
  });
  return {
    async publishedBy(agent) {
      const origin = ProvenOrigin.of(agent.url);
      if (!origin.holds(agent.brandJsonUrl)) return { elsewhere: hostOf(agent.brandJsonUrl) };
      const brand = await brands.get(agent.brandJsonUrl);
      if (!brand.ok) return { reason: brand.reason };
      const place = jwksPlace(agent, brand.value, clock.now());
      if ('reason' in place) return place;
      if (!origin.holds(place.jwksUri)) return { elsewhere: hostOf(place.jwksUri) };
      const set = await sets.get(place.jwksUri);
      return set.ok ? { jwksUri: place.jwksUri, set: set.value } : { reason: set.reason };
    },
    keysOf: (agent) => ({
      async find(keyid) {
        if (agent.kind === 'webhook' && agent.pins !== undefined && agent.pins.length > 0)
          return findKey(agent.pins, keyid, true);
        const brand = await brands.get(agent.brandJsonUrl);
        if (!brand.ok) return keysUnavailable(brand.reason);
        const place = jwksPlace(agent, brand.value, clock.now());
        return 'reason' in place ? unknownKey(place.reason) : findInSet(sets, place.jwksUri, keyid);
      },
    }),
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** The keys that publishers pin for an agent, given by its canonical URL. */
export function pinnedKeys(files: readonly AdagentsDeclaration[], agent: string): readonly PinnedKey[] {
  return files.flatMap((file) =>
    file.entries.filter((entry) => entry.agent === agent).flatMap((entry) => entry.signingKeys),
  );
}

/**
 * Where a brand.json says that an agent's keys are, judged at `now` (epoch milliseconds), or a sentence why it
 * cannot say so: the file has to stand on the agent's registrable domain or to name it among its operators.
 */
function jwksPlace(
  agent: Pick<SigningAgent, 'url' | 'brandJsonUrl'>,
  brand: BrandDeclaration,
  now: number,
): { readonly jwksUri: string } | { readonly reason: string } {
  const [parsed, file] = [parseAgentUrl(agent.url), parseAgentUrl(agent.brandJsonUrl)];
  if (!parsed.ok || !file.ok) return { reason: 'the URL of the agent or of its brand.json is not valid' };
  const { host } = parsed;
  const { origin } = new URL(agent.url);
  const domain = registrableDomain(host);
  if (domain !== registrableDomain(file.host) && !isOperator(brand, host, now))
    return { reason: `${agent.brandJsonUrl} is not authoritative for ${domain}` };
  const uris = new Set(
    brand.agents
      .filter((entry) => entry.url === agent.url)
      .map((entry) => entry.jwksUri ?? `${origin}/.well-known/jwks.json`),
  );
  const [jwksUri, ...others] = uris;
  if (jwksUri === undefined)
    return { reason: `${agent.brandJsonUrl} has no entry for ${agent.url}${meant(brand, host)}` };
  return others.length > 0
    ? { reason: `${agent.brandJsonUrl} names several key sets for ${agent.url}` }
    : { jwksUri };
}

/** An agent has keys under the address that is declared: one who names another spelling or way to it is told. */
function meant({ agents }: BrandDeclaration, host: string): string {
  const onHost = agents.filter(({ agent }) => new URL(agent).hostname === host);
  const near = [...new Set(onHost.map(({ url }) => url))];
  return near.length === 0 ? '' : `; entries on this host: ${near.slice(0, 3).join(', ')}`;
}

/** Naming a domain covers the hosts below it, and not its neighbours. */
function isOperator(brand: BrandDeclaration, host: string, now: number): boolean {
  return brand.authorizedOperators.some(
    ({ domain, validFrom = 0, validUntil = Number.POSITIVE_INFINITY }) =>
      (host === domain || host.endsWith(`.${domain}`)) && validFrom <= now && now < validUntil,
  );
}

/** A key that is not in the set may be a new one: the set is fetched again, once in 30 s. */
async function findInSet(sets: KeyFiles<JwkSet>, uri: string, keyid: string): Promise<FoundKey> {
  const set = await sets.get(uri);
  if (!set.ok) return keysUnavailable(set.reason);
  const found = findKey(set.value, keyid);
  if (found.found) return found;
  const newer = await sets.again(uri, set);
  if (newer === undefined) return found;
  return newer.ok ? findKey(newer.value, keyid) : keysUnavailable(newer.reason);
}
