import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { run, tempFolder, tempStore } from './support/cli.ts';

afterEach(() => vi.unstubAllEnvs());

const NAMES = Object.keys(COMMANDS);

describe('--help', () => {
  it('is one screen that names every command, those that people start with first', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect([code, stderr]).toEqual([0, '']);
    for (const command of [...NAMES, 'completion']) expect(stdout).toMatch(new RegExp(`\\b${command}\\b`));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const first = /Start with:\n([\s\S]*?)\n\n/.exec(stdout)?.[1]?.split('\n') ?? [];
    expect(first).toHaveLength(10);
    expect(first.filter((line) => !NAMES.includes(/^ {2}(\S+)/.exec(line)?.[1] ?? ''))).toEqual([]);
  });

  it('is what a command line without a command gets, as an error', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Start with:');
  });

  it.each(NAMES)('of %s shows an example of it', async (command) => {
    const { code, stdout } = await run(command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`Examples?:\\n  (agent-registry|cat \\S+ \\| agent-registry) ${command}\\b`),
    );
  });

  it.each(['index rebuild', 'members import', 'agents register'])('of %s shows the same', async (command) => {
    const { code, stdout } = await run(...command.split(' '), '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n  agent-registry ${command.split(' ')[0]}`));
  });

  it('of a subcommand shows its own examples only', async () => {
    const { stdout } = await run('agents', 'prove', '--help');
    expect(stdout.split('Example')[1]?.trim()).toBe(
      ':\n  agent-registry agents prove https://sales.agents.example/mcp --member nova',
    );
    expect((await run('agents', 'list', '--help')).stdout).not.toContain('Example');
  });

  it.each([
    ['sandbox', '--desk-keys <file>'],
    ['campaign', '--max-amount <n>'],
    ['approvals', 'deny [options] <check>'],
    ['approvals approve', '--up-to <amount>'],
  ])('of %s is that of the reference agents, also as `help %s`', async (words, flag) => {
    const asked = await run('help', ...words.split(' '));
    expect(asked).toEqual(await run(...words.split(' '), '--help'));
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining(flag)]);
  });

  it('says defaults and valid values as they are typed', async () => {
    const wide = async (...words: string[]) => (await run(...words, '--help')).stdout.replaceAll(/\s+/g, ' ');
    expect(await wide('work')).toContain('(default: crawl,probe,heartbeat,index,prune)');
    expect(await wide('approvals', 'approve')).toContain(
      'condition of the approval (repeatable) (default: none)',
    );
    expect(await wide('search')).toContain('over this protocol. (choices: "mcp", "a2a")');
  });

  it('stands for a command that needs one of its own', async () => {
    const { code, stderr } = await run('index');
    expect(code).toBe(2);
    expect(stderr).toContain('rollback');
  });

  it.each(['--version', '-V'])(
    '%s says the version, the build, and what of a store it reads',
    async (flag) => {
      expect((await run(flag)).stdout).toMatch(
        /^\d+\.\d+\.\d+ \((build \S+, )?records schema \d+, index layout \d+, Node \d+\.\d+\.\d+\)\n$/,
      );
    },
  );
});

describe('a mistake on the command line', () => {
  it.each([
    ['--connect-to', 'bad'],
    ['--ca', '/dev/null'],
  ])('of crawl (%s %s) leaves no empty store behind', async (...mistake) => {
    const path = join(tempFolder(), 'store.sqlite');
    const { code } = await run('crawl', 'news.example', '--store', `sqlite:${path}`, ...mistake);
    expect([code, existsSync(path)]).toEqual([2, false]);
  });
});

