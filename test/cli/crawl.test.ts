import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ADAGENTS, type FakeWeb, startWeb } from '../scenarios/support/web.ts';
import { run, start, tempFolder, tempStore } from './support/cli.ts';

const AGENT = 'https://sales.nova.example/mcp';
const file = (domain: string) => ({ publisher: { domain }, agents: [{ url: AGENT }] });
let web: FakeWeb;

beforeAll(async () => {
  const good = ['a.example', 'b.example', 'c.example', 'd.example'];
  web = await startWeb({
    ...Object.fromEntries(good.map((domain) => [domain, { [ADAGENTS]: file(domain) }])),
    'broken.example': { [ADAGENTS]: '{' },
    'half.example': { [ADAGENTS]: file('half.example'), '/.well-known/brand.json': { status: 500 } },
  });
});

afterAll(() => web.close());

const crawl = (store: string, ...args: string[]) =>
  run('crawl', ...args, '--store', store, '--connect-to', web.connectTo, '--json');

/** Everything in a store, table by table; what only counts reads and writes of the file left out. */
function contentOf(store: string): string {
  const database = new DatabaseSync(store.replace(/^sqlite:/, ''), { readOnly: true });
  try {
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all() as { name: string }[];
    const rowsOf = (name: string) => {
      const rows = database.prepare(`SELECT * FROM "${name}"`);
      rows.setReadBigInts(true); // FTS5 numbers its pages beyond what a number holds
      return rows.all();
    };
    return JSON.stringify(
      tables.map(({ name }) => [name, rowsOf(name)]),
      (_, value) => (typeof value === 'bigint' ? String(value) : value),
    );
  } finally {
    database.close();
  }
}

describe('the domains of a crawl', () => {
  it('come from the arguments, each once, in any spelling', async () => {
    const { code, stdout } = await crawl(tempStore(), 'a.example', 'A.Example.', 'b.example', '--depth', '0');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ domains_visited: 2, agents_found: 1 });
  });

  it('come from a file with comments and empty lines, and from Windows', async () => {
    const list = join(tempFolder(), 'domains.txt');
    writeFileSync(list, '\uFEFF# ours\r\na.example\r\n\r\n  b.example  # theirs\r\n');
    const { code, stdout } = await crawl(tempStore(), '--from', list, '--depth', '0');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).domains_visited).toBe(2);
  });

  it('come from stdin', async () => {
    const args = [
      'crawl',
      '-',
      '--store',
      tempStore(),
      '--connect-to',
      web.connectTo,
      '--depth',
      '0',
      '--json',
    ];
    const { code, stdout } = await start(args, { input: 'a.example\nb.example\n' }).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).domains_visited).toBe(2);
  });

  it('that are none are named among the failures, and cost the others nothing', async () => {
    const { code, stdout } = await crawl(
      tempStore(),
      'a.example',
      'b.example',
      '10.0.0.1',
      'c.example',
      'd.example',
      '--depth',
      '0',
    );
    expect(code).toBe(0);
    const { domains_visited: visited, failures } = JSON.parse(stdout);
    expect(visited).toBe(4);
    expect(failures).toContainEqual({
      source: '10.0.0.1',
      code: 'not_a_domain',
      detail: 'an IP address is not a domain name',
    });
  });
});

describe('the exit code of a crawl', () => {
  it.each<[string, readonly string[], number]>([
    ['the only domain is good', ['a.example'], 0],
    ['the only domain is broken', ['broken.example'], 1],
    ['the only domain publishes nothing', ['nothing.example'], 1],
    ['one of two is broken', ['a.example', 'broken.example'], 1],
    ['one of two is broken, and that is accepted', ['a.example', 'broken.example', '--fail-above', '50'], 0],
    ['one of five is broken', ['a.example', 'b.example', 'c.example', 'd.example', 'broken.example'], 0],
    [
      'one of five, and none is accepted',
      ['a.example', 'b.example', 'c.example', 'd.example', 'broken.example', '--fail-above', '0'],
      1,
    ],
    ['one of five is no domain', ['a.example', 'b.example', 'c.example', 'd.example', 'x'], 0],
    ['one of two is no domain', ['a.example', 'x'], 1],
  ])('when %s', async (_name, args, code) => {
    expect((await crawl(tempStore(), ...args, '--depth', '0')).code).toBe(code);
  });

  it('when what is due is leased, by a crawl that was killed', async () => {
    const store = tempStore();
    await crawl(store, 'a.example', '--depth', '0');
    const database = new DatabaseSync(store.replace(/^sqlite:/, ''));
    database.exec(`UPDATE source SET next_visit_at = 0, lease_until = ${Date.now() + 600_000}`);
    database.close();
    const { code, stderr } = await crawl(store, '--due');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/due, but leased by another crawl/)]);
  });

  it('when nothing is due', async () => {
    const store = tempStore();
    await crawl(store, 'a.example', '--depth', '0');
    await crawl(store, '--due'); // the agent, and what leads on from there
    const { code, stderr } = await crawl(store, '--due');
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing is due')]);
  });
});

