import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseTiers } from '../../src/cli/setup/settings-files.ts';
import { isApiAccessTier } from '../../src/compliance/badges/conditions.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import type { Records } from '../../src/ports/records.ts';
import type { BadgeClaims } from '../../src/signing/badge-claims.ts';
import { derivedKeys } from '../../src/signing/badge-keys.ts';
import { revocationList } from '../../src/signing/badge-revocations.ts';
import { signBadge } from '../../src/signing/badge-token.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { begin, run, tempFolder, tempStore } from './support/cli.ts';
import { follows } from './support/schemas.ts';
import { prove } from './support/served.ts';

afterEach(() => vi.unstubAllEnvs());

const AGENT = 'https://sales.agents.example/mcp';
const DAY = 86_400_000;
const START = Date.now() - 10 * DAY;
const SELLER = of({ 'sales-guaranteed': 'pass' });
const FAILS = of({ 'sales-guaranteed': 'fail' });

/** A file in a folder that goes with the test. */
function fileOf(name: string, value: string | object): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const member = (over: object = {}) => ({
  ...{ slug: 'nova', display_name: 'Nova', membership_tier: 'builder', subscription_status: 'active' },
  ...over,
});

/** The flag of a store with an agent of nova, whom the tier `builder` grants badges. */
async function storeWith(work: (records: Records) => Promise<unknown>): Promise<readonly string[]> {
  const store = ['--store', tempStore()];
  await run('members', 'import', fileOf('members.json', [member()]), ...store);
  await run('agents', 'register', AGENT, '--member', 'nova', ...store);
  await prove(store, AGENT, 'nova');
  const { records, close } = await openStore(readConfig({ REGISTRY_STORE: store[1] }), { create: false });
  await work(records).finally(close);
  return store;
}

const earned = (records: Records) => keepRun(records, START, SELLER, { agent: AGENT });

interface Listed {
  readonly badges: readonly object[];
  readonly events: readonly { readonly kind: string; readonly reason: string }[];
  readonly next_cursor: string | null;
}

async function listed(store: readonly string[], ...flags: string[]): Promise<Listed> {
  const { stdout } = await run('badges', 'list', AGENT, ...store, ...flags, '--json');
  return follows<Listed>(stdout, 'cli/badges-list.json');
}

describe('agent-registry badges list', () => {
  it('shows what is verified and why each badge came or went, page by page', async () => {
    const store = await storeWith(async (records) => {
      await earned(records);
      await keepRun(records, START + DAY, FAILS, { agent: AGENT });
    });
    const first = await listed(store, '--limit', '1');
    expect(first).toMatchObject({ badges: [{ role: 'media-buy' }], events: [{ kind: 'grace' }] });
    const rest = await listed(store, '--limit', '1', '--cursor', String(first.next_cursor));
    expect(rest).toMatchObject({ events: [{ kind: 'earned' }], next_cursor: null });
    const { code, stdout } = await run('badges', 'list', AGENT, ...store);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^role +modes +since +specialisms\nmedia-buy 3\.0 +spec +\d\S+Z +sales-guaranteed\n/,
    );
    expect(stdout).toMatch(/ earned +media-buy 3\.0 +Every declared specialism of media-buy passes/);
  });

  it('links with the public address, and shows nothing of an agent that is opted out', async () => {
    const store = await storeWith(earned);
    vi.stubEnv('REGISTRY_BASE_URL', 'https://registry.example/');
    expect((await listed(store)).badges).toMatchObject([
      { badge_url: expect.stringMatching(/^https:\/\/registry\.example\/api\/registry\/agents\//) },
    ]);
    await run('agents', 'settings', AGENT, '--opt-out', ...store);
    const { code, stdout, stderr } = await run('badges', 'list', AGENT, '--json', ...store);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/has opted out of tests, so earlier results are hidden\n {2}hint: .*--opt-in/);
  });

  it('knows nothing of an agent never heard of, nor a cursor that it did not give', async () => {
    const store = await storeWith(async () => {});
    const unknown = await run('badges', 'list', 'https://nobody.example/', ...store);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('unknown agent')]);
    expect((await run('badges', 'list', AGENT, '--cursor', 'x', ...store)).code).toBe(2);
    const none = await run('badges', 'list', AGENT, ...store);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', `${AGENT} has no active badge\n`]);
  });
});

const NOW = 1_767_690_000;
const KEYS = await derivedKeys(new Uint8Array(32).fill(9), 'badge');
const CLAIMS: BadgeClaims = {
  ...{ iss: 'https://registry.example', sub: AGENT, iat: NOW, exp: NOW + 86_400, role: 'media-buy' },
  ...{ verified_protocol_version: '3.0', proto_version: '3.0.0', verified_at: '2026-01-06T09:00:00.000Z' },
  ...{ verified_specialisms: ['sales-guaranteed'], verification_modes: ['spec'] },
};
const TOKEN = await signBadge(KEYS.signer, CLAIMS);
const SET = { keys: KEYS.published };
const at = ['--at', String(NOW)];
const ISSUER = ['--issuer', 'https://registry.example'];

