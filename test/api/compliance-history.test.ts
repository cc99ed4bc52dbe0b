import { describe, expect, it } from 'vitest';
import { DRY, FAILS, INCONCLUSIVE } from '../compliance/support/judged-runs.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { PROBED_AT } from './support/registry.ts';
import { BASE, SELLER, tested } from './support/tested-agent.ts';

const DESCRIBED = '/api/registry/agents/{encodedUrl}/compliance';

describe('the history of an agent’s runs', () => {
  it('is public without dry runs, and pages from the newest to the oldest', async () => {
    const { get, owner } = await tested(SELLER, DRY, FAILS, INCONCLUSIVE);
    const all = (await get(`${BASE}/history`)).json();
    expect(all.runs.map((run: { status: string }) => run.status)).toEqual(['unknown', 'failing', 'passing']);
    expect(all.runs[0]).toMatchObject({ inconclusive_reason: 'own_network', triggered_by: null });
    expect(all.next_cursor).toBeNull();
    const mine = (await get(`${BASE}/history`, owner)).json();
    expect(mine.runs.map((run: { dry_run: boolean }) => run.dry_run)).toEqual([false, false, true, false]);
    expect(mine.runs[0]).toMatchObject({ triggered_by: 'heartbeat' });
    const seen: string[] = [];
    for (let query = 'limit=1'; query !== ''; ) {
      const page = (await get(`${BASE}/history?${query}`)).json();
      seen.push(...page.runs.map((run: { run_id: string }) => run.run_id));
      query = page.next_cursor === null ? '' : `limit=1&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(all.runs.map((run: { run_id: string }) => run.run_id));
  });

  it('shows one run: its verdict to everybody, its steps to the owner', async () => {
    const { get, owner } = await tested(FAILS, DRY);
    const path = `${BASE}/runs/run-${PROBED_AT}`;
    const theirs = (await get(path)).json();
    expect(theirs).toMatchObject({ status: 'failing', report: null, storyboard_statuses: [] });
    const mine = (await get(path, owner)).json();
    expect(Object.keys(mine)).toEqual(Object.keys(theirs));
    expect(mine).toMatchObject({
      triggered_by: 'heartbeat',
      report: { run_id: `run-${PROBED_AT}`, steps: [] },
    });
    const dry = `${BASE}/runs/run-${PROBED_AT + 3_600_000}`;
    expect((await get(dry)).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await get(dry, owner)).json()).toMatchObject({ dry_run: true });
  });

  it('is as its document says, for every viewer', async () => {
    const { get, owner } = await tested(SELLER, INCONCLUSIVE);
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const headers of [{}, owner]) {
      expect(breaches(document, DESCRIBED, await get(BASE, headers))).toEqual([]);
      expect(breaches(document, `${DESCRIBED}/history`, await get(`${BASE}/history`, headers))).toEqual([]);
      const one = await get(`${BASE}/runs/run-${PROBED_AT}`, headers);
      expect(breaches(document, `${DESCRIBED}/runs/{id}`, one)).toEqual([]);
    }
  });

  it.each([
    ['limit=0', 'invalid_value', 'limit'],
    ['limit=101', 'invalid_value', 'limit'],
    ['limit=1e1', 'invalid_value', 'limit'],
    ['limit=', 'empty_value', 'limit'],
    ['limit=1&limit=2', 'repeated_parameter', 'limit'],
    ['cursor=x', 'invalid_cursor', 'cursor'],
    ['before=1', 'unknown_parameter', 'before'],
  ])('refuses ?%s', async (query, code, parameter) => {
    const { get } = await tested();
    expect((await get(`${BASE}/history?${query}`)).json()).toMatchObject({ status: 400, code, parameter });
  });
});

describe('what we asked of an agent', () => {
  const REQUESTS = BASE.replace('compliance', 'monitoring/requests');

  it('is told to its owner, probes and runs together, as the document says', async () => {
    const { get, owner } = await tested(SELLER, INCONCLUSIVE);
    const document = (await get('/openapi.json')).json() as OpenApi;
    const told = async (query: string) => {
      const answer = await get(`${REQUESTS}${query}`, owner);
      const described = '/api/registry/agents/{encodedUrl}/monitoring/requests';
      expect(breaches(document, described, answer)).toEqual([]);
      return answer.json();
    };
    const all = await told('');
    expect(all).toMatchObject({ count: 3, total: 3 });
    expect(all.requests).toMatchObject([
      { request_type: 'compliance_run', run_id: `run-${PROBED_AT + 3_600_000}`, success: false },
      { request_type: 'health_probe', response_time_ms: 12, success: true, run_id: null, steps: [] },
      { request_type: 'compliance_run', run_id: `run-${PROBED_AT}`, success: true, error_message: null },
    ]);
    expect(all.requests[0].error_message).toEqual(expect.any(String));
    expect(await told('?limit=1')).toMatchObject({ count: 1, total: 3 });
    expect(await told('?since=2099-01-01')).toMatchObject({ requests: [], count: 0, total: 0 });
    for (const wrong of ['limit=101', 'limit=0', 'since=yesterday', 'since=', 'until=2026-01-01'])
      expect([wrong, (await get(`${REQUESTS}?${wrong}`, owner)).statusCode]).toEqual([wrong, 400]);
  });

  it('is nobody else’s business', async () => {
    const { get, stranger } = await tested(SELLER);
    const unknown = REQUESTS.replace('a.example', 'nobody.example');
    const answers = [await get(REQUESTS), await get(REQUESTS, stranger), await get(unknown, stranger)];
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]?.statusCode).toBe(404);
  });
});
