import { describe, expect, it } from 'vitest';
import type { ContentTargets } from '../../src/domain/trusted-match.ts';
import { context, identity, startProvider } from './support.ts';

const RAIL: ContentTargets = {
  packageId: 'rail-pass',
  topics: ['travel.rail', 'travel.bus'],
  keywords: ['night train'],
};
const offersOf = async (targets: readonly ContentTargets[], change = {}) => {
  const { post } = startProvider({ targets });
  const { package_ids: _all, ...request } = context(change);
  return (await post('/context', request)).body.offers;
};
const content = (change: object) => ({ content: { ...context().content, ...change } });

describe('a context match', () => {
  it('offers what fits the content, the best first, and says whose answer it is', async () => {
    const { post } = startProvider({ targets: [{ packageId: 'spring-sale' }, RAIL] });
    const request = context();
    expect(await post('/context', request)).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: {
        request_id: request.request_id,
        offers: [
          { package_id: 'rail-pass', score: 0.75 },
          { package_id: 'spring-sale', score: 0.1 },
        ],
      },
    });
  });

  it('scores the share of topics and keywords that the content has', async () => {
    const targets: ContentTargets[] = [
      { packageId: 'all', topics: ['travel.rail'], keywords: ['züge'] },
      { packageId: 'half', topics: ['travel.rail', 'sport'] },
      { packageId: 'words', keywords: ['NIGHT TRAIN', 'steam'] },
      { packageId: 'neither', topics: ['sport'], keywords: ['steam'] },
    ];
    expect(await offersOf(targets)).toEqual([
      { package_id: 'all', score: 1 },
      { package_id: 'half', score: 0.45 },
      { package_id: 'words', score: 0.35 },
    ]);
  });

  it.each<[string, Partial<ContentTargets>, object, boolean]>([
    ['on the property', { propertyIds: ['news.example'] }, {}, true],
    ['on another property', { propertyIds: ['shop.example'] }, {}, false],
    ['with a format of the placement', { formats: ['video-16x9', 'display-300x250'] }, {}, true],
    ['with other formats', { formats: ['video-16x9'] }, {}, false],
    [
      'at a placement that names no format',
      { formats: ['video-16x9'] },
      { placement: { placement_id: 'a' } },
      true,
    ],
    ['beside this kind of content', { artifactTypes: ['article', 'video'] }, {}, true],
    ['beside other kinds only', { artifactTypes: ['video'] }, {}, false],
    ['in the language', { languages: ['en'] }, {}, true],
    ['in its region', { languages: ['en-GB'] }, {}, true],
    ['in another region', { languages: ['en-US'] }, {}, false],
    ['in a script of it', { languages: ['zh-Hant'] }, content({ language: 'zh-Hant-TW' }), true],
    ['in a language that nobody said', { languages: ['en'] }, { content: {} }, false],
    ['away from a topic', { excludedTopics: ['travel.rail'] }, {}, false],
    ['away from a word, whatever its case', { excludedKeywords: ['ZÜGE'] }, {}, false],
    ['away from a category', { excludedCategories: ['politics', 'crime'] }, {}, false],
    ['away from what is not there', { excludedCategories: ['crime'], excludedTopics: ['sport'] }, {}, true],
  ])('offers a package %s or not', async (_name, targets, change, isOffered) => {
    const offers = await offersOf([{ packageId: 'one', ...targets }], change);
    expect(offers).toEqual(isOffered ? [{ package_id: 'one', score: 0.1 }] : []);
  });

  it('offers candidates only, where some are named', async () => {
    const { post } = startProvider({ targets: [{ packageId: 'one' }, { packageId: 'two' }] });
    const { body } = await post('/context', context({ package_ids: ['two', 'three'] }));
    expect(body.offers).toEqual([{ package_id: 'two', score: 0.1 }]);
  });

  it('orders equal scores by id, whatever the order of the packages', async () => {
    const ids = ['c', 'a', 'b'];
    const offers: { package_id: string }[] = await offersOf(ids.map((packageId) => ({ packageId })));
    expect(offers.map(({ package_id }) => package_id)).toEqual(['a', 'b', 'c']);
  });

  it('makes no more offers than its schema has, the best ones', async () => {
    const many = Array.from({ length: 600 }, (_, at) => ({ packageId: `p${at}` }));
    const offers = await offersOf([...many, RAIL]);
    expect(offers).toHaveLength(512);
    expect(offers[0].package_id).toBe('rail-pass');
  });

  it('refuses a duplicate request id, as nothing random would', async () => {
    const { post, counted } = startProvider();
    const request = context();
    expect((await post('/context', request)).status).toBe(200);
    expect(await post('/context', request)).toMatchObject({
      status: 409,
      body: { code: 'request_id_reused', pointer: '/request_id', retryable: false },
    });
    expect(counted.requests).toEqual([
      ['context', 'ok'],
      ['context', 'refused'],
    ]);
  });

  it('knows nothing of the ids of the other side', async () => {
    const { post } = startProvider();
    const { request_id } = context();
    expect((await post('/context', context({ request_id }))).status).toBe(200);
    expect((await post('/identity', identity({ request_id }))).status).toBe(200);
  });
});
