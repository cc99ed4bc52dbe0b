import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { rankedDomains } from '../../src/cli/input/ranked-domains.ts';
import { run, tempFolder } from './support/cli.ts';

function listOf(content: string): string {
  const path = join(tempFolder(), 'list.csv');
  writeFileSync(path, content);
  return path;
}

async function read(content: string): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of rankedDomains(listOf(content)))
    lines.push(line.ok ? [line.rank, line.domain] : [line.line, line.source]);
  return lines;
}

describe('a list by rank', () => {
  it.each([
    [
      'lines of rank and domain',
      '1,News.example\n2,b.example',
      [
        [1, 'news.example'],
        [2, 'b.example'],
      ],
    ],
    ['CRLF, a byte order mark and a last empty line', '\uFEFF1,a.example\r\n\r\n', [[1, 'a.example']]],
    ['quotes and more columns', '"7","a.example",55,"x"\n', [[7, 'a.example']]],
    ['a heading, and comments', 'GlobalRank,Domain\n# of today\n3,a.example', [[3, 'a.example']]],
    ['a name in another script', '1,münchen.example', [[1, 'xn--mnchen-3ya.example']]],
  ])('has %s', async (_name, content, expected) => {
    expect(await read(content)).toEqual(expected);
  });

  it.each([
    ['no rank', 'a.example'],
    ['rank 0', '0,a.example'],
    ['a negative rank', '-1,a.example'],
    ['a rank with a point', '1.5,a.example'],
    ['an endless rank', '99999999999999999999,a.example'],
    ['no domain', '4,'],
    ['an address', '4,127.0.0.1'],
    ['a path', '4,a.example/..'],
    ['a heading that is not the first line', 'rank,domain'],
    ['a NUL', '4,a\u0000.example'],
    ['a line without end', `4,${'a'.repeat(3_000_000)}`],
  ])('names a line with %s, and reads its neighbours', async (_name, bad) => {
    const lines = await read(`1,a.example\n${bad}\n2,b.example\n`);
    expect(lines).toEqual([
      [1, 'a.example'],
      [2, expect.any(String)],
      [2, 'b.example'],
    ]);
    expect((lines[1] as string[])[1]?.length).toBeLessThanOrEqual(253);
  });
});

describe('sources add --rank', () => {
  it('plans the first visits in the order of rank, and goes on where it was stopped', async () => {
    const path = join(tempFolder(), 'store.sqlite');
    const store = ['--store', `sqlite:${path}`, '--per-day', '10'];
    const half = listOf('1,one.example\n11,eleven.example\n301,late.example');
    const whole = listOf('1,one.example\n11,eleven.example\n21,x.example\nno line\n301,late.example');
    const first = await run('sources', 'add', '--rank', half, ...store);
    expect(first.stdout).toContain(
      'added 2 domains, due in order of rank; known before: 0; skipped, rank too low',
    );
    expect(first.code).toBe(0);
    const again = await run('sources', 'add', '--rank', whole, ...store, '--json');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("'no line' was not added: line 4: expected RANK,DOMAIN");
    expect(JSON.parse(again.stdout)).toMatchObject({ named: 4, added: 1, refused_total: 1, later: 1 });
    const database = new DatabaseSync(path);
    const rows = database
      .prepare(
        "SELECT key, (next_visit_at - first_seen_at) / 86400000.0 AS days FROM source WHERE kind = 'brand' ORDER BY next_visit_at",
      )
      .all();
    database.close();
    expect(rows).toEqual([
      { key: 'one.example', days: 0 },
      { key: 'eleven.example', days: 1 },
      { key: 'x.example', days: 2 },
    ]);
  });

  it('counts all bad lines and names twenty', async () => {
    const store = ['--store', `sqlite:${join(tempFolder(), 'store.sqlite')}`];
    const list = listOf(`${'?\n'.repeat(5_000)}1,a.example\n`);
    const { code, stdout, stderr } = await run('sources', 'add', '--rank', list, ...store);
    expect(code).toBe(1);
    expect(stderr.match(/was not added/g)).toHaveLength(20);
    expect(stdout).toContain(
      'added 1 domain, due in order of rank; known before: 0; 4980 more invalid lines',
    );
  });

  it.each([
    [['--rank', '/nowhere/list.csv'], 'cannot read --rank /nowhere/list.csv'],
    [['--rank', 'list.csv', 'a.example'], 'cannot be combined with other domains'],
    [['--rank', 'list.csv', '--per-day', '0'], 'Expected a whole number from 1'],
  ])('refuses %j', async (args, said) => {
    const store = ['--store', `sqlite:${join(tempFolder(), 'store.sqlite')}`];
    const { code, stderr } = await run('sources', 'add', ...args, ...store);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});