describe('wrong usage exits with 2, says what is wrong and what to do, and prints no data', () => {
  it.each<[readonly string[], RegExp]>([
    [['fly'], /unknown command 'fly'/],
    [['sources', 'list'], /agent-registry sources takes add;/],
    [['serch'], /Did you mean search\?/],
    [['crawl'], /no domain given[\s\S]*--due/],
    [['crawl', 'news.example', '--nope'], /unknown option '--nope'/],
    [['crawl', 'localhost'], /'localhost' cannot be crawled: a domain name needs at least two labels/],
    [['crawl', 'news..example'], /each label must have 1 to 63/],
    [['crawl', '10.0.0.1'], /an IP address is not a domain name/],
    [['crawl', '0x7f.1'], /an IP address is not a domain name/],
    [['crawl', '[::1]'], /an IP address is not a domain name/],
    [['crawl', 'https://news.example/x'], /without scheme, port or path[\s\S]*agent-registry probe URL/],
    [['crawl', 'news.example:8080'], /without scheme, port or path/],
    [['crawl', '--due', 'news.example'], /--due cannot be combined/],
    [['crawl', 'news.example', '--depth', '-1'], /Expected a whole number from 0 to 10/],
    [['crawl', 'news.example', '--depth', 'x'], /Expected a whole number from 0 to 10/],
    [['crawl', 'news.example', '--concurrency', '0'], /Expected a whole number from 1 to 2000/],
    [['crawl', 'news.example', '--concurrency', '1e9'], /Expected a whole number from 1 to 2000/],
    [['crawl', 'news.example', '--fail-above', '101'], /Expected a whole number from 0 to 100/],
    [['crawl', 'news.example', '--progress', 'fast'], /auto, bar, plain, json, none/],
    [['crawl', 'news.example', '--log-level', 'loud'], /trace, debug, info/],
    [['crawl', '--from', '/does/not/exist'], /--from: cannot read \/does\/not\/exist/],
    [['crawl', 'news.example', '--connect-to', 'nonsense'], /'nonsense' has no '='/],
    [['crawl', 'news.example', '--connect-to', 'a.example=ftp://127.0.0.1'], /http or https origin/],
    [['crawl', 'news.example', '--connect-to-file', '/does/not/exist'], /cannot read/],
    [['crawl', 'news.example', '--ca', '/does/not/exist'], /cannot read/],
    [['crawl', 'news.example', '--store', 'mysql://x'], /sqlite:PATH/],
    [['validate'], /missing required argument 'target'/],
    [['validate', './none.json'], /cannot read \.\/none\.json[\s\S]*the file does not exist/],
    [['validate', 'not a domain'], /is not a file or a domain name/],
    [['validate', 'news.example', '--kind', 'ads'], /adagents, brand/],
    [['probe', 'news.example'], /use an absolute http or https URL/],
    [['probe', 'ftp://news.example/'], /the scheme must be https or http/],
    [['probe', 'https://me:secret@news.example/'], /a user name or password in the URL is not allowed/],
    [['probe', 'https://a.example/', '--auth', 'x', '--auth-env', 'Y'], /cannot be combined/],
    [
      ['probe', 'https://a.example/', '--auth-env', 'NOT_SET_HERE'],
      /the environment variable NOT_SET_HERE \(--auth-env\) is not set/,
    ],
    [['probe', 'https://a.example/', '--auth', '@/does/not/exist'], /cannot read/],
    [['search', '--type', 'salse'], /must be one of brand[\s\S]*; the nearest is sales/],
    [['call', 'https://a.example/', 'x', '--protocol', 'mpc'], /choices are mcp, a2a; the nearest is mcp\./],
    [['validate', 'news.example', '--kind', 'adagent'], /; the nearest is adagents\./],
    [
      ['agents', 'register', 'https://a.example/', '--member', 'n', '--type', 'sale'],
      /; the nearest is sales\./,
    ],
    [['keys', 'create', '--member', 'nova', '--scope', 'raed'], /; the nearest is read/],
    [['work', '--kinds', 'crawl,prbe'], /; the nearest is probe/],
    [['search', '--type', 'seles'], /must be one of brand[\s\S]*; the nearest is sales/],
    [['search', '--chanels', 'ctv'], /Did you mean --channels/],
    [['search', '--limit', '0'], /limit/],
    [['search', '--type', 'sales', '--type', 'brand'], /type/],
    [['search', '--q', ''], /q/],
    [['serve', '--port', '70000'], /Expected a whole number from 0 to 65535/],
    [['index', 'rebuild', '--fast'], /unknown option/],
    [['agents', 'register', 'https://a.example/'], /--member/],
    [['agents', 'register', 'a.example', '--member', 'nova'], /cannot be registered/],
    [['agents', 'register', 'https://a.example/', '--member', 'nova', '--type', 'unknown'], /brand, rights/],
    [
      ['agents', 'register', 'http://127.0.0.1:3000/mcp', '--member', 'nova'],
      /is on this machine[\s\S]*probe/,
    ],
    [['agents', 'register', 'https://a.localhost/', '--member', 'nova'], /is on this machine/],
    [
      ['agents', 'register', 'https://a.example/', '--member', 'nova', '--contact-email', 'nobody'],
      /not an e-mail address/,
    ],
    [
      ['agents', 'register', 'https://a.example/', '--member', 'nova', '--contact-website', 'a.example'],
      /not the URL of a page/,
    ],
    [
      ['agents', 'prove', 'https://a.example/', '--member', 'nova', '--dns', 'ns'],
      /address of a name server/,
    ],
    [['agents', 'settings', 'https://a.example/', '--opt-in', '--opt-out'], /cannot be used with/],
    [['agents', 'settings', 'https://a.example/', '--pause', '--resume'], /cannot be used with/],
    [
      ['agents', 'settings', 'https://a.example/', '--interval', '5'],
      /Expected a whole number from 6 to 168/,
    ],
    [['agents', 'settings', 'https://a.example/', '--stage', 'old'], /development, testing, production/],
    [['keys', 'create', '--member', 'nova', '--label', ' '], /invalid label/],
    [['audit', '--agent', 'https://a.example/', '--subject', 'nova'], /cannot be combined/],
    [['sandbox', '--seed', 'x'], /Expected a whole number from 0/],
  ])('%j', async (args, message) => {
    vi.stubEnv('REGISTRY_STORE', tempStore());
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/hint: |--help/);
    expect(stderr).not.toContain('internal error, please report');
  });

  it.each([
    ['REGISTRY_STROE', 'x', /unknown setting REGISTRY_STROE[\s\S]*REGISTRY_STORE/],
    ['REGISTRY_CONCURRENCY', 'many', /invalid value of REGISTRY_CONCURRENCY/],
    ['REGISTRY_CONTACT', '', /invalid value of REGISTRY_CONTACT/],
  ])('the variable %s=%s', async (name, value, message) => {
    vi.stubEnv(name, value);
    const { code, stderr } = await run('crawl', 'news.example', '--store', tempStore());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('a port that is in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const port = String((taken.address() as AddressInfo).port);
    for (const args of [
      ['serve', '--create', '--store', tempStore()],
      ['sandbox', '--state', 'sqlite::memory:'],
    ]) {
      const { code, stderr } = await run(...args, '--port', port);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`port ${port}\\b.* is already in use[\\s\\S]*--port`));
    }
  });
});

