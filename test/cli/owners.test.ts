import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openNameServer, type Zone } from '../owners/support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from '../owners/support/site.ts';
import { run, start, tempFolder } from './support/cli.ts';
import { follows } from './support/schemas.ts';

const AGENT = 'https://sales.nova.example/mcp';
const RECORD = '_agent-registry.nova.example';
const NOVA = ['--member', 'nova'];

let store: readonly string[];

/** Two members, and an agent that is registered to the first. */
beforeEach(async () => {
  const folder = tempFolder();
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const members = join(folder, 'members.yaml');
  writeFileSync(members, '- slug: nova\n  display_name: Nova\n- slug: orbit\n  display_name: Orbit\n');
  await good('members', 'import', members);
  await good('agents', 'register', AGENT, ...NOVA, '--name', 'Nova Sales');
});

async function good(...args: string[]) {
  const ran = await run(...args, ...store);
  expect(ran.code, ran.stderr).toBe(0);
  return ran;
}

async function json<T = Record<string, unknown>>(schema: string, ...args: string[]): Promise<T> {
  return follows<T>((await good(...args, '--json')).stdout, schema);
}

async function refused(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, ...store);
  expect([code, stdout]).toEqual([1, '']);
  return stderr;
}

/** A place on loopback where both ways of proving lead to, empty at first. */
async function openPlaces() {
  const answers: Record<string, SiteAnswer> = {};
  const zone: Zone = {};
  const connectTo = await openSite('sales.nova.example', answers);
  return {
    publishFile: (body: string, before?: SiteAnswer['before']) =>
      Object.assign(answers, { [FILE]: { body, ...(before && { before }) } }),
    publishRecord: (token: string) => Object.assign(zone, { [RECORD]: [[token]] }),
    prove: (member: string) => [
      ...['agents', 'prove', AGENT, '--member', member],
      ...['--connect-to', connectTo, '--dns'],
    ],
    dns: await openNameServer(zone),
  };
}

async function tokenOf(member: string): Promise<string> {
  const args = ['agents', 'challenge', AGENT, '--member', member];
  return (await json<{ token: string }>('cli/agents-challenge.json', ...args)).token;
}

it('agent-registry members invite prints a link that is good once, for a member that is there or a new one', async () => {
  const invited = await good('members', 'invite');
  expect(invited.stderr).toContain('replace the host with the address of your registry');
  const link = invited.stdout.trim();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/join\?invitation=[\w-]{43}$/);
  const told = await json('cli/members-invite.json', 'members', 'invite', ...NOVA, '--days', '1');
  expect(told).toMatchObject({ member: 'nova', url: expect.stringContaining(String(told.invitation)) });
  expect(await refused('members', 'invite', '--member', 'nobody')).toContain('no member nobody');
});

