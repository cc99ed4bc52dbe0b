import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { begin, run, start, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { ANN, BEN, context, identity } from './support.ts';

const PACKAGES = {
  packages: [
    { package_id: 'spring-sale', suppressed_audiences: ['customers'] },
    {
      package_id: 'rail-pass',
      topics: ['travel.rail'],
      frequency_cap: { max_impressions: 1, window_seconds: 3_600 },
    },
  ],
};
const SECRET = 'thirty-two characters and some more';

function files(contents: Readonly<Record<string, unknown>>): (name: string) => string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(contents))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return (name) => join(folder, name);
}

const LISTENING = /listening on (http:\/\/127\.0\.0\.1:\d+)/;

async function serving(...args: readonly string[]) {
  const begun = begin('match', 'serve', '--port', '0', ...args);
  onTestFinished(() => void begun.stop());
  const printed = await begun.until('stdout', LISTENING);
  return { ...begun, origin: LISTENING.exec(printed)?.[1] ?? '' };
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('agent-registry match', () => {
  it('serves packages, tries them, keeps caps over a restart and shows its figures', async () => {
    vi.stubEnv('MATCH_KEY', SECRET);
    const file = files({
      'packages.json': PACKAGES,
      'audiences.json': { audiences: { customers: [BEN] } },
      'context.json': context(),
      'identity.json': identity(),
      'of-ben.json': identity({ token: BEN }),
    });
    const serve = ['--packages', file('packages.json'), '--audiences', file('audiences.json')];
    serve.push('--store', `sqlite:${file('caps.sqlite')}`, '--key-env', 'MATCH_KEY', '--metrics-port', '0');
    const before = start(['match', 'serve', '--port', '0', ...serve]);
    const printed = await before.until('stdout', LISTENING);
    const origin = LISTENING.exec(printed)?.[1] ?? '';
    const attempt = async (provider: string, user: string) => {
      const words = ['match', 'try', '--context', file('context.json'), '--identity', file(user)];
      const { code, stdout } = await run(...words, '--provider', provider, '--json');
      expect(code).toBe(0);
      return follows<{ activations: { package_id: string }[] }>(stdout, 'cli/match-try.json').activations.map(
        ({ package_id }) => package_id,
      );
    };
    expect(await attempt(origin, 'identity.json')).toEqual(['rail-pass', 'spring-sale']);
    expect(await attempt(origin, 'of-ben.json')).toEqual(['rail-pass']);
    const exposure = { request_id: crypto.randomUUID(), token: ANN, package_id: 'rail-pass' };
    expect((await post(`${origin}/exposure`, exposure)).status).toBe(200);
    expect((await post(`${origin}/context`, { ...context(), user_id: 'jane' })).status).toBe(400);
    const figures = await (await fetch(/metrics at (\S+),/.exec(printed)?.[1] ?? '')).text();
    expect(figures).toContain('registry_match_leaks_total{operation="context",kind="user_field"} 1');
    before.child.kill('SIGTERM');
    const { code, stdout, stderr } = await before.ended;
    expect(code).toBe(0);
    for (const secret of [ANN, BEN, SECRET, 'jane']) expect(stdout + stderr).not.toContain(secret);

    const after = await serving(...serve);
    expect(await attempt(after.origin, 'identity.json')).toEqual(['spring-sale']);
    expect((await after.stop()).code).toBe(0);
  });

  it('serves one side alone', async () => {
    const file = files({ 'packages.json': PACKAGES });
    const { origin } = await serving('--packages', file('packages.json'), '--side', 'context');
    expect((await post(`${origin}/context`, context())).status).toBe(200);
    expect((await post(`${origin}/identity`, identity())).status).toBe(404);
  });

  it.each([
    ['is not there', undefined, 2, 'cannot read'],
    ['is no JSON', '{', 1, 'is not a valid packages file'],
    [
      'has a member that nobody knows',
      { packages: [{ package_id: 'a', budget: 1 }] },
      1,
      "unknown: 'budget'",
    ],
    [
      'has a package twice',
      { packages: [{ package_id: 'a' }, { package_id: 'a' }] },
      1,
      "duplicate package 'a'",
    ],
    ['has none', { packages: [] }, 1, '/packages'],
    [
      'has an id like those of people',
      { packages: [{ package_id: 'p-491701234567' }] },
      1,
      'looks like a user id',
    ],
  ])('says what is wrong with a packages file that %s', async (_name, content, code, message) => {
    const file = files(content === undefined ? {} : { 'packages.json': content });
    const ran = await run('match', 'serve', '--packages', file('packages.json'), '--port', '0');
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(message);
  });

  it.each([
    [['--store', 'sqlite:caps.sqlite'], '--store requires --key-env'],
    [['--key-env', 'NOT_SET_ANYWHERE'], 'NOT_SET_ANYWHERE is not set'],
    [['--side', 'neither'], 'both, context, identity'],
    [['--store', 'postgres://127.0.0.1/x', '--key-env', 'PATH'], 'sqlite:PATH'],
  ])('refuses %j', async (flags, message) => {
    const file = files({ 'packages.json': PACKAGES });
    const ran = await run('match', 'serve', '--packages', file('packages.json'), '--port', '0', ...flags);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  it('shows why a provider refuses', async () => {
    const file = files({
      'packages.json': PACKAGES,
      'context.json': { ...context(), user_id: 'jane' },
      'identity.json': identity(),
    });
    const { origin } = await serving('--packages', file('packages.json'));
    const words = ['match', 'try', '--context', file('context.json'), '--identity', file('identity.json')];
    const ran = await run(...words, '--provider', origin);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('user data is not allowed in a context match');
  });
});
