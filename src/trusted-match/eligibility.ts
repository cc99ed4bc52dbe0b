import { hash as digestOf, randomBytes } from 'node:crypto';
import type { EligibilityRules, FrequencyCap } from '../domain/trusted-match.ts';
import { RegistryError } from '../errors.ts';
import type { CapStore, ExposureOutcome, ShownPackage } from '../ports/cap-store.ts';
import type { Clock } from '../ports/clock.ts';

/** Which audiences a token, as its hash, belongs to. */
interface Audiences {
  of(tokenHash: string): readonly string[];
}

const NONE: readonly string[] = [];

/** How long an exposure's id is known at least: reports that are sent again count once, milliseconds. */
const IDS_KNOWN_MS = 86_400_000;

export interface EligibilityOptions {
  readonly packages: readonly EligibilityRules[];
  readonly audiences: Audiences;
  readonly caps: CapStore;
  readonly hash: HashToken;
  readonly clock: Clock;
}

interface Eligibility {
  /** Those of the packages that may be shown to somebody with these tokens, in the order of the request; of all without one. */
  of(tokens: readonly string[], packageIds?: readonly string[]): readonly string[];
  /** Counts an exposure. `uncapped`: nothing limits the package; `unknown`: there is none such. */
  expose(exposure: ReportedExposure): ExposureOutcome | 'uncapped' | 'unknown';
}

interface ReportedExposure {
  readonly id: string;
  readonly token: string;
  readonly packageId: string;
}

/** Checks tokens against audiences, suppression and frequency caps. Throws what the store of exposures throws. */
export function createEligibility(options: EligibilityOptions): Eligibility {
  const { audiences, caps, hash, clock } = options;
  const rules = new Map(options.packages.map((one) => [one.packageId, one]));
  return {
    of(tokens, packageIds = [...rules.keys()]) {
      const keys = tokens.map(hash);
      const member = keys.flatMap((key) => audiences.of(key));
      const now = clock.now();
      let shown: readonly (readonly ShownPackage[])[] | undefined;
      return packageIds.filter((id) => {
        const rule = rules.get(id);
        if (rule === undefined || !isAudience(rule, member)) return false;
        if (rule.frequencyCap === undefined) return true;
        const cap = rule.frequencyCap;
        shown ??= keys.map((key) => caps.shownTo(key, now));
        return !shown.some((one) => isUsedUp(cap, id, one, now));
      });
    },
    expose({ id, token, packageId }) {
      const rule = rules.get(packageId);
      if (rule === undefined) return 'unknown';
      if (rule.frequencyCap === undefined) return 'uncapped';
      const { maxImpressions, windowSeconds } = rule.frequencyCap;
      const at = clock.now();
      const until = at + Math.max(windowSeconds * 1_000, IDS_KNOWN_MS);
      return caps.record({ id, token: hash(token), packageId, at, until, keep: maxImpressions });
    },
  };
}

function isAudience(
  { audiences, suppressedAudiences }: EligibilityRules,
  member: readonly string[],
): boolean {
  if (audiences !== undefined && !member.some((one) => audiences.includes(one))) return false;
  return !member.some((one) => suppressedAudiences?.includes(one));
}

/** The window slides: an exposure counts until the moment, not included, when it is `windowSeconds` old. */
function isUsedUp(
  { maxImpressions, windowSeconds }: FrequencyCap,
  packageId: string,
  shown: readonly ShownPackage[],
  now: number,
): boolean {
  const since = now - windowSeconds * 1_000;
  let count = 0;
  for (const one of shown) if (one.packageId === packageId && one.at > since) count += 1;
  return count >= maxImpressions;
}

/** Hashes the members of each audience at once; the tokens themselves are not kept. */
export function createAudiences(
  members: Readonly<Record<string, readonly string[]>>,
  hash: HashToken,
): Audiences {
  const byToken = new Map<string, string[]>();
  for (const [audience, tokens] of Object.entries(members)) {
    for (const token of new Set(tokens)) {
      const key = hash(token);
      const known = byToken.get(key);
      if (known === undefined) byToken.set(key, [audience]);
      else known.push(audience);
    }
  }
  return { of: (tokenHash) => byToken.get(tokenHash) ?? NONE };
}

const MIN_KEY_BYTES = 32;
/** Of SHA-256, bytes. */
const BLOCK = 64;
const DIGEST = 32;
/** Of the longest token of either form, characters. */
const MAX_TOKEN = 512;

/** The keyed hash of a token: the only form of it that is kept. */
type HashToken = (token: string) => string;

/**
 * Hashes tokens with HMAC-SHA-256 (RFC 2104, section 2) and a key of the provider. Without a key one is made for this
 * process: what was stored under it means nothing afterwards. Throws `usage` for a key that is too short to be a secret.
 */
export function createTokenHash(key: Uint8Array = randomBytes(MIN_KEY_BYTES)): HashToken {
  if (key.length < MIN_KEY_BYTES)
    throw new RegistryError('usage', `the key for hashing tokens has only ${key.length} bytes`, {
      hint: `use a key of at least ${MIN_KEY_BYTES} random bytes`,
    });
  // two plain digests take a third of the time of an Hmac object for each token
  const block = key.length > BLOCK ? digestOf('sha256', key, 'buffer') : key;
  const inner = Buffer.alloc(BLOCK + MAX_TOKEN, 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);
  block.forEach((byte, at) => {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  });
  return (token) => {
    if (token.length > inner.length - BLOCK) throw new RangeError('a token has at most 512 characters');
    const end = BLOCK + inner.write(token, BLOCK, 'latin1');
    outer.set(digestOf('sha256', inner.subarray(0, end), 'buffer'), BLOCK);
    return digestOf('sha256', outer, 'base64url');
  };
}
