import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { answered, OPEN } from '../compliance/support/runs.ts';
import { run, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';
import { prove } from './support/served.ts';

const AGENT = 'https://a.example/mcp';
const TOKEN = 'a-token-of-nova';
const MINE = ['--member', 'nova'];

let folder: string;
let store: readonly string[];
const path = (name: string) => join(folder, name);
const secretsIn = (file: string) =>
  (JSON.parse(readFileSync(file, 'utf8')).keys as { k: string }[]).map(({ k }) => k);

beforeEach(async () => {
  folder = tempFolder();
  store = ['--store', `sqlite:${path('store.sqlite')}`];
  vi.stubEnv('REGISTRY_CREDENTIAL_KEYS', path('keys.json'));
  vi.stubEnv('TOKEN', TOKEN);
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function json<T>(schema: string, code: number, ...args: string[]): Promise<T> {
  const ran = await run(...args, '--json');
  expect(ran.code, ran.stderr).toBe(code);
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  return follows<T>(ran.stdout, schema);
}

/** A store in which nova owns the agent, and keys, if not said otherwise. */
async function owned(keys = true): Promise<void> {
  const members = path('members.yaml');
  writeFileSync(members, '- slug: nova\n  display_name: Nova\n- slug: other\n  display_name: Other\n');
  expect((await run('members', 'import', members, ...store)).code).toBe(0);
  expect((await run('agents', 'register', AGENT, ...MINE, ...store)).code).toBe(0);
  await prove(store, AGENT, 'nova');
  if (keys) await json('cli/keys.json', 0, 'keys', 'generate', '--kind', 'credential');
}

const credential = (...args: readonly string[]) => ['agents', 'credential', AGENT, ...args, ...store];

describe('agent-registry agents credential', () => {
  it('stores a token from a variable or a file, says since when, and forgets it', async () => {
    await owned();
    const schema = 'cli/agents-credential.json';
    const none = { url: AGENT, member: 'nova', stored: false, set_at: null, kind: null };
    expect(await json(schema, 0, ...credential(...MINE))).toEqual(none);
    const some = await json(schema, 0, ...credential(...MINE, '--auth-env', 'TOKEN'));
    expect(some).toMatchObject({ stored: true, set_at: expect.any(String) });
    writeFileSync(path('token'), `${TOKEN}-2\n`);
    const again = await run(...credential(...MINE, '--auth', `@${path('token')}`));
    expect(again).toMatchObject({
      code: 0,
      stderr: `next: agent-registry runs start ${AGENT} --member nova\n`,
    });
    const shown = await run(...credential(...MINE));
    expect(shown.stdout).toMatch(/^https:\/\/a\.example\/mcp: a test credential stored on \d{4}-/);
    const client = { token_endpoint: 'https://auth.example/token', client_id: 'tests', client_secret: TOKEN };
    writeFileSync(path('client.json'), JSON.stringify(client));
    const kept = await json(schema, 0, ...credential(...MINE, '--oauth', `@${path('client.json')}`));
    expect(kept).toMatchObject({ stored: true, kind: 'oauth_client_credentials' });
    writeFileSync(path('client.json'), JSON.stringify({ ...client, token_endpoint: 'http://auth.example/' }));
    const bad = await run(...credential(...MINE, '--oauth', path('client.json')));
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('--oauth: an https URL')]);
    expect(await json(schema, 0, ...credential(...MINE, '--forget'))).toEqual(none);
    const { stdout } = await run('audit', '--agent', AGENT, ...store);
    expect(stdout.match(/agent\.credential/g)).toHaveLength(4);
  });

  it('is for the proven owner only', async () => {
    await owned();
    for (const args of [[], ['--auth-env', 'TOKEN'], ['--forget']]) {
      const { code, stderr } = await run(...credential('--member', 'other', ...args));
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/other has not proven ownership of .*\n {2}hint: /),
      ]);
    }
  });

  it.each<[string, readonly string[], string]>([
    ['a token on the command line', ['--auth', TOKEN], 'is visible in the process list'],
    ['a variable that is not set', ['--auth-env', 'NO_SUCH'], 'NO_SUCH (--auth-env) is not set'],
    ['two ways at once', ['--auth-env', 'TOKEN', '--auth', '@x'], 'cannot be used with'],
    ['storing and forgetting', ['--auth-env', 'TOKEN', '--forget'], 'cannot be used with'],
    ['a file that is absent', ['--auth', '@/no/such/file'], 'cannot read'],
    ['a token that cannot be one', ['--auth-env', 'WORDS'], 'letters, digits and'],
    ['one that is too short', ['--auth-env', 'SHORT'], '8 to 4096 characters'],
  ])('refuses %s, and never repeats a token', async (_what, args, message) => {
    await owned();
    vi.stubEnv('WORDS', `Bearer ${TOKEN}`);
    vi.stubEnv('SHORT', 'x12');
    const { code, stdout, stderr } = await run(...credential(...MINE, ...args));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(TOKEN);
  });

  it('stores nothing without keys, and says what to do', async () => {
    await owned(false);
    vi.stubEnv('REGISTRY_CREDENTIAL_KEYS', undefined);
    const { code, stderr } = await run(...credential(...MINE, '--auth-env', 'TOKEN'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/REGISTRY_CREDENTIAL_KEYS is not set.*\n {2}hint: .*--kind credential/);
  });

  it('stores nothing with keys that others can read, nor does anything else begin with them', async () => {
    await owned();
    chmodSync(path('keys.json'), 0o644);
    for (const args of [credential(...MINE, '--auth-env', 'TOKEN'), ['heartbeat', '--once', ...store]]) {
      const { code, stderr } = await run(...args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/readable by other users\n {2}hint: chmod 600/),
      ]);
    }
  });
});