it('agent-registry members import takes over a member that joined where the file has its id, and refuses the file without', async () => {
  const { invitation } = await json<{ invitation: string }>('cli/members-invite.json', 'members', 'invite');
  const serving = start(['serve', '--port', '0', ...store]);
  const [url = ''] = /http:\S+/.exec(await serving.until('stdout', /listening on \S+\n/)) ?? [];
  const joined = await fetch(`${url}/api/registry/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ invitation, slug: 'acme', display_name: 'Somebody' }),
  });
  expect(await joined.json()).toMatchObject({ member: 'joined-acme' });
  serving.child.kill('SIGTERM');
  await serving.ended;

  const { members } = await json<{ members: { slug: string; id: string | null }[] }>(
    'cli/members-list.json',
    ...['members', 'list'],
  );
  expect(members).toMatchObject([
    { slug: 'joined-acme', id: expect.stringMatching(/^mem_[0-9a-f]{16}$/), membership_tier: null },
    { slug: 'nova', id: null },
    { slug: 'orbit', id: null },
  ]);
  const id = members[0]?.id ?? '';
  expect((await good('members', 'list')).stdout).toContain(id);
  const file = join(tempFolder(), 'members.yaml');
  const entries = (given: string) =>
    `- slug: joined-acme\n  ${given}display_name: Acme\n  membership_tier: builder\n- slug: acme\n  display_name: Acme\n`;
  writeFileSync(file, entries(''));
  expect(await refused('members', 'import', file)).toContain(
    'the member joined-acme joined by invitation or domain',
  );
  writeFileSync(file, entries('id: mem_0000000000000000\n  '));
  expect(await refused('members', 'import', file)).toContain('has another id than mem_0000000000000000');
  writeFileSync(file, entries(`id: ${id}\n  `));
  expect(await json('cli/members-import.json', 'members', 'import', file)).toEqual({
    ...{ added: 1, changed: 1, unchanged: 0 },
  });
  expect((await good('audit', '--subject', 'joined-acme')).stdout).toContain('member.adopt');
});

describe('agent-registry agents challenge and prove', () => {
  it('say what to publish and where, and take it from either place', async () => {
    const { publishFile, prove, dns } = await openPlaces();
    const { stdout } = await good('agents', 'challenge', AGENT, ...NOVA);
    const token = await tokenOf('nova');
    expect(stdout).toContain(token);
    expect(stdout).toContain(`https://sales.nova.example${FILE}`);
    expect(stdout).toContain(RECORD);

    const early = await run(...prove('nova'), dns, '--json', ...store);
    expect(early.code).toBe(1);
    expect(follows(early.stdout, 'cli/agents-prove.json')).toMatchObject({ proven: false, via: null });
    const told = await run(...prove('nova'), dns, ...store);
    expect(told.stdout).toContain(`${RECORD}: no such host name`);

    publishFile(token);
    expect(await json('cli/agents-prove.json', ...prove('nova'), dns)).toMatchObject({
      proven: true,
      via: 'file',
    });
    expect(await json('cli/agents-list.json', 'agents', 'list', ...NOVA)).toMatchObject({
      agents: [{ url: AGENT, member: 'nova', via: 'file', proven_at: expect.any(String) }],
    });
  });

  it('let the one who proves last own the agent, and the other do nothing any more', async () => {
    const { publishRecord, prove, dns } = await openPlaces();
    const [nova, orbit] = [await tokenOf('nova'), await tokenOf('orbit')];
    publishRecord(nova);
    await good(...prove('nova'), dns);
    publishRecord(orbit);
    const spent = await refused(...prove('orbit'), dns);
    expect(spent).toContain('orbit has no open challenge'); // it ended with the proof
    publishRecord(await tokenOf('orbit'));
    expect((await good(...prove('orbit'), dns)).stdout).toContain(`orbit owns ${AGENT}, proven at ${RECORD}`);
    expect(await refused('agents', 'settings', AGENT, ...NOVA, '--pause')).toContain(
      'has not proven ownership of',
    );
    expect(await refused('agents', 'register', AGENT, ...NOVA)).toContain(
      'already has a proven owner, orbit',
    );
    expect((await good('agents', 'settings', AGENT, '--member', 'orbit', '--pause')).stdout).toContain(
      'paused',
    );
  });

  it('report success to both of two commands that find the text at once', async () => {
    const { publishFile, prove, dns } = await openPlaces();
    let other: ReturnType<typeof run> | undefined;
    publishFile(await tokenOf('nova'), async () => {
      if (other !== undefined) return;
      other = run(...prove('nova'), dns, ...store);
      await other;
    });
    expect((await good(...prove('nova'), dns)).stdout).toContain(`nova owns ${AGENT}`);
    expect((await other)?.stdout).toContain(`nova owns ${AGENT}`);
  });

  it('need a registration, a member and a challenge', async () => {
    const { prove, dns } = await openPlaces();
    expect(await refused('agents', 'challenge', 'https://free.example/', ...NOVA)).toMatch(
      /is not registered/,
    );
    expect(await refused('agents', 'challenge', AGENT, '--member', 'nobody')).toMatch(/no member nobody/);
    expect(await refused(...prove('nova'), dns)).toMatch(
      /no open challenge[\s\S]*agent-registry agents challenge/,
    );
  });
});

