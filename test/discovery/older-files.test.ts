import { describe, it } from 'vitest';
import { DAY, HOUR } from '../scenarios/support/world.ts';
import { agent, at, file, GONE, play, pointer, type Step, updated } from './file-story.ts';

describe('a file that goes back in time', () => {
  it.each<[string, readonly Step[]]>([
    [
      'is like a server’s error, with a finding',
      [
        { own: file('new', updated(0)), may: ['new'] },
        {
          own: file('old', updated(-HOUR)),
          may: ['new'],
          outcome: 'failed',
          findings: ['last_updated_older'],
        },
        { own: file('newer', updated(8 * HOUR)), may: ['newer'], outcome: 'indexed', findings: [] },
      ],
    ],
    [
      'counts when it has stayed for 7 days',
      [
        { own: file('new', updated(0)), may: ['new'] },
        { own: file('old', updated(-HOUR)), may: ['new'] },
        { after: 6 * DAY, may: ['new'] },
        { after: DAY, may: ['old'], outcome: 'indexed' },
        { own: file('older', updated(-2 * HOUR)), may: ['old'] },
      ],
    ],
    [
      'and the first file returns: nothing has happened',
      [
        { own: file('new', updated(0)), may: ['new'] },
        { own: file('old', updated(-HOUR)), may: ['new'] },
        { own: file('new', updated(0)), may: ['new'], outcome: 'unchanged' },
        { after: 6 * DAY, own: file('old', updated(-HOUR)), may: ['new'] },
        { after: 2 * DAY, may: ['new'] },
      ],
    ],
    [
      'is not told from a year in the future, which freezes nothing',
      [
        {
          own: file('odd', { last_updated: '2099-01-01T00:00:00Z' }),
          may: ['odd'],
          findings: ['last_updated_ahead'],
        },
        { own: file('right', updated(-DAY)), may: ['right'] },
        { own: file('back', updated(-2 * DAY)), may: ['right'] },
      ],
    ],
    [
      'is judged by our clock when the server’s is some hours ahead',
      [
        { own: file('ahead', updated(20 * HOUR)), may: ['ahead'], findings: [] },
        { own: file('right', updated(7 * HOUR)), may: ['right'] },
      ],
    ],
    [
      'is not told without a time that can be read',
      [
        { own: file('new', updated(0)), may: ['new'] },
        { own: file('none'), may: ['none'] },
        { own: file('bad', { last_updated: 'today' }), may: ['bad'], findings: ['last_updated_unreadable'] },
        { own: file('old', updated(-HOUR)), may: ['bad'] },
      ],
    ],
    [
      'is not told by a date of the same day',
      [
        { own: file('new', updated(0)), may: ['new'] },
        { own: file('day', { last_updated: at(0).slice(0, 10) }), may: ['day'] },
        { own: file('yesterday', { last_updated: at(-2 * DAY).slice(0, 10) }), may: ['day'] },
      ],
    ],
    [
      'is compared with the file at the same URL only',
      [
        { own: file('own', updated(0)), may: ['own'] },
        {
          own: pointer('net.example', updated(HOUR)),
          pages: { 'net.example': { '/a.json': file('net', updated(-DAY)) } },
          may: ['net'],
        },
        {
          pages: { 'net.example': { '/a.json': file('back', updated(-2 * DAY)) } },
          may: ['net'],
          outcome: 'failed',
        },
        { pages: { 'net.example': { '/a.json': file('net2', updated(-DAY)) } }, may: ['net2'] },
        { own: pointer('other.net.example', updated(0)), may: ['net2'], outcome: 'failed' },
      ],
    ],
    [
      'begins anew when the file was gone for good',
      [
        { own: file('new', updated(0)), may: ['new'] },
        { own: GONE, may: ['new'] },
        { after: DAY, may: [] },
        { own: file('old', updated(-DAY)), may: ['old'] },
      ],
    ],
  ])('%s', async (_name, steps) => {
    await play(steps);
  });

  it('is refused as a brand.json, too', async () => {
    const brand = (name: string, ms: number): object => ({
      agents: [{ type: 'sales', url: agent(name), id: name }],
      ...updated(ms),
    });
    await play(
      [
        { own: brand('new', 0), may: ['new'] },
        { own: brand('old', -HOUR), may: ['new'], outcome: 'failed' },
        { own: brand('newer', HOUR), may: ['newer'] },
      ],
      'brand',
    );
  });
});
