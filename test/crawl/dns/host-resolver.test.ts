import type { Answer } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHostResolver, type LookUpOptions } from '../../../src/crawl/dns/host-resolver.ts';
import { type DnsReply, startDnsServer } from '../../support/dns-server.ts';

const clock = { value: 1_000_000, now: () => clock.value };
const a = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data });
const aaaa = (name: string, data: string): Answer => ({ type: 'AAAA', name, ttl: 60, data });

/** A resolver over a name server on loopback. */
async function over(reply: (name: string, type: string) => DnsReply | Promise<DnsReply>) {
  const server = await startDnsServer(reply);
  onTestFinished(server.close);
  const resolver = createHostResolver({ clock, servers: [server.address] });
  const failure = (name: string, options?: LookUpOptions) =>
    resolver(name, options).then(
      (found) => found,
      (error: Error) => error.message,
    );
  return { server, resolver, failure };
}

describe('a look-up', () => {
  it('brings the addresses of both families in turn, IPv4 first', async () => {
    const { resolver } = await over((name, type) => ({
      answers:
        type === 'A'
          ? [a(name, '192.0.2.1'), a(name, '192.0.2.2'), a(name, '192.0.2.3')]
          : [aaaa(name, '2001:db8::1')],
    }));
    expect(await resolver('news.example')).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2', '192.0.2.3']);
  });

  it.each<[string, string, DnsReply]>([
    ['has no such record', 'AAAA', {}],
    ['is silent', 'AAAA', 'silence'],
    ['fails', 'AAAA', { code: 'SERVFAIL' }],
    ['is silent', 'A', 'silence'],
  ])('takes one family when the server %s for %s', async (_what, absent, reply) => {
    const { resolver } = await over((name, type) => {
      if (type === absent) return reply;
      return { answers: [type === 'A' ? a(name, '192.0.2.1') : aaaa(name, '2001:db8::1')] };
    });
    expect(await resolver('news.example')).toEqual([absent === 'A' ? '2001:db8::1' : '192.0.2.1']);
  });

  it('follows aliases to their end', async () => {
    const { resolver } = await over((name, type) => ({
      answers: [
        { type: 'CNAME', name, ttl: 60, data: 'edge.cdn.example' },
        { type: 'CNAME', name: 'edge.cdn.example', ttl: 60, data: 'pop.cdn.example' },
        ...(type === 'A' ? [a('pop.cdn.example', '192.0.2.7')] : []),
      ],
    }));
    expect(await resolver('news.example')).toEqual(['192.0.2.7']);
  });

  it('takes no more than 32 addresses', async () => {
    const { resolver } = await over((name, type) => ({
      answers: type === 'A' ? Array.from({ length: 60 }, (_, n) => a(name, `192.0.2.${n}`)) : [],
    }));
    expect(await resolver('news.example')).toHaveLength(32);
  });

  it('asks for the very name and never for one with a search domain', async () => {
    const { server, failure } = await over(() => ({ code: 'NXDOMAIN' }));
    process.env.LOCALDOMAIN = 'search.example';
    onTestFinished(() => void delete process.env.LOCALDOMAIN);
    expect(await failure('news.example')).toBe('no such host name (ENOTFOUND)');
    expect(new Set(server.asked)).toEqual(new Set(['A news.example', 'AAAA news.example']));
  });

  it.each([
    'intranet',
    'localhost',
    'printer.local',
    'db.internal',
    'x.onion',
    'host.home.arpa',
    'a.invalid',
  ])('of %s asks nobody', async (name) => {
    const { server, failure } = await over(() => ({}));
    expect(await failure(name)).toMatch(/not public|public DNS/);
    expect(server.asked).toEqual([]);
  });

  it('ends with the reason of the signal', async () => {
    const { failure } = await over(() => 'silence');
    expect(await failure('news.example', { signal: AbortSignal.abort(new Error('stopped')) })).toBe(
      'stopped',
    );
    const controller = new AbortController();
    const waiting = failure('news.example', { signal: controller.signal });
    controller.abort(new Error('stopped meanwhile'));
    expect(await waiting).toBe('stopped meanwhile');
    expect(await failure('news.example', { signal: AbortSignal.abort(new Error('not kept')) })).toBe(
      'not kept',
    );
  });
});

