import { type AgentSpec, hostOf } from './agents/agent.ts';
import { BRAND_FILE } from './brands/houses.ts';
import { receiverPath } from './buying/receiver.ts';
import type { KnownCaller } from './reference/callers.ts';

/** Where a user of the sandbox buys from: its keys are the ones that `agent-registry sandbox --desk-keys` names. */
export const DESK_DOMAIN = 'desk.example';

/** The buying agents that have an account with every agent of the sandbox. Their tokens are no secret. */
export const BUYERS: readonly KnownCaller[] = [
  {
    url: 'https://buyer-1.agents.example/mcp',
    operator: 'tidewater-group.example',
    token: 'sandbox-tidewater',
    brandJsonUrl: `https://tidewater-group.example${BRAND_FILE}`,
  },
  {
    url: 'https://magpie.example/a2a',
    operator: 'magpie.example',
    token: 'sandbox-magpie',
    brandJsonUrl: `https://magpie.example${BRAND_FILE}`,
  },
  {
    url: `https://${DESK_DOMAIN}/agent`,
    operator: DESK_DOMAIN,
    token: 'sandbox-desk',
    brandJsonUrl: `https://${DESK_DOMAIN}${BRAND_FILE}`,
  },
];

/** The callers that an agent knows: the buyers, and for a locked one whoever holds its token. */
export function callersOf(spec: AgentSpec): readonly KnownCaller[] {
  const { transport } = spec;
  // the desk is its user's: where that one listens nobody knows beforehand
  const buyers = BUYERS.map((buyer) =>
    buyer.operator === DESK_DOMAIN
      ? buyer
      : { ...buyer, webhookUrl: new URL(receiverPath(spec.url), buyer.url).href },
  );
  if (transport.protocol !== 'mcp' || transport.token === undefined) return buyers;
  const host = hostOf(spec);
  const guest = {
    url: `https://${host}/guest`,
    operator: host,
    brandJsonUrl: `https://${host}${BRAND_FILE}`,
  };
  return [...buyers, { ...guest, token: transport.token }];
}
