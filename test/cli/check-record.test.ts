import { writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { serve } from '../calling/support/serve.ts';
import { begin, run, start, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';
import { prove, type Served, served } from './support/served.ts';

const SALES = 'https://sales-1.agents.example/mcp';
const BROKEN = 'https://negative-budget.broken.example/mcp';

let sandbox: Sandbox;
let folder: string;
let store: readonly string[];

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 10, managed: 5 });
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  folder = tempFolder();
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const members = join(folder, 'members.yaml');
  writeFileSync(
    members,
    '- slug: nova\n  display_name: Nova\n  membership_tier: builder\n  subscription_status: active\n',
  );
  await good('members', 'import', members);
  for (const agent of [SALES, BROKEN]) await good('agents', 'register', agent, '--member', 'nova');
});

async function good(...args: string[]) {
  const ran = await run(...args, ...store);
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout;
}

interface Checked extends ComplianceRun {
  readonly recorded?: { readonly agent_url: string; readonly compliance_path: string };
}

function checkArgs(agent: string, ...args: readonly string[]): readonly string[] {
  return checkOver(sandbox.origin, agent, ...args);
}

function checkOver(origin: string, agent: string, ...args: readonly string[]): readonly string[] {
  const way = ['--auth', 'sandbox-desk', '--connect-to', `*.example=${origin}`];
  return ['check', agent, '--record', '--progress', 'none', ...way, ...args, ...store];
}

async function recorded(code: number, agent: string, ...args: readonly string[]): Promise<Checked> {
  const ran = await run(...checkArgs(agent, '--json', ...args));
  expect(ran.code, ran.stderr).toBe(code);
  return follows<Checked>(ran.stdout, 'cli/check.json');
}

