import { describe, expect, it } from 'vitest';
import { callByName } from '../../src/calling/connect.ts';
import { a2aAgent } from './support/a2a-agent.ts';
import { mcpAgent } from './support/mcp-agent.ts';
import { serve } from './support/serve.ts';
import { visit } from './support/visit.ts';

const ANSWER = { structuredContent: { adcp: { major_versions: [3] } } };

describe('the capabilities task', () => {
  it.each(['get_proto_capabilities', 'get_adcp_capabilities'])(
    'is called by the name listed: %s',
    async (listed) => {
      const agent = mcpAgent({ tools: [listed], answers: { [listed]: ANSWER } });
      const origin = await serve((request, response) => void agent(request, response));
      for (const asked of ['get_proto_capabilities', 'get_adcp_capabilities']) {
        expect(await visit(origin, (connection) => callByName(connection, asked, {}))).toMatchObject({
          name: listed,
          answer: { outcome: 'answered' },
        });
      }
    },
  );

  it('costs one look at the list in a connection, however often it is called', async () => {
    const agent = mcpAgent({
      tools: ['get_adcp_capabilities'],
      answers: { get_adcp_capabilities: ANSWER },
    });
    let requests = 0;
    const origin = await serve((request, response) => {
      if (request.method === 'POST') requests += 1;
      void agent(request, response);
    });
    await visit(origin, async (connection) => {
      const shakingHands = requests;
      for (const asked of [1, 2, 3]) {
        await callByName(connection, 'get_proto_capabilities', {});
        expect(requests - shakingHands).toBe(asked + 1);
      }
    });
    expect.assertions(3);
  });

  it('is called by both names where a card lists neither', async () => {
    const agent = a2aAgent({
      version: '1.0',
      skills: ['get_products'],
      answers: { get_adcp_capabilities: { adcp: {} } },
    });
    const origin = await serve((request, response) => void agent(request, response));
    expect(
      await visit(`${origin}/a2a`, (connection) => callByName(connection, 'get_proto_capabilities', {})),
    ).toMatchObject({ name: 'get_adcp_capabilities', answer: { outcome: 'answered' } });
  });

  it('is refused under the name that was asked for, where there is none', async () => {
    const agent = a2aAgent({ version: '1.0', skills: ['get_products'], answers: {} });
    const origin = await serve((request, response) => void agent(request, response));
    expect(
      await visit(`${origin}/a2a`, (connection) => callByName(connection, 'get_proto_capabilities', {})),
    ).toMatchObject({
      name: 'get_proto_capabilities',
      answer: { outcome: 'refused', error: { code: 'UNKNOWN_SKILL' } },
    });
  });
});
