import type { FastifyRequest } from 'fastify';
import type { Budgets, Party } from '../../../budgets/budgets.ts';
import type { AgentFacts } from '../../../domain/agent-facts.ts';
import { registrableDomain, registrableDomainOf } from '../../../domain/domain-name.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { AgentSignatures, SigningAgent } from '../../../signing/agent-keys.ts';
import { messageOfRequest } from '../../../signing/gate.ts';
import { type FoundKey, type KeySource, keysUnavailable, unknownKey } from '../../../signing/key-source.ts';
import { type SignatureVerdict, verifyMessage } from '../../../signing/verify.ts';
import { partyOf } from '../../callers.ts';
import { notOwner } from '../../owner-only.ts';
import { HttpProblem } from '../../problem.ts';

export interface SignedAgentParts {
  readonly records: Pick<Records, 'owners' | 'agents'>;
  readonly clock: Clock;
  readonly signatures: AgentSignatures;
  readonly budgets: Budgets;
  /** The public address of the registry; empty: the address and port that the connection came in at. */
  readonly baseUrl: string;
}

/** Deadline of a key look-up, milliseconds. A late result still serves the next request. */
const LOOKUP_MS = 5_000;

/** Returns the id of the agent's key that signed the request. Throws an HttpProblem if it is refused. */
export type VerifyAgent = (request: FastifyRequest, agent: string, body: Buffer) => Promise<string>;

/**
 * Verifies requests that an agent signed itself (RFC 9421): by a key that the brand.json of its domain names for it. Keys
 * are looked up only if the agent has a verified owner; all others get the same 404. The caller gets the code of a refusal,
 * and the log gets the details: the results of our fetches are not public.
 */
export function createVerifyAgent(parts: SignedAgentParts): VerifyAgent {
  const { records, clock, signatures, budgets, baseUrl } = parts;
  return async (request, agent, body) => {
    const party = partyOf(request);
    await budgets.spend('signedRequests', { party });
    const isOwned = (await records.owners.owner(agent)) !== undefined;
    const message = messageOfRequest(
      { method: request.method, url: request.originalUrl, rawHeaders: request.raw.rawHeaders },
      baseUrl === '' ? localAddress(request) : baseUrl,
      body,
    );
    const verdict = await verifyMessage(message, {
      kind: 'request',
      keys: isOwned ? boundedKeys(agentKeys(agent, parts), budgets, party) : NO_KEYS,
      now: Math.floor(clock.now() / 1_000),
      digest: 'required',
      replays: signatures.replays,
    });
    if (verdict.verified) return verdict.signer.keyid;
    if (!isOwned && verdict.check === 'key') throw notOwner();
    request.log.info({ agent, code: verdict.code, detail: verdict.detail }, 'signature refused');
    throw refusal(verdict);
  };
}

/** True when a request claims to be signed, also where only a part of a signature is there. */
export function isSigned({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.signature !== undefined || headers['signature-input'] !== undefined;
}

const NO_KEYS: KeySource = { find: async () => unknownKey('the agent has no verified owner') };

/** The same keys, within the budget and the deadline of look-ups. Throws BudgetExceeded. */
function boundedKeys(keys: KeySource, budgets: Budgets, party: Party): KeySource {
  return {
    async find(keyid) {
      const leave = budgets.enter('keyLookups', party);
      const late = Promise.withResolvers<FoundKey>();
      const timer = setTimeout(
        () => late.resolve(keysUnavailable(`no keys were found within ${LOOKUP_MS} ms`)),
        LOOKUP_MS,
      );
      try {
        return await Promise.race([keys.find(keyid).finally(leave), late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The records are read only after a message has passed all checks that need no key. */
function agentKeys(agent: string, { records, signatures }: SignedAgentParts): KeySource {
  return {
    async find(keyid) {
      const [facts] = await records.agents.facts([agent]);
      return facts === undefined
        ? NO_KEYS.find(keyid)
        : signatures.directory.keysOf(signerOf(facts)).find(keyid);
    },
  };
}

/** Keys are found under the URL as the brand.json spells it, not as the caller does. */
function signerOf({ agent, mentions, lastGood }: AgentFacts): SigningAgent {
  const brandJsonUrl =
    lastGood?.exposed.brandJsonUrl ?? `https://${registrableDomainOf(agent)}/.well-known/brand.json`;
  const house = registrableDomainOf(brandJsonUrl);
  const declared = mentions.find(
    ({ file, declarer, ...said }) =>
      file === 'brand' && said.agent === agent && registrableDomain(declarer) === house,
  );
  return { url: declared?.declaredUrl ?? agent, brandJsonUrl, kind: 'request' };
}

/** The local address of the connection, which the caller cannot choose. */
function localAddress({ socket }: FastifyRequest): string {
  const { localAddress: address = '', localPort } = socket;
  const host = address.replace(/^::ffff:(?=\d+\.)/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${localPort ?? 0}`;
}

function refusal({ code }: Extract<SignatureVerdict, { verified: false }>): HttpProblem {
  const isAway = code === 'request_signature_jwks_unavailable';
  const todo = isAway
    ? "the agent's keys are unavailable; make sure that its brand.json and its JWK set can be fetched, then try again"
    : "sign the request for exactly this URL, with a key that the agent's brand.json publishes";
  return new HttpProblem(
    'invalid_signature',
    `signature refused: ${code}; ${todo}`,
    { signatureError: code },
    { 'www-authenticate': `Signature error="${code}"`, ...(isAway && { 'retry-after': '30' }) },
  );
}
