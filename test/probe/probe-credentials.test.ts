import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { html, json, serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { probeAt } from './support/probe-at.ts';

describe('credentials', () => {
  it('go to the agent and stand nowhere in what is returned, even where it echoes them', async () => {
    const fetcher = loopbackFetcher();
    const echo = {
      content: [],
      isError: true,
      structuredContent: { code: 'X', message: 'bad token s3cret-token' },
    };
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 's3cret-token'],
      answers: { get_proto_capabilities: echo },
    });
    const seen = await probeAt(await serve(agent), { fetcher, auth: 's3cret-token' });
    expect(new Set(fetcher.seen.map((request) => request.authorization))).toEqual(
      new Set(['Bearer s3cret-token']),
    );
    expect(JSON.stringify(seen)).not.toContain('s3cret-token');
    expect(JSON.stringify(seen)).toContain('bad token [redacted]');
  });

  it('do not go to another origin of the same domain', async () => {
    const fetcher = loopbackFetcher();
    const other = await serve((_request, response) => html(response, 404));
    const origin = await serve((request, response) =>
      request.url === '/.well-known/agent-card.json'
        ? json(response, { name: 'Card', skills: [], url: other })
        : html(response, 404),
    );
    await probeAt(origin, { fetcher, auth: 's3cret' });
    const sent = fetcher.seen.filter((request) => request.url.startsWith(other));
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every((request) => request.authorization === null)).toBe(true);
  });
});