async function verified(...args: string[]) {
  const { code, stdout, stderr } = await run('badges', 'verify', ...args, '--json');
  return {
    status: code,
    ...(stdout === '' ? { stderr } : follows<object>(stdout, 'cli/badges-verify.json')),
  };
}

describe('agent-registry badges verify', () => {
  it('needs nothing but the token and a file of keys', async () => {
    const jwks = fileOf('jwks.json', SET);
    const asked = ['--jwks', jwks, ...at, '--agent', `${AGENT}/`, '--issuer', 'https://registry.example/'];
    const expected = { status: 0, valid: true, code: null, check: null, detail: null, claims: CLAIMS };
    expect(await verified(TOKEN, ...asked)).toEqual(expected);
    expect(await verified(fileOf('badge.jwt', `${TOKEN}\n`), ...asked)).toEqual(expected);
    const { code, stdout } = await run('badges', 'verify', TOKEN, '--jwks', jwks, ...at, ...ISSUER);
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      `verified: ${AGENT} has the badge media-buy 3.0 (spec) since 2026-01-06T09:00:00.000Z`,
    ]);
  });

  it.each([
    ['a day later', TOKEN, ['--at', String(NOW + 86_400)], 'badge_expired'],
    ['of another agent', TOKEN, [...at, '--agent', 'https://other.example/'], 'badge_agent_mismatch'],
    ['of another registry', TOKEN, [...at, '--issuer', 'https://other.example'], 'badge_issuer_mismatch'],
    ['with another end', `${TOKEN.slice(0, -4)}AAAA`, at, 'badge_signature_invalid'],
    ['in half', TOKEN.slice(0, 40), at, 'badge_malformed'],
  ])('refuses one %s with exit code 1', async (_what, token, flags, code) => {
    const jwks = fileOf('jwks.json', SET);
    expect(await verified(token, '--jwks', jwks, ...flags)).toMatchObject({
      ...{ status: 1, valid: false, code, claims: null },
    });
  });

  it('fetches the keys where it is given their address, from nowhere without TLS', async () => {
    const origin = await served(JSON.stringify(SET));
    const address = 'https://registry.example/.well-known/jwks.json';
    const mapped = ['--connect-to', `registry.example=${origin}`];
    expect(await verified(TOKEN, '--jwks', address, ...mapped, ...at)).toMatchObject({ valid: true });
    const named = await verified(TOKEN, '--jwks', `${origin}/jwks.json`, ...at, ...ISSUER);
    expect(named).toMatchObject({ valid: true });
    expect(await verified(TOKEN, '--jwks', 'http://registry.example/jwks.json', ...at)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('keys must be fetched with TLS'),
    });
  });

  it('believes the registry that the keys come from or that is set, and nobody where none is named', async () => {
    const jwks = ['--jwks', fileOf('jwks.json', SET), ...at];
    expect(await verified(TOKEN, ...jwks)).toMatchObject({ status: 1, code: 'badge_issuer_unnamed' });
    vi.stubEnv('REGISTRY_BASE_URL', 'https://registry.example/');
    expect(await verified(TOKEN, ...jwks)).toMatchObject({ valid: true });
    const origin = await served(JSON.stringify(SET));
    const elsewhere = ['--jwks', 'https://other.example/.well-known/jwks.json', ...at];
    expect(await verified(TOKEN, ...elsewhere, '--connect-to', `other.example=${origin}`)).toMatchObject({
      ...{ status: 1, code: 'badge_issuer_mismatch' },
    });
  });

  it('asks the list of revocations that the keys name, and believes no badge without it', async () => {
    const issuer = 'https://registry.example';
    const list = revocationList({ issuer, now: NOW * 1_000, kids: [KEYS.signer.keyid], badges: [] });
    const pages = {
      '/.well-known/jwks.json': JSON.stringify({ ...SET, revocations: 'revoked.json' }),
      '/.well-known/revoked.json': JSON.stringify(list),
    };
    const fetched = async (origin: string) =>
      verified(
        ...[TOKEN, '--jwks', `${issuer}/.well-known/jwks.json`, ...at],
        ...['--connect-to', `registry.example=${origin}`],
      );
    expect(await fetched(await served(pages))).toMatchObject({ status: 1, code: 'badge_key_revoked' });
    const silent = { '/.well-known/jwks.json': pages['/.well-known/jwks.json'] };
    expect(await fetched(await served(silent))).toMatchObject({
      ...{ status: 1, code: 'badge_revocations_unavailable', detail: expect.stringContaining('404') },
    });
    const file = ['--jwks', fileOf('jwks.json', SET), '--revocations', fileOf('revoked.json', list), ...at];
    expect(await verified(TOKEN, ...file, ...ISSUER)).toMatchObject({ code: 'badge_key_revoked' });
    const unlisted = await run('badges', 'verify', TOKEN, ...file.slice(0, 2), ...at, ...ISSUER);
    expect([unlisted.code, unlisted.stderr]).toEqual([
      0,
      expect.stringContaining('give the list with --revocations'),
    ]);
  });

  it('says why keys are not to be had', async () => {
    const page = await served('<!doctype html>');
    expect(await verified(TOKEN, '--jwks', `${page}/jwks.json`, ...at)).toMatchObject({
      ...{ status: 1, code: 'badge_keys_unavailable', detail: `${page}/jwks.json is not a JWK set` },
    });
    const file = fileOf('jwks.json', 'keys');
    expect(await verified(TOKEN, '--jwks', file, ...at)).toMatchObject({
      ...{ status: 1, stderr: expect.stringContaining(`--jwks ${file}: not a JWK set`) },
    });
    expect(await verified(TOKEN, '--jwks', '/nowhere.json', ...at)).toMatchObject({ status: 2 });
    expect(await verified('/nowhere.jwt', '--jwks', fileOf('jwks.json', SET))).toMatchObject({ status: 2 });
  });
});

