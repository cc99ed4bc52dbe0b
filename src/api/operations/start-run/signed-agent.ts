import type { FastifyRequest } from 'fastify';
import { createAllowance } from '../../../base/allowance.ts';
import type { AgentFacts } from '../../../domain/agent-facts.ts';
import { registrableDomain, registrableDomainOf } from '../../../domain/domain-name.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { AgentSignatures, SigningAgent } from '../../../signing/agent-keys.ts';
import { createBoundedLookups } from '../../../signing/bounded-lookups.ts';
import { messageOfRequest } from '../../../signing/gate.ts';
import { type KeySource, unknownKey } from '../../../signing/key-source.ts';
import { type SignatureVerdict, verifyMessage } from '../../../signing/verify.ts';
import { callerOf, refuseWhile } from '../../callers.ts';
import { notOwner } from '../../owner-only.ts';
import { HttpProblem } from '../../problem.ts';

export interface SignedAgentParts {
  readonly records: Pick<Records, 'owners' | 'agents'>;
  readonly clock: Clock;
  readonly signatures: AgentSignatures;
  /** The public address of the registry; empty: the address and port that the connection came in at. */
  readonly baseUrl: string;
}

/** Key lookups of this process under way, those of one registrable domain among them, and the time of each. */
const LOOKUPS = { atOnce: 32, atOnceForOne: 8, deadlineMs: 5_000 };
/** Signed messages that one caller may send about one agent, and about all agents together. */
const ABOUT_ONE = { max: 10, windowMs: 60_000 };
const ABOUT_ALL = { max: 60, windowMs: 60_000 };

/** Gives the id of the agent's key that signed the request, or throws the HttpProblem that refuses it. */
export type VerifyAgent = (request: FastifyRequest, agent: string, body: Buffer) => Promise<string>;

/**
 * Verifies requests that an agent signed itself (RFC 9421): by a key that the brand.json of its domain names for it. Keys
 * are looked for only where the agent has a proven owner; for all others the answer is the one 404. The caller is told
 * the code of a refusal, the log the rest: what our fetches came to is no stranger's business.
 */
export function createVerifyAgent(parts: SignedAgentParts): VerifyAgent {
  const { records, clock, signatures, baseUrl } = parts;
  const bounded = createBoundedLookups(LOOKUPS);
  const aboutOne = createAllowance({ clock, ...ABOUT_ONE });
  const aboutAll = createAllowance({ clock, ...ABOUT_ALL });
  return async (request, agent, body) => {
    const caller = callerOf(request);
    refuseWhile(aboutAll(caller), `${ABOUT_ALL.max} signed requests`);
    refuseWhile(aboutOne(`${caller} ${agent}`), `${ABOUT_ONE.max} signed requests about one agent`);
    const isOwned = (await records.owners.owner(agent)) !== undefined;
    const message = messageOfRequest(
      { method: request.method, url: request.originalUrl, rawHeaders: request.raw.rawHeaders },
      baseUrl === '' ? localAddress(request) : baseUrl,
      body,
    );
    const verdict = await verifyMessage(message, {
      kind: 'request',
      keys: isOwned ? bounded(registrableDomainOf(agent), agentKeys(agent, parts)) : NO_KEYS,
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
