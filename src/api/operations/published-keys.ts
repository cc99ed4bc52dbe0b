import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import type { BadgeKeySource } from '../../signing/badge-key-source.ts';
import { REVOCATIONS_PATH, revocationList } from '../../signing/badge-revocations.ts';
import type { Jwk } from '../../signing/public-key.ts';
import type { Operation } from '../operation.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import { KEPT_HEADERS, sendBadge } from './badge-request.ts';
import { describedBy, IF_NONE_MATCH, NOT_MODIFIED, problems } from './description.ts';

const JWKS_PATH = '/.well-known/jwks.json';
/** Where the field's clients look for it, below the prefix of an API. */
const API_JWKS_PATH = `/api${JWKS_PATH}`;

/** The keys of a set that the registry publishes. */
const PUBLIC_KEYS = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['kty', 'crv', 'x', 'kid', 'alg', 'use', 'key_ops'],
    properties: {
      ...{ kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: { type: 'string' } },
      ...{ kid: { type: 'string' }, alg: { type: 'string' }, use: { const: 'sig' } },
      key_ops: { type: 'array', items: { type: 'string' } },
      d: false, // the private part
    },
  },
};

/** A set of such keys, with what else is in it. */
function jwkSet(more: Readonly<Record<string, object>> = {}): JsonObject {
  const properties = { keys: PUBLIC_KEYS, ...more };
  return { type: 'object', required: Object.keys(properties), additionalProperties: false, properties };
}

/** A public document that caches may keep. */
function reading(operationId: string, summary: string, description: string, schema: JsonObject): Operation {
  const content = { 'application/jwk-set+json': { schema } };
  return {
    ...{ operationId, summary, parameters: [IF_NONE_MATCH] },
    responses: {
      200: { description, headers: KEPT_HEADERS, content },
      304: NOT_MODIFIED,
      ...problems(400, 401, 429, 500, 503),
    },
  };
}

const KEYS = reading(
  'getBadgeKeys',
  'Get the public keys for badge tokens',
  'A JWK set. It includes replaced keys while their tokens are still valid.',
  jwkSet({
    revocations: {
      type: 'string',
      description: 'The URL of the list of revoked badges, relative to this document.',
    },
  }),
);

const STATUS = { const: 'revoked' };
const MOMENT = { type: 'string', format: 'date-time' };

const LIST = {
  type: 'object',
  required: ['issuer', 'issued_at', 'expires_at', 'revoked_keys', 'revoked_badges'],
  additionalProperties: false,
  properties: {
    issuer: { type: 'string', description: 'The iss of the tokens that this list covers.' },
    issued_at: MOMENT,
    expires_at: { ...MOMENT, description: 'Do not use the list after this time.' },
    revoked_keys: {
      type: 'array',
      description: 'Tokens that these keys signed are invalid.',
      items: {
        type: 'object',
        required: ['kid', 'status'],
        properties: { kid: { type: 'string' }, status: STATUS },
      },
    },
    revoked_badges: {
      type: 'array',
      description: 'Badges revoked in the last two days, which is longer than the lifetime of a token.',
      items: {
        type: 'object',
        required: ['id', 'status', 'revoked_at'],
        properties: {
          id: {
            type: 'string',
            description:
              'SHA-256 in base64url of the JSON array of iss, sub, role and verified_protocol_version, without white space.',
          },
          status: STATUS,
          revoked_at: { ...MOMENT, description: 'Tokens with an earlier verified_at are invalid.' },
        },
      },
    },
  },
};

const REVOCATIONS = {
  operationId: 'getBadgeRevocations',
  summary: 'Get the revoked badges and keys',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'Revoked keys and badges whose tokens may not have expired yet.',
      headers: KEPT_HEADERS,
      content: { 'application/json': { schema: LIST } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** Tokens of badges that were revoked earlier have expired. */
const LISTED_MS = 2 * 86_400_000;
/** The list is public; it is made once in this time, milliseconds. */
const MADE_FOR_MS = 5_000;

interface BadgeKeysParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'revokedBadges'> };
  readonly clock: Clock;
  readonly keys: BadgeKeySource;
  /** Who issues tokens. */
  readonly issuer: string;
}

/** The public keys for badge tokens, and the list of revoked ones. The same for everyone. */
export function badgeKeysOperations(
  server: FastifyInstance,
  { records: { compliance }, clock, keys, issuer }: BadgeKeysParts,
): void {
  let made: { readonly at: number; readonly text: Promise<string> } | undefined;
  const listed = async (now: number): Promise<string> => {
    const { revoked = [] } = await keys();
    const badges = await compliance.revokedBadges(now - LISTED_MS);
    return JSON.stringify(revocationList({ issuer, now, kids: revoked, badges }));
  };
  for (const [path, operation, revocations] of [
    [JWKS_PATH, KEYS, REVOCATIONS_PATH.split('/').at(-1)],
    [API_JWKS_PATH, { ...KEYS, operationId: 'getBadgeKeysOfApi' }, `../..${REVOCATIONS_PATH}`],
  ] as const)
    server.get(path, describedBy(operation), async (request, reply) => {
      refuseParameters(queryText(request), 'the JWK set');
      const set = { keys: (await keys()).published, revocations };
      return sendBadge(request, reply, JSON.stringify(set), 'application/jwk-set+json');
    });
  server.get(REVOCATIONS_PATH, describedBy(REVOCATIONS), async (request, reply) => {
    refuseParameters(queryText(request), 'the list of revoked badges');
    const now = clock.now();
    if (made === undefined || Math.abs(now - made.at) >= MADE_FOR_MS) {
      made = { at: now, text: listed(now) };
      made.text.catch(() => (made = undefined));
    }
    return sendBadge(request, reply, await made.text, 'application/json');
  });
}

const WEBHOOK_KEYS = reading(
  'getWebhookKeys',
  'Get the public keys for webhooks',
  'A JWK set, for the webhooks of feed subscriptions only.',
  jwkSet(),
);

/**
 * GET /.well-known/webhook-keys.json. A separate set: common verifiers of badge tokens accept any key of a set, and badge
 * keys may be stored outside of the records.
 */
export function webhookKeysOperation(server: FastifyInstance, keys: readonly Jwk[]): void {
  const text = JSON.stringify({ keys });
  server.get('/.well-known/webhook-keys.json', describedBy(WEBHOOK_KEYS), (request, reply) => {
    refuseParameters(queryText(request), 'the JWK set');
    return sendBadge(request, reply, text, 'application/jwk-set+json');
  });
}
