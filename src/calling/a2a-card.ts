import { elements, type JsonObject, member, parseObject, pointerTo } from '../base/json.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { ProvenOrigin } from '../domain/proven-origin.ts';
import { shortText, trimEnd } from '../domain/text.ts';
import { MAX_AGENT_DESCRIPTION, MAX_AGENT_NAME } from './connection.ts';
import { CallFailure, failureOfGet, isHopeless, mostInformative, SNIPPET_BYTES, settle } from './failure.ts';
import { TOOL_LIST_BYTES } from './limits.ts';
import type { CallSession, FindingList } from './session.ts';

const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

interface FoundCard {
  readonly url: string;
  readonly card: JsonObject;
}

/** How an agent card says that the agent is spoken to. */
export interface CardInterface {
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  /** Anything before 1.0 is spoken to as 0.3. */
  readonly version: '0.3' | '1.0';
  readonly tenant: string;
}

interface AgentCard {
  readonly name?: string;
  readonly description?: string;
  /** As declared; judged by `readTools`. */
  readonly skills: readonly unknown[];
  /** The best one that may be used. */
  readonly chosen?: CardInterface;
  /** Why none is used, where one lies outside of the proven origin. */
  readonly elsewhere?: string;
}

interface Declared {
  readonly url: unknown;
  readonly binding: unknown;
  readonly version: unknown;
  readonly tenant: unknown;
  readonly pointer: string;
}

/** Best first. */
const PREFERENCE = ['JSONRPC 1.0', 'JSONRPC 0.3', 'HTTP+JSON 1.0', 'HTTP+JSON 0.3'];

/** True for an object that looks like an agent card of any version (A2A 0.3, section 5.5; 1.0, section 4.4.1). */
export function isAgentCard(value: JsonObject): boolean {
  const named = typeof member(value, 'name') === 'string';
  return named && (Array.isArray(member(value, 'skills')) || declaredInterfaces(value).length > 0);
}

/**
 * Reads a card of A2A 0.3 or 1.0 without asking for every field that either requires. A URL that leaves the
 * registrable domain of `agent`, or falls back from https to http, is a finding and is never followed; one that leaves
 * its origin is followed by a discovery probe only, which gives no `origin`.
 */
export function readCard(
  card: JsonObject,
  agent: URL,
  findings: FindingList,
  origin?: ProvenOrigin,
): AgentCard {
  const name = shortText(member(card, 'name'), MAX_AGENT_NAME);
  const description = shortText(member(card, 'description'), MAX_AGENT_DESCRIPTION);
  const usable = declaredInterfaces(card).flatMap(
    (declared) => usableInterface(declared, agent, findings) ?? [],
  );
  const open = origin === undefined ? usable : usable.filter(({ url }) => origin.holds(url));
  const chosen = open.toSorted((a, b) => rank(a) - rank(b))[0];
  const elsewhere = chosen === undefined && origin !== undefined ? firstOutside(card, origin) : undefined;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    skills: elements(member(card, 'skills')),
    ...(chosen && { chosen }),
    ...(elsewhere !== undefined && { elsewhere }),
  };
}

function firstOutside(card: JsonObject, origin: ProvenOrigin): string | undefined {
  const urls = declaredInterfaces(card).flatMap(
    ({ url }) => (typeof url === 'string' && URL.parse(url)) || [],
  );
  const outside = urls.find((url) => !origin.holds(url));
  return outside && origin.refusalOf(outside, 'it');
}

function declaredInterfaces(card: JsonObject): Declared[] {
  const listed = elements(member(card, 'supportedInterfaces'));
  if (listed.length > 0) {
    return listed.slice(0, 50).map((item, index) => ({
      url: member(item, 'url'),
      binding: member(item, 'protocolBinding') ?? member(item, 'transport') ?? 'JSONRPC',
      version: member(item, 'protocolVersion') ?? '1.0',
      tenant: member(item, 'tenant'),
      pointer: pointerTo('/supportedInterfaces', index),
    }));
  }
  const additional = elements(member(card, 'additionalInterfaces')).slice(0, 50);
  return [
    declaredOld(card, member(card, 'preferredTransport'), ''),
    ...additional.map((item, index) =>
      declaredOld(item, member(item, 'transport'), pointerTo('/additionalInterfaces', index)),
    ),
  ].filter((declared) => declared.url !== undefined);
}