describe('a file that is not what it should be is a finding, with its place', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  it.each([
    ['no JSON', 'MANAGERDOMAIN=x.example', 'syntax'],
    ['cut off', '{"authorized_agents": [{"url": "https://a', 'syntax'],
    ['empty', '', 'empty_file'],
    ['HTML', '<!doctype html><html><body>404</body></html>', 'html_not_json'],
    ['deeply nested', nested(100_000), 'too_deep'],
    ['a list', '[]', 'not_object'],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 'not_utf8'],
    ['huge', `{"agents":[${'1,'.repeat(1_100_000)}1]}`, 'too_many_values'],
  ])('%s', async (_name, content, finding) => {
    const file = join(tempFolder(), 'adagents.json');
    writeFileSync(file, content);
    const { code, stdout, stderr } = await run('validate', file, '--json');
    expect(stderr).toBe('');
    expect(code).toBe(1);
    const { valid, findings } = JSON.parse(stdout);
    expect(valid).toBe(false);
    expect(findings.map((item: { code: string }) => item.code)).toContain(finding);
  });

  it('without an end is read only until that is clear', async () => {
    const { code, stdout } = await run('validate', '/dev/zero', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toMatchObject([{ severity: 'error', code: 'too_large' }]);
  });

  it.each([
    ['adagents.json', 6, 0, 'warning'],
    ['adagents.json', 21, 1, 'error'],
    ['brand.json', 1, 1, 'error'],
  ])('%s of %i MiB', async (name, mib, expected, severity) => {
    const file = join(tempFolder(), name);
    const type = name === 'brand.json' ? { type: 'sales', id: 'a' } : { protocol: 'mcp' };
    const agents = [{ url: 'https://a.example/', ...type }];
    writeFileSync(file, JSON.stringify({ agents }) + ' '.repeat(mib * 1024 * 1024));
    const { code, stdout } = await run('validate', file, '--json');
    expect(code).toBe(expected);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ code: 'too_large', severity }),
    );
  });

  it('and a folder is no file', async () => {
    const folder = join(tempFolder(), 'adagents.json');
    mkdirSync(folder);
    const { code, stderr } = await run('validate', folder);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read');
  });

  it('shows people the line, the message and the hint', async () => {
    const file = join(tempFolder(), 'adagents.json');
    writeFileSync(file, '{\n  "authorized_agents": [\n    {"url": "http://a.example/"}\n  ]\n}');
    const { code, stdout } = await run('validate', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /error 3:\d+ \/authorized_agents\/0\/url {2}entry ignored: the agent URL must\s+use\s+https/,
    );
  });
});

describe('a members file', () => {
  const imported = (content: string) => {
    const file = join(tempFolder(), 'members.yaml');
    writeFileSync(file, content);
    return run('members', 'import', file, '--store', tempStore());
  };
  it.each([
    ['a wrong member', '- slug: Nova!\n  display_name: Nova\n', /line 1, column 9 \(\/0\/slug\)/],
    ['an unknown key', '- slug: nova\n  display_name: Nova\n  tier: x\n', /unknown: 'tier'/],
    [
      'a slug that stands twice',
      '- {slug: a, display_name: A}\n- {slug: a, display_name: B}\n',
      /duplicate slug 'a'/,
    ],
    ['no YAML', 'a: [', /is not a valid members file/],
  ])('with %s is refused as a whole, with place and hint', async (_name, content, message) => {
    const { code, stdout, stderr } = await imported(content);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('hint: ');
  });

  it('that nobody imported has no members to register an agent to', async () => {
    const store = tempStore();
    const empty = join(tempFolder(), 'members.json');
    writeFileSync(empty, '[]');
    await run('members', 'import', empty, '--store', store);
    const named = ['--member', 'x', '--store', store];
    const { code, stderr } = await run('agents', 'register', 'https://a.example/', ...named);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no member x[\s\S]*members import/);
  });
});
