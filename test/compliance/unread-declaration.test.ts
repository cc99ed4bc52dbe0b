import { describe, expect, it, test } from 'vitest';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { answers, type Fault, withFaults } from '../calling/support/faults.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { answered, OPEN, runAt, withPhases } from './support/runs.ts';

const BOARD = withPhases('  - {id: p, steps: [{id: s, task: get_products}]}');
const HTML = answers(500, '<title>Down</title>', { 'content-type': 'text/html' });
const BUSY = answers(503, 'back soon', { 'content-type': 'text/plain', 'retry-after': '0' });

const AGENT = {
  tools: ['get_proto_capabilities', 'get_products'],
  answer: (task: string) => answered(task === 'get_proto_capabilities' ? OPEN : { products: [] }),
};

async function runBehind(faults: Readonly<Record<string, readonly Fault[]>>) {
  const seen: string[] = [];
  const url = `${await serve(withFaults(mcpAgent(AGENT), faults, seen))}/`;
  const run = await runAt(url, [BOARD]);
  return { run, seen, verdict: judgeRun(run).verdict };
}

describe('a run of an agent that does not answer for', () => {
  test.each<[string, Fault, object]>([
    ['initialize', BUSY, { request: 'handshake', http_status: 503 }],
    ['tools/list', HTML, { request: 'tools/list', http_status: 500, content_type: 'text/html' }],
    ['tools/list', BUSY, { request: 'tools/list', http_status: 503, words: 'back soon', retried: true }],
    ['get_proto_capabilities', HTML, { request: 'get_proto_capabilities', http_status: 500 }],
    ['get_proto_capabilities', BUSY, { request: 'get_proto_capabilities', http_status: 503 }],
  ])('%s is inconclusive and says why', async (kind, fault, unread) => {
    const { run, seen, verdict } = await runBehind({ [kind]: [fault, fault, fault, fault] });
    expect(run).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'declaration_unread', detail: expect.stringMatching(/ gave no valid answer /) },
      unread,
      steps: [],
    });
    expect(run.inconclusive?.detail).not.toContain('back soon');
    expect(verdict).toMatchObject({ status: 'unknown', declaration_read: false });
    expect(seen).not.toContain('get_products');
  });

  it('its agent card is inconclusive', async () => {
    const url = `${await serve((request, response) =>
      request.url?.startsWith('/.well-known/') ? HTML(response) : answers(404)(response),
    )}/`;
    expect(await runAt(url, [BOARD], { protocols: ['mcp', 'a2a'] })).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'declaration_unread' },
      unread: { request: 'agent card', http_status: 500 },
    });
  });
});

describe('a run judges', () => {
  test.each(['initialize', 'tools/list', 'get_proto_capabilities', 'get_products'])(
    'an agent that was busy once at %s as if nothing had happened',
    async (kind) => {
      const clean = await runBehind({});
      const { run, verdict } = await runBehind({ [kind]: [BUSY] });
      expect(run.steps.map(({ result }) => result)).toEqual(['pass']);
      expect(verdict.status).toBe('passing');
      expect({ ...verdict, storyboard_statuses: [], track_details: [] }).toEqual({
        ...clean.verdict,
        ...{ storyboard_statuses: [], track_details: [] },
      });
    },
  );

  it('an agent without a capabilities task by its tools alone', async () => {
    const url = `${await serve(mcpAgent({ tools: ['get_products'], answers: { get_products: answered({}) } }))}/`;
    expect(await runAt(url, [BOARD])).toMatchObject({
      outcome: 'complete',
      agent: { capabilities_unread: true, tools_count: 1 },
      totals: { steps: { passed: 1 } },
    });
  });

  it('an agent whose card hides the capabilities task by its answer', async () => {
    const url = `${await serve(
      a2aAgent({
        version: '1.0',
        skills: ['get_products'],
        answers: { get_products: {}, get_proto_capabilities: OPEN },
      }),
    )}/`;
    expect(await runAt(url, [BOARD], { protocols: ['a2a'] })).toMatchObject({
      outcome: 'complete',
      agent: { supported_protocols: ['media_buy'] },
    });
  });
});
