const LIST = '/api/registry/agents';

/** What people ask for: pages of the list, one agent, a badge. */
export function honestPaths(): readonly string[] {
  const agents = Array.from(
    { length: 50 },
    (_, n) => `https://agent-${String(n).padStart(8, '0')}.vendor${n % 97}.example/mcp`,
  );
  const of = (agent: string) => `${LIST}/${encodeURIComponent(agent)}`;
  return [
    ...['sales', 'signals', 'creative'].map((type) => `${LIST}?type=${type}&health=true&limit=20`),
    `${LIST}?type=measurement&q=view&capabilities=true&limit=20`,
    ...agents.map((agent, n) =>
      n % 2 === 0 ? `${of(agent)}/compliance` : `${of(agent)}/badge/media-buy.svg`,
    ),
  ];
}
