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

/** A key that is not found by then is unavailable, milliseconds; what the look-up fetches may still arrive for the next one. */
const LOOKUP_MS = 5_000;

/** Gives the id of the agent's key that signed the request, or throws the HttpProblem that refuses it. */
export type VerifyAgent = (request: FastifyRequest, agent: string, body: Buffer) => Promise<string>;

/**
 * Verifies requests that an agent signed itself (RFC 9421): by a key that the brand.json of its domain names for it. Keys
 * are looked for only where the agent has a proven owner; for all others the answer is the one 404. The caller is told
 * the code of a refusal, the log the rest: what our fetches came to is no stranger's business.
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

const NO_KEYS: KeySource = { find: async () => unknownKey('nobody has proven to own the agent') };

/** The same keys, within the budget for look-ups and their time. Throws BudgetExceeded. */
function boundedKeys(keys: KeySource, budgets: Budgets, party: Party): KeySource {
  return {
    async find(keyid) {
      const leave = budgets.enter('keyLookups', party);
      const late = Promise.withResolvers<FoundKey>();
      const timer = setTimeout(
        () => late.resolve(keysUnavailable(`the keys were not found within ${LOOKUP_MS} ms`)),
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

/** The records are asked only when a message has passed all checks that need no key. */
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

/** Keys are found under the very spelling of the URL that the brand.json has; how strangers spell it says nothing. */
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

/** Where the connection came in, which is no claim of the caller's. */
function localAddress({ socket }: FastifyRequest): string {
  const { localAddress: address = '', localPort } = socket;
  const host = address.replace(/^::ffff:(?=\d+\.)/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${localPort ?? 0}`;
}

function refusal({ code }: Extract<SignatureVerdict, { verified: false }>): HttpProblem {
  const isAway = code === 'request_signature_jwks_unavailable';
  const todo = isAway
    ? "the agent's keys cannot be had at the moment; see that its brand.json and its JWK set answer, and try again later"
    : "sign the request anew for this very address, with a key that the agent's brand.json leads to";
  return new HttpProblem(
    'invalid_signature',
    `the signature was refused: ${code}; ${todo}`,
    { signatureError: code },
    { 'www-authenticate': `Signature error="${code}"`, ...(isAway && { 'retry-after': '30' }) },
  );
}
