import { describe, expect, it } from 'vitest';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { mcpAgent, sessionAgent, sseAgent } from '../calling/support/mcp-agent.ts';
import { rpcError } from '../calling/support/rpc.ts';
import { json, serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { NOW, probeAt } from './support/probe-at.ts';

const CAPABILITIES = {
  proto: { supported_versions: ['3.0'] },
  supported_protocols: ['measurement'],
  specialisms: ['sales-guaranteed'],
  measurement: {
    metrics: [{ metric_id: 'viewability', accreditations: [{ accrediting_body: 'MRC', verified: true }] }],
  },
};
const structured = (data: unknown) => ({ content: [], structuredContent: data });

describe('probing an MCP agent', () => {
  it('reads tools, resources and capabilities over streamable http', async () => {
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products'],
      answers: { get_proto_capabilities: structured(CAPABILITIES) },
      resources: 3,
    });
    const origin = await serve(agent);
    const seen = await probeAt(origin);
    expect(seen).toMatchObject({
      agent: `${origin}/`,
      at: NOW,
      protocol: 'mcp',
      endpoint: `${origin}/`,
      health: { online: true, toolsCount: 2, resourcesCount: 3, responseTimeMs: 0 },
      findings: [],
    });
    expect(seen.health.errorClass).toBeUndefined();
    expect(seen.exposed).toMatchObject({
      name: 'Test Agent',
      vocabulary: 'proto',
      inferredType: 'sales',
      supportedVersions: ['3.0'],
      specialisms: ['sales-guaranteed'],
      capabilities: { measurement_capabilities: { metrics: [{ metric_id: 'viewability' }] } },
    });
    expect(seen.steps.map((step) => step.step)).toEqual([
      'initialize',
      'tools/list',
      'resources/list',
      'get_proto_capabilities',
    ]);
  });

  it('reads a list over several pages, and answers that come as events', async () => {
    const tools = Array.from({ length: 25 }, (_, index) => `tool_${index}`);
    const seen = await probeAt(await serve(mcpAgent({ tools, pageSize: 10 }, false)));
    expect(seen.exposed?.capabilities).toMatchObject({ tools_count: 25 });
  });

  it('finds the agent under /mcp where what answers JSON-RPC at the origin is something else', async () => {
    const agent = mcpAgent({ tools: ['get_signals'], path: '/mcp' });
    const origin = await serve((request, response) => {
      if (request.url !== '/') return void agent(request, response);
      return json(response, rpcError({ id: 0 }, -32_601, 'Method not found'));
    });
    expect(await probeAt(origin)).toMatchObject({
      endpoint: `${origin}/mcp`,
      exposed: { inferredType: 'signals' },
    });
  });

  it('finds the agent under /mcp', async () => {
    const origin = await serve(mcpAgent({ tools: ['get_signals'], path: '/agent/mcp' }));
    const seen = await probeAt(`${origin}/agent`);
    expect(seen).toMatchObject({ endpoint: `${origin}/agent/mcp`, exposed: { inferredType: 'signals' } });
  });

  it('falls back to http+sse', async () => {
    const agent = sseAgent({
      tools: ['get_adcp_capabilities'],
      answers: {
        get_adcp_capabilities: { content: [{ type: 'text', text: '{"adcp":{"major_versions":[3]}}' }] },
      },
    });
    const seen = await probeAt(await serve(agent));
    expect(seen).toMatchObject({
      protocol: 'mcp',
      exposed: { vocabulary: 'adcp', supportedVersions: ['3'] },
    });
  });

  it('ends the session that it opened', async () => {
    const open = new Set<string>();
    const seen = await probeAt(await serve(sessionAgent({ tools: ['get_products'] }, open)));
    expect(seen.health.online).toBe(true);
    expect(open).toEqual(new Set());
  });

  it('asks for creative formats where the capabilities name none', async () => {
    const formats = { formats: [{ format_id: { agent_url: 'https://x.example', id: 'display_300x250' } }] };
    const agent = mcpAgent({
      tools: ['list_creative_formats'],
      answers: { list_creative_formats: structured(formats) },
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.exposed?.capabilities.creative_capabilities?.formats_supported).toEqual(['display_300x250']);
  });
});

describe('probing an A2A agent', () => {
  it.each(['0.3', '1.0'] as const)(
    'reads the card and a hidden capabilities task of version %s',
    async (version) => {
      const agent = a2aAgent({
        version,
        skills: ['get_products'],
        answers: { get_adcp_capabilities: CAPABILITIES },
      });
      const origin = await serve(agent);
      const seen = await probeAt(origin);
      expect(seen).toMatchObject({
        protocol: 'a2a',
        endpoint: `${origin}/a2a`,
        health: { online: true, toolsCount: 1 },
        exposed: {
          name: 'Card Agent',
          description: 'an agent of the tests',
          vocabulary: 'adcp',
          inferredType: 'sales',
          capabilities: { tools: [{ name: 'get_products', description: 'does get_products' }] },
        },
      });
      expect(seen.exposed?.capabilities.measurement_capabilities?.metrics).toHaveLength(1);
    },
  );

  it.each(['/.well-known/agent.json', '/sales/.well-known/agent-card.json', '/sales/.well-known/agent.json'])(
    'finds the card at %s',
    async (cardPath) => {
      const origin = await serve(
        a2aAgent({ version: '0.3', skills: ['get_signals'], answers: {}, cardPath }),
      );
      const seen = await probeAt(`${origin}/sales`);
      expect(seen).toMatchObject({ protocol: 'a2a', exposed: { inferredType: 'signals' } });
    },
  );

  it('tries the hinted protocol first', async () => {
    const fetcher = loopbackFetcher();
    const origin = await serve(a2aAgent({ version: '1.0', skills: ['get_signals'], answers: {} }));
    await probeAt(origin, { fetcher, hints: { protocol: 'a2a' } });
    expect(fetcher.seen[0]).toMatchObject({ method: 'GET', url: `${origin}/.well-known/agent-card.json` });
  });
});
