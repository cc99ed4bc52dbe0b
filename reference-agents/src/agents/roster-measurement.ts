import type { AgentSpec } from './agent.ts';

const CARD = '/.well-known/agent-card.json';
const JSON_MCP = { protocol: 'mcp', style: 'json' } as const;
const A2A = { protocol: 'a2a', versions: ['1.0'], cards: [CARD] } as const;
const OLD_A2A = { protocol: 'a2a', versions: ['0.3'], cards: ['/.well-known/agent.json'] } as const;

/** The vendor whose brand.json leaves it to the registry to infer what it is. */
export const UNDECLARED_VENDOR = 'honestabacus.example';

/** The vendor with bad metrics among its good ones. */
export const CARELESS_VENDOR = 'saltmarsh.example';

/** The vendor whose metrics carry mark-up and a flag of its own that says verified. */
export const BOASTFUL_VENDOR = 'pennyweight.example';

/** The vendor whose agent a stranger's brand.json calls something else. */
export const RETYPED_VENDOR = 'lanternfish.example';

/** A dozen measurement vendors, each on a domain of its own. */
export const MEASUREMENT_AGENTS: readonly AgentSpec[] = [
  { ...vendor('Lanternfish Metrics', 'lanternfish', 'mcp', JSON_MCP), also: { ...A2A, path: '/a2a' } },
  vendor('Tallyho Ledger', 'tallyho', 'mcp', JSON_MCP),
  vendor('Plumbob Analytics', 'plumbob', 'mcp', { protocol: 'mcp', style: 'stream' }),
  vendor('Quietcount', 'quietcount', 'a2a', A2A),
  vendor('Owlglass', 'owlglass', 'mcp', { protocol: 'mcp', style: 'session' }),
  vendor('Murmur Audio Audit', 'murmur', 'sse', { protocol: 'mcp', style: 'sse' }),
  vendor('Kestrel Gaze', 'kestrelgaze', 'mcp', JSON_MCP),
  vendor('Footbridge Panels', 'footbridge', 'a2a', OLD_A2A),
  vendor('Honest Abacus', 'honestabacus', 'mcp', JSON_MCP),
  vendor('Saltmarsh Attribution', 'saltmarsh', 'mcp', JSON_MCP),
  vendor('Pennyweight Lift', 'pennyweight', 'mcp', { protocol: 'mcp', style: 'stream' }),
  vendor('Greenquill Carbon', 'greenquill', 'a2a', A2A),
];

function vendor(name: string, label: string, path: string, transport: AgentSpec['transport']): AgentSpec {
  const description = `Measures campaigns: ${name}`;
  return { name, description, url: `https://${label}.example/${path}`, type: 'measurement', transport };
}
