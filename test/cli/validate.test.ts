import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileBytes, replaceFile } from '../../src/cli/commands/validate/file.ts';
import { run, start, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';

const BROKEN = '{"agents": [{"url": "https://a.example/", "protocol": "mcp",}]}\n';
const RIGHT = '{"agents": [{"url": "https://a.example/", "protocol": "mcp"}]}\n';

function fileWith(text: string, name = 'adagents.json'): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, text);
  return file;
}

describe('validate --fix', () => {
  it('repairs the file, shows the change, and judges what is left', async () => {
    const file = fileWith(BROKEN);
    chmodSync(file, 0o640);
    const { code, stdout } = await run('validate', file, '--fix');
    expect([code, readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([0, RIGHT, 0o640]);
    expect(stdout).toContain(`-${BROKEN.trim()}\n  +${RIGHT.trim()}`);
    expect(stdout).toContain('is valid: 1 of 1 agent may sell today');
    expect(readdirSync(dirname(file))).toEqual(['adagents.json']);
    expect((await run('validate', file, '--fix')).stdout).toContain('No safe fixes.');
  });

  it('takes away the mark of a byte order, which no editor shows', async () => {
    const file = fileWith(`\uFEFF${RIGHT}`);
    const { stdout } = await run('validate', file, '--fix');
    expect(readFileSync(file, 'utf8')).toBe(RIGHT);
    expect(stdout).toContain(`-\\ufeff${RIGHT.trim()}\n  +${RIGHT.trim()}`);
  });

  it('writes nothing with --dry-run, and answers for the file as it is', async () => {
    const file = fileWith(BROKEN);
    const { code, stdout } = await run('validate', file, '--fix', '--dry-run');
    expect([code, readFileSync(file, 'utf8')]).toEqual([1, BROKEN]);
    expect(stdout).toContain('can be fixed');
  });

  it('follows a symbolic link and leaves it', async () => {
    const file = fileWith(BROKEN, 'real.json');
    const link = join(tempFolder(), 'adagents.json');
    symlinkSync(file, link);
    expect((await run('validate', link, '--fix')).code).toBe(0);
    expect([lstatSync(link).isSymbolicLink(), readFileSync(file, 'utf8')]).toEqual([true, RIGHT]);
  });

  it('refuses a file that changed during the check', async () => {
    const file = fileWith(BROKEN);
    const checked = (await fileBytes(file, 1_000)) ?? new Uint8Array();
    writeFileSync(file, `${BROKEN} `);
    await expect(replaceFile(file, checked, Buffer.from(RIGHT))).rejects.toThrow(
      'it changed during the check',
    );
    expect([readFileSync(file, 'utf8'), readdirSync(dirname(file))]).toEqual([
      `${BROKEN} `,
      ['adagents.json'],
    ]);
  });

  it('prints JSON with --json, and says whether it wrote', async () => {
    const file = fileWith(BROKEN);
    const dry = await run('validate', file, '--fix', '--dry-run', '--json');
    const { findings, written } = follows<{ findings: object[]; written: boolean }>(
      dry.stdout,
      'cli/validate.json',
    );
    expect(written).toBe(false);
    expect(findings).toMatchObject([
      { code: 'syntax', fix: { edits: [{ offset: 59, length: 1, text: '' }] } },
    ]);
    const wet = await run('validate', file, '--fix', '--json');
    expect(follows(wet.stdout, 'cli/validate.json')).toMatchObject({ valid: true, written: true });
  });

  it.each([
    [['-', '--fix'], /--fix and --watch require a file, not stdin/],
    [['news.example', '--fix'], /file not found: news.example/],
    [['x.json', '--dry-run'], /--dry-run requires --fix/],
    [['x.json', '--watch', '--json'], /--watch cannot be combined with --json or --fix/],
    [['x.json', '--for', 'no domain'], /is not a domain name/],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await run('validate', ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

it('validate --watch checks again when the file changes, also by another file in its place and behind a link', async () => {
  const file = fileWith(BROKEN);
  const link = join(tempFolder(), 'linked.json');
  symlinkSync(file, link);
  const watching = start(['validate', link, '--watch']);
  await watching.until('stdout', /is not valid[\s\S]*applies 1 safe fix; no errors remain/);
  writeFileSync(`${file}.new`, RIGHT);
  renameSync(`${file}.new`, file);
  await watching.until('stdout', /is valid: 1 of 1 agent may sell today/);
  watching.child.kill('SIGINT');
  expect((await watching.ended).code).toBe(130);
});

it('validate names an entry that has expired, and until when it was valid', async () => {
  const expired = {
    url: 'https://a.example/',
    authorized_for: 'Display',
    authorization_type: 'inline_properties',
    properties: [
      { property_type: 'website', name: 'A', identifiers: [{ type: 'domain', value: 'a.example' }] },
    ],
    effective_until: '2001-01-01T00:00:00Z',
  };
  const { stdout } = await run('validate', fileWith(JSON.stringify({ authorized_agents: [expired] })));
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /not in force today: https:\S+ \(\/authorized_agents\/0\), valid .*until 2001-01-01T00:00:00Z/,
  );
});

it('a file that refers to another one says that the other one lists the agents', async () => {
  const file = fileWith('{"authoritative_location": "https://cdn.example/adagents.json"}');
  const { stdout } = await run('validate', file, '--for', 'news.example');
  expect(stdout).toContain('is valid: it refers to another file');
  expect(stdout).toContain('The file at authoritative_location lists the authorized agents.');
  expect(stdout).not.toContain('for news.example');
});

it('what a file holds cannot reach the terminal', async () => {
  const file = fileWith(
    '{"agents": [{"url": "http://\u001b]0;owned\u0007\u202e.example/"}], "agentz\u009b31m": 1}',
  );
  const { stdout } = await run('validate', file);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

it('validate shows what a simple file claims, and where it is that of another domain', async () => {
  const agent = { url: 'https://a.example/', protocol: 'mcp', capabilities: ['get_products'] };
  const file = fileWith(
    JSON.stringify({ version: '1.0', publisher: { name: 'News', domain: 'news.example' }, agents: [agent] }),
  );
  const { stdout } = await run('validate', file, '--for', 'other.example');
  expect(stdout).toContain('publisher  News, news.example, but this file belongs to other.example');
  expect(stdout).toContain(
    'https://a.example/  protocol mcp; capabilities get_products; never probed, so nothing was compared',
  );
  expect((await run('validate', file, '--for', 'www.news.example')).stdout).not.toContain('but this file');
});
