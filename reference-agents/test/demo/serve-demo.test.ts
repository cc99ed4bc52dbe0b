import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { composeFetcher, openStore, readConfig, systemClock } from '@agent-registry/surface/registry';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../test/cli/support/cli.ts';
import { serve } from '../../../test/crawl/fetch/web.ts';
import { OWNED_AGENTS } from '../../src/demo/members.ts';
import { ownDemoAgents } from '../../src/demo/own-agents.ts';
import { startSandboxProcess } from '../../src/demo/sandbox-process.ts';
import { serveDemo } from '../../src/demo/serve-demo.ts';

/** The demo while it serves, with its agents owned and none crawled; the address of a receiver is mapped to this machine. */
async function serving(receiver: string) {
  const folder = tempFolder();
  const wellKnown = join(folder, 'well-known');
  mkdirSync(wellKnown);
  const config = {
    ...readConfig({}),
    store: `sqlite:${join(folder, 'demo.sqlite')}`,
    credentialKeys: join(folder, 'keys.json'),
    exports: join(folder, 'exports'),
    logLevel: 'error' as const,
  };
  const sandbox = await startSandboxProcess(`sqlite:${join(folder, 'agents.sqlite')}`, wellKnown);
  onTestFinished(() => sandbox.stop());
  const store = await openStore(config, { create: true });
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, systemClock, store.records.robots);
  await ownDemoAgents({ config, store, fetcher, wellKnown });
  const stop = new AbortController();
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  const map = `hooks.demo.example=${receiver}`;
  const served = serveDemo(config, {
    store,
    sandbox,
    fetcher,
    signal: stop.signal,
    wellKnown,
    receiver: map,
  });
  onTestFinished(async () => {
    stop.abort();
    await served;
    await fetcher.close();
    await store.close();
  });
  await vi.waitUntil(() => printed.includes('Ctrl-C stops the demo'), 50_000);
  write.mockRestore();
  const [, origin = ''] = /in a browser: (\S+)\/\n/.exec(printed) ?? [];
  const [, key = ''] = /sign in with this key +(\S+)/.exec(printed) ?? [];
  return { store, printed, origin, wellKnown, authorization: `Bearer ${key}` };
}

it('the demo hands out a copy, wakes subscribers, knows its own address, and crawls on request', async () => {
  const bodies: string[] = [];
  const receiver = await serve(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    response.end(JSON.stringify({ challenge: JSON.parse(body).challenge })); // which agrees to wake-ups
  });
  onTestFinished(() => receiver.close());
  const { store, printed, origin, wellKnown, authorization } = await serving(receiver.origin);
  expect(printed).toContain(`${wellKnown}/HOST/agent-registry-challenge.txt`);
  const copy = await fetch(`${origin}/api/registry/export`);
  expect(copy.status).toBe(200);
  expect(gunzipSync(await copy.bytes()).toString()).toMatch(/^\{.*\n.*"kind":"end"/s);
  const subscribed = await fetch(`${origin}/api/me/subscriptions`, {
    ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json' } },
    body: JSON.stringify({ url: 'https://hooks.demo.example/webhooks' }),
  });
  expect(subscribed.status).toBe(201);
  const [{ member = '' } = {}] = OWNED_AGENTS;
  const agent = 'https://new.agents.example/mcp';
  await store.records.members.register({ agent, url: agent, member }, systemClock.now());
  await vi.waitUntil(() => bodies.length > 1, 50_000);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ type: 'subscription.verification' });
  expect(JSON.parse(bodies[1] ?? '')).toMatchObject({
    feed_url: expect.stringMatching(`^${origin}/api/registry/feed\\?cursor=`),
  });
  const embed = `${origin}/api/registry/agents/${encodeURIComponent(agent)}/badge/media-buy/embed`;
  expect(await (await fetch(embed)).text()).toContain(`${origin}/api/registry/agents/`);

  const asked = await fetch(`${origin}/api/registry/crawl-request`, {
    ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json' } },
    body: JSON.stringify({ domain: 'not-yet-known.example' }), // the demo visits the known ones by itself, and this one publishes nothing
  });
  expect(asked.status).toBe(202);
  const state = async () =>
    (await fetch(`${origin}${new URL(asked.headers.get('location') ?? '').pathname}`)).json() as Promise<{
      readonly status: string;
    }>;
  await vi.waitUntil(async () => (await state()).status === 'failed', 50_000);
});