describe('credential keys', () => {
  it('are made in a file for its owner alone, which shows in no output, and are never overwritten', async () => {
    const made = await json<{ kid: string; file: string }>(
      'cli/keys.json',
      0,
      'keys',
      'generate',
      '--kind',
      'credential',
    );
    expect(made).toEqual({ kid: expect.stringMatching(/^credential-/), file: path('keys.json') });
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    const again = await run('keys', 'generate', '--kind', 'credential');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
    const other = await run(
      'keys',
      'generate',
      '--kind',
      'credential',
      '--out',
      path('other.json'),
      '--kid',
      'mine',
    );
    expect(other.stdout).toContain('mine: key written to');
    for (const secret of [...secretsIn(made.file), ...secretsIn(path('other.json'))])
      expect(again.stderr + other.stdout).not.toContain(secret);
  });

  it('are rotated: the new one seals, the old one opens until all is sealed anew', async () => {
    await owned();
    await run(...credential(...MINE, '--auth-env', 'TOKEN'));
    const [old] = secretsIn(path('keys.json'));
    await json('cli/keys.json', 0, 'keys', 'rotate', '--kind', 'credential');
    expect(secretsIn(path('keys.json'))).toEqual([expect.any(String), old]);
    const schema = 'cli/agents-reseal.json';
    const done = await json(schema, 0, 'agents', 'reseal', ...store);
    expect(done).toEqual({ resealed: 1, current: 0, unreadable: [] });
    const { stdout } = await run('agents', 'reseal', ...store);
    expect(stdout).toMatch(
      /^0 encrypted again, 1 already up to date\nthe keys after the first in .* are no longer needed; you can remove them\n$/,
    );
    const keys = JSON.parse(readFileSync(path('keys.json'), 'utf8')).keys.slice(0, 1);
    writeFileSync(path('keys.json'), JSON.stringify({ keys }));
    expect((await run('doctor', ...store)).stdout).toContain(
      '✓ test credentials: 1 stored, all can be decrypted',
    );
  });

  it('that are lost are told by the doctor, and cost the agent nothing: its run is inconclusive, and it is not called', async () => {
    await owned();
    await run(...credential(...MINE, '--auth-env', 'TOKEN'));
    rmSync(path('keys.json'));
    await run('keys', 'generate', '--kind', 'credential');
    expect((await run('doctor', ...store)).stdout).toMatch(
      /✗ test credentials: 1 stored; no key decrypts the credential of https:\/\/a\.example\/mcp, .*\n {4}hint: restore the missing keys/,
    );
    expect(await json('cli/agents-reseal.json', 1, 'agents', 'reseal', ...store)).toMatchObject({
      unreadable: [AGENT],
    });
    let asked = 0;
    const origin = await serve((_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    const network = ['--connect-to', `*.example=${origin}`, ...store];
    expect((await run('heartbeat', '--once', '--log-level', 'silent', ...network)).code).toBe(0);
    const check = await run('check', AGENT, '--record', '--progress', 'none', ...network);
    expect([check.code, check.stderr]).toEqual([1, expect.stringContaining('cannot be decrypted')]);
    expect(asked).toBe(0);
    const { stdout } = await run('runs', 'list', AGENT, '--json', ...store);
    expect(JSON.parse(stdout).runs).toMatchObject([
      { outcome: 'inconclusive', inconclusive_reason: 'own_fault', status: 'unknown' },
    ]);
  });
});

describe('a stored credential', () => {
  it('is what agent-registry check --record authenticates with, unless it is given another one', async () => {
    await owned();
    await run(...credential(...MINE, '--auth-env', 'TOKEN'));
    const given = new Set<string | undefined>();
    const well = mcpAgent({
      tools: ['get_proto_capabilities'],
      path: '/mcp',
      answers: { get_proto_capabilities: answered(OPEN) },
    });
    const origin = await serve((request, response) => {
      if (request.url !== '/robots.txt') given.add(request.headers.authorization);
      void well(request, response);
    });
    const args = ['check', AGENT, '--only', 'capability_discovery', '--progress', 'none'];
    const network = ['--connect-to', `*.example=${origin}`];
    await run(...args, '--record', ...network, ...store);
    expect(given).toContain(`Bearer ${TOKEN}`);
    given.clear();
    vi.stubEnv('OTHER', 'another-token');
    await run(...args, '--record', '--auth-env', 'OTHER', ...network, ...store);
    await run(...args, ...network);
    expect(given).toContain('Bearer another-token');
    expect(given).not.toContain(`Bearer ${TOKEN}`);
  });
});