describe('addresses', () => {
  const addressFor = (ttl: number) => (name: string, type: string) =>
    ({ answers: type === 'A' ? [{ type: 'A', name, ttl, data: '192.0.2.1' }] : [] }) as DnsReply;

  it.each([
    ['for the time of their records', 20, 20_000],
    ['for a minute at most', 86_400, 60_000],
  ])('are cached %s', async (_what, ttl, forMs) => {
    const { server, resolver } = await over(addressFor(ttl));
    await resolver('news.example');
    const asked = server.asked.length;
    clock.value += forMs;
    expect(await resolver('news.example')).toEqual(['192.0.2.1']);
    expect(server.asked).toHaveLength(asked);
    clock.value += 1;
    expect(await resolver('news.example')).toEqual(['192.0.2.1']);
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('are not cached where their records say so, or a family has not answered', async () => {
    const { server, resolver } = await over((name, type) =>
      name === 'half.example' && type === 'AAAA'
        ? { code: 'SERVFAIL' }
        : addressFor(name === 'half.example' ? 60 : 0)(name, type),
    );
    for (const name of ['news.example', 'news.example', 'half.example', 'half.example']) await resolver(name);
    expect(server.asked.filter((query) => query.startsWith('A '))).toEqual([
      'A news.example',
      'A news.example',
      'A half.example',
      'A half.example',
    ]);
  });
});

describe('what is not there', () => {
  it.each<[string, DnsReply, number, string]>([
    ['no such name', { code: 'NXDOMAIN' }, 60_000, 'no such host name (ENOTFOUND)'],
    ['no address', {}, 60_000, 'no such DNS record (ENODATA)'],
  ])('is not asked for again for a while: %s', async (_what, reply, forMs, reason) => {
    const { server, failure } = await over(() => reply);
    expect(await failure('gone.example')).toBe(reason);
    const asked = server.asked.length;
    clock.value += forMs;
    expect(await failure('gone.example')).toBe(reason);
    expect(server.asked).toHaveLength(asked);
    clock.value += 1;
    expect(await failure('gone.example')).toBe(reason);
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is asked for again at once when a name server failed', async () => {
    const { server, failure } = await over(() => ({ code: 'SERVFAIL' }));
    expect(await failure('failing.example')).toBe('the name server failed (ESERVFAIL)');
    const asked = server.asked.length;
    expect(await failure('failing.example')).toBe('the name server failed (ESERVFAIL)');
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is asked for again after the clock was put back', async () => {
    const { server, failure } = await over(() => ({ code: 'NXDOMAIN' }));
    await failure('gone.example');
    const asked = server.asked.length;
    clock.value -= 30 * 86_400_000;
    await failure('gone.example');
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is remembered beside many others', async () => {
    const { server, failure } = await over(() => ({ code: 'NXDOMAIN' }));
    await failure('first.example');
    await Promise.all(Array.from({ length: 100 }, (_, n) => failure(`n${n}.example`)));
    const asked = server.asked.length;
    expect(await failure('first.example')).toMatch(/no such host name/);
    expect(server.asked).toHaveLength(asked);
  });
});

describe('silent servers', () => {
  it('delay no look-up of another name', async () => {
    const { resolver, failure } = await over((name, type) => {
      if (name.startsWith('silent')) return 'silence';
      return { answers: type === 'A' ? [a(name, '192.0.2.1')] : [] };
    });
    const ended: string[] = [];
    const silent = Array.from({ length: 40 }, (_, n) => failure(`silent.a${n}.example`));
    for (const look of silent) look.then((message) => ended.push(String(message)));
    expect(await resolver('good.example')).toEqual(['192.0.2.1']);
    expect(ended).toEqual([]);
    await Promise.all(silent);
    expect(ended).toHaveLength(40);
    for (const message of ended) expect(message).toMatch(/^the name servers did not answer in time/);
  }, 20_000);

  it('are not asked again for half a minute', async () => {
    const { server, failure } = await over(() => 'silence');
    const reason = /^the name servers did not answer in time/;
    expect(await failure('silent.example')).toMatch(reason);
    const asked = server.asked.length;
    clock.value += 30_000;
    expect(await failure('silent.example')).toMatch(reason);
    expect(server.asked).toHaveLength(asked);
    clock.value += 1;
    const stopped = new AbortController();
    const failed = failure('silent.example', { signal: stopped.signal });
    await expect.poll(() => server.asked.length).toBeGreaterThan(asked);
    stopped.abort(new Error('stopped'));
    expect(await failed).toMatch(/stopped/);
  }, 20_000);

  it('leave a slow server its time, however fast all others are', async () => {
    const { resolver } = await over(async (name, type) => {
      if (name === 'slow.example') await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { answers: type === 'A' ? [a(name, '192.0.2.1')] : [] };
    });
    for (let n = 0; n < 20; n += 1) await resolver(`n${n}.example`);
    expect(await resolver('slow.example')).toEqual(['192.0.2.1']);
  });
});
