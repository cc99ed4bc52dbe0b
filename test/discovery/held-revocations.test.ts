import { describe, expect, it } from 'vitest';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { DAY, HOUR } from '../scenarios/support/world.ts';
import {
  agent,
  at,
  createStory,
  file,
  GONE,
  NEWS,
  type Pages,
  play,
  pointer,
  revoked,
  type Step,
} from './file-story.ts';

describe('a revocation', () => {
  const shared = (more: object = {}): Pages => ({ 'net.example': { '/a.json': file('a', more) } });
  it.each<[string, readonly Step[]]>([
    [
      'of its own file holds for 7 days after it vanished',
      [
        { own: file('a'), may: ['a'] },
        { own: file('a', revoked()), may: [] },
        { own: file('a'), may: [] },
        { after: 6 * DAY, own: file('b'), may: [] },
        { after: DAY, may: ['b'] },
      ],
    ],
    [
      'that comes back begins anew when it vanishes again',
      [
        { own: file('a', revoked()), may: [] },
        { own: file('a'), may: [] },
        { after: 6 * DAY, own: file('a', revoked({ revoked_at: at(0) })), may: [] },
        { own: file('a'), may: [] },
        { after: 6 * DAY, may: [] },
        { after: DAY, may: ['a'] },
      ],
    ],
    [
      'outlives the file that is deleted and restored',
      [
        { own: file('a', revoked()), may: [] },
        { own: GONE, may: [] },
        { after: DAY, may: [], outcome: 'absent' },
        { after: DAY, own: file('a'), may: [] },
        { after: 5 * DAY, may: [] },
        { after: 2 * DAY, may: ['a'] },
      ],
    ],
    [
      'of its own file holds for the file that it becomes a pointer to',
      [
        { own: file('a', revoked()), may: [] },
        { own: pointer('net.example'), pages: shared(), may: [] },
        { after: 7 * DAY, may: ['a'] },
      ],
    ],
    [
      'in a pointer counts against the file that it leads to, and holds after it vanished there',
      [
        { own: pointer('net.example'), pages: shared(), may: ['a'] },
        { own: pointer('net.example', revoked()), may: [] },
        { may: [], outcome: 'unchanged' },
        { own: pointer('net.example'), may: [] },
        { after: 7 * DAY, may: ['a'] },
      ],
    ],
    [
      'of another publisher in a pointer changes nothing',
      [
        {
          own: pointer('net.example', revoked({ publisher_domain: 'other.example' })),
          pages: shared(),
          may: ['a'],
        },
      ],
    ],
    [
      'of a shared file holds after it vanished there',
      [
        { own: pointer('net.example'), pages: shared(revoked()), may: [] },
        { pages: shared(), may: [] },
        { after: 6 * DAY, may: [] },
        { after: DAY + HOUR, may: ['a'] },
      ],
    ],
    [
      'of a shared file is not the word of another one',
      [
        { own: pointer('net.example'), pages: shared(revoked()), may: [] },
        { own: pointer('new.example'), pages: { 'new.example': { '/a.json': file('b') } }, may: [] },
        { after: DAY, may: ['b'] },
        { own: pointer('net.example'), pages: shared(), may: ['b'] },
        { after: DAY, may: [] },
        { after: 6 * DAY, may: ['a'] },
      ],
    ],
    [
      'of a manager holds after it vanished there',
      [
        {
          pages: {
            [NEWS]: { '/ads.txt': 'MANAGERDOMAIN=net.example' },
            'net.example': { [ADAGENTS]: managed(revoked()) },
          },
          may: [],
        },
        { pages: { 'net.example': { [ADAGENTS]: managed() } }, may: [] },
        { after: 7 * DAY, may: ['a'] },
      ],
    ],
    [
      'of others holds nobody',
      [
        {
          own: file('a', { revoked_publisher_domains: [{ publisher_domain: 'other.example' }] }),
          may: ['a'],
        },
        { own: file('a'), may: ['a'] },
      ],
    ],
  ])('%s', async (_name, steps) => {
    await play(steps);
  });

  describe('that only the network itself was seen to make', () => {
    const pages = (target: object): Pages => ({
      [NEWS]: { '/ads.txt': 'MANAGERDOMAIN=net.example' },
      'net.example': { [ADAGENTS]: target },
    });
    const stories = () => {
      const network = createStory('adagents', 'net.example');
      const memoryOf = async (domain: string) => (domain === 'net.example' ? network.memory() : undefined);
      return { network, publisher: createStory('adagents', NEWS, memoryOf) };
    };

    it('holds for the publisher, whose visits came too early and too late', async () => {
      const { network, publisher } = stories();
      expect((await publisher.visit(0, pages(managed()))).agents).toEqual([agent('a')]);
      await network.visit(HOUR, pages(managed(revoked())));
      await network.visit(HOUR, pages(managed()));
      expect(await publisher.visit(6 * HOUR)).toMatchObject({ agents: [], outcome: 'indexed' });
      expect(await publisher.visit(6 * HOUR)).toMatchObject({ agents: [], outcome: 'unchanged' });
      expect((await publisher.visit(7 * DAY)).agents).toEqual([agent('a')]);
    });

    it('holds when the file of the network has gone', async () => {
      const { network, publisher } = stories();
      await network.visit(0, pages(managed(revoked())));
      await network.visit(DAY, { 'net.example': {} });
      await network.visit(DAY);
      expect((await publisher.visit(3 * DAY, pages(managed()))).agents).toEqual([]);
    });

    it('is not that of a network which nothing leads to, nor one for others', async () => {
      const { network, publisher } = stories();
      const others = { revoked_publisher_domains: [{ publisher_domain: 'other.example' }] };
      await network.visit(0, pages(managed(others)));
      expect((await publisher.visit(0, pages(managed()))).agents).toEqual([agent('a')]);
      await network.visit(HOUR, pages(managed(revoked())));
      expect(
        (await publisher.visit(HOUR, { ...pages(managed()), [NEWS]: { [ADAGENTS]: file('b') } })).agents,
      ).toEqual([agent('b')]);
    });

    it('is remembered for a thousand publishers, those first that have vanished', async () => {
      const many = (count: number, name: string) => ({
        revoked_publisher_domains: Array.from({ length: count }, (_, i) => ({
          publisher_domain: `${name}${i}.example`,
        })),
      });
      const { network } = stories();
      await network.visit(0, pages(managed(many(900, 'a'))));
      await network.visit(HOUR, pages(managed(many(900, 'b'))));
      const names = Object.keys(network.memory()?.revokes ?? {});
      expect([names.length, names.filter((name) => name.startsWith('a')).length]).toEqual([1_000, 900]);
    });
  });

  it('does not hold for ever when the clock was far ahead at first', async () => {
    const { visit } = await play([
      { own: file('a', revoked()), may: [] },
      { after: 1_000 * DAY, own: file('a'), may: [] },
    ]);
    expect((await visit(-999 * DAY)).agents).toEqual([]);
    expect((await visit(6 * DAY)).agents).toEqual([]);
    expect((await visit(DAY)).agents).toEqual([agent('a')]);
  });

  function managed(more: object = {}): object {
    const selector = { publisher_domain: NEWS, selection_type: 'all' };
    return {
      authorized_agents: [
        {
          ...{ url: agent('a'), authorized_for: 'all', authorization_type: 'publisher_properties' },
          publisher_properties: [selector],
        },
      ],
      ...more,
    };
  }
});