describe('a dry run', () => {
  it('says what would change and writes nothing', async () => {
    const store = tempStore();
    await crawl(store, 'a.example', '--depth', '0');
    const before = contentOf(store);
    const { code, stdout, stderr } = await crawl(
      store,
      'b.example',
      '--dry-run',
      '--depth',
      '0',
      '--progress',
      'none',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).would_change).toEqual([
      { agent: AGENT, kind: 'changed', changes: ['properties'] },
    ]);
    expect(contentOf(store)).toBe(before);
    const real = await crawl(store, 'b.example', '--depth', '0');
    expect(JSON.parse(real.stdout).outcomes).toEqual(JSON.parse(stdout).outcomes);
    expect(contentOf(store)).not.toBe(before);
  });

  it('needs no store, and makes none', async () => {
    const store = tempStore();
    const { code, stdout } = await crawl(store, 'a.example', '--dry-run', '--depth', '0');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).would_change).toMatchObject([
      { kind: 'listed', changes: expect.arrayContaining(['url', 'type']) },
    ]);
    expect((await run('search', '--store', store)).code).toBe(3);
  });

  it('shows people the agents that would change', async () => {
    const { stdout } = await run(
      'crawl',
      'a.example',
      '--dry-run',
      '--depth',
      '0',
      '--store',
      tempStore(),
      '--connect-to',
      web.connectTo,
    );
    expect(stdout).toMatch(/dry run, nothing written: 1 agent would change:\n\s+listed {2}https:\/\/sales/);
  });
});

describe('what a crawl writes where', () => {
  it.each([
    ['json', /^\{"event":"progress","domains":\d+,.*\}$/m],
    ['plain', /^\d+ domains? visited \(\d+ pending\)/m],
  ])('progress as %s goes to stderr, data alone to stdout', async (kind, line) => {
    const { stdout, stderr } = await crawl(tempStore(), 'a.example', '--depth', '0', '--progress', kind);
    expect(stderr).toMatch(line);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  it('nothing on stderr with --progress none', async () => {
    expect((await crawl(tempStore(), 'a.example', '--progress', 'none')).stderr).toBe('');
  });

  it('logs as JSON lines on stderr, one for each visit at debug', async () => {
    const args = ['crawl', 'a.example', '--store', tempStore(), '--connect-to', web.connectTo, '--json'];
    const { stdout, stderr } = await start([...args, '--progress', 'none', '--log-level', 'debug']).ended;
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ domain: 'a.example', msg: 'domain visited' }));
    expect(lines).toContainEqual(expect.objectContaining({ agent: AGENT, msg: 'agent probed' }));
    expect(JSON.parse(stdout)).toHaveProperty('outcomes');
  });

  it('a summary for people, with what could not be used and where to read on', async () => {
    vi.stubEnv('NO_COLOR', '1');
    const { stdout } = await run(
      'crawl',
      'a.example',
      'broken.example',
      'half.example',
      '--store',
      tempStore(),
      '--connect-to',
      web.connectTo,
      '--depth',
      '0',
      '--progress',
      'none',
    );
    vi.unstubAllEnvs();
    expect(stdout).toMatch(/^1 agent found, 3 domains visited, 1 agent probed in /);
    expect(stdout).toMatch(/broken\.example\s+syntax\s+adagents\.json: /);
    expect(stdout).toMatch(/half\.example\s+http_500\s+brand\.json: /);
  });
});
