import type { Answer } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHostResolver, type LookUpFor } from '../../../src/adapters/dns/host-resolver.ts';
import { type DnsReply, startDnsServer } from '../../support/dns-server.ts';

const clock = { value: 1_000_000, now: () => clock.value };
const a = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data });
const aaaa = (name: string, data: string): Answer => ({ type: 'AAAA', name, ttl: 60, data });

/** A resolver over a name server on loopback. */
async function over(reply: (name: string, type: string) => DnsReply | Promise<DnsReply>) {
  const server = await startDnsServer(reply);
  onTestFinished(server.close);
  const resolver = createHostResolver({ clock, servers: [server.address] });
  const failure = (name: string, by?: LookUpFor) =>
    resolver(name, by).then(
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
    expect(await failure('news.example')).toBe('there is no such name (ENOTFOUND)');
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
    expect(await failure(name)).toMatch(/no public host|public dns/);
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

describe('what is not there', () => {
  it.each<[string, DnsReply, number, string]>([
    ['no such name', { code: 'NXDOMAIN' }, 60_000, 'there is no such name (ENOTFOUND)'],
    ['no address', {}, 60_000, 'there is no such record (ENODATA)'],
  ])('is not asked for again for a while: %s', async (_what, reply, forMs, reason) => {
    const { server, failure } = await over(() => reply);
    expect(await failure('gone.example')).toBe(reason);
    const asked = server.asked.length;
    clock.value += forMs - 1;
    expect(await failure('gone.example')).toBe(reason);
    expect(server.asked).toHaveLength(asked);
    clock.value += 1;
    expect(await failure('gone.example')).toBe(reason);
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is asked for once more half a second after a server failed, and then not for a while', async () => {
    const { server, failure } = await over(() => ({ code: 'SERVFAIL' }));
    const reason = 'the name server failed (ESERVFAIL)';
    const asked: number[] = [];
    for (const passedMs of [0, 499, 1, 29_999, 1]) {
      clock.value += passedMs;
      expect(await failure('gone.example')).toBe(reason);
      asked.push(server.asked.length);
    }
    const [first = 0, remembered, second = 0, kept, third] = asked;
    expect(remembered).toBe(first);
    expect(second).toBeGreaterThan(first);
    expect(kept).toBe(second);
    expect(third).toBeGreaterThan(second);
  });

  it('is remembered beside many others', async () => {
    const { server, failure } = await over(() => ({ code: 'NXDOMAIN' }));
    await failure('first.example');
    await Promise.all(Array.from({ length: 100 }, (_, n) => failure(`n${n}.example`)));
    const asked = server.asked.length;
    expect(await failure('first.example')).toMatch(/no such name/);
    expect(server.asked).toHaveLength(asked);
  });
});

describe('servers that are silent', () => {
  it('are given up early where one file names many of them, and a name of another file is found meanwhile', async () => {
    const { resolver, failure } = await over((name, type) => {
      if (name.startsWith('silent')) return 'silence';
      return { answers: type === 'A' ? [a(name, '192.0.2.1')] : [] };
    });
    const foundVia = 'flood.example adagents';
    const ended: string[] = [];
    const look = (name: string) => failure(name, { foundVia }).then(() => void ended.push(name));
    const first = Array.from({ length: 8 }, (_, n) => look(`silent.a${n}.example`));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const late = look('silent.late.example');
    expect(await resolver('good.example')).toEqual(['192.0.2.1']);
    expect(await resolver('found.example', { foundVia })).toEqual(['192.0.2.1']);
    await late;
    expect(ended).toEqual(['silent.late.example']);
    await Promise.all(first);
  });
});
