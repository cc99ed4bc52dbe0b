import { describe, expect, it, test } from 'vitest';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { patientTime } from '../support/patient-time.ts';
import { type ByHand, data, startByHand } from './support/agent-by-hand.ts';
import { OPEN, runAt, stepOf, withPhases } from './support/runs.ts';

const html: ByHand = (response) => {
  response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
};
const ADVICE = 'advice_for: adcp, advice_because: no document of the protocol demands it';
const PUBLIC = { ...OPEN, proto: undefined, adcp: OPEN.proto };

/** The runner's view of one step `s` of a task that answers so, after a step that passes. */
async function stepAgainst(answer: ByHand, phase: string, step: string, stepMs = 20_000) {
  const url = await startByHand({
    tools: [{ name: 'get_products' }, { name: 'list_creative_formats' }],
    named: 'get_adcp_capabilities',
    capabilities: () => PUBLIC,
    answer: (response, id, task) =>
      (task === 'get_products' ? answer : data('{"formats":[]}'))(response, id, task),
  });
  const run = await runAt(
    url,
    [
      withPhases(
        `  - {id: one, steps: [{id: good, task: list_creative_formats}]}\n  - {id: two, ${phase}steps: [{id: s, task: get_products, ${step}}]}`,
      ),
    ],
    { limits: { stepMs, runMs: 60_000 } },
  );
  return { step: stepOf(run, 's'), status: judgeRun(run).verdict.status };
}

describe('a task that gives no valid answer of the protocol fails its step', () => {
  test.each<[string, string, string]>([
    ['that is required', '', ''],
    ['that is a recommendation', '', `${ADVICE}, `],
    ['that its author calls advisory', '', 'severity: advisory, '],
    ['in an optional phase', 'optional: true, ', ''],
    ['with a check that this runner does not know', '', 'validations: [{check: no_such_check}], '],
  ])('%s', async (_tier, phase, step) => {
    expect(await stepAgainst(html, phase, step)).toMatchObject({
      step: {
        result: 'fail',
        no_answer: { error_class: 'http_error', http_status: 500, content_type: 'text/html' },
      },
      status: 'failing',
    });
  });

  test.each<[string, ByHand, object, number?]>([
    [
      'a page of HTML',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      { error_class: 'not_protocol', http_status: 200 },
    ],
    [
      'JSON that is no JSON-RPC',
      (response) => void response.writeHead(502, { 'content-type': 'application/json' }).end('{"ok":false}'),
      { http_status: 502 },
    ],
    ['a connection that is cut', (response) => void response.destroy(), { error_class: 'refused' }],
    ['nothing at all', () => undefined, { error_class: 'timeout' }, 300],
    [
      'a result that is no object',
      (response, id) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'hello' }] } }),
          ),
      { error_class: 'not_protocol' },
    ],
  ])('by %s', async (_name, answer, expected, limitMs) => {
    patientTime();
    expect((await stepAgainst(answer, 'optional: true, ', `${ADVICE}, `, limitMs)).step).toMatchObject({
      result: 'fail',
      no_answer: expected,
    });
  });

  it('unless the answer is valid and only its content fails a recommendation', async () => {
    const check = `${ADVICE}, validations: [{check: field_present, path: products}], `;
    expect((await stepAgainst(data('{}'), '', check)).step).toMatchObject({
      result: 'skipped',
      skip_reason: 'not_applicable',
      advice: true,
    });
  });

  it('unless our own network does not work either', async () => {
    const url = await startByHand({ answer: (response) => void response.destroy() });
    const board = withPhases('  - {id: p, optional: true, steps: [{id: s, task: get_products}]}');
    expect(await runAt(url, [board], { control: async () => false })).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'own_network' },
      totals: { steps: { failed: 0 } },
    });
  });
});
