import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { suited } from '../../src/compliance/storyboards/conventions.ts';
import { readSchemaSet } from '../../src/protocol/schema-set.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { answered, OPEN, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const board = (id: string, steps: string, more = '') =>
  `id: ${id}\ntitle: ${id}\ntrack: core\n${more}phases:\n  - id: p\n    steps:\n${steps}`;
const steps = (...lines: readonly string[]) =>
  withPhases(`  - id: p\n    steps:\n${lines.map((line) => `      - {${line}}\n`).join('')}`);

describe('a bundle as the field publishes it', () => {
  it('has an alias of a folder, scenarios of a specialism, test kits and vectors', async () => {
    const media = board('buy', '      - {id: s, task: get_products}\n');
    const { storyboards, findings } = await readBundle(
      folderWith({
        'domains/media-buy/index.yaml': media,
        'protocols/media-buy/index.yaml': media,
        'specialisms/brand-rights/scenarios/denied.yaml': board(
          'brand_rights/denied',
          '      - {id: s, task: $test_kit.auth.probe_task, task_default: get_rights}\n',
          'prerequisites: {test_kit: test-kits/acme.yaml}\n',
        ),
        'test-kits/acme.yaml':
          'auth: {api_key: demo, probe_task: list_creatives}\nbrand: {domain: acme.example}\n',
        'universal/signed-requests.yaml':
          'id: signed_requests\ntitle: S\nphases:\n  - {id: positive_vectors}\n  - {id: negative_vectors}\n',
        'test-vectors/request-signing/negative/002-wrong-tag.json': '{}',
      }),
    );
    expect(findings).toEqual([]);
    expect(storyboards.map(({ file, group }) => [file, group])).toEqual([
      ['universal/signed-requests.yaml', { kind: 'universal' }],
      ['protocols/media-buy/index.yaml', { kind: 'baseline', protocol: 'media_buy' }],
      ['specialisms/brand-rights/scenarios/denied.yaml', { kind: 'specialism', specialism: 'brand_rights' }],
    ]);
    const [signed, , denied] = storyboards.map(({ storyboard }) => storyboard);
    expect(signed?.phases.map((phase) => phase.steps.map(({ id }) => id))).toEqual([
      [],
      ['negative-002-wrong-tag'],
    ]);
    expect(denied?.phases[0]?.steps[0]?.task).toBe('list_creatives');
    expect(denied?.testKit).toMatchObject({ brand: { domain: 'acme.example' } });
  });

  it.each([
    ['bundle', '{"adcp_version":"3.0.6"}', '3.0.6', []],
    ['3.0.6', '{"adcp_version":"3.0.6"}', '3.0.6', []],
    ['3.0.9', '{"adcp_version":"3.0.6"}', '3.0.6', [/3\.0\.6.*3\.0\.9/]],
    ['3.0.9', '{}', '3.0.9', []],
    ['3.0.9', '{"adcp_version":"latest"}', '3.0.9', [/must have the form/]],
    ['bundle', '{"adcp_version":["3.0.6"]}', null, [/must have the form/]],
    ['3.0.9', '{"adcp_version":', '3.0.9', [/not a JSON object/]],
    ['bundle', undefined, null, []],
  ])('in the folder %s with the index %s has the version %s', async (name, index, version, messages) => {
    const files = { [`${name}/universal/a.yaml`]: board('a', '      - {id: s, task: get_products}\n') };
    const indexFile = index === undefined ? {} : { [`${name}/index.json`]: index };
    const { findings, ...read } = await readBundle(join(folderWith({ ...files, ...indexFile }), name));
    const all = findings.flatMap((one) => one.findings);
    expect([read.version, all.map(({ code }) => code)]).toEqual([
      version,
      messages.map(() => 'bundle_version'),
    ]);
    for (const [at, { message }] of all.entries()) expect(message).toMatch(messages[at] ?? /^$/);
  });

  it('tells each member that it does not know once, and not what is for people', async () => {
    const odd = '      - {id: s, task: get_products, doc_ref: /a, colour: red}\n';
    const { findings } = await readBundle(
      folderWith({ 'universal/a.yaml': board('a', odd), 'universal/b.yaml': board('b', odd) }),
    );
    expect(findings.flatMap((one) => one.findings)).toMatchObject([
      { severity: 'warning', code: 'member_unknown', message: expect.stringContaining('step.colour') },
    ]);
  });

  it('counts nothing that this runner cannot evaluate, and lists it as a limitation', async () => {
    const lines = [
      'id: check, task: get_products, validations: [{check: field_present, path: ok}, {check: no_such_kind}]',
      'id: severity, task: get_products, validations: [{check: field_present, path: nothing, severity: info}]',
      'id: nested, task: get_products, auth: {type: api_key, scope: other}',
      'id: wrong, task: get_products, colour: red, validations: [{check: field_present, path: nothing}]',
      'id: good, task: get_products, stateful: true',
    ];
    const folder = folderWith({
      'universal/a.yaml': board(
        'a',
        lines.map((line) => `      - {stateful: true, ${line.replace(', stateful: true', '')}}\n`).join(''),
      ),
      'universal/b.yaml': `${board('b', '      - {id: s, task: get_products}\n')}    colour: red\n`,
    });
    const { url } = await startAgent({ tools: ['get_products'], answer: () => answered({ ok: true }) });
    const run = await runAt(url, await readBundle(folder));
    expect(resultsOf(run)).toEqual([
      'check: pass',
      ...['severity', 'nested', 'wrong', 'good'].map((id) => `${id}: not_applicable`),
      's: pass',
    ]);
    expect(stepOf(run, 'check')).toMatchObject({ not_evaluated: ['the check no_such_kind'] });
    expect(stepOf(run, 'wrong')).toMatchObject({ not_evaluated: ['step.colour'], coverage_gap: false });
    expect(run.storyboards).toMatchObject([
      { result: 'pass', coverage_gap: false, limited: true },
      { result: 'pass', coverage_gap: false, limited: true },
    ]);
    expect(run.limitations?.map(({ kind, name, storyboards }) => `${kind} ${name} ${storyboards}`)).toEqual([
      'check no_such_kind a',
      'check field_present: check.severity: "info" a',
      'member step.auth.scope a',
      'member step.colour a',
      'member phase.colour b',
    ]);
    expect(run.notices).toMatchObject([{ code: 'runner_limitations', severity: 'info' }]);
  });

  it('has names that no step provides and every answer of a task has', async () => {
    const { url, calls } = await startAgent({
      tools: ['get_products', 'create_property_list', 'get_property_list'],
      answer: (task) => answered(task === 'create_property_list' ? { list: { list_id: 'l-1' } } : {}),
    });
    const run = await runAt(url, [
      steps(
        'id: make, task: create_property_list, response_schema_ref: property/create-property-list-response.json',
        'id: read, task: get_property_list, sample_request: {list_id: $context.property_list_id}',
        'id: put, task: get_property_list, sample_request: {ids: [a, b]}, context_inputs: [{key: property_list_id, inject_at: "ids[1]"}]',
      ),
    ]);
    expect(resultsOf(run)).toEqual(['make: pass', 'read: pass', 'put: pass']);
    expect(calls.slice(-2).map(([, request]) => request)).toEqual([
      { list_id: 'l-1' },
      { ids: ['a', 'l-1'] },
    ]);
  });
});

