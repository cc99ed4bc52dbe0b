import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isWakeUp, wakeUpFault } from '../../src/webhooks/wake-up.ts';
import { begin, run, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { BUYER, HOOKS } from './fixtures.ts';

const originIn = (line: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';

/** A registry that serves, with a member, and what listens for its wake-ups with its published keys. */
async function world(...flags: readonly string[]) {
  vi.stubEnv('REGISTRY_BASE_URL', 'https://registry.example');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = tempFolder();
  const store = ['--store', `sqlite:${join(folder, 'registry.sqlite')}`];
  const [members, keys] = [join(folder, 'members.json'), join(folder, 'keys.json')];
  writeFileSync(members, JSON.stringify([{ slug: 'nova', display_name: 'Nova' }]));
  expect((await run('members', 'import', members, ...store)).code).toBe(0);
  const { stdout: key } = await run('keys', 'create', '--member', 'nova', ...store);
  // the sender is told where the receiver is, which listens only with the keys of the sender
  const published = begin('serve', '--port', '0', '--log-level', 'warn', ...store);
  const origin = originIn(await published.until('stdout', /listening on .*\n/));
  writeFileSync(keys, await (await fetch(`${origin}/.well-known/webhook-keys.json`)).text());
  await published.stop();
  const listener = begin('webhooks', 'listen', '--origin', BUYER, '--jwks', keys, ...flags);
  const place = originIn(
    await listener.until(flags.includes('--json') ? 'stderr' : 'stdout', /listening on .*\n/),
  );
  const map = ['--connect-to', `buyer.example=${place}`];
  const registry = begin('serve', '--port', '0', '--log-level', 'warn', ...store, ...map);
  for (const begun of [listener, registry]) onTestFinished(() => void begun.stop());
  const api = originIn(await registry.until('stdout', /listening on .*\n/));
  const subscribed = await fetch(`${api}/api/me/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: HOOKS }),
  });
  expect(subscribed.status).toBe(201);
  const { id } = (await subscribed.json()) as { id: string };
  await run('agents', 'register', 'https://sales.nova.example/mcp', '--member', 'nova', ...store);
  return { listener, id };
}

describe('agent-registry webhooks listen', () => {
  it('verifies a wake-up of a registry, and prints where to read', async () => {
    const { listener, id } = await world();
    expect(await listener.until('stderr', /accepted .*\n/)).toContain(`accepted subscription ${id}`);
    const line = await listener.until('stdout', /verified by .*\n/);
    expect(line).toMatch(
      new RegExp(
        `verified by webhook-\\S+: notification of ${id}, changes since 20\\S+Z: https://registry\\.example/api/registry/feed\\?cursor=`,
      ),
    );
  });

  it('prints a wake-up as JSON', async () => {
    const { listener, id } = await world('--json');
    const line = await listener.until('stdout', /.*\n/);
    expect(follows(line, 'cli/webhooks-listen.json')).toMatchObject({
      ...{ event: 'wake_up', subject: `subscription ${id}`, sequence: null, status: null },
      payload: { subscription_id: id, feed_url: expect.stringContaining('/api/registry/feed?cursor=') },
    });
  });
});

describe('a wake-up', () => {
  const GOOD = {
    ...{ idempotency_key: 'k', subscription_id: 'sub_1', cursor: 'c' },
    ...{
      feed_url: 'https://registry.example/api/registry/feed',
      first_change_at: '2026-02-03T11:20:00.000Z',
    },
  };

  it.each([
    ['a good one', GOOD, undefined],
    ['one that has more than we know', { ...GOOD, more: 1 }, undefined],
    ['one without a key', { ...GOOD, idempotency_key: undefined }, '/idempotency_key is missing'],
    ['one whose cursor is no text', { ...GOOD, cursor: { a: 1 } }, '/cursor must be a string'],
    [
      'one whose time is none',
      { ...GOOD, first_change_at: 'yesterday' },
      '/first_change_at must be an RFC 3339 timestamp',
    ],
    [
      'one whose address is none',
      { ...GOOD, feed_url: 'feed' },
      '/feed_url must be a URL or an absolute path',
    ],
  ])('is read: %s', (_what, payload, fault) => {
    expect(isWakeUp(payload)).toBe(true);
    if (fault === undefined) expect(wakeUpFault(payload)).toBeUndefined();
    else expect(wakeUpFault(payload)).toContain(fault);
  });

  it('is not what an agent says', () => {
    for (const payload of [null, [], {}, { event: 'x', media_buy_id: 'mb_1' }, { subscription_id: 'sub_1' }])
      expect(isWakeUp(payload)).toBe(false);
  });
});