/** The way to the sandbox, on which the tenth request and those after it wait until the test opens it. */
async function heldWay() {
  const held = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let asked = 0;
  const origin = await serve(async (request, response) => {
    asked += 1;
    if (asked >= 10) {
      held.resolve();
      await opened.promise;
    }
    const { method, url = '/', headers } = request;
    const onwards = send(`${sandbox.origin}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  return { origin, held: held.promise, open: opened.resolve };
}

interface Listed {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
}

async function history(agent: string): Promise<Listed['runs']> {
  return follows<Listed>(await good('runs', 'list', agent, '--json'), 'cli/runs-list.json').runs;
}

const said = ({ recorded: kept }: Checked) => served(store, kept?.compliance_path ?? '');

const entryOf = (agents: Served['list']['agents'], agent: string) => agents.find(({ url }) => url === agent);

describe('agent-registry check --record', () => {
  it('keeps a run that passes: the compliance operation, the list and the history follow', async () => {
    const run = await recorded(0, SALES);
    expect(run.recorded?.agent_url).toBe(SALES);
    const { compliance, list } = await said(run);
    expect(compliance).toMatchObject({ agent_url: SALES, status: 'passing', proto_version: '3.0.0' });
    expect(compliance.storyboards_passing).toBe(run.totals.storyboards.passed);
    expect(entryOf(list.agents, SALES)).toMatchObject({ compliance: { status: 'passing' } });
    expect(entryOf(list.agents, BROKEN)).toMatchObject({ compliance: { status: 'unknown' } });
    expect(await history(SALES)).toMatchObject([
      { run_id: run.run_id, status: 'passing', triggered_by: 'manual', imported: false },
    ]);
  });

  it('tests the agent at the address that is registered, however its URL is spelt', async () => {
    const run = await recorded(0, `${SALES}//`, '--only', 'capability_discovery');
    expect([run.agent_url, run.recorded?.agent_url]).toEqual([SALES, SALES]);
  });

  it('earns the badges of a proven owner, and the picture shows them', async () => {
    await prove(store, SALES, 'nova');
    const run = await recorded(0, SALES);
    const { compliance, picture } = await said(run);
    expect(compliance).toMatchObject({ verified: true, verified_badges: [{ role: 'media-buy' }] });
    expect(picture).toContain('media-buy 3.0 · spec</title>');
  });

  it('keeps runs that fail as well, each in the history', async () => {
    const [first, second] = [await recorded(1, BROKEN), await recorded(1, BROKEN)];
    const { compliance, list } = await said(second);
    expect(compliance).toMatchObject({ status: 'degraded', tracks: { media_buy: 'fail', core: 'pass' } });
    expect(entryOf(list.agents, BROKEN)).toMatchObject({ compliance: { status: 'degraded' } });
    expect((await history(BROKEN)).map(({ run_id: id, status }) => [id, status])).toEqual([
      [second.run_id, 'degraded'],
      [first.run_id, 'degraded'],
    ]);
  });

  it('keeps a dry run and a run of some storyboards apart: no verdict follows', async () => {
    const dry = await recorded(0, SALES, '--dry-run', '--only', 'capability_discovery');
    await recorded(0, SALES, '--only', 'capability_discovery');
    expect(await history(SALES)).toMatchObject([
      { partial: true, dry_run: false },
      { partial: true, dry_run: true },
    ]);
    const { compliance } = await said(dry);
    expect(compliance).toMatchObject({ status: 'unknown', last_checked_at: null });
  });

  it('says under which id, and where to look', async () => {
    const { code, stdout } = await run(...checkArgs(SALES, '--only', 'capability_discovery'));
    expect(code).toBe(0);
    const [{ run_id: id } = {}] = await history(SALES);
    const path = `/api/registry/agents/${encodeURIComponent(SALES)}/compliance`;
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`recorded as ${id}; status of the agent: GET ${path}`);
  });

  it('knows the agent however its address is written', async () => {
    const only = ['--only', 'capability_discovery'];
    const { recorded: kept } = await recorded(0, 'HTTPS://Sales-1.agents.example:443/mcp#top', ...only);
    expect(kept?.agent_url).toBe(SALES);
  });

  it('records nothing without the flag', async () => {
    const args = checkArgs(SALES, '--only', 'capability_discovery', '--json');
    const ran = await run(...args.filter((arg) => arg !== '--record'));
    expect(follows<Checked>(ran.stdout, 'cli/check.json').recorded).toBeUndefined();
    expect(await history(SALES)).toEqual([]);
  });

  it('tests no agent that is not in the registry, or whose owner has opted out', async () => {
    let asked = 0;
    const origin = await serve((_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    const network = ['--connect-to', `*.example=${origin}`, ...store];
    const nobody = await run('check', 'https://sales-2.agents.example/mcp', '--record', ...network);
    expect([nobody.code, nobody.stdout]).toEqual([1, '']);
    expect(nobody.stderr).toMatch(/is not in the registry.*\n {2}hint: register the agent first/);
    await good('agents', 'settings', SALES, '--opt-out');
    const out = await run('check', SALES, '--record', ...network);
    expect([out.code, out.stdout]).toEqual([2, '']);
    expect(out.stderr).toMatch(/opted out.*\n {2}hint: .*--opt-in/);
    expect(asked).toBe(0);
  });

  it('keeps nothing when the owner opts out while the run goes on, and shows the run all the same', async () => {
    const way = await heldWay();
    const { ended } = begin(...checkOver(way.origin, SALES));
    await way.held;
    await good('agents', 'settings', SALES, '--opt-out');
    way.open();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(2);
    expect(stdout).toContain('is passing: ');
    expect(stdout).not.toContain('recorded as');
    expect(stderr).toContain('opted out');
    await good('agents', 'settings', SALES, '--opt-in');
    expect(await history(SALES)).toEqual([]);
  });

  it('takes the agent meanwhile: another run of it is refused at once, and what it leaves behind is free', async () => {
    const way = await heldWay();
    const { ended } = start(checkOver(way.origin, SALES));
    await way.held;
    const second = await run(...checkArgs(SALES));
    expect([second.code, second.stdout]).toEqual([2, '']);
    expect(second.stderr).toMatch(
      /is already being tested by process \d+ on \S+, until \d{4}-.*Z at the latest\n {2}hint: wait/,
    );
    way.open();
    expect((await ended).code).toBe(0);
    const slip = await run(...checkArgs(SALES, '--only', 'capability_discovry'));
    expect([slip.code, slip.stderr.includes('did you mean capability_discovery?')]).toEqual([2, true]);
    const bad = await run(...checkArgs(SALES, '--only', 'no_such_storyboard'));
    expect(bad.code).toBe(2);
    const { run_id: id } = await recorded(0, SALES, '--only', 'capability_discovery');
    const log = await good('audit', '--agent', SALES, '--limit', '1', '--json');
    const { entries } = JSON.parse(log) as { readonly entries: readonly unknown[] };
    expect(entries).toMatchObject([{ actor: 'operator', action: 'run.record', details: { run_id: id } }]);
  });

  it('keeps an interrupted run, which changes nothing', async () => {
    const way = await heldWay();
    const { child, ended } = start(checkOver(way.origin, SALES));
    await way.held;
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(await history(SALES)).toMatchObject([
      { outcome: 'inconclusive', inconclusive_reason: 'interrupted', status: 'unknown' },
    ]);
  });

  it.each([
    ['--replay', ['check', '--replay', 'x'], 'a replay does not test the agent'],
    ['storyboards of others', ['check', SALES, '--storyboards', 'x'], 'only bundles of the registry'],
    ['schemas of others', ['check', SALES, '--schemas', 'x'], 'with --schemas: only bundles of the registry'],
    ['no agent', ['check'], 'the URL of the agent is missing'],
  ])('does not go with %s', async (_what, args, message) => {
    const { code, stderr } = await run(...args, '--record', ...store);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('hint:');
  });

  it('says so before anything is tested when there is no store', async () => {
    const missing = ['--store', `sqlite:${join(folder, 'nowhere.sqlite')}`];
    const { code, stdout } = await run('check', SALES, '--record', ...missing);
    expect([code, stdout]).toEqual([3, '']);
  });
});