function declaredOld(item: unknown, binding: unknown, pointer: string): Declared {
  return {
    url: member(item, 'url'),
    binding: binding ?? 'JSONRPC',
    version: '0.3',
    tenant: undefined,
    pointer,
  };
}

function usableInterface(declared: Declared, agent: URL, findings: FindingList): CardInterface | undefined {
  const binding = typeof declared.binding === 'string' ? declared.binding.toUpperCase() : '';
  if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON') return undefined;
  const { url: text } = declared;
  const refuse = (code: string, message: string): undefined => {
    findings.add('warning', code, `${declared.pointer}/url`, message);
  };
  if (typeof text !== 'string' || text.length > 2_000 || !URL.canParse(text)) {
    return refuse('card_url_invalid', 'the agent card has no absolute url');
  }
  const url = new URL(text);
  if (registrableDomain(url.hostname) !== registrableDomain(agent.hostname)) {
    return refuse(
      'card_url_leaves_domain',
      'the url in the agent card is not on the domain of the agent, so it is not used',
    );
  }
  if (url.protocol !== agent.protocol && url.protocol !== 'https:') {
    return refuse(
      'card_url_not_https',
      'the url in the agent card downgrades from https to http, so it is not used',
    );
  }
  const version = typeof declared.version === 'string' && /^0(\.|$)/.test(declared.version) ? '0.3' : '1.0';
  return { url: text, binding, version, tenant: shortText(declared.tenant, 200) ?? '' };
}

function rank({ binding, version }: CardInterface): number {
  return PREFERENCE.indexOf(`${binding} ${version}`);
}

/**
 * The agent card: at the agent's own URL when that is one, else at today's and the older path, each under the
 * agent's path before the origin (where several agents share a host, the nearer card is the right one). Rejects
 * with the most telling CallFailure.
 */
export async function findCard(session: CallSession): Promise<FoundCard> {
  const failures: CallFailure[] = [];
  for (const url of cardUrls(session.url)) {
    const fetched = session.call('agent card', url, (signal) => fetchCard(session, url, signal), {
      budget: { left: TOOL_LIST_BYTES },
      repeatable: !session.hasRetriedInVain,
    });
    const card = await settle(fetched);
    if (!(card instanceof CallFailure)) return { url, card };
    const { errorClass, message, facts } = card.status === undefined ? card : failureOfGet(card);
    failures.push(new CallFailure(errorClass, message, { ...facts, request: 'agent card' }));
    if (isHopeless(card)) break;
  }
  throw mostInformative(failures);
}

function cardUrls(agent: URL): readonly string[] {
  if (/\/agent(-card)?\.json$/.test(agent.pathname)) return [agent.href];
  const folder = trimEnd(agent.pathname, '/');
  const folders = folder === '' ? [''] : [folder, ''];
  return CARD_PATHS.flatMap((path) => folders.map((under) => `${agent.origin}${under}${path}`));
}

async function fetchCard(session: CallSession, url: string, signal: AbortSignal): Promise<JsonObject> {
  const response = await session.fetch(url, {
    headers: { accept: 'application/json', 'a2a-version': '1.0' },
    signal,
  });
  if (!response.ok) {
    await readSnippet(response);
    throw new Error('no agent card'); // the session knows the status and the agent's words
  }
  const card = parseObject(await response.text());
  if (card === undefined || !isAgentCard(card))
    throw new CallFailure('not_protocol', 'the response is not an agent card');
  return card;
}

async function readSnippet({ body }: Response): Promise<void> {
  let read = 0;
  for await (const chunk of body ?? []) {
    read += chunk.byteLength;
    if (read >= SNIPPET_BYTES) break;
  }
}