/** One answer for every path, or those of some. */
async function served(pages: string | Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const body = typeof pages === 'string' ? pages : pages[url];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the settings of badges', () => {
  it('serve signs with the keys that are named, under the public address', async () => {
    const store = await storeWith(earned);
    const keys = join(tempFolder(), 'keys');
    await run('keys', 'generate', '--kind', 'badge', '--keys', keys, '--kid', 'of-mine');
    vi.stubEnv('REGISTRY_BADGE_KEYS', keys);
    vi.stubEnv('REGISTRY_BASE_URL', 'https://registry.example');
    const serving = begin('serve', '--port', '0', '--log-level', 'warn', ...store);
    onTestFinished(() => void serving.stop());
    const [origin = ''] = (await serving.until('stdout', /listening on \S+/)).match(/http:\/\/[\d.:]+/) ?? [];
    const place = `/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy/token`;
    const token = await (await fetch(origin + place)).text();
    const jwks = `${origin}/.well-known/jwks.json`;
    expect(await (await fetch(jwks)).json()).toMatchObject({ keys: [{ kid: 'of-mine' }] });
    const asked = ['--jwks', jwks, '--agent', AGENT, '--issuer', 'https://registry.example'];
    expect(await verified(token, ...asked)).toMatchObject({ status: 0, valid: true });
  });

  it('a registry without a public address is believed by the address that its keys come from', async () => {
    const serving = begin('serve', '--port', '0', '--log-level', 'warn', ...(await storeWith(earned)));
    onTestFinished(() => void serving.stop());
    const [origin = ''] = (await serving.until('stdout', /listening on \S+/)).match(/http:\/\/[\d.:]+/) ?? [];
    const place = `/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy/token`;
    const token = await (await fetch(origin + place)).text();
    expect(await verified(token, '--jwks', `${origin}/.well-known/jwks.json`)).toMatchObject({ status: 0 });
  });

  it('a table of tiers decides from the next look at an agent on', async () => {
    const store = await storeWith(earned);
    const table = {
      tiers: [{ tier: 'builder', label: 'Bauer', grants_badges: false }],
      subscription_statuses: ['active'],
    };
    vi.stubEnv('REGISTRY_TIERS', fileOf('tiers.json', table));
    expect((await listed(store)).badges).toHaveLength(1);
    await run('members', 'import', fileOf('members.json', [member({ display_name: 'New' })]), ...store);
    expect(await listed(store)).toMatchObject({
      badges: [],
      events: [
        { kind: 'revoked', reason: 'Revoked: the owner has no membership that grants badges.' },
        { kind: 'earned' },
      ],
    });
  });

  it('the example of the schema of tiers is a table', () => {
    const schema = new URL('../../schemas/config/tiers.json', import.meta.url);
    const [example] = JSON.parse(readFileSync(schema, 'utf8')).examples;
    const table = parseTiers(JSON.stringify(example), 'tiers.json');
    expect(isApiAccessTier({ tier: 'builder', subscriptionStatus: 'trialing' }, table)).toBe(true);
    expect(isApiAccessTier({ tier: 'leader', subscriptionStatus: 'active' }, table)).toBe(false);
  });

  it('a table that is none changes nothing, and says where it is wrong', async () => {
    const store = await storeWith(earned);
    const twice = ['a', 'a'].map((tier) => ({ tier, label: tier, grants_badges: true }));
    const wrong = 'tiers:\n- {tier: a, label: A, grants_badges: perhaps}\nsubscription_statuses: []\n';
    for (const [file, code, reason] of [
      ['/nowhere/tiers.yaml', 2, 'REGISTRY_TIERS: cannot read /nowhere/tiers.yaml'],
      [fileOf('a.yaml', wrong), 1, 'line 2, column 38 (/tiers/0/grants_badges): must be boolean'],
      [fileOf('b.json', { tiers: twice, subscription_statuses: [] }), 1, "/tiers/1/tier: duplicate tier 'a'"],
    ] as const) {
      vi.stubEnv('REGISTRY_TIERS', file);
      const ran = await run('agents', 'settings', AGENT, '--opt-out', ...store);
      expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(reason)]);
    }
    expect((await listed(store)).badges).toHaveLength(1);
  });
});
