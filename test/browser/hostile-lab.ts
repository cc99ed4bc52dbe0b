import type { RequestListener } from 'node:http';
import { rpcAgent } from '../calling/support/rpc.ts';
import { a2a, HOSTILE_AGENTS, saying } from '../probe/support/hostile-agents.ts';
import type { Pages } from '../scenarios/support/web.ts';
import { NAUGHTY } from '../support/naughty-texts.ts';
import { labReport } from './lab-report.ts';
import type { OpenedPage } from './pages.ts';

const SCRIPT = `${NAUGHTY[0]}`;
/** Turned around, and longer than any page is wide. */
const WORD = `\u202e\u2066${'w'.repeat(100_000)}`;
const CARD = 'naughty-card.example';

/** A card whose every text is script, over MCP and A2A. */
const script = a2a(
  () => ({
    ...{ name: SCRIPT, description: SCRIPT, protocolVersion: SCRIPT, version: SCRIPT },
    ...{
      url: `https://${CARD}/a2a`,
      preferredTransport: 'JSONRPC',
      provider: { organization: SCRIPT, url: SCRIPT },
    },
    skills: NAUGHTY.map((text) => ({ id: text, name: text, description: text, tags: [text] })),
  }),
  { kind: 'task', id: SCRIPT, contextId: SCRIPT, status: { state: SCRIPT } },
);
const words = rpcAgent({
  initialize: () => ({
    ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} }, instructions: WORD },
    serverInfo: { name: WORD, title: WORD, version: WORD },
  }),
  'tools/list': () => ({ tools: [{ name: 'get_proto_capabilities', description: WORD }, { name: WORD }] }),
  'tools/call': () => ({
    structuredContent: { [WORD]: WORD, proto: { supported_versions: [WORD] }, supported_protocols: [WORD] },
  }),
});
const [, drips = words] = HOSTILE_AGENTS.find(([what]) => what === 'drips its answers') ?? [];

/** Three agents that want to break the page of their exam: as many as the lab examines for one caller in a minute. */
const AGENTS: Readonly<Record<string, RequestListener>> = {
  [CARD]: (request, response) =>
    (request.method === 'POST' && request.url === '/' ? saying(SCRIPT) : script)(request, response),
  'naughty-words.example': words,
  'naughty-drips.example': drips,
};

/** The web that they are in. */
export function hostileAgents(): Pages {
  return AGENTS;
}

/** The pages of their reports, once each is made. */
export async function hostileReports(origin: string): Promise<readonly OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for (const host of Object.keys(AGENTS)) {
    const path = await labReport(origin, `https://${host}/`);
    pages.push({ path, shows: host === CARD ? 'alert(1)' : 'How the grade is calculated' });
  }
  return pages;
}