describe('an old sample', () => {
  const made = Date.parse('2026-05-01T00:00:00Z');
  const now = Date.parse('2026-05-10T12:00:00Z');
  it('has its dates as far ahead as when it was made, and what was past stays', () => {
    const request = {
      a: '2026-05-02',
      b: ['2026-06-01T10:00:00Z', '2026-04-01T00:00:00Z', 'x'],
      c: { n: 1 },
    };
    expect(suited(request, { madeAt: made, startedAt: now })).toEqual({
      a: '2026-05-12',
      b: ['2026-06-11T10:00:00Z', '2026-04-01T00:00:00Z', 'x'],
      c: { n: 1 },
    });
    expect(suited({ b: '2026-06-01T10:00:00Z' }, { madeAt: made, startedAt: now })).toEqual({
      b: '2026-06-01T10:00:00Z',
    });
  });
});

describe('what an agent does not offer', () => {
  it('is skipped, also where it would have to refuse, and beside a tool that is required', async () => {
    const { url, calls } = await startAgent({ tools: ['comply_test_controller'] });
    const run = await runAt(url, [
      steps(
        'id: one, task: list_content_standards, response_schema_ref: a.json, expect_error: true',
        'id: two, task: get_signals, requires_tool: comply_test_controller',
        'id: ask, task: no_task_of_this_name, expect_error: true',
      ),
    ]);
    expect(resultsOf(run).slice(0, 2)).toEqual(['one: missing_tool', 'two: missing_tool']);
    expect(calls.map(([task]) => task)).toEqual(['get_proto_capabilities', 'no_task_of_this_name']);
  });

  it('a read of the public protocol is no change, so an agent without a sandbox is asked', async () => {
    const tools = ['get_media_buys', 'si_get_offering', 'tasks_get', 'si_send_message'];
    const { url, calls } = await startAgent({ tools, capabilities: { ...OPEN, account: {} } });
    await runAt(url, [steps(...tools.map((task) => `id: ${task}, task: ${task}`))]);
    expect(calls.map(([task]) => task)).toEqual(['get_proto_capabilities', ...tools.slice(0, 3)]);
  });
});