describe('agent-registry agents settings', () => {
  it('shows and changes, as the operator too, and all of it is in the audit log', async () => {
    expect((await good('agents', 'settings', AGENT)).stdout).toContain('owner      none');
    const args = ['agents', 'settings', AGENT, '--opt-out', '--interval', '24', '--stage', 'testing'];
    const changed = await json('registry/agent-settings.json', ...args);
    expect(changed).toMatchObject({ member: null, compliance_opt_out: true, check_interval_hours: 24 });
    expect(await json('registry/agent-settings.json', 'agents', 'settings', AGENT)).toEqual(changed);
    const { stdout } = await good('search', '--compliance', '--json');
    expect(JSON.parse(stdout).agents[0]).not.toHaveProperty('compliance');
    const { entries } = await json<{ entries: object[] }>('cli/audit.json', 'audit', '--agent', `${AGENT}/`);
    expect(entries).toMatchObject([
      { actor: 'operator', action: 'agent.settings', details: { after: { compliance_opt_out: true } } },
      { action: 'agent.register' },
    ]);
    expect((await good('audit', '--limit', '1')).stdout).toMatch(
      /^id .+\n\d+ +\S+Z {2}operator {2}agent\.settings {2}https:/,
    );
  });

  it('take the target and the buyer of tests, and clear them with an empty text', async () => {
    const args = ['--target', '3.1', '--operator', 'desk.example', '--account', 'acc-7'];
    expect((await good('agents', 'settings', AGENT, ...args)).stdout).toMatch(
      /target {5}3\.1\n {2}tested as {2}operator desk\.example, account acc-7\n/,
    );
    const cleared = await json('registry/agent-settings.json', 'agents', 'settings', AGENT, '--operator', '');
    expect(cleared).toMatchObject({
      compliance_target: '3.1',
      test_setup: { account: { account_id: 'acc-7' } },
    });
    const { entries } = await json<{ entries: object[] }>('cli/audit.json', 'audit', '--agent', AGENT);
    expect(entries[0]).toMatchObject({
      details: { before: { test_setup: { operator: 'desk.example' } } },
    });
    await good('agents', 'settings', AGENT, '--target', '', '--account', '');
    expect(await json('registry/agent-settings.json', 'agents', 'settings', AGENT)).toMatchObject({
      ...{ compliance_target: null, test_setup: null },
    });
  });

  it.each([
    ['--target', '3.1/x', 'Expected a version or a label'],
    ['--brand', 'https://a.example', 'use a domain name without scheme'],
    ['--account', ' acc', 'Expected 1 to 255 printable ASCII characters'],
  ])('refuse %s %s', async (flag, value, why) => {
    const ran = await run('agents', 'settings', AGENT, flag, value, ...store);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('of an agent never heard of are not there', async () => {
    expect(await refused('agents', 'settings', 'https://none.example/', '--pause')).toMatch(/unknown agent/);
  });
});

describe('agent-registry agents disown and unregister, members remove', () => {
  it('end what there is, and say so when there is nothing', async () => {
    const { publishFile, prove, dns } = await openPlaces();
    publishFile(await tokenOf('nova'));
    await good(...prove('nova'), dns);
    expect(await json('cli/agents-end.json', 'agents', 'disown', AGENT, ...NOVA)).toMatchObject({
      disowned: true,
    });
    expect(await refused('agents', 'disown', AGENT, ...NOVA)).toMatch(/has not proven/);
    expect(await refused('members', 'remove', 'nova')).toMatch(/agents are registered[\s\S]*unregister/);
    expect(await json('cli/agents-end.json', 'agents', 'unregister', AGENT, ...NOVA)).toMatchObject({
      unregistered: true,
    });
    expect(await refused('agents', 'unregister', AGENT, ...NOVA)).toMatch(/not registered to nova/);
    expect(await json('cli/members-remove.json', 'members', 'remove', 'nova')).toEqual({
      slug: 'nova',
      removed: true,
    });
    expect((await good('agents', 'list')).stderr).toContain('no registered agents');
  });
});

describe('agent-registry keys create, list and revoke', () => {
  it('print the key once, and keep nothing of it but its beginning', async () => {
    const { stdout, stderr } = await good('keys', 'create', ...NOVA, '--label', 'build');
    expect(stdout).toMatch(/^ark_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\n$/);
    expect(stderr).toContain('shown only once');
    const id = stdout.slice(0, 20);
    const list = await good('keys', 'list');
    expect(list.stdout).toContain(`${id}…`);
    expect(list.stdout + (await good('audit')).stdout).not.toContain(stdout.slice(21, 60));
    expect(await json('cli/api-keys.json', 'keys', 'list', ...NOVA)).toMatchObject({
      keys: [{ id, member: 'nova', label: 'build', last_used_at: null, revoked_at: null }],
    });
    expect(await json('cli/api-keys.json', 'keys', 'list', '--member', 'orbit')).toEqual({ keys: [] });
  });

  it('take the beginning of a key or the whole of it', async () => {
    const made = await json<{ id: string; key: string }>(
      'cli/api-key-created.json',
      'keys',
      'create',
      ...NOVA,
    );
    const revoked = await json('cli/api-key-revoked.json', 'keys', 'revoke', made.key);
    expect(revoked).toMatchObject({ id: made.id, revoked_at: expect.any(String), also_revoked: [] });
    expect(await json('cli/api-key-revoked.json', 'keys', 'revoke', made.id)).toEqual(revoked);
    expect(await refused('keys', 'revoke', 'ark_0000000000000000')).toMatch(/unknown API key/);
    expect(await refused('keys', 'create', '--member', 'nobody')).toMatch(/no member nobody/);
  });

  it('stand beside the signing keys in the help, each under its heading', async () => {
    const { stdout } = await run('keys', '--help');
    expect(stdout).toMatch(/Signing keys[^\n]*\n {2}generate[\s\S]*jwks[\s\S]*rotate/);
    expect(stdout).toMatch(/API keys [^\n]*\n {2}create[\s\S]*list[\s\S]*revoke/);
  });
});

describe('agent-registry serve', () => {
  it('ends a key the moment another process revokes it, and shows a change in the list at once', async () => {
    const { publishFile, prove, dns } = await openPlaces();
    publishFile(await tokenOf('nova'));
    await good(...prove('nova'), dns);
    const { id, key } = await json<{ id: string; key: string }>(
      'cli/api-key-created.json',
      ...['keys', 'create', ...NOVA],
    );
    const serving = start(['serve', '--port', '0', ...store]);
    const [url = ''] = /http:\S+/.exec(await serving.until('stdout', /listening on \S+\n/)) ?? [];
    const settings = `${url}/api/registry/agents/${encodeURIComponent(AGENT)}/settings`;
    const patch = (change: object) =>
      fetch(settings, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
    expect((await patch({ compliance_opt_out: true })).status).toBe(200);
    const listed = (await (await fetch(`${url}/api/registry/agents?compliance=true`)).json()) as {
      readonly agents: readonly object[];
    };
    expect(listed.agents[0]).not.toHaveProperty('compliance');
    await good('keys', 'revoke', id);
    expect((await patch({ compliance_opt_out: false })).status).toBe(401);
    serving.child.kill('SIGTERM');
    expect((await serving.ended).stderr).not.toContain(key.slice(21, 60));
  });

  it('ends the keys that a revoked key made, and the command names each of them', async () => {
    const root = await json<{ id: string; key: string }>(
      'cli/api-key-created.json',
      ...['keys', 'create', ...NOVA],
    );
    const serving = start(['serve', '--port', '0', ...store]);
    const [url = ''] = /http:\S+/.exec(await serving.until('stdout', /listening on \S+\n/)) ?? [];
    const list = (key: string) =>
      fetch(`${url}/api/registry/keys`, { headers: { authorization: `Bearer ${key}` } });
    const make = async (key: string) =>
      (await fetch(`${url}/api/registry/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      }).then((answer) => answer.json())) as { readonly id: string; readonly key: string };
    const child = await make(root.key);
    const grandchild = await make(child.key);
    expect((await good('keys', 'list')).stdout).toContain(child.id);
    const { stdout } = await good('keys', 'revoke', root.id);
    expect(stdout).toBe(
      [
        `revoked ${root.id} of nova`,
        ...[child, grandchild].map(({ id }) => `revoked ${id}, which it created`),
        '',
      ].join('\n'),
    );
    for (const { key } of [root, child, grandchild]) expect((await list(key)).status).toBe(401);
    serving.child.kill('SIGTERM');
    await serving.ended;
  });
});
