import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRunParser } from '../../src/cli/commands/runs/rows.ts';
import { run, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';

const AGENT = 'https://sales.nova.example/mcp';
const ROW = { agent_url: AGENT, started_at: '2026-01-05T09:00:00Z', status: 'passing' };

const board = (steps_passed: number, steps_total: number) => ({
  ...{ storyboard_id: 'sales_social', title: 'Social', category: 'sales', track: 'media_buy' },
  ...{ steps_passed, steps_total, last_tested_at: null, last_passed_at: null },
  ...{ requested_compliance_target: null, proto_version: null },
});

let folder: string;
let store: readonly string[];

beforeEach(async () => {
  folder = tempFolder();
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const members = join(folder, 'members.yaml');
  writeFileSync(members, '- slug: nova\n  display_name: Nova\n');
  await good('members', 'import', members);
  await good('agents', 'register', AGENT, '--member', 'nova', '--name', 'Nova Sales');
});

async function good(...args: string[]) {
  const ran = await run(...args, ...store);
  expect(ran.code, ran.stderr).toBe(0);
  return ran;
}

function fileOf(text: string): string {
  const file = join(folder, 'runs');
  writeFileSync(file, text);
  return file;
}

interface Imported {
  readonly rows: number;
  readonly refused: readonly { readonly line: number; readonly reason: string }[];
}

async function bring(text: string): Promise<Imported & { readonly code: number | null }> {
  const { code, stdout } = await run('runs', 'import', fileOf(text), '--json', ...store);
  return { code, ...follows<Imported>(stdout, 'cli/runs-import.json') };
}

async function listed(...args: string[]) {
  const { stdout } = await good('runs', 'list', AGENT, '--json', ...args);
  return follows<{ runs: object[]; next_cursor: string | null }>(stdout, 'cli/runs-list.json');
}

describe('agent-registry runs import', () => {
  it('takes rows older than targets and versions, shows null for both, and puts them into the list', async () => {
    const rows = [
      { ...ROW, started_at: '2025-06-01T09:00:00Z', status: 'failing', tracks: { core: 'fail' } },
      { ...ROW, requested_compliance_target: null, proto_version: null, tracks: { core: 'pass' } },
    ];
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    expect(await bring(text)).toEqual({ code: 0, rows: 2, added: 2, known: 0, agents: 1, refused: [] });
    expect((await listed()).runs).toMatchObject([
      { status: 'passing', requested_compliance_target: null, proto_version: null, imported: true },
      { status: 'failing', tracks: { core: 'fail' } },
    ]);
    const { stdout } = await good('search', '--compliance', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [{ compliance: { status: 'passing', proto_version: null, verified: false } }],
    });
  });

  it.each([
    ['as the row gives them', { specialism_status: { 'sales-social': 'fail', other: 'pass' } }, 'fail'],
    ['as the storyboard of that name came out', { storyboard_statuses: [board(3, 3)] }, 'pass'],
    ['as that storyboard failed', { storyboard_statuses: [board(2, 3)] }, 'fail'],
    ['untested, where nothing says more', {}, 'untested'],
  ])('has a status for each declared specialism, and for no other: %s', (_how, more, status) => {
    const row = { ...ROW, declared_specialisms: ['sales-social'], ...more };
    const read = createRunParser(Date.now())({ line: 1, text: JSON.stringify(row) });
    expect(read).toMatchObject({ run: { verdict: { declared_specialisms: ['sales-social'] } } });
    if ('run' in read) expect(read.run.verdict.specialism_status).toEqual({ 'sales-social': status });
  });

  it('takes the same file once, as lines or as an array', async () => {
    const rows = [ROW, { ...ROW, triggered_by: 'manual' }];
    expect(await bring(JSON.stringify(rows, null, 2))).toMatchObject({ added: 2, known: 0 });
    expect(await bring(rows.map((row) => JSON.stringify(row)).join('\r\n'))).toMatchObject({
      added: 0,
      known: 2,
    });
    expect((await listed()).runs).toHaveLength(2);
  });

  it('refuses bad rows with line and reason, and takes their neighbours', async () => {
    const bad: readonly (readonly [object | string, string])[] = [
      ['{"agent_url": ', 'the row is not valid JSON'],
      [{ ...ROW, agent_url: 'nova' }, '/agent_url: '],
      [{ ...ROW, agent_url: 'https://nobody.example/' }, 'https://nobody.example/ is not in the registry'],
      [{ ...ROW, status: 'opted_out' }, '/status must be equal to one of the allowed values (passing,'],
      [{ ...ROW, started_at: 'yesterday' }, '/started_at must match format'],
      [{ ...ROW, started_at: '2999-01-01T00:00:00Z' }, '/finished_at is in the future'],
      [{ ...ROW, finished_at: '2026-01-05T08:00:00Z' }, '/finished_at is before /started_at'],
      [{ ...ROW, colour: 'red' }, "must NOT have additional properties ('colour')"],
      [{ ...ROW, tracks: { core: 'perhaps' } }, '/tracks/core must be equal'],
      ['[1, 2]', 'the row must be object'],
      ['null', 'the row must be object'],
    ];
    const lines = [ROW, '', ...bad.map(([row]) => row), { ...ROW, triggered_by: 'webhook' }];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const result = await bring(text);
    expect(result).toMatchObject({ code: 1, rows: 13, added: 2 });
    expect(result.refused).toEqual(
      bad.map(([, reason], index) => ({ line: index + 3, reason: expect.stringContaining(reason) })),
    );
  });

  it('names the line on which a wrong element of an array begins', async () => {
    const text = `[\n  ${JSON.stringify(ROW)},\n\n  {\n "agent_url": "a, ]\\"b", "x": [1, {"y": 2}]\n},\n  7]\n`;
    const { refused, ...counts } = await bring(text);
    expect(counts).toMatchObject({ rows: 3, added: 1 });
    expect(refused.map(({ line }) => line)).toEqual([4, 7]);
  });

  it('says in words what became of the rows, and is at ease with an empty file', async () => {
    const { code, stdout, stderr } = await run(
      'runs',
      'import',
      fileOf(`${JSON.stringify(ROW)}\nx`),
      ...store,
    );
    expect(code).toBe(1);
    expect(stdout).toBe('2 rows read: 1 new run of 1 agent, 0 already known, 1 rejected\n');
    expect(stderr).toContain('line 2: the row is not valid JSON');
    expect(await bring('')).toMatchObject({ code: 0, rows: 0 });
    expect(await bring('[]')).toMatchObject({ code: 0, rows: 0 });
  });
});

describe('agent-registry runs list', () => {
  it('goes on where the page before ended', async () => {
    const rows = [1, 2, 3].map((day) => JSON.stringify({ ...ROW, started_at: `2026-01-0${day}T09:00:00Z` }));
    await bring(rows.join('\n'));
    const first = await listed('--limit', '2');
    expect(first.runs).toMatchObject([
      { started_at: '2026-01-03T09:00:00.000Z' },
      { started_at: '2026-01-02T09:00:00.000Z' },
    ]);
    const rest = await listed('--limit', '2', '--cursor', first.next_cursor ?? '');
    expect(rest).toMatchObject({ runs: [{ started_at: '2026-01-01T09:00:00.000Z' }], next_cursor: null });
    const { stdout } = await good('runs', 'list', AGENT);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^started at +status /);
    expect(lines).toHaveLength(3);
  });

  it('knows no runs of an agent never heard of', async () => {
    const { code, stderr } = await run('runs', 'list', 'https://nobody.example/', ...store);
    expect(code).toBe(1);
    expect(stderr).toContain('unknown agent');
    expect((await run('runs', 'list', AGENT, '--cursor', 'x', ...store)).code).toBe(2);
  });
});