describe('a refusal', () => {
  it('keeps the text that an agent has under error, as the public test controller does', async () => {
    const { url } = await startAgent({
      tools: ['get_products'],
      answer: () => answered({ success: false, error: 'UNKNOWN_SCENARIO', context: { a: 1 } }),
    });
    const checks =
      '{check: field_value, path: error, value: UNKNOWN_SCENARIO}, {check: field_value, path: context.a, value: 1}';
    const run = await runAt(url, [
      steps(`id: s, task: get_products, expect_error: true, validations: [${checks}]`),
    ]);
    expect(resultsOf(run)).toEqual(['s: pass']);
  });

  it('with any code passes a check that names none', async () => {
    const { url } = await startAgent({ answer: () => refusal('WHATEVER') });
    const run = await runAt(url, [
      steps('id: s, task: get_products, expect_error: true, validations: [{check: error_code}]'),
    ]);
    expect(stepOf(run, 's').result).toBe('pass');
  });
});

describe('the schemas that a bundle is written for', () => {
  const schemas = {
    'core/item.json': '{"$id":"/schemas/9.9.9/core/item.json","type":"object","required":["id"]}',
    'area/list-things-response.json':
      '{"$id":"/schemas/9.9.9/area/list-things-response.json","oneOf":[{"required":["things"],"properties":{"things":{"items":{"$ref":"/schemas/9.9.9/core/item.json"}}}},{"required":["errors","failed","told"]}]}',
    'area/broken-response.json': '{"$ref":"/schemas/9.9.9/nowhere.json"}',
  };

  it('judge every task of it, by the nearest of several forms', async () => {
    const set = await readSchemaSet(folderWith(schemas));
    expect(set).toMatchObject({ version: '9.9.9', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(set.ofTask('list_things')).toBe('area/list-things-response.json');
    expect(set.find('/schemas/9.9.9/core/item.json')).toBe('core/item.json');
    expect(set.find('../../etc/passwd')).toBeUndefined();
    expect(set.check('area/list-things-response.json', { things: [{ id: 1 }] })).toEqual([]);
    expect(set.check('area/list-things-response.json', { things: [{}] })).toMatchObject([
      { pointer: '/things/0/id', message: 'is missing' },
    ]);
    expect(set.check('area/broken-response.json', {})).toBeUndefined();
  });

  it('come before ours in a run', async () => {
    const { url } = await startAgent({ tools: ['list_things'], answer: () => answered({ things: [{}] }) });
    const bundle = await readBundle(
      folderWith({
        'universal/a.yaml': board(
          'a',
          '      - {id: s, task: list_things, response_schema_ref: area/list-things-response.json, validations: [{check: response_schema}]}\n',
        ),
      }),
      await readSchemaSet(folderWith(schemas)),
    );
    expect(stepOf(await runAt(url, bundle), 's').checks.at(-1)).toMatchObject({
      result: 'fail',
      pointer: '/things/0/id',
    });
  });
});

describe('a step that has only a part of a request', () => {
  const schemas = {
    'area/create-media-buy-request.json': '{"$id":"/schemas/9.9.9/a.json","required":["account"]}',
  };
  const STEP = 'task: $test_kit.operations.emitter, task_default: create_media_buy';
  const answer = (_task: string, { account }: JsonObject) =>
    account === undefined ? refusal('VALIDATION_ERROR') : answered({ media_buy_id: 'b' });

  it('says nothing of an agent that refuses it, where no earlier request completes it', async () => {
    const { url } = await startAgent({ tools: ['create_media_buy'], answer });
    const ofStep = async (...before: readonly string[]) => {
      const lines = [...before, `      - {id: s, ${STEP}, schema_ref: $test_kit.schemas.request}\n`];
      const files = { 'universal/a.yaml': board('a', lines.join('')) };
      const bundle = await readBundle(folderWith(files), await readSchemaSet(folderWith(schemas)));
      return stepOf(await runAt(url, bundle), 's');
    };
    expect(await ofStep()).toMatchObject({
      skip_reason: 'requirement_unmet',
      skip_detail: expect.stringContaining('/account is missing'),
      coverage_gap: true,
    });
    const order = '      - {id: o, task: create_media_buy, sample_request: {account: {account_id: a}}}\n';
    expect(await ofStep(order)).toMatchObject({ result: 'pass' });
  });
});

describe('references', () => {
  it('lead to what another step has, when they belong to this agent', async () => {
    const { url } = await startAgent({
      tools: ['get_products', 'list_creative_formats'],
      answer: (task) =>
        answered(
          task === 'get_products'
            ? {
                products: [
                  {
                    format_ids: [
                      { agent_url: url, id: 'a' },
                      { agent_url: url, id: 'b' },
                      { agent_url: 'https://other.example', id: 'c' },
                    ],
                  },
                ],
              }
            : { formats: [{ format_id: { agent_url: url.replace(/\/$/, ''), id: 'a' } }] },
        ),
    });
    const check =
      '{check: refs_resolve, source: {from: context, path: "products[*].format_ids[*]"}, target: {from: current_step, path: "formats[*].format_id"}, match_keys: [agent_url, id], scope: {key: agent_url, equals: $agent_url}}';
    const run = await runAt(url, [
      steps('id: ask, task: get_products', `id: s, task: list_creative_formats, validations: [${check}]`),
    ]);
    expect(stepOf(run, 's').checks.at(-1)).toMatchObject({
      result: 'fail',
      actual: { missing: [{ id: 'b' }] },
    });
  });
});

describe('documents about authentication', () => {
  const board = (more = '') =>
    steps(
      `id: prm, task: protected_resource_metadata, validations: [{check: http_status, value: 200}, {check: resource_equals_agent_url}]`,
      `id: server, task: oauth_auth_server_metadata, validations: [{check: field_present, path: token_endpoint}]${more}`,
    );

  async function agentWith(documents: (origin: string) => Readonly<Record<string, object>>) {
    const seen: string[] = [];
    const agent = mcpAgent({ path: '/mcp', tools: ['get_proto_capabilities'], answer: () => answered(OPEN) });
    const origin: string = await serve((request, response) => {
      const found = documents(origin)[request.url ?? ''];
      if (!request.url?.startsWith('/.well-known/')) return agent(request, response);
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? {}));
    });
    return { url: `${origin}/mcp`, seen };
  }

  it('are read at the places of their RFCs, without credentials', async () => {
    const { url, seen } = await agentWith((origin) => ({
      '/.well-known/oauth-protected-resource/mcp': {
        resource: `${origin}/mcp`,
        authorization_servers: [`${origin}/as`],
      },
      '/.well-known/oauth-authorization-server/as': { token_endpoint: `${origin}/token` },
    }));
    expect(resultsOf(await runAt(url, [board()], { auth: 'a-token-of-the-run' }))).toEqual([
      'prm: pass',
      'server: pass',
    ]);
    expect(seen).toEqual([
      '/.well-known/oauth-protected-resource/mcp undefined',
      '/.well-known/oauth-authorization-server/as undefined',
    ]);
  });

  it('are nothing to judge where there are none, and lead to no other origin', async () => {
    const { url } = await agentWith(() => ({}));
    expect(resultsOf(await runAt(url, [board()]))).toEqual([
      'prm: not_applicable',
      'server: requirement_unmet',
    ]);
    const { url: other } = await agentWith((origin) => ({
      '/.well-known/oauth-protected-resource/mcp': {
        resource: `${origin}/mcp`,
        authorization_servers: ['https://elsewhere.example'],
      },
    }));
    expect(resultsOf(await runAt(other, [board()]))).toEqual(['prm: pass', 'server: requirement_unmet']);
  });
});
