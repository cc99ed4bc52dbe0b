import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { begin, run } from './support/cli.ts';
import { CLI_SCHEMAS, follows } from './support/schemas.ts';

/** The commands in the order of a day at work; each finds what those before it left in the store. */
let sandbox: Sandbox;
let folder: string;
let store: readonly string[];
let network: readonly string[];
/** Schemas that some output was held against. */
const used = new Set<string>();

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, publishers: 30, managed: 20 });
  folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  network = ['--connect-to', sandbox.connectTo[0] ?? ''];
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command with --json, holds its stdout against the schema and its exit code against what is expected. */
async function json<T = Record<string, unknown>>(
  schema: string,
  code: number,
  ...args: string[]
): Promise<T> {
  const ran = await run(...args, '--json');
  expect(ran.code, ran.stderr).toBe(code);
  used.add(schema);
  return follows<T>(ran.stdout, schema);
}

const publisher = (variant: string): string => {
  const found = sandbox.expectations.publishers.find((candidate) => candidate.variant === variant);
  if (found === undefined) throw new Error(`the sandbox has no publisher with ${variant}`);
  return found.domain;
};

describe('what the commands print with --json follows its schema', () => {
  it('members import and list', async () => {
    const file = join(folder, 'members.yaml');
    writeFileSync(file, '- slug: nova\n  display_name: Nova\n- slug: orbit\n  display_name: Orbit\n');
    expect(await json('cli/members-import.json', 0, 'members', 'import', file, ...store)).toEqual({
      added: 2,
      changed: 0,
      unchanged: 0,
    });
    expect(await json('cli/members-import.json', 0, 'members', 'import', file, ...store)).toMatchObject({
      unchanged: 2,
    });
    expect(await json('cli/members-list.json', 0, 'members', 'list', ...store)).toMatchObject({
      members: [{ slug: 'nova' }, { slug: 'orbit' }],
    });
  });

  it('agents register', async () => {
    const url = 'https://Sales-1.agents.example:443/mcp#x';
    const registered = await json(
      'cli/agents-register.json',
      0,
      'agents',
      'register',
      url,
      '--member',
      'nova',
      ...store,
    );
    expect(registered).toMatchObject({ url: 'https://sales-1.agents.example/mcp', member: 'nova' });
  });

  it('crawl', async () => {
    const [brand = ''] = sandbox.domains.brands;
    const domains = [
      ...sandbox.domains.publishers.slice(0, 12),
      brand,
      'emptyshelf.example',
      'paintedwall.example',
    ];
    const crawled = await json(
      'cli/crawl.json',
      0,
      'crawl',
      ...domains,
      ...store,
      ...network,
      '--progress',
      'none',
    );
    expect(crawled).toMatchObject({ interrupted: false });
    expect(crawled).not.toHaveProperty('would_change');
    expect(crawled.failures).toContainEqual(
      expect.objectContaining({ source: 'emptyshelf.example', code: 'absent' }),
    );
  });

  it('crawl --dry-run', async () => {
    const dry = await json<{ would_change: { kind: string }[] }>(
      'cli/crawl.json',
      0,
      'crawl',
      ...sandbox.domains.brands.slice(1, 7),
      '--dry-run',
      ...store,
      ...network,
      '--progress',
      'none',
    );
    expect(dry.would_change.length).toBeGreaterThan(0);
  });

  it.each([
    [
      'a good file',
      () => publisher('inline_property_ids'),
      0,
      { valid: true, kind: 'adagents', variant: 'inline' },
    ],
    ['a reference', () => publisher('reference_to_network'), 0, { valid: true }],
    ['bad entries among good ones', () => 'mixedbag.example', 1, { valid: false, variant: 'inline' }],
    ['HTML', () => 'paintedwall.example', 1, { valid: false, variant: null, agents: [] }],
    ['a redirect loop', () => 'roundabout.example', 1, { valid: false, variant: null }],
    ['a brand', () => sandbox.domains.brands[0] ?? '', 0, { valid: true, kind: 'brand' }],
  ])('validate: %s', async (_name, domain, code, expected) => {
    expect(await json('cli/validate.json', code, 'validate', domain(), ...network)).toMatchObject(expected);
  });

  it.each([
    ['over MCP', 'https://sales-1.agents.example/mcp', 0, { protocol: 'mcp', type: 'sales' }],
    ['over A2A', 'https://weathervane.example/a2a', 0, { protocol: 'a2a', type: 'signals' }],
    ['metrics', 'https://honestabacus.example/mcp', 0, { type: 'measurement' }],
    [
      'behind credentials',
      'https://lockedcellar.example/mcp',
      1,
      { health: { online: true, error_class: 'auth_required' } },
    ],
    [
      'nobody there',
      'https://lostlane.example/agent',
      1,
      { health: { online: false, error_class: 'wrong_path' } },
    ],
  ])('probe: %s', async (_name, url, code, expected) => {
    expect(await json('cli/probe.json', code, 'probe', url, ...network)).toMatchObject(expected);
  });

  it('check', async () => {
    const agent = 'https://brand-1.agents.example/mcp';
    expect(await json('cli/check.json', 0, 'check', agent, ...network)).toMatchObject({
      outcome: 'complete',
      verdict: { status: 'passing' },
    });
  });

  it('search prints the very body of the API', async () => {
    const all = ['--health', '--capabilities', '--properties', '--compliance', '--total'];
    const found = await json<{ agents: { url: string }[]; count: number }>(
      'registry/agent-list.json',
      0,
      'search',
      ...all,
      ...store,
    );
    expect(found.count).toBeGreaterThan(5);
    expect(found.agents.map((agent) => agent.url)).toContain('https://sales-1.agents.example/mcp');
    await json('registry/agent-list.json', 0, 'search', '--type', 'sales', '--limit', '1', ...store);
    await json('registry/agent-list.json', 0, 'search', '--protocol', 'mcp', ...store);
  });

  it('search WORDS prints the answer of the API, and people see why', async () => {
    const words = ['search', 'sales', 'agents', '--type', 'sales', '--facets'];
    const found = await json<{ results: { type: string }[] }>(
      'registry/agent-search.json',
      0,
      ...words,
      ...store,
    );
    expect(found.results.length).toBeGreaterThan(1);
    expect(new Set(found.results.map(({ type }) => type))).toEqual(new Set(['sales']));
    const { stdout } = await run('search', 'saless', '--channels', 'displai', ...store);
    expect(stdout).toMatch(/No agent mentions “saless”; showing results for sales/);
    expect(stdout).toMatch(/no channels displai; nearest: display/);
    expect(stdout).toMatch(/without filters: \d+ agents/);
    expect((await run('search', 'sales', '--health', ...store)).stderr).toMatch(
      /--health cannot be combined with words\n {2}hint: remove --health to search, or remove the words/,
    );
    expect((await run('search', '--online', '--health', ...store)).stderr).toMatch(
      /--health cannot be combined with --online\n {2}hint: .* or remove --online to list agents/,
    );
  });

  it('search WORDS ignores words that match nothing, and names them', async () => {
    const { stdout } = await run('search', 'sales', 'Nobody', 'agents', ...store);
    expect(stdout).toMatch(/^No results for “Nobody”; showing “sales agents”\n/);
    expect(stdout).toMatch(/\n[1-9]\d* agents\n/);
  });

  it('search names the flags that leave out expired accreditations and other metrics', async () => {
    const asked = ['search', '--accreditation', 'MRC', '--metric-id', 'viewable_rate', ...store];
    const { stdout } = await run(...asked);
    const strict = await run(...asked, '--same-metric', '--accreditation-valid');
    expect(strict.stdout).not.toMatch(/hide expired|same-metric/);
    const isMore = stdout.split('\n').length > strict.stdout.split('\n').length;
    expect(/hide expired accreditations with --accreditation-valid|with --same-metric/.test(stdout)).toBe(
      isMore,
    );
  });

  it('explain DOMAIN: every kind of publisher and brand that was crawled', async () => {
    for (const domain of [...sandbox.domains.publishers.slice(0, 12), sandbox.domains.brands[0] ?? '']) {
      const told = await json('cli/explain-domain.json', 0, 'explain', domain, ...store);
      expect(told).toMatchObject({ domain });
    }
  });

  it('validate DOMAIN: what a simple file claims, beside what its agents are', async () => {
    const target = publisher('simple');
    const { simple_claims: claims } = await json('cli/validate.json', 0, 'validate', target, ...network);
    expect(String(claims)).toMatch(/protocol (mcp|a2a)|capabilities /);
    expect(String(claims)).not.toMatch(/^[^,]*never read/);
  });

  it('explain DOMAIN: what a simple file claims, beside what was seen of its agents', async () => {
    const told = await json('cli/explain-domain.json', 0, 'explain', publisher('simple'), ...store);
    expect(told.simple_claims).not.toEqual([]);
    expect(String(told.simple_claims)).toMatch(/protocol (mcp|a2a)|capabilities /);
  });

  it('explain DOMAIN: trouble', async () => {
    const told = await json('cli/explain-domain.json', 0, 'explain', 'paintedwall.example', ...store);
    expect(told).toMatchObject({
      files: [{ last_outcome: 'invalid', last_success_at: null }, {}, { kind: 'ard' }],
    });
    expect((await run('explain', 'paintedwall.example', ...store)).stdout).toContain(
      '\n  the last visit failed\n',
    );
  });

  it('explain URL', async () => {
    const url = 'https://sales-1.agents.example/mcp';
    const told = await json('cli/explain-agent.json', 0, 'explain', url, ...store);
    expect(told).toMatchObject({
      agent: url,
      decided_by: { type: 'brand' },
      record: { member: { slug: 'nova' } },
      supported_versions: ['3.0', '3.0.0'],
    });
    expect((await run('explain', url, ...store)).stdout).toContain(
      '\n  protocol versions (self-declared): 3.0, 3.0.0\n',
    );
    const lost = 'https://lostlane.example/agent';
    expect(await json('cli/explain-agent.json', 0, 'explain', lost, ...store)).toMatchObject({
      supported_versions: null,
    });
  });

  it('show URL, host and name: the answer of the API', async () => {
    const url = 'https://sales-1.agents.example/mcp';
    const shown = await json('registry/agent-in-full.json', 0, 'show', url, ...store);
    expect(shown).toMatchObject({
      url,
      health: { online: true },
      capabilities: { supported_versions: ['3.0', '3.0.0'] },
      provenance: { identity: { type: { by: 'brand' } }, probe: { why: null } },
    });
    const { declared_by: files } = shown.provenance as {
      declared_by: { line?: number; last_good_at: string }[];
    };
    expect(files.some(({ line = 0 }) => line > 1)).toBe(true);
    expect(await json('registry/agent-in-full.json', 0, 'show', 'sales-1.agents.example', ...store)).toEqual(
      shown,
    );
    expect(await json('registry/agent-in-full.json', 0, 'show', String(shown.name), ...store)).toEqual(shown);
    const told = await run('show', url, ...store);
    expect(told.stdout).toMatch(
      /last 30 days:\n {4}[·█]{30} [\s\S]* uptime 100% \(1 check, 1 answered\)[\s\S]*no incidents\n/,
    );
    expect(told.stdout).toMatch(/\n {2}sources: name and type from the brand\.json of \S+\n/);
    expect(told.stdout).toContain('\n    protocol versions: 3.0, 3.0.0\n');
    expect(told.stdout).toMatch(/line \d+, [\s\S]*authorized by \d+ publishers?:/);
  });

  it('show: a name that fits several offers them, and an unknown one the nearest', async () => {
    const several = await run('show', 'agents.example', ...store);
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringMatching(/matches \d+ agents[\s\S]*the URL of one: https/),
    ]);
    const misspelt = ['sale-1.agents.example', 'https://sale-1.agents.example/mcp', 'Harbour Lane Salse'];
    for (const unknown of misspelt) {
      const { code, stderr } = await run('show', unknown, ...store);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('similar: https://sales-1.agents.example/mcp'),
      ]);
    }
    expect((await run('show', ' ', ...store)).stderr).toContain('in the registry');
    expect((await run('show', 'paintedwall.example', ...store)).stderr).toContain(
      'hint: "agent-registry explain paintedwall.example" shows the agents of this domain; ',
    );
  });

  it('search and explain say what is accredited until when', async () => {
    const wanted = ['--accreditation-valid', '--same-metric', '--capabilities'];
    const { agents } = await json<{
      agents: { url: string; matched_metrics: { metric_id: string; valid: boolean }[] }[];
    }>('registry/agent-list.json', 0, ...['search', ...wanted, ...store]);
    const [vendor] = agents;
    expect(vendor?.matched_metrics[0]).toMatchObject({ valid: true });
    const { metric_id: metric = '' } = vendor?.matched_metrics[0] ?? {};
    expect((await run('search', ...wanted, ...store)).stdout).toMatch(
      / {4}\S+ {2}.+ until 20\d\d-\d\d-\d\d\n/,
    );
    const words = ['search', metric, '--accreditation-valid', ...store];
    const found = await json<{ results: { matched_metrics: object[] }[] }>(
      'registry/agent-search.json',
      0,
      ...words,
    );
    expect(found.results[0]?.matched_metrics[0]).toMatchObject({
      valid: true,
      met: ['q', 'accreditation_valid'],
    });
    expect((await run(...words)).stdout).toMatch(/ {4}\S+ {2}.+ until 20\d\d-\d\d-\d\d\n/);
    const told = await json('cli/explain-agent.json', 0, 'explain', vendor?.url ?? '', ...store);
    expect(told.metrics).toContainEqual(expect.objectContaining({ metric_id: metric }));
    expect((await run('explain', vendor?.url ?? '', ...store)).stdout).toContain(
      'metrics and accreditations (self-declared):',
    );
  });

  it('authorized', async () => {
    const sells = ['authorized', 'https://tollgate.example/', ...store, '--country', 'de'];
    const site = ['--property', 'domain:noticeboard.example'];
    expect(await json('cli/authorized.json', 0, ...sells, ...site)).toMatchObject({
      authorized: true,
      country: 'DE',
      because: [{ entry: '/authorized_agents/0', rule: 'the entry lists property_id main' }],
    });
    const id = ['--publisher', 'noticeboard.example', '--property-id', 'archive', '--at', '2100-01-01'];
    expect(await json('cli/authorized.json', 1, ...sells, ...id)).toMatchObject({
      authorized: false,
      at: '2100-01-01T00:00:00.000Z',
      because: [{ code: 'other_property' }],
    });
    expect((await run(...sells)).code).toBe(2);
    expect((await run(...sells, ...site, '--at', '2026-02-30')).stderr).toContain('Use an RFC 3339 time');
    expect((await run(...sells, '--property', 'news.example')).stderr).toContain('Use TYPE:VALUE');
  });

  it('index status, rebuild, promote, rollback and prune, as a plan and done', async () => {
    expect(await json('cli/index.json', 0, 'index', 'status', ...store)).toHaveProperty('last_seq');
    for (const step of ['rebuild --no-promote', 'promote', 'rollback', 'rebuild', 'prune']) {
      const words = ['index', ...step.split(' '), ...store];
      expect(await json('cli/index.json', 0, ...words)).toMatchObject({ done: false });
      expect(await json('cli/index.json', 0, ...words, '--yes')).toMatchObject({ done: true });
    }
    const { generations } = await json<{ generations: { state: string }[] }>(
      'cli/index.json',
      0,
      'index',
      'status',
      ...store,
    );
    expect(generations.map(({ state }) => state)).toEqual(['previous', 'live']);
  });

  it('sources add, with what is no domain', async () => {
    const printed = await json(
      'cli/sources-add.json',
      1,
      'sources',
      'add',
      'one.example',
      'ONE.example',
      'no domain',
      ...store,
    );
    expect(printed).toEqual({
      named: 1,
      added: 1,
      refused: [expect.objectContaining({ source: 'no domain' })],
      refused_total: 1,
      later: 0,
    });
    expect(await json('cli/sources-add.json', 0, 'sources', 'add', 'one.example', ...store)).toMatchObject({
      added: 0,
    });
  });

  it('heartbeat', async () => {
    const printed = await json('cli/heartbeat.json', 0, 'heartbeat', '--once', ...store);
    expect(printed).toMatchObject({ interrupted: false, runs: 0, outcomes: { complete: 0 } });
  });

  it('export', async () => {
    const to = ['--to', join(folder, 'exports')];
    expect(await json('cli/export.json', 0, 'export', ...to, ...store)).toMatchObject({ counts: {} });
  });

  it('prune', async () => {
    expect(await json('cli/prune.json', 0, 'prune', ...store)).toMatchObject({ captures: 0 });
  });

  it('doctor, with a store and without', async () => {
    const checks = await json<{ ok: boolean }>('cli/doctor.json', 1, 'doctor', ...store);
    expect(checks.ok).toBe(false); // nobody has set a contact here
    await json('cli/doctor.json', 3, 'doctor', '--store', `sqlite:${join(folder, 'none.sqlite')}`);
  });

  it('sandbox', async () => {
    const sandboxed = begin('sandbox', '--port', '0', '--state', 'sqlite::memory:', '--json');
    await sandboxed.until('stdout', /\n}\n$/);
    const { code, stdout } = await sandboxed.stop();
    expect(code).toBe(0);
    used.add('cli/sandbox.json');
    follows(stdout, 'cli/sandbox.json');
  });

  it('and every schema of schemas/cli is one of these, or part of one', () => {
    // a move needs a PostgreSQL: test/engines/migrate
    const parts = ['cli/finding.json', 'cli/probe-health.json', 'cli/migrate.json'];
    // keys, signing and verifying need no store: test/signing/commands
    parts.push('cli/keys.json', 'cli/keys-jwks.json', 'cli/sign.json', 'cli/verify.json');
    // and matching none but its own: test/trusted-match/command
    parts.push('cli/campaign.json'); // reference-agents/test/commands/campaign-walk
    parts.push('cli/webhooks.json', 'cli/webhooks-listen.json'); // test/webhooks/commands
    parts.push('cli/match-try.json');
    parts.push('cli/call.json'); // test/cli/call
    // test/cli/owners
    parts.push(
      'cli/api-key.json',
      'cli/api-key-revoked.json',
      'cli/api-key-created.json',
      'cli/api-keys.json',
      'cli/audit.json',
    );
    parts.push('cli/audit-head.json', 'cli/audit-verify.json', 'cli/audit-prune.json'); // test/cli/audit
    parts.push('cli/agents-list.json', 'cli/agents-challenge.json', 'cli/agents-prove.json');
    parts.push('cli/agents-end.json', 'cli/members-remove.json', 'cli/members-invite.json');
    parts.push('cli/agents-credential.json', 'cli/agents-reseal.json'); // test/cli/credential
    parts.push('cli/runs-import.json', 'cli/runs-list.json'); // test/cli/runs
    parts.push(
      ...['list', 'show', 'add', 'stage', 'remove', 'compare'].map((name) => `cli/bundles-${name}.json`),
    ); // test/cli/bundles
    parts.push('cli/runs-rejudge.json'); // test/cli/runs-rejudge
    parts.push('cli/badges-list.json', 'cli/badges-verify.json'); // test/cli/badges
    parts.push('cli/runs-show.json', 'cli/failed-step.json', 'cli/explain-compliance.json'); // test/cli/runs-why
    parts.push('cli/approvals.json', 'cli/approvals-check.json'); // reference-agents/test/commands/approvals
    const all = CLI_SCHEMAS.map((file) => `cli/${file}`);
    expect(all.filter((schema) => !used.has(schema) && !parts.includes(schema))).toEqual([]);
  });
});

describe('the golden samples', () => {
  it('validate', async () => {
    const file = new URL('../golden/cli-validate-input.json', import.meta.url).pathname;
    const ran = await run('validate', file, '--kind', 'adagents', '--json');
    await expect(ran.stdout).toMatchFileSnapshot('../golden/cli-validate.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('authorized_agents');
  });
});
