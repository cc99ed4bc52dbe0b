import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceStore } from '../../ports/compliance.ts';
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

/** Reading what everybody may keep for a while. */
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
  'Get the public keys that tokens of badges are verified with',
  'A JWK set; of keys that were replaced too, while tokens of theirs may be about.',
  jwkSet({
    revocations: { type: 'string', description: 'Where the list of revoked badges is, seen from here.' },
  }),
);

const STATUS = { const: 'revoked' };
const MOMENT = { type: 'string', format: 'date-time' };

const LIST = {
  type: 'object',
  required: ['issuer', 'issued_at', 'expires_at', 'revoked_keys', 'revoked_badges'],
  additionalProperties: false,
  properties: {
    issuer: { type: 'string', description: 'The iss of the tokens that it is about.' },
    issued_at: MOMENT,
    expires_at: { ...MOMENT, description: 'After it the list says nothing any more.' },
    revoked_keys: {
      type: 'array',
      description: 'Nothing that these keys ever signed counts.',
      items: {
        type: 'object',
        required: ['kid', 'status'],
        properties: { kid: { type: 'string' }, status: STATUS },
      },
    },
    revoked_badges: {
      type: 'array',
      description: 'Of the last two days, which is longer than a token lives.',
      items: {
        type: 'object',
        required: ['id', 'status', 'revoked_at'],
        properties: {
          id: {
            type: 'string',
            description:
              'SHA-256 in base64url of the JSON list of iss, sub, role and verified_protocol_version, without blanks.',
          },
          status: STATUS,
          revoked_at: { ...MOMENT, description: 'Tokens whose verified_at is earlier count no more.' },
        },
      },
    },
  },
};

const REVOCATIONS = {
  operationId: 'getBadgeRevocations',
  summary: 'Get the list of badges and keys that were revoked',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'Keys and badges that count no more, although their tokens may still be about.',
      headers: KEPT_HEADERS,
      content: { 'application/json': { schema: LIST } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** Badges that were revoked earlier have no token that still counts. */
const LISTED_MS = 2 * 86_400_000;
/** Strangers ask for the list; it is made once in so long, milliseconds. */
const MADE_FOR_MS = 5_000;

interface BadgeKeysParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'revokedBadges'> };
  readonly clock: Clock;
  readonly keys: BadgeKeySource;
  /** Who issues tokens. */
  readonly issuer: string;
}

/** What tokens of badges are verified with: the keys, and the list of what was taken back. The same for everyone. */
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
  'Get the public keys that wake-ups are verified with',
  'A JWK set, for webhooks and nothing else.',
  jwkSet(),
);

/**
 * GET /.well-known/webhook-keys.json. A set of its own: common verifiers of badge tokens take any key of a set, whatever
 * it is for, and badge keys may be kept where nobody who reads the records gets them.
 */
export function webhookKeysOperation(server: FastifyInstance, keys: readonly Jwk[]): void {
  const text = JSON.stringify({ keys });
  server.get('/.well-known/webhook-keys.json', describedBy(WEBHOOK_KEYS), (request, reply) => {
    refuseParameters(queryText(request), 'the JWK set');
    return sendBadge(request, reply, text, 'application/jwk-set+json');
  });
}
