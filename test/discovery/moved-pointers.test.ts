import { describe, it } from 'vitest';
import { DAY, HOUR } from '../scenarios/support/world.ts';
import { file, GONE, type Pages, play, pointer, type Step } from './file-story.ts';

describe('a pointer', () => {
  const targets: Pages = {
    'one.example': { '/a.json': file('one'), '/b.json': file('one') },
    'cdn.one.example': { '/a.json': file('cdn') },
    'two.example': { '/a.json': file('two') },
    'three.example': { '/a.json': file('three') },
  };
  const one = pointer('one.example');
  const two = pointer('two.example');
  const three = pointer('three.example');
  it.each<[string, readonly Step[]]>([
    [
      'to another site waits for 24 h and two visits',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'], outcome: 'unchanged' },
        { after: 23 * HOUR, may: ['one'], outcome: 'unchanged' },
        { after: HOUR, may: ['two'], outcome: 'indexed' },
        { may: ['two'], outcome: 'unchanged' },
      ],
    ],
    [
      'waits for a second visit, however late it comes',
      [
        { own: one, may: ['one'] },
        { after: 9 * DAY, own: two, may: ['one'] },
        { after: DAY, may: ['two'] },
      ],
    ],
    [
      'is read where it leads meanwhile',
      [
        { own: one, may: ['one'] },
        { own: two, pages: { 'one.example': { '/a.json': file('one-new') } }, may: ['one-new'] },
      ],
    ],
    [
      'that comes back has never gone',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { own: one, may: ['one'] },
        { after: 23 * HOUR, own: two, may: ['one'] },
        { after: 23 * HOUR, may: ['one'] },
        { after: HOUR, may: ['two'] },
      ],
    ],
    [
      'that flaps between two new sites leads to neither',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { after: 13 * HOUR, own: three, may: ['one'] },
        { after: 13 * HOUR, own: two, may: ['one'] },
        { after: 13 * HOUR, own: three, may: ['one'] },
      ],
    ],
    [
      'inside its site is followed at once',
      [
        { own: one, may: ['one'] },
        { own: pointer('cdn.one.example'), may: ['cdn'] },
      ],
    ],
    ['is followed at first sight', [{ own: two, may: ['two'] }]],
    [
      'in the place of a file with content is followed at once',
      [
        { own: file('own'), may: ['own'] },
        { own: two, may: ['two'] },
      ],
    ],
    [
      'that becomes a file with content counts at once',
      [
        { own: one, may: ['one'] },
        { own: file('own'), may: ['own'] },
      ],
    ],
    [
      'does not get round the wait by a file with content',
      [
        { own: one, may: ['one'] },
        { own: file('own'), may: ['own'] },
        { own: two, may: ['own'] },
        { after: 23 * HOUR, may: ['two'] },
      ],
    ],
    [
      'waits while the last target does not answer, and what it said stands',
      [
        { own: one, may: ['one'] },
        {
          own: two,
          pages: { 'one.example': { '/a.json': 500 } },
          may: ['one'],
          outcome: 'failed',
        },
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { after: DAY, may: ['two'] },
      ],
    ],
    [
      'to another site is followed at once when the file had been gone for good',
      [
        { own: one, may: ['one'] },
        { own: GONE, may: ['one'] },
        { after: DAY, may: [] },
        { own: two, may: ['two'] },
      ],
    ],
  ])('%s', async (_name, steps) => {
    await play([{ ...(steps[0] as Step), pages: targets }, ...steps.slice(1)]);
  });
});
