import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { run, start, tempFolder } from '../../cli/support/cli.ts';
import { lightAgents } from '../../pipelines/support/light-agents.ts';
import { ADAGENTS, startWeb } from '../../scenarios/support/web.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from '../support/engines.ts';
import { asOwner, roleName, urlAs } from '../support/roles.ts';

const AGENT = 'https://sales.nova.example/mcp';

let owner: string;
let role: string;
let url: string;

/** A database of an owner who is no superuser, and the role of the processes. */
beforeEach(async () => {
  const server = await freshDatabase();
  const ownerRole = roleName('owner');
  role = roleName('runtime');
  const database = new URL(server).pathname.slice(1);
  await asOwner(
    server,
    `CREATE ROLE ${ownerRole} LOGIN`,
    `CREATE ROLE ${role} LOGIN`,
    `GRANT ALL ON SCHEMA public TO ${ownerRole}`,
    `GRANT CREATE ON DATABASE ${database} TO ${ownerRole}`,
    `ALTER SCHEMA public OWNER TO ${ownerRole}`,
  );
  onTestFinished(async () => {
    for (const name of [ownerRole, role])
      await asOwner(server, `DROP OWNED BY ${name} CASCADE`, `DROP ROLE ${name}`);
  });
  [owner, url] = [urlAs(server, ownerRole), urlAs(server, role)];
  vi.stubEnv('REGISTRY_INDEX', openSearchUrl());
  vi.stubEnv('REGISTRY_INDEX_PREFIX', `${freshIndexPrefix()}agents`);
  vi.stubEnv('REGISTRY_INDEX_TIMEOUT_MS', '15000');
});
afterEach(() => vi.unstubAllEnvs());

async function good(...args: readonly string[]) {
  const ran = await run(...args);
  expect(ran.code, `${args.join(' ')}: ${ran.stderr}`).toBe(0);
  return ran.stdout;
}

const made = () => good('schema', '--store', owner, '--runtime-role', role);

describe('the role of the processes', () => {
  it('is enough for every command that runs until a signal, and for those by hand', async () => {
    await made();
    const { pages } = lightAgents({ 'sales.nova.example': {} });
    const web = await startWeb({
      ...pages,
      'news.example': { [ADAGENTS]: { publisher: { domain: 'news.example' }, agents: [{ url: AGENT }] } },
    });
    onTestFinished(() => web.close());
    const store = ['--store', url];
    const network = ['--connect-to', web.connectTo];
    const members = join(tempFolder(), 'members.yaml');
    writeFileSync(members, '- slug: nova\n  display_name: Nova\n');
    await good('members', 'import', members, ...store);
    await good('agents', 'register', AGENT, '--member', 'nova', ...store);
    await good('agents', 'settings', AGENT, '--opt-out', ...store);
    await good('keys', 'create', '--member', 'nova', ...store);
    await good('crawl', 'news.example', '--progress', 'none', ...store, ...network);
    await good('heartbeat', '--once', '--log-level', 'warn', ...store, ...network);
    await good('prune', ...store);
    await good('index', 'rebuild', '--yes', ...store);
    await good('audit', ...store);
    await good('sources', 'add', 'other.example', ...store); // for the workers
    const env = ['--log-level', 'info', '--port', '0', ...store];
    const running = [
      start(['serve', ...env]),
      start(['schedule', ...env]),
      start(['work', ...env, ...network]),
      start(['heartbeat', ...env, ...network]),
    ];
    await Promise.all(running.map(({ until }) => until('stdout', /listening on|metrics at/)));
    const visited = () =>
      asOwner(owner, "SELECT 1 FROM source WHERE key = 'other.example' AND last_visit_at IS NOT NULL");
    await vi.waitFor(async () => expect(await visited()).not.toEqual([]), {
      timeout: 120_000,
      interval: 200,
    });
    for (const { child } of running) child.kill('SIGTERM');
    const ended = await Promise.all(running.map(({ ended: end }) => end));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    for (const { stderr } of ended) expect(stderr).not.toMatch(/denied|permission|42501/);
  });

  it.each([
    "UPDATE audit SET actor = 'nobody'",
    'DELETE FROM audit',
    'TRUNCATE audit',
    'DROP TABLE audit',
    'ALTER TABLE audit DISABLE TRIGGER ALL',
    'CREATE TABLE mine (x int)',
    'DROP TABLE member',
    "UPDATE kysely_migration SET name = 'other'",
    'DROP SCHEMA registry_queue CASCADE',
    'CREATE TABLE registry_queue.mine (x int)',
  ])('may not: %s', async (statement) => {
    await made();
    await expect(asOwner(url, statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('creates no tables: it says who does', async () => {
    await asOwner(owner, `REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${role}`);
    const { code, stderr } = await run('schema', '--store', url);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/has no privileges to upgrade them to \d+\n.*agent-registry schema/),
    ]);
  });

  it('is refused when it could do more all the same', async () => {
    const own = decodeURIComponent(new URL(owner).username);
    for (const name of [own, 'registry']) {
      const { code, stderr } = await run('schema', '--store', owner, '--runtime-role', name);
      expect([code, stderr]).toEqual([2, expect.stringContaining('can still change tables')]);
    }
    const none = await run('schema', '--store', owner, '--runtime-role', 'no_such_role');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no role no_such_role')]);
  });
});

describe('empty records in PostgreSQL', () => {
  it('say to the doctor what to do there', async () => {
    const { code, stdout } = await run('doctor', '--store', owner);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/✗ store: .*\n.*hint: .*agent-registry schema/),
    ]);
  });
});
