import { describe, expect, it } from 'vitest';
import { checkDomain } from '../../src/discovery/check-file.ts';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { START } from '../scenarios/support/world.ts';
import { agent, at, createStory, fetcherOf, file, NEWS, type Pages, pointer, revoked } from './file-story.ts';

const about = (domain: string, more: object = {}): object => ({
  url: agent('a'),
  authorized_for: 'all',
  authorization_type: 'publisher_properties',
  publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
  ...more,
});
const net = (entry: object, more: object = {}): object => ({ authorized_agents: [entry], ...more });
const pointed = (target: object): Pages => ({
  [NEWS]: { [ADAGENTS]: pointer('net.example') },
  'net.example': { '/a.json': target },
});
const managed = (target: object): Pages => ({
  [NEWS]: { '/ads.txt': 'MANAGERDOMAIN=net.example' },
  'net.example': { [ADAGENTS]: target },
});

describe('a file that authorises nobody for the domain for which it is read', () => {
  it.each<[string, Pages, string | undefined]>([
    ['a target that names the domain', pointed(net(about(NEWS))), undefined],
    ['a target that names its www', pointed(net(about(`www.${NEWS}`))), undefined],
    ['a target that names others only', pointed(net(about('other.example'))), 'pointer_orphaned'],
    ['a target without an entry', pointed({ authorized_agents: [], properties: [] }), 'pointer_orphaned'],
    ['a target that revokes the domain', pointed(net(about(NEWS), revoked())), 'publisher_revoked'],
    [
      'a target whose entry has ended',
      pointed(net(about(NEWS, { effective_until: at(-1) }))),
      'nobody_in_force',
    ],
    ['a manager that names the domain', managed(net(about(NEWS))), undefined],
    ['a manager that names others only', managed(net(about('other.example'))), 'manager_orphaned'],
    ['a manager whose simple file names nobody', managed(file('a')), 'manager_orphaned'],
    ['a manager that revokes the domain', managed(net(about(NEWS), revoked())), 'publisher_revoked'],
    [
      'its own file with entries, which revokes the domain itself',
      { [NEWS]: { [ADAGENTS]: net(about(NEWS), revoked()) } },
      'publisher_revoked',
    ],
    [
      'its own file without entries, which revokes the domain',
      { [NEWS]: { [ADAGENTS]: { authorized_agents: [], ...revoked({ revoked_at: at(0) }) } } },
      undefined,
    ],
    ['its own file about others', { [NEWS]: { [ADAGENTS]: net(about('other.example')) } }, undefined],
  ])('%s', async (_name, pages, code) => {
    const { agents, findings } = await createStory('adagents', NEWS).visit(0, pages);
    const check = { domain: NEWS, fetcher: fetcherOf(pages), now: START, deadlineMs: 1_000 };
    const { valid, findings: shown } = await checkDomain(check);
    const ours = (found: readonly string[]) => found.filter((one) => /orphaned|revoked|in_force/.test(one));
    expect(ours(findings)).toEqual(code === undefined ? [] : [code]);
    expect(ours(shown.map((finding) => finding.code))).toEqual(ours(findings));
    expect(valid).toBe(code === undefined);
    if (code !== undefined) expect(agents).toEqual([]);
  });
});

describe('an id that no property of a file has', () => {
  const ids = {
    authorization_type: 'property_ids',
    property_ids: ['gone: x'],
    publisher_properties: undefined,
  };
  const page = { authorized_agents: [about(NEWS), about(NEWS, ids)] };
  it.each<[string, Pages, string]>([
    ['its own', { [NEWS]: { [ADAGENTS]: page } }, 'property_unknown'],
    ['the file that it points to', pointed(page), 'property_unknown_referenced'],
    ["its manager's", managed(page), 'property_unknown_referenced'],
  ])('is told in %s by whoever keeps it', async (_name, pages, code) => {
    const { findings } = await createStory('adagents', NEWS).visit(0, pages);
    const check = { domain: NEWS, fetcher: fetcherOf(pages), now: START, deadlineMs: 1_000 };
    const { findings: shown } = await checkDomain(check);
    const unknown = shown.filter((one) => one.code.startsWith('property_unknown'));
    expect(findings.filter((one) => one.startsWith('property_unknown'))).toEqual([code]);
    expect(unknown).toMatchObject([{ code, line: 18 }]);
    expect(unknown[0]?.message).toMatch(/: gone: x$/);
  });
});

describe('a network whose file names publishers', () => {
  const entry = (domains: readonly string[]) => ({
    ...about(''),
    publisher_properties: [{ publisher_domains: domains, selection_type: 'all' }],
  });
  const unlinked = async (pages: Pages, domains: readonly string[]) => {
    const asked: string[] = [];
    const fetcher = fetcherOf({ ...pages, 'net.example': { [ADAGENTS]: net(entry(domains)) } });
    const visit: typeof fetcher.visit = (options, work) => {
      asked.push(options.host);
      return fetcher.visit(options, work);
    };
    const check = { domain: 'net.example', fetcher: { ...fetcher, visit }, now: START, deadlineMs: 1_000 };
    const { valid, findings } = await checkDomain(check);
    const [found] = findings.filter(({ code }) => code === 'publishers_unlinked');
    return { valid, asked: asked.slice(1), message: found?.message.split(': ').slice(1).join(': ') };
  };

  it('learns which of them do not lead to it; those that cannot be read, or authorise its agents, are left alone', async () => {
    const pages = {
      'pointer.example': {
        [ADAGENTS]: { authoritative_location: `https://net.example${ADAGENTS}` },
      },
      'managed.example': { '/ads.txt': 'MANAGERDOMAIN=net.example' },
      'same.example': { [ADAGENTS]: file('a') },
      'down.example': { [ADAGENTS]: 503 },
      'silent.example': {},
      'alone.example': { [ADAGENTS]: file('b') },
    };
    const domains = [...Object.keys(pages), 'www.silent.example', 'sub.net.example'];
    const { valid, asked, message } = await unlinked(pages, domains);
    expect(asked).toEqual(Object.keys(pages));
    expect(message).toBe('2 of 6 asked (8 named): silent.example, alone.example');
    expect(valid).toBe(true);
  });

  it('has twenty of them asked, however many it names', async () => {
    const { asked, message } = await unlinked(
      {},
      Array.from({ length: 500 }, (_, index) => `p${index}.example`),
    );
    expect([asked.length, message?.slice(0, 30)]).toEqual([20, '20 of 20 asked (500 named): p0']);
  });
});
