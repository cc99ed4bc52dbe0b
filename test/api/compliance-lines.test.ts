import { describe, expect, it } from 'vitest';
import { applyBundleChange } from '../../src/compliance/bundles/apply-change.ts';
import { declaring } from '../compliance/support/judged-runs.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { PROBED_AT } from './support/registry.ts';
import { AGENT, BASE, optOut, tested } from './support/tested-agent.ts';
import { HOUR, OPERATOR, testedInLines, withBundle } from './support/tested-lines.ts';

const LINES = `${BASE}/lines`;
const BUNDLE_33 = { version: '3.3.0', line: '3.3' };

function inShort(row: {
  readonly proto_version: string;
  readonly status: string;
  readonly badges: readonly { readonly role: string; readonly grace_since: string | null }[];
}): string {
  const badges = row.badges.map(({ role, grace_since: grace }) =>
    grace === null ? role : `${role} in grace`,
  );
  return [row.proto_version, row.status, ...badges].join(' ');
}

describe('the results of an agent by protocol line', () => {
  it('are one for each line that it declares, the newest first, with the badges of the line', async () => {
    const { get } = await testedInLines();
    const body = (await get(LINES)).json();
    expect(body).toMatchObject({ agent_url: AGENT, declared_versions: ['3.0', '3.1', '3.2'] });
    expect(body.lines).toMatchObject([
      { line: '3.1', proto_version: '3.1.2', decides: true, status: 'degraded', badges: [] },
      {
        ...{ line: '3.0', proto_version: '3.0.0', decides: false, status: 'passing', stage: 'default' },
        ...{ storyboards_passing: 2, storyboards_total: 2, last_checked_at: '2026-01-06T10:00:00.000Z' },
        badges: [{ role: 'media-buy', verification_modes: ['spec'], grace_since: null }],
      },
    ]);
    expect((await get(BASE)).json()).toMatchObject({ status: 'degraded', proto_version: '3.1.2' });
  });

  it('have bundles in preview for the owner only; a stranger’s answer is everybody’s, byte for byte', async () => {
    const { get, owner, stranger } = await testedInLines();
    const rows = (await get(LINES, owner)).json().lines;
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({
      ...{ line: '3.2', stage: 'preview', decides: false, status: 'passing', badges: [] },
    });
    const [anyone, theirs] = [await get(LINES), await get(LINES, stranger)];
    expect(theirs.body).toBe(anyone.body);
    expect(theirs.headers.etag).toBe(anyone.headers.etag);
    expect(anyone.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
    const again = await get(LINES, { 'if-none-match': String(anyone.headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  it('keep the last one of a line until its new bundle was tested, and that of a badge whose line is tested no more', async () => {
    const { get, records, keep } = await testedInLines();
    const next = { version: '3.0.9', line: '3.0', vocabulary: 'proto', digest: 'sha256:1', aliases: [] };
    await records.bundles.add({ ...next, vocabulary: 'proto' }, OPERATOR, PROBED_AT);
    await records.bundles.setStage('3.0.9', 'default', OPERATOR, PROBED_AT);
    const rows = async () => (await get(LINES)).json().lines.map(inShort);
    expect(await rows()).toEqual(['3.1.2 degraded', '3.0.0 passing media-buy']);
    await keep(4, withBundle('3.0.9', 'fail'), 'line');
    expect(await rows()).toEqual(['3.1.2 degraded', '3.0.9 degraded media-buy in grace']);
    await records.bundles.setStage('3.2.0', 'default', OPERATOR, PROBED_AT);
    await records.bundles.add({ ...next, ...BUNDLE_33, vocabulary: 'proto' }, OPERATOR, PROBED_AT);
    await records.bundles.setStage('3.3.0', 'default', OPERATOR, PROBED_AT);
    const supported_versions = ['3.1', '3.3'];
    const agent = { ...declaring('sales-guaranteed'), supported_versions };
    await keep(5, { ...withBundle('3.1.2', 'fail'), agent });
    expect(await rows()).toEqual(['3.3.0 unknown', '3.1.2 degraded', '3.0.9 degraded media-buy in grace']);
  });

  it('keep results of a bundle that went from default to preview from the public, whatever badges it has given', async () => {
    const { get, owner, records, keep } = await testedInLines();
    await records.bundles.setStage('3.2.0', 'default', OPERATOR, PROBED_AT);
    await keep(4, withBundle('3.2.0', 'pass'), 'line');
    await records.bundles.setStage('3.2.0', 'preview', OPERATOR, PROBED_AT);
    await keep(5, withBundle('3.2.0', 'fail'), 'preview');
    await keep(6, withBundle('3.1.2', 'fail'));
    const rows = async (headers = {}) => (await get(LINES, headers)).json().lines.map(inShort);
    expect(await rows()).toEqual(['3.2.0 unknown media-buy', '3.1.2 degraded', '3.0.0 passing media-buy']);
    expect(await rows(owner)).toContain('3.2.0 degraded');
  });

  it('are none before the first result, nothing of an agent that opted out, and as the document says', async () => {
    const registry = await testedInLines();
    const { get, owner } = registry;
    const untested = await tested();
    const document = (await get('/openapi.json')).json() as OpenApi;
    const described = '/api/registry/agents/{encodedUrl}/compliance/lines';
    const shown = async (one: Pick<typeof registry, 'get'>, headers = {}) => {
      const answer = await one.get(LINES, headers);
      expect(breaches(document, described, answer)).toEqual([]);
      return answer.json();
    };
    await shown(registry);
    await shown(registry, owner);
    expect(await shown(untested)).toMatchObject({ lines: [] });
    await optOut(registry);
    expect(await shown(registry, owner)).toEqual({
      ...{ agent_url: AGENT, status: 'opted_out', compliance_opt_out: true, lifecycle_stage: 'production' },
    });
    expect((await get(LINES.replace('a.example', 'b.example'))).json().code).toBe('unknown_agent');
    expect((await get(`${LINES}?line=3.0`)).json().code).toBe('unknown_parameter');
  });
});

describe('badges of two lines', () => {
  it('are each of its line, the newest first, with a picture of its own', async () => {
    const { get, keep } = await testedInLines();
    await keep(5, withBundle('3.1.2', 'pass'));
    const badge = `/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy`;
    const expected = [
      { verified_protocol_version: '3.1', proto_version: '3.1.2', badge_url: `${badge}.svg` },
      { verified_protocol_version: '3.0', proto_version: '3.0.0', badge_url: `${badge}/3.0.svg` },
    ];
    expect((await get(BASE)).json().verified_badges).toMatchObject(expected);
    expect((await get(`${BASE}/badges`)).json().badges).toMatchObject(expected);
    expect((await get(`${badge}.svg`)).body).toContain('media-buy 3.1');
    expect((await get(`${badge}/3.0.svg`)).body).toContain('media-buy 3.0');
  });
});

describe('the history of an agent that is tested in several lines', () => {
  it('says which runs decide, and has those of previews for the owner only', async () => {
    const { get, owner } = await testedInLines();
    const history = async (headers: Record<string, string>) =>
      (await get(`${BASE}/history`, headers))
        .json()
        .runs.map((run: { proto_version: string; decides: boolean; preview: boolean }) => [
          run.proto_version,
          run.decides,
          run.preview,
        ]);
    expect(await history({})).toEqual([
      ['3.1.2', true, false],
      ['3.0.0', false, false],
    ]);
    expect(await history(owner)).toEqual([
      ['3.1.2', true, false],
      ['3.2.0', false, true],
      ['3.0.0', false, false],
    ]);
    const preview = `${BASE}/runs/run-${PROBED_AT + 2 * HOUR}`;
    expect((await get(preview)).statusCode).toBe(404);
    expect((await get(preview, owner)).json()).toMatchObject({ preview: true, proto_version: '3.2.0' });
    expect((await get(`/runs/${encodeURIComponent(AGENT)}/run-${PROBED_AT + 2 * HOUR}`)).statusCode).toBe(
      404,
    );
  });

  it('shows a run in preview to everybody once the status follows from it', async () => {
    const { get, records } = await testedInLines();
    await records.bundles.setStage('3.2.0', 'default', OPERATOR, PROBED_AT);
    await applyBundleChange(records, { now: PROBED_AT + 4 * HOUR, fallback: '3.0' });
    expect((await get(BASE)).json()).toMatchObject({ status: 'passing', proto_version: '3.2.0' });
    const run = await get(`${BASE}/runs/run-${PROBED_AT + 2 * HOUR}`);
    expect(run.json()).toMatchObject({ proto_version: '3.2.0', decides: true, preview: false });
    expect((await get(`/runs/${encodeURIComponent(AGENT)}/run-${PROBED_AT + 2 * HOUR}`)).statusCode).toBe(
      200,
    );
  });
});
