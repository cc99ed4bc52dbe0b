import { hash, randomUUID } from 'node:crypto';
import type { ContentTargets, EligibilityRules } from '../../src/domain/trusted-match.ts';

const TOPICS = 200;
/** Packages that an identity match asks for. */
const ASKED = 50;

export interface MatchWorld {
  readonly packages: number;
  readonly tokens: number;
  /** Each identity match asks for packages in an order of its own, as no publisher should. Default false. */
  readonly newLists?: boolean;
}

/** Packages of which most look for topics and words, a few for nothing; half are capped. */
export function packagesOf(count: number): {
  readonly targets: readonly ContentTargets[];
  readonly rules: readonly EligibilityRules[];
} {
  const at = Array.from({ length: count }, (_, index) => index);
  return { targets: at.map(targetsOf), rules: at.map(rulesOf) };
}

function targetsOf(at: number): ContentTargets {
  const packageId = `package-${at}`;
  if (at % 100 === 0) return { packageId, excludedCategories: ['crime'] };
  return {
    packageId,
    topics: [topic(at), topic(at * 7)],
    keywords: [`word ${at % 500}`],
    languages: ['en'],
    formats: ['display-300x250'],
    excludedCategories: ['crime', 'adult'],
    excludedKeywords: ['accident'],
  };
}

function rulesOf(at: number): EligibilityRules {
  return {
    packageId: `package-${at}`,
    ...(at % 2 === 0 && { frequencyCap: { maxImpressions: 2, windowSeconds: 86_400 } }),
    ...(at % 3 === 0 && { audiences: ['fans'] }),
    ...(at % 4 === 0 && { suppressedAudiences: ['customers'] }),
  };
}

/** The token of somebody. */
export function tokenOf(at: number): string {
  return hash('sha256', `somebody ${at}`, 'base64url');
}

/** The body of one request, as JSON. */
export function bodyOf(operation: 'context' | 'identity', at: number, world: MatchWorld): string {
  return JSON.stringify(operation === 'context' ? contextOf(at) : identityOf(at, world));
}

function contextOf(at: number) {
  return {
    request_id: randomUUID(),
    property: { property_id: 'news.example', property_type: 'website' },
    placement: { placement_id: 'article-top', formats: ['display-300x250', 'display-728x90'] },
    content: {
      url: `https://news.example/travel/2026/11/21/the-story-number-${at % 1_000}`,
      artifact_types: ['article'],
      topics: [topic(at), topic(at + 3), topic(at + 9)],
      keywords: Array.from({ length: 12 }, (_, word) => `word ${(at * 5 + word * 11) % 2_000}`),
      language: 'en-GB',
      sensitive_categories: at % 10 === 0 ? ['crime'] : [],
    },
  };
}

function identityOf(at: number, { packages, tokens, newLists }: MatchWorld) {
  const step = Math.max(1, Math.floor(packages / ASKED));
  return {
    request_id: randomUUID(),
    token: tokenOf(at % (tokens * 2)),
    package_ids: Array.from(
      { length: ASKED },
      (_, index) => `package-${(index * step + (newLists ? at : 0)) % packages}`,
    ),
  };
}

function topic(at: number): string {
  return `topic.${at % TOPICS}`;
}
