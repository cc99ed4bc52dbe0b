/** The nine values of the parameter `type` (specification, 4.1). */
export const AGENT_TYPES = [
  'brand',
  'rights',
  'measurement',
  'governance',
  'creative',
  'sales',
  'buying',
  'signals',
  'unknown',
] as const;

export type AgentType = (typeof AGENT_TYPES)[number];

/** How an agent is spoken to. */
export const PROTOCOLS = ['mcp', 'a2a'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
