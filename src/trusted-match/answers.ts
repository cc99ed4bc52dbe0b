import { hash as digestOf } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ContentTargets } from '../domain/trusted-match.ts';
import { createContentMatch } from './content-match.ts';
import { createEligibility, type EligibilityOptions } from './eligibility.ts';
import type { ExposureResponse } from './messages.ts';
import { MatchProblem } from './problem.ts';
import { identityTokens, isPublicForm, ownContext } from './public-form.ts';
import {
  contextReader,
  exposureReader,
  identityReader,
  publicContextReader,
  publicIdentityReader,
} from './read-request.ts';

/** Ids that one operation had lately. Each operation has its own: comparing them would be the very link to avoid. */
interface SeenIds {
  /** True the first time. */
  remember(id: string): boolean;
}

/** Where the last part of a UUID starts: 48 bits, all of them random. Ids of the public form need not be one. */
const LAST_PART = 24;
const UUID_LENGTH = 36;

/** The answer to a body, as it came, as JSON text. Throws a MatchProblem for one that is refused. */
export type FindMatch = (body: unknown) => string;

export interface IdentitySide extends EligibilityOptions {
  /** How long the publisher may keep an answer, seconds: the same for everybody, so that it tells nothing. */
  readonly ttlSeconds: number;
}

/** The longest time that the public protocol lets an identity match stand, seconds. */
const MAX_SERVE_WINDOW_S = 300;

/** POST /context: offers for the content. */
export function contextAnswer(packages: readonly ContentTargets[]): FindMatch {
  const read = contextReader();
  const match = createContentMatch(packages);
  const readPublic = onFirstUse(publicContextReader);
  const ids = createSeenIds();
  return (body) => {
    if (isPublicForm(body)) {
      const request = ownContext(readPublic()(body));
      refuseReused(ids, request.request_id);
      return `{"type":"context_match_response","request_id":"${request.request_id}","status":"completed","offers":${match(request)}}`;
    }
    const request = read(body);
    refuseReused(ids, request.request_id);
    // no text in it needs an escape: the schema of the request and that of the packages see to that
    return `{"request_id":"${request.request_id}","offers":${match(request)}}`;
  };
}

/** POST /identity: the packages that the token may be shown. */
export function identityAnswer(side: IdentitySide): FindMatch {
  const read = identityReader();
  const eligibility = createEligibility(side);
  const readPublic = onFirstUse(publicIdentityReader);
  const ids = createSeenIds();
  return (body) => {
    if (isPublicForm(body)) {
      const request = readPublic()(body);
      const { request_id, package_ids } = request;
      refuseReused(ids, request_id);
      return JSON.stringify({
        type: 'identity_match_response',
        request_id,
        status: 'completed',
        eligible_package_ids: eligibility.of(identityTokens(request), package_ids),
        serve_window_sec: Math.min(Math.max(side.ttlSeconds, 1), MAX_SERVE_WINDOW_S),
      });
    }
    const { request_id, token, package_ids } = read(body);
    refuseReused(ids, request_id);
    const eligible = JSON.stringify(eligibility.of([token], package_ids));
    return `{"request_id":"${request_id}","eligible_package_ids":${eligible},"ttl_seconds":${side.ttlSeconds}}`;
  };
}

/** POST /exposure: counted once for each id. */
export function exposureAnswer(side: IdentitySide): FindMatch {
  const read = exposureReader();
  const eligibility = createEligibility(side);
  return (body) => {
    const { request_id, token, package_id } = read(body);
    const result = eligibility.expose({ id: request_id, token, packageId: package_id });
    if (result === 'unknown')
      throw new MatchProblem('unknown_package', 'unknown package', { pointer: '/package_id' });
    if (result === 'conflict') throw reported();
    return JSON.stringify({ request_id, counted: result !== 'uncapped' } satisfies ExposureResponse);
  };
}

/** Most publishers use one form: the schema of the other is compiled on first use. */
function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function refuseReused(ids: SeenIds, id: string): void {
  if (ids.remember(id)) return;
  const detail = 'duplicate request id; use a new random id for each request';
  throw new MatchProblem('request_id_reused', detail, { pointer: '/request_id' });
}

function reported(): MatchProblem {
  const detail =
    'this id was already reported with another token or package; use a unique id for each exposure';
  return new MatchProblem('exposure_conflict', detail, { pointer: '/request_id' });
}

/**
 * An id that came before is no random one: a user's id in the place of a request's would come again. The last `size`
 * ids are known by 48 bits of each; they are in memory only.
 */
function createSeenIds(size = 50_000): SeenIds {
  const seen = new LRUCache<number, true>({ max: size });
  return {
    remember(id) {
      const random = id.length === UUID_LENGTH ? id.slice(LAST_PART) : digestOf('sha256', id).slice(0, 12);
      const bits = Number.parseInt(random, 16);
      if (seen.has(bits)) return false;
      seen.set(bits, true);
      return true;
    },
  };
}
