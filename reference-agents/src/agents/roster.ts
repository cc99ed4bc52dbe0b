import type { A2aTransport, AgentSpec, McpStyle, McpTransport } from './agent.ts';
import { MEASUREMENT_AGENTS } from './roster-measurement.ts';

/** Several agents live under this one domain; its own brand.json says what they are. */
export const AGENT_HOSTER = 'agents.example';

/** The credential that the locked agent wants. */
export const LOCKED_TOKEN = 'sandbox-open-sesame';

/** MCP in one of its forms. */
export function mcp(style: McpStyle, more: Omit<McpTransport, 'protocol' | 'style'> = {}): McpTransport {
  return { protocol: 'mcp', style, ...more };
}

/** A2A with cards at these paths. */
export function a2a(
  versions: A2aTransport['versions'],
  cards: readonly string[],
  more: Partial<A2aTransport> = {},
): A2aTransport {
  return { protocol: 'a2a', versions, cards, ...more };
}

export const CARD = '/.well-known/agent-card.json';
const OLD_CARD = '/.well-known/agent.json';

/** The second way to the first agent of each type: whoever likes A2A better finds its card on the same host. */
const A2A_TOO = { ...a2a(['1.0', '0.3'], [CARD, OLD_CARD]), path: '/a2a' } as const;

// biome-ignore format: one agent a line
const SALES: readonly AgentSpec[] = [
  { name: 'Harbour Lane Sales', description: 'Local papers of the coast', url: 'https://sales-1.agents.example/mcp', type: 'sales', transport: mcp('json'), also: A2A_TOO },
  { name: 'Tin Roof Media', description: 'Radio and podcasts', url: 'https://sales-2.agents.example/mcp', type: 'sales', transport: mcp('stream'), without: ['list_authorized_properties'] },
  { name: 'Yellow Door Sales', description: 'Quality display, sold by hand', url: 'https://yellowdoor.example/a2a', type: 'sales', transport: a2a(['1.0'], [CARD]), signed: ['create_media_buy', 'update_media_buy'] },
  { name: 'Pinegrove Direct', description: 'Publishers of the hills, sold direct', url: 'https://pinegrove.example/a2a/', type: 'sales', transport: a2a(['0.3'], [OLD_CARD], { hidden: ['get_proto_capabilities', 'get_adcp_capabilities'] }) },
  { name: 'Old Wharf', description: 'Built early, never rebuilt', url: 'https://oldwharf.example/sse', type: 'sales', transport: mcp('sse') },
  { name: 'Tollgate', description: 'Declared at its root, found under /mcp', url: 'https://tollgate.example/', path: '/mcp', type: 'sales', transport: mcp('json'), vocabulary: 'none' },
  { name: 'Long Tail Row', description: 'Thousands of small sites', url: 'https://longtail-row.example/mcp', type: 'sales', transport: mcp('json') },
];

// biome-ignore format: one agent a line
const MAKERS: readonly AgentSpec[] = [
  { name: 'Cardboard Theatre', description: 'Creatives from templates', url: 'https://creative-1.agents.example/mcp', type: 'creative', transport: mcp('session'), also: A2A_TOO },
  { name: 'Inkpot Studio', description: 'Creatives with a pen', url: 'https://inkpot.example/a2a', type: 'creative', transport: a2a(['0.3'], [`/a2a${CARD}`]) },
  { name: 'Paper Crane', description: 'Folds one format into another', url: 'https://papercrane.example/mcp', type: 'creative', transport: mcp('stream', { pageSize: 2 }), formatsListedOnly: true, without: ['build_creative'] },
  { name: 'Tidepool Signals', description: 'Audiences of the coast', url: 'https://signals-1.agents.example/mcp', type: 'signals', transport: mcp('json'), also: A2A_TOO },
  { name: 'Weathervane', description: 'Which way readers turn', url: 'https://weathervane.example/a2a', type: 'signals', transport: a2a(['1.0'], [`/a2a${CARD}`]) },
  { name: 'Copperwire', description: 'Audiences by wire', url: 'https://copperwire.example/mcp', type: 'signals', transport: mcp('session'), without: ['sync_audiences'] },
];

// biome-ignore format: one agent a line
const KEEPERS: readonly AgentSpec[] = [
  { name: 'Second Pair of Eyes', description: 'Looks before money moves', url: 'https://governance-1.agents.example/mcp', type: 'governance', transport: mcp('json'), also: A2A_TOO },
  { name: 'Fairweather Oversight', description: 'Plans, limits and logs', url: 'https://fairweather.example/a2a', type: 'governance', transport: a2a(['1.0', '0.3'], [CARD, OLD_CARD]) },
  { name: 'Brand Cupboard', description: 'Keeps the guidelines of brands', url: 'https://brand-1.agents.example/mcp', type: 'brand', transport: mcp('json', { resources: 3 }), also: A2A_TOO },
  { name: 'Marlowe Identity', description: 'Who Marlowe and its brands are', url: 'https://marlowe-house.example/identity', type: 'brand', transport: mcp('stream') },
  { name: 'Likeness Office', description: 'Faces and voices for hire', url: 'https://rights-1.agents.example/mcp', type: 'rights', transport: mcp('json'), also: A2A_TOO },
  { name: 'Cuttlebone Rights', description: 'Rights in print, long established', url: 'https://cuttlebone.example/a2a', type: 'rights', transport: a2a(['0.3'], [CARD], { inputKey: 'parameters' }) },
  { name: 'Tidewater Desk', description: 'Buys for the Tidewater brands', url: 'https://buyer-1.agents.example/mcp', type: 'buying', transport: mcp('json'), also: A2A_TOO, house: 'tidewater-group.example' },
  { name: 'Magpie Buying', description: 'Buys what shines', url: 'https://magpie.example/a2a', type: 'buying', transport: a2a(['1.0'], [CARD]) },
  { name: 'Oddments', description: 'Tells the tide, for reasons of its own', url: 'https://oddments.example/mcp', type: 'unknown', transport: mcp('json'), vocabulary: 'none' },
];

// biome-ignore format: one agent a line
const TROUBLED: readonly AgentSpec[] = [
  { name: 'Locked Cellar', description: 'Opens for credentials only', url: 'https://lockedcellar.example/mcp', type: 'signals', transport: mcp('json', { token: LOCKED_TOKEN }) },
  { name: 'Wander', description: 'Declared at /agent, lives at /agent/mcp', url: 'https://wander.example/agent', path: '/agent/mcp', type: 'sales', transport: mcp('json') },
  { name: 'Lost Lane', description: 'Declared where nothing lives', url: 'https://lostlane.example/agent', path: '/behind/the/hedge', type: 'unknown', transport: mcp('json') },
];

/** Every agent of the sandbox. Those that the prober cannot read come last. */
export const ROSTER: readonly AgentSpec[] = [
  ...SALES,
  ...MAKERS,
  ...KEEPERS,
  ...MEASUREMENT_AGENTS,
  ...TROUBLED,
];
