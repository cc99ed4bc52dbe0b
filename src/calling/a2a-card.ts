import { type JsonObject, parseObject } from '../base/json.ts';
import { CallFailure, failureOfGet, isHopeless, mostTelling, settle } from './failure.ts';
import { TOOL_LIST_BYTES } from './limits.ts';
import { isAgentCard } from './read-card.ts';
import type { CallSession } from './session.ts';

const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

export interface FoundCard {
  readonly url: string;
  readonly card: JsonObject;
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
      left: TOOL_LIST_BYTES,
    });
    const card = await settle(fetched);
    if (!(card instanceof CallFailure)) return { url, card };
    failures.push(card);
    if (isHopeless(card)) break;
  }
  throw mostTelling(failures);
}

function cardUrls(agent: URL): readonly string[] {
  if (/\/agent(-card)?\.json$/.test(agent.pathname)) return [agent.href];
  const folder = agent.pathname.replace(/\/+$/, '');
  const folders = folder === '' ? [''] : [folder, ''];
  return CARD_PATHS.flatMap((path) => folders.map((under) => `${agent.origin}${under}${path}`));
}

async function fetchCard(session: CallSession, url: string, signal: AbortSignal): Promise<JsonObject> {
  const response = await session.fetch(url, {
    headers: { accept: 'application/json', 'a2a-version': '1.0' },
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw failureOfGet(response.status);
  }
  const card = parseObject(await response.text());
  if (card === undefined || !isAgentCard(card))
    throw new CallFailure('not_protocol', 'the answer is no agent card');
  return card;
}
