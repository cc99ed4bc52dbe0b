import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ADAGENTS, BRAND, type Pages } from '../scenarios/support/web.ts';
import { NAUGHTY } from '../support/naughty-texts.ts';
import type { OpenedPage } from './pages.ts';

const PUBLISHER = 'naughty-news.example';
const BYTES = 'naughty-bytes.example';
const HOUSE = 'naughty-house.example';
const BRAND_OF_HOUSE = 'naughty-brand.example';
const MANAGER = 'naughty-manager.example';
/** What only a text of the corpus has. */
const MARK = 'alert(1)';

/** The domains to crawl. */
export const HOSTILE_DOMAINS = [PUBLISHER, BYTES, HOUSE, BRAND_OF_HOUSE];

/** One agent for each text, which says nothing else in any field. */
const AGENTS = NAUGHTY.map((text, at) => ({ text, host: `naughty-${at}.example` }));
const urlOf = ({ host }: (typeof AGENTS)[number]) => `https://${host}/mcp`;

/** A web in which every field that is crawled is written by somebody who wants to break a page. */
export function hostileWeb(): Pages {
  const file = publisherFile();
  const broken = Buffer.concat([
    Buffer.from('{"authorized_agents":[{"url":"https://'),
    Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
    Buffer.from(`${MARK}","authorized_for":"<script>${MARK}</script>"}]}`),
  ]);
  return {
    [PUBLISHER]: { [ADAGENTS]: file },
    [BYTES]: { [ADAGENTS]: (_request, response) => void response.end(broken) },
    [HOUSE]: { [BRAND]: houseFile() },
    [BRAND_OF_HOUSE]: {
      [BRAND]: { id: 'b', names: NAUGHTY.map((text) => ({ en: text })), house_domain: HOUSE },
      '/ads.txt': `MANAGERDOMAIN=${MANAGER}\n`,
    },
    [MANAGER]: { [ADAGENTS]: file },
    ...Object.fromEntries(AGENTS.map(({ host, text }) => [host, agentOf(text)])),
  };
}

/** The pages that show it. */
export function hostilePages(): readonly OpenedPage[] {
  const shows = MARK;
  const loud = AGENTS.filter(({ text }) => text.includes(MARK));
  return [
    { path: '/?limit=50', shows },
    { path: `/?q=${encodeURIComponent(`"><script>${MARK}</script>`)}`, shows },
    ...AGENTS.map((agent) => ({
      path: `/agents/${encodeURIComponent(urlOf(agent))}`,
      ...(loud.includes(agent) && { shows }),
    })),
    { path: `/publishers/${PUBLISHER}`, shows },
    { path: `/publishers/${BYTES}` },
    { path: `/brands/${HOUSE}`, shows },
    { path: `/brands/${BRAND_OF_HOUSE}`, shows },
    { path: `/networks/${MANAGER}` },
    { path: '/changes' },
    { path: `/agents/${encodeURIComponent(`<script>${MARK}</script>`)}`, status: 404, shows },
  ];
}

function publisherFile(): object {
  const properties = NAUGHTY.map((text, at) => ({
    ...{ property_id: `p${at}`, property_type: at % 2 === 0 ? 'website' : text, name: text, tags: [text] },
    ...{
      identifiers: [{ type: 'domain', value: [PUBLISHER, BRAND_OF_HOUSE][at % 3] ?? text }],
      [text]: text,
    },
  }));
  const entries = AGENTS.map((agent, at) => ({
    ...{ url: urlOf(agent), authorized_for: agent.text, [agent.text]: agent.text },
    ...{ authorization_type: 'property_ids', property_ids: [`p${at}`, agent.text] },
    ...(at % 2 === 1 && { countries: ['FR', agent.text], collections: [agent.text] }),
    ...(at % 4 === 3 && { delegation_type: agent.text, effective_until: agent.text }),
  }));
  return {
    ...{ authorized_agents: [...entries, ...NAUGHTY.map((text) => ({ url: text, authorized_for: text }))] },
    ...{ properties, contact: { name: NAUGHTY[0], email: NAUGHTY[1] }, last_updated: NAUGHTY[2] },
    ...{
      placements: NAUGHTY.map((text) => ({ placement_id: text, name: text })),
      tags: { [`${NAUGHTY[0]}`]: 1 },
    },
  };
}

function houseFile(): object {
  return {
    house: { domain: HOUSE, name: `${NAUGHTY[0]}${NAUGHTY[9]}` },
    brands: NAUGHTY.map((text, at) => ({ id: `b${at}`, names: [{ en: text }], [text]: text })),
    brand_refs: [{ domain: BRAND_OF_HOUSE, brand_id: NAUGHTY[1] }, { domain: NAUGHTY[0] }],
    authorized_operators: [{ domain: MANAGER, brands: NAUGHTY, scopes: NAUGHTY, countries: NAUGHTY }],
    agents: AGENTS.map((agent, at) => ({
      ...{ type: at % 3 === 0 ? agent.text : 'measurement', url: urlOf(agent), id: `a${at}` },
      ...{ name: agent.text, description: agent.text },
    })),
    contact: { name: NAUGHTY[5], email: NAUGHTY[4], website: NAUGHTY[2] },
  };
}

/** A real MCP server that says this text wherever an agent says something. */
function agentOf(text: string) {
  const said = text.toWellFormed();
  const tools = [
    `get_adcp_capabilities`,
    'list_creative_formats',
    ...NAUGHTY.map((one) => `${one.toWellFormed()}${said}`),
  ];
  const metrics = NAUGHTY.map((_, at) => ({
    ...{
      metric_id: `metric_${at}`,
      description: said,
      unit: said,
      methodology_url: at === 0 ? said : `https://x.example/?${said}`,
    },
    ...{ methodology_version: said, standard_reference: said },
    accreditations: [
      { accrediting_body: said, certification_id: said, valid_until: said, evidence_url: said },
    ],
  }));
  const answer = {
    ...{ adcp: { major_versions: [3] }, supported_protocols: ['measurement', said], specialisms: [said] },
    ...{
      measurement: { metrics },
      media_buy: { portfolio: { description: said, publisher_domains: [said] } },
    },
    ...{ creative: { formats_supported: [said] }, signals: { audience_types: [said] } },
  };
  const formats = { formats: [{ format_id: { id: said, agent_url: said }, name: said, type: said }] };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/mcp' || request.method !== 'POST') return void response.writeHead(404).end();
    const server = new Server(
      { name: said, title: said, version: said },
      { capabilities: { tools: {} }, instructions: said },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.map((name) => ({ name, description: said, inputSchema: { type: 'object' as const } })),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [],
      structuredContent: params.name === 'list_creative_formats' ? formats : answer,
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response);
  };
}
