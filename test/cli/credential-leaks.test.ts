import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serve } from '../calling/support/serve.ts';
import { run, start, tempFolder } from './support/cli.ts';
import { formsIn, formsOf, leakyAgent } from './support/leaky-agent.ts';
import { prove } from './support/served.ts';

const AGENT = 'https://leaky.example/mcp';
const PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}`;
const CANARY = 'canary/Q7+wE9rT2yU4iO6pA8sD0fG3hJ5kL1zX_cV4bN';

/** A store in which nova owns the agent and has stored the canary, and the agent itself. */
async function world() {
  const folder = tempFolder();
  const store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const good = async (...args: string[]) => {
    const ran = await run(...args, ...store);
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout + ran.stderr;
  };
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  vi.stubEnv('REGISTRY_CREDENTIAL_KEYS', join(folder, 'keys.json'));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await run('keys', 'generate', '--kind', 'credential')).code).toBe(0);
  await good(
    'members',
    'import',
    file('members.yaml', '- slug: nova\n  display_name: Nova\n- slug: other\n  display_name: Other\n'),
  );
  await good('agents', 'register', AGENT, '--member', 'nova');
  await prove(store, AGENT, 'nova');
  const agent = leakyAgent(CANARY);
  const connect = ['--connect-to', `*.example=${await serve(agent.listener)}`];
  const said = await good(
    'agents',
    'credential',
    AGENT,
    '--member',
    'nova',
    '--auth',
    `@${file('token', `${CANARY}\n`)}`,
  );
  return { ...agent, folder, store, connect, good, said };
}

/** The command line and the environment of a process and of those that it started, as the machine shows them. */
function shown(pid: number): string {
  if (!existsSync('/proc/self')) return execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  const own = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
  return [...own, ...children.map((child) => shownUnlessEnded(Number(child)))].join('\n');
}

/** A process that was started may end while it is looked at. */
function shownUnlessEnded(pid: number): string {
  try {
    return shown(pid);
  } catch (error) {
    if (/^(ENOENT|ESRCH)$/.test((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function filesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
    .join('\n');
}

/** Everything that a server says of the agent, to the owner, to a stranger and to the public. */
async function answersOf(store: readonly string[], keys: readonly (string | undefined)[]): Promise<string> {
  const serving = start(['serve', '--port', '0', '--metrics-port', '0', ...store, '--log-level', 'trace']);
  const told = await serving.until('stdout', /listening on \S+/);
  const origin = /listening on (\S+)/.exec(told)?.[1] ?? '';
  const figures = /metrics at ([^,]+)/.exec(told)?.[1] ?? '';
  const texts: string[] = [];
  for (const key of keys) {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const get = async (path: string) => {
      const answer = await fetch(URL.canParse(path) ? path : origin + path, { headers });
      const text = await answer.text();
      texts.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
      return text;
    };
    const history = JSON.parse(await get(`${PATH}/compliance/history`)) as { runs?: { run_id: string }[] };
    for (const { run_id } of history.runs ?? []) await get(`${PATH}/compliance/runs/${run_id}`);
    for (const path of [
      '/compliance',
      '/settings',
      '/credential',
      '/badge/media-buy.svg',
      '/compliance/badges',
    ])
      await get(PATH + path);
    await get('/api/registry/agents?compliance=true&capabilities=true&properties=true&health=true');
    await get(figures);
  }
  serving.child.kill('SIGTERM');
  const { stdout, stderr } = await serving.ended;
  return [...texts, stdout, stderr].join('\n');
}

describe('the canary of these tests', () => {
  it('is found in every form in which the agent says it', () => {
    for (const [name, form] of Object.entries(formsOf(CANARY)))
      expect(formsIn(`x${form}x`, CANARY)).toContain(name);
    const half = CANARY.length / 2;
    expect(formsIn(CANARY.slice(0, half + 1), CANARY)).toContain('first');
    expect(formsIn('nothing of it', CANARY)).toEqual([]);
  });
});

describe('a stored test credential', () => {
  it('reaches its agent, and stands nowhere after that: store, logs, evidence, pages, reports, files, process lists', async () => {
    const { given, saidAll, folder, store, connect, good, said } = await world();
    const keys = [
      (await run('keys', 'create', '--member', 'nova', ...store)).stdout.trim(),
      (await run('keys', 'create', '--member', 'other', ...store)).stdout.trim(),
      undefined,
    ];
    const clean = (what: string, text: string) => expect(formsIn(text, CANARY), what).toEqual([]);
    clean('the command that stored it', said);

    const beating = start(['heartbeat', '--once', '--log-level', 'trace', ...connect, ...store]);
    await vi.waitUntil(() => given.length > 3, { timeout: 50_000, interval: 5 });
    clean('the process list', shown(beating.child.pid ?? 0));
    const { code, stdout, stderr } = await beating.ended;
    expect(code, stderr).toBe(0);
    clean('the heartbeat and its log', stdout + stderr);
    expect(given).toContain(`Bearer ${CANARY}`);
    expect(saidAll()).toBe(true);

    const before = given.length;
    const save = join(folder, 'saved');
    const report = await run(
      'check',
      AGENT,
      '--record',
      '--json',
      '--progress',
      'plain',
      '--save',
      save,
      ...connect,
      ...store,
    );
    expect(report.code, report.stderr).toBe(1);
    expect(given.slice(before)).toContain(`Bearer ${CANARY}`);
    clean('the report of a check', report.stdout + report.stderr);
    clean('what --save keeps', filesIn(save));
    clean('a replay', (await run('check', '--replay', save, '--progress', 'none')).stdout);

    const runs = JSON.parse(await good('runs', 'list', AGENT, '--json')).runs as { run_id: string }[];
    expect(runs).toHaveLength(2);
    const evidence = await good('runs', 'show', AGENT, runs[0]?.run_id ?? '', '--evidence', '--json');
    expect(evidence).toContain('[redacted]');
    clean('evidence', evidence);
    for (const args of [
      ['runs', 'show', AGENT, runs[1]?.run_id ?? '', '--evidence'],
      ['explain', AGENT],
      ['explain', AGENT, '--json'],
      ['audit', '--json'],
      ['agents', 'credential', AGENT, '--member', 'nova', '--json'],
      ['agents', 'list'],
    ])
      clean(args.join(' '), await good(...args));
    clean('HTTP answers', await answersOf(store, keys));
    const files = readdirSync(folder).filter((name) => name.startsWith('store.sqlite'));
    for (const name of files) clean(name, readFileSync(join(folder, name), 'latin1'));
  }, 60_000);
});
