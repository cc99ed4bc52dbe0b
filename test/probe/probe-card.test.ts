import { describe, expect, it } from 'vitest';
import { rpcError } from '../calling/support/rpc.ts';
import { bodyOf, html, json, serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { probeAt } from './support/probe-at.ts';

/** What an old agent reads of a call. */
interface OldCall {
  readonly id: unknown;
  readonly params?: {
    readonly message?: { readonly parts?: readonly { readonly data?: { readonly parameters?: unknown } }[] };
  };
}

const codes = (seen: { findings: readonly { code: string }[] }) =>
  seen.findings.map((finding) => finding.code);

describe('the card of an A2A agent', () => {
  const cardAgent = (card: Record<string, unknown>) =>
    serve((request, response) =>
      request.url === '/.well-known/agent-card.json' ? json(response, card) : html(response, 404),
    );
  const skills = [{ id: 'get_signals', name: 'Get signals' }];

  it.each([
    ['leaves the domain', { url: 'https://elsewhere.example/a2a' }, 'card_url_leaves_domain'],
    ['goes to a private address', { url: 'http://169.254.169.254/latest' }, 'card_url_leaves_domain'],
    ['is relative', { url: '/a2a' }, 'card_url_invalid'],
    [
      'leaves the domain in 1.0',
      {
        supportedInterfaces: [
          { url: 'https://elsewhere.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      },
      'card_url_leaves_domain',
    ],
  ])('is read, but not followed where its url %s', async (_name, card, code) => {
    const fetcher = loopbackFetcher();
    const origin = await cardAgent({ name: 'Card', skills, ...card });
    const seen = await probeAt(origin, { fetcher });
    expect(seen).toMatchObject({
      protocol: 'a2a',
      health: { online: true },
      exposed: { inferredType: 'signals' },
    });
    expect(codes(seen)).toEqual([code]);
    expect(fetcher.seen.every((request) => request.url.startsWith(origin))).toBe(true);
  });

  it('costs old agents one more question: with parameters in place of input', async () => {
    const asked: unknown[] = [];
    const origin = await serve(async (request, response) => {
      if (request.method === 'GET')
        return json(response, {
          name: 'Old',
          url: `http://${request.headers.host}/`,
          skills: [{ id: 'get_adcp_capabilities' }],
        });
      const call = (await bodyOf(request)) as unknown as OldCall;
      const data = call.params?.message?.parts?.[0]?.data;
      if (data !== undefined) asked.push(data);
      if (data?.parameters === undefined)
        return json(response, rpcError(call, -32_602, 'parameters expected'));
      const parts = [
        { kind: 'data', data: { draft: true } },
        { kind: 'data', data: { adcp: { major_versions: [2] } } },
      ];
      const task = {
        kind: 'task',
        id: 't',
        contextId: 'c',
        status: { state: 'completed' },
        artifacts: [{ artifactId: 'a', parts }],
      };
      json(response, { jsonrpc: '2.0', id: call.id, result: task });
    });
    const seen = await probeAt(origin);
    expect(seen.exposed).toMatchObject({ vocabulary: 'adcp', supportedVersions: ['2'] });
    expect(asked).toEqual([
      { skill: 'get_adcp_capabilities', input: {} },
      { skill: 'get_adcp_capabilities', parameters: {} },
    ]);
  });
});
