import { describe, it } from 'vitest';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { DAY, HOUR } from '../scenarios/support/world.ts';
import { agent, file, GONE, NEWS, type Pages, play, pointer, type Step } from './file-story.ts';

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
      'whose new site does not answer at the end of the wait is followed as soon as it does',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { after: DAY, pages: { 'two.example': { '/a.json': 500 } }, may: ['one'], outcome: 'failed' },
        { pages: { 'two.example': { '/a.json': file('two') } }, may: ['two'], outcome: 'indexed' },
        { may: ['two'], outcome: 'unchanged' },
      ],
    ],
    [
      'goes on waiting behind a file that nobody can read',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { own: '{', may: ['one'], outcome: 'invalid' },
        { after: 17 * HOUR, own: two, may: ['two'] },
      ],
    ],
    [
      'that leads back while its site does not answer has never gone',
      [
        { own: one, may: ['one'] },
        { own: two, may: ['one'] },
        { own: one, pages: { 'one.example': { '/a.json': 500 } }, may: ['one'], outcome: 'failed' },
        { after: 17 * HOUR, own: two, pages: targets, may: ['one'] },
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

describe('a manager that an ads.txt names', () => {
  const network = (name: string, site: string): Pages => ({ [site]: { [ADAGENTS]: managed(name) } });
  const managers: Pages = {
    ...network('one', 'one.example'),
    ...network('cdn', 'cdn.one.example'),
    ...network('two', 'two.example'),
    ...network('three', 'three.example'),
  };
  const adsTxt = (manager: string): Pages => ({ [NEWS]: { '/ads.txt': `MANAGERDOMAIN=${manager}` } });
  const to = (name: string, more: object = {}) => ({ pages: adsTxt(`${name}.example`), ...more });
  it.each<[string, readonly Step[]]>([
    [
      'and that is another one waits for 24 h and two visits',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        to('two', { may: ['one'], outcome: 'unchanged' }) as Step,
        { after: 23 * HOUR, may: ['one'], outcome: 'unchanged' },
        { after: HOUR, may: ['two'], outcome: 'indexed' },
        { may: ['two'], outcome: 'unchanged' },
      ],
    ],
    [
      'and that is of the same site counts at once',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        to('cdn.one', { may: ['cdn'] }) as Step,
      ],
    ],
    [
      'and that flaps between two others leads to neither',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        to('two', { may: ['one'] }) as Step,
        to('three', { after: 13 * HOUR, may: ['one'] }) as Step,
        to('two', { after: 13 * HOUR, may: ['one'] }) as Step,
      ],
    ],
    [
      'and that comes back has never gone',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        to('two', { may: ['one'] }) as Step,
        to('one', { may: ['one'], outcome: 'unchanged' }) as Step,
        to('two', { after: 23 * HOUR, may: ['one'] }) as Step,
      ],
    ],
    [
      'and that is opted out ends at once',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        { pages: adsTxt('one.example # display only, noagents'), may: [], outcome: 'absent' },
        { may: [], outcome: 'absent' },
        to('one', { may: ['one'], outcome: 'indexed' }) as Step,
      ],
    ],
    [
      'and that is opted out for another one ends at once, and the other one waits',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        {
          pages: adsTxt('one.example # noagents\nMANAGERDOMAIN=two.example'),
          may: [],
          outcome: 'absent',
        },
        { after: 23 * HOUR, may: [], outcome: 'absent' },
        { after: HOUR, may: ['two'], outcome: 'indexed' },
        { may: ['two'], outcome: 'unchanged' },
      ],
    ],
    [
      'stands while a page is served in the place of the ads.txt',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        {
          pages: { [NEWS]: { '/ads.txt': '<html>maintenance</html>' } },
          may: ['one'],
          outcome: 'invalid',
          findings: ['ads_txt_html'],
        },
        to('one', { may: ['one'] }) as Step,
      ],
    ],
    [
      'waits behind an ads.txt that vanishes for a visit',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        { pages: { [NEWS]: {} }, may: ['one'], outcome: 'absent' },
        to('two', { may: ['one'] }) as Step,
        { after: DAY, may: ['two'] },
      ],
    ],
    [
      'waits while the last one does not answer, and what that said stands',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        {
          pages: { ...adsTxt('two.example'), 'one.example': { [ADAGENTS]: 500 } },
          may: ['one'],
          outcome: 'failed',
        },
        { after: DAY, may: ['two'] },
      ],
    ],
    [
      'and that does not answer at the end of the wait is followed as soon as it does',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        to('two', { may: ['one'] }) as Step,
        { after: DAY, pages: { 'two.example': { [ADAGENTS]: 500 } }, may: ['one'], outcome: 'failed' },
        { pages: network('two', 'two.example'), may: ['two'] },
      ],
    ],
    [
      'and that drops the publisher says nothing at once, and counts again when it takes it back',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        { pages: { 'one.example': { [ADAGENTS]: { ...file('one'), agents: [] } } }, may: [] },
        { pages: network('one', 'one.example'), may: ['one'] },
      ],
    ],
    [
      'gives way at once to a file of its own',
      [
        { pages: { ...managers, ...adsTxt('one.example') }, may: ['one'] },
        { own: file('own'), may: ['own'] },
      ],
    ],
  ])('%s', async (_name, steps) => {
    await play(steps);
  });

  function managed(name: string): object {
    const selector = { publisher_domain: NEWS, selection_type: 'all' };
    const entry = { url: agent(name), authorized_for: 'all', authorization_type: 'publisher_properties' };
    return { authorized_agents: [{ ...entry, publisher_properties: [selector] }] };
  }
});
