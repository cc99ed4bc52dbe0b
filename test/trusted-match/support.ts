import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type {
  ContentTargets,
  EligibilityRules,
  LeakKind,
  MatchOperation,
  MatchResult,
} from '../../src/domain/trusted-match.ts';
import type { CapStore } from '../../src/ports/cap-store.ts';
import { createAudiences, createTokenHash } from '../../src/trusted-match/eligibility.ts';
import { createMemoryCaps } from '../../src/trusted-match/memory-caps.ts';
import type { ContextRequest, IdentityRequest } from '../../src/trusted-match/messages.ts';
import { createMatchProvider } from '../../src/trusted-match/provider.ts';

export const KEY = new TextEncoder().encode('a key of these tests, and of no others at all');
/** Two tokens as publishers make them: 32 bytes in base64url. */
export const ANN = 'kN3vR8sWq1ZxT5bYh0LmC7eUaJ2dGf9PoI4tXuS6wQe';
export const BEN = 'Zb7Qm1Xc9Vt4Lr6Ny2Kd8Hs0Gw3Jf5Pa-Eu_TiOoBxY';
export const START = 1_800_000_000_000;

export interface Sides {
  readonly targets?: readonly ContentTargets[];
  readonly rules?: readonly EligibilityRules[];
  readonly members?: Readonly<Record<string, readonly string[]>>;
  readonly caps?: CapStore;
}

export interface Counted {
  readonly requests: (readonly [MatchOperation, MatchResult])[];
  readonly leaks: (readonly [MatchOperation, LeakKind])[];
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it
  readonly body: any;
}

/** A provider that is asked without a socket, with a clock of the test. */
export function startProvider({
  targets = [],
  rules = [],
  members = {},
  caps = createMemoryCaps(),
}: Sides = {}) {
  const clock = { now: () => now };
  let now = START;
  const counted: Counted = { requests: [], leaks: [] };
  const faults: unknown[] = [];
  const hash = createTokenHash(KEY);
  const server = createMatchProvider({
    context: { packages: targets },
    identity: {
      packages: rules,
      audiences: createAudiences(members, hash),
      caps,
      hash,
      clock,
      ttlSeconds: 60,
    },
    counts: {
      matchRequest: (...one) => counted.requests.push(one),
      matchLeak: (...one) => counted.leaks.push(one),
    },
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => server.close());
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await server.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.statusCode, type: String(answer.headers['content-type']), body: answer.json() };
  };
  return {
    server,
    post,
    counted,
    faults,
    /** Milliseconds. */
    wait: (ms: number) => {
      now += ms;
    },
    eligible: async (token: string, ...package_ids: string[]): Promise<string[]> =>
      (await post('/identity', identity({ token, package_ids }))).body.eligible_package_ids,
    show: (token: string, package_id: string, request_id: string = randomUUID()) =>
      post('/exposure', { request_id, token, package_id }),
  };
}

/** A context match request that is fine, with what a test needs instead. */
export function context(change: Partial<ContextRequest> = {}): ContextRequest {
  return {
    request_id: randomUUID(),
    property: { property_id: 'news.example', property_type: 'website' },
    placement: { placement_id: 'article-top', formats: ['display-300x250'] },
    content: {
      url: 'https://news.example/travel/2026/11/21/night-trains',
      content_id: 'night-trains-2026',
      artifact_types: ['article'],
      topics: ['travel.rail'],
      keywords: ['night train', 'Züge'],
      language: 'en-GB',
      sensitive_categories: ['politics'],
    },
    package_ids: ['rail-pass', 'spring-sale'],
    ...change,
  };
}

/** An identity match request that is fine, with what a test needs instead. */
export function identity(change: Partial<IdentityRequest> = {}): IdentityRequest {
  return { request_id: randomUUID(), token: ANN, package_ids: ['rail-pass', 'spring-sale'], ...change };
}

/** The value with another one at a JSON Pointer. */
export function changedAt<T>(value: T, pointer: string, replacement: unknown): T {
  const copy = structuredClone(value);
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  let place = copy as Record<string, unknown>;
  for (const step of steps) place = place[step] as Record<string, unknown>;
  place[last] = replacement;
  return copy;
}
