import { describe, expect, it } from 'vitest';
import { EXPOSED, NOW, observed } from '../contract/records-fixtures.ts';
import { probing, takeOne } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const MAX_BYTES = 256 * 1_024;
const APPLICABLE = `/api/registry/agents/${encodeURIComponent(AGENT)}/applicable-storyboards`;

describe('the storyboards that agents are tested with', () => {
  it('are listed, and each is shown step by step with its first step, as the document says and within its bytes', async () => {
    const { get } = await openRegistry();
    const document = (await get('/openapi.json')).json() as OpenApi;
    const shown = async (path: string, described: string) => {
      const answer = await get(path);
      expect([path, answer.statusCode]).toEqual([path, 200]);
      expect(breaches(document, described, answer)).toEqual([]);
      expect(answer.body.length).toBeLessThan(MAX_BYTES);
      return answer.json();
    };
    const list = await shown('/api/storyboards', '/api/storyboards');
    expect(list).toMatchObject({ adcp_version: '3.0.0', requested_compliance_target: 'latest' });
    expect(list.count).toBeGreaterThan(30);
    for (const { id, title, phase_count, step_count } of list.storyboards) {
      const { storyboard } = await shown(`/api/storyboards/${id}`, '/api/storyboards/{id}');
      const steps = storyboard.phases.flatMap((phase: { steps: readonly object[] }) => phase.steps);
      expect([storyboard.id, storyboard.phases.length, steps.length]).toEqual([id, phase_count, step_count]);
      const first = await shown(`/api/storyboards/${id}/first-step`, '/api/storyboards/{id}/first-step');
      expect(first.storyboard).toEqual({ id, title });
      expect(first.step).toMatchObject({ step_id: steps[0].id, expected: steps[0].expected_output });
    }
  });

  it('are of a version that is asked for, or of the one that agents are tested for', async () => {
    const { get } = await openRegistry([], { complianceTarget: '3.0' });
    const told = async (query: string) => (await get(`/api/storyboards${query}`)).json();
    expect((await told('')).requested_compliance_target).toBe('3.0');
    expect((await told('?compliance_target=v3')).requested_compliance_target).toBe('3');
    expect(await told('?compliance_target=2.5')).toMatchObject({
      ...{ code: 'invalid_value', parameter: 'compliance_target' },
      valid_values: expect.arrayContaining(['3.0.0', 'latest', '3', '3.0']),
    });
    expect((await told('?category=media_buy&compliance_target=3.0.0')).count).toBeLessThan(30);
  });

  it('are made once for each question: the same text has the same tag, and 304 says so', async () => {
    const { get } = await openRegistry();
    const { headers } = await get('/api/storyboards/brand');
    expect(headers['cache-control']).toBe('public, max-age=300');
    const again = await get('/api/storyboards/brand', { 'if-none-match': String(headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  // what is asked, the status, the code
  const WRONG: readonly (readonly [string, number, string])[] = [
    ['?category=nothing', 400, 'invalid_value'],
    ['?category=', 400, 'empty_value'],
    ['?category=brand&category=brand', 400, 'repeated_parameter'],
    ['?colour=red', 400, 'unknown_parameter'],
    ['?compliance_target=__proto__', 400, 'invalid_value'],
    ['?compliance_target=003', 400, 'invalid_value'],
    ['?compliance_target=3.1-beta', 400, 'invalid_value'],
    ['?compliance_target=3.0.0-rc.1', 400, 'invalid_value'],
    [`?compliance_target=${'3'.repeat(5_000)}`, 400, 'invalid_value'],
    ['/nothing', 404, 'not_found'],
    ['/constructor/first-step', 404, 'not_found'],
    [`/${encodeURIComponent('../../../package.json')}`, 404, 'not_found'],
    ['/brand?category=brand', 400, 'unknown_parameter'],
    ['/brand/first-step?compliance_target=9', 400, 'invalid_value'],
  ];

  it('tell what is wrong with a question', async () => {
    const { get } = await openRegistry();
    for (const [asked, status, code] of WRONG) {
      const answer = await get(`/api/storyboards${asked}`);
      expect([asked, answer.statusCode, answer.json().code]).toEqual([asked, status, code]);
    }
  });
});

describe('GET …/applicable-storyboards', () => {
  it('has what the agent would be tested with, by what it said when it was last read', async () => {
    const { get, records } = await openRegistry();
    await records.sources.add([{ kind: 'agent', key: AGENT, foundVia: 'operator' }], NOW - 1);
    const document = (await get('/openapi.json')).json() as OpenApi;
    const told = async () => {
      const answer = await get(APPLICABLE);
      expect(breaches(document, '/api/registry/agents/{encodedUrl}/applicable-storyboards', answer)).toEqual(
        [],
      );
      return answer.json();
    };
    expect(await told()).toMatchObject({
      capabilities_probe_error: 'the capabilities of this agent have not been read yet',
      bundles: [{ kind: 'universal' }],
    });
    const specialisms = ['sales-guaranteed', 'juggling'];
    await records.sources.commitProbe(
      probing(
        await takeOne(records, 'agent', AGENT, NOW),
        observed(AGENT, { exposed: { ...EXPOSED, specialisms } }),
      ),
    );
    const read = await told();
    expect(read).toMatchObject({ supported_protocols: ['media_buy'], specialisms });
    expect(read.capabilities_probe_error).toBeUndefined();
    expect(read.bundles.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`)).toEqual([
      'universal universal',
      'domain media_buy',
      'specialism sales_guaranteed',
    ]);
    const counts = read.bundles.map(
      ({ storyboards }: { storyboards: readonly object[] }) => storyboards.length,
    );
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(read.total_storyboards);
  });

  it('knows nothing of an agent that nobody has named', async () => {
    const { get } = await openRegistry();
    expect((await get(APPLICABLE)).json().code).toBe('unknown_agent');
    expect((await get(`${APPLICABLE}?org=a`)).json().code).toBe('unknown_parameter');
  });
});
