import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newlyRead, readFile } from '../../src/discovery/declare-file.ts';
import { deriveFacts } from '../../src/discovery/derive-facts.ts';
import { fetchUnseen } from '../../src/discovery/fetch-unseen.ts';
import { NARROWING } from '../../src/discovery/member-names.ts';
import { namesPublisher, ownProperties, type Reader } from '../../src/discovery/own-properties.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  AuthorisationLimits,
  Property,
} from '../../src/domain/declaration.ts';
import { fetcherFor, serve, type Web } from '../crawl/fetch/web.ts';
import { bytesOf } from './fixtures/fixture.ts';

/** Small enough for a broken value to be over them. */
const JSON_BOUNDS = { depth: 32, values: 10_000, keys: 40, string: 100 };
const OWN = 'news.example';
const OTHER = 'other.example';
const READERS: readonly Reader[] = [OWN, OTHER].flatMap((domain) =>
  (['own', 'reference', 'manager'] as const).map((via) => ({ domain, via })),
);
const MOMENTS = ['2025-06-01', '2026-06-01', '2027-06-01'].map((day) => Date.parse(day));
const ADAGENTS = '/.well-known/adagents.json';
const COUNTRIES = ['DE', 'FR', 'US'];
const NAMES = ['home', 'side', 'else'];
const SIGNALS = ['s1', 's2'];

type Json = Record<string, unknown>;

const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const publisher = fc.constantFrom(OWN, OTHER);
const ids = some('main', 'app', 'none');
const tags = some('t1', 't2', 'none');
const site = fc.record({ type: fc.constant('domain'), value: publisher });
const identifier = fc.oneof(site, fc.record({ type: fc.constant('ios_bundle'), value: fc.constant('a.b') }));
/** Its name is its identity, which stays when its parts are broken. */
const listed = fc
  .record({
    property_id: maybe(fc.constantFrom('main', 'app')),
    property_type: fc.constantFrom('website', 'mobile_app'),
    identifiers: fc.array(identifier, { minLength: 1, maxLength: 2 }),
    tags: maybe(tags),
    publisher_domain: maybe(publisher),
  })
  .map((one) => {
    const { publisher_domain: whose, property_id: id, identifiers, property_type: type } = one;
    return { ...one, name: JSON.stringify([whose ?? identifiers, id ?? [type, identifiers]]) };
  });
const properties = fc.array(listed, { minLength: 1, maxLength: 4 });
const selector = fc.oneof(
  fc.record({ publisher_domain: publisher, selection_type: fc.constant('all') }),
  fc.record({ publisher_domains: some(OWN, OTHER), selection_type: fc.constant('all') }),
  fc.record({ publisher_domain: publisher, selection_type: fc.constant('by_id'), property_ids: ids }),
  fc.record({
    publisher_domains: some(OWN, OTHER),
    selection_type: fc.constant('by_tag'),
    property_tags: tags,
  }),
);
const scope = fc.oneof(
  fc.record({ authorization_type: fc.constant('property_ids'), property_ids: ids }),
  fc.record({ authorization_type: fc.constant('property_tags'), property_tags: tags }),
  fc.record({ authorization_type: fc.constant('inline_properties'), properties }),
  fc.record({
    authorization_type: fc.constant('publisher_properties'),
    publisher_properties: fc.array(selector, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ authorization_type: fc.constant('signal_ids'), signal_ids: some('s1', 's2') }),
  fc.record({ authorization_type: fc.constant('signal_tags'), signal_tags: some('s1', 's2') }),
);
const limits = fc.record({
  countries: maybe(some('DE', 'FR')),
  placement_ids: maybe(some('home', 'side')),
  placement_tags: maybe(some('home', 'side')),
  collections: maybe(
    fc.array(fc.record({ publisher_domain: publisher, collection_ids: maybe(some('home', 'side')) }), {
      minLength: 1,
      maxLength: 2,
    }),
  ),
  exclusive: maybe(fc.boolean()),
  delegation_type: maybe(fc.constantFrom('direct', 'delegated', 'ad_network')),
  effective_from: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z')),
  effective_until: maybe(fc.constantFrom('2027-01-01T00:00:00Z', '2026-02-01T00:00:00Z')),
  signing_keys: maybe(fc.constant([{ kid: 'k1', kty: 'OKP' }])),
});
const typed = fc
  .tuple(fc.constantFrom('a', 'b'), scope, limits)
  .map(([name, said, limited]) => ({ ...entryOf(name), ...said, ...limited }));
const bare = fc.constantFrom('c', 'd').map(entryOf);
const entries = fc.array(fc.oneof({ weight: 4, arbitrary: typed }, bare), { minLength: 1, maxLength: 4 });
const file = fc.record({ authorized_agents: entries, properties: fc.array(listed, { maxLength: 5 }) });
const claiming = fc.array(
  fc.constantFrom('a', 'c').map((name) => ({ url: entryOf(name).url })),
  {
    minLength: 1,
    maxLength: 2,
  },
);
const legacyAgents = fc.array(
  fc.constantFrom('a', 'c').map((name) => ({ agent_url: entryOf(name).url })),
  { minLength: 1, maxLength: 2 },
);
/** In every form that authorises. */
const anyFile: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: file },
  fc.record({
    agents: claiming,
    publisher: maybe(fc.record({ name: fc.constant('N'), domain: publisher })),
    properties: maybe(properties),
  }),
  fc.record({
    properties: fc.array(fc.record({ domain: publisher, agents: legacyAgents }), { minLength: 1 }),
  }),
);

function entryOf(name: string): Json {
  return { url: `https://${name}.agents.example/mcp`, authorized_for: 'x' };
}

/** Values of which none is what any member of an entry should hold. */
const broken = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    7,
    -1.5,
    [],
    {},
    [null],
    [[]],
    [{}],
    ['', 5],
    { a: 1 },
    'no such',
  ),
  fc.constantFrom<unknown>('7', 'x'.repeat(101), { id: 'home' }, [{ id: 'home' }], [[['home']]]),
  fc.constant(Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`k${i}`, 1]))),
);

/** A file and the same file with one part of one entry broken: a value, or the name of a member that narrows. */
const brokenFile = fc.tuple(file, fc.nat(), broken, fc.nat()).map(([whole, at, value, how]) => {
  const copy = structuredClone(whole) as { authorized_agents: Json[] };
  const members: [Json, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      members.push([node as Json, key]);
      walk((node as Json)[key]);
    }
  };
  copy.authorized_agents.forEach(walk);
  const parts = members.filter(([, key]) => key !== 'name');
  const [owner, key] = parts[at % parts.length] as [Json, string];
  const name = [...NARROWING, 'publisher_domain', 'collection_ids'].includes(key) && how % 3 === 0;
  if (name) {
    owner[misspelt(key, how)] = owner[key];
    delete owner[key];
  } else owner[key] = value;
  return { whole, copy };
});

function misspelt(name: string, how: number): string {
  const at = 1 + (how % (name.length - 2));
  const forms = [
    name.slice(0, at) + name.slice(at + 1),
    `${name.slice(0, at)}q${name.slice(at)}`,
    `${name.slice(0, at)}q${name.slice(at + 1)}`,
    name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    name.toUpperCase(),
    name.replaceAll('_', '-'),
    `${name} `,
    `excluded_${name}`,
    `${name}Except`,
    `!${name}`,
    `no${name}`,
  ];
  const form = forms[how % forms.length] as string;
  return form === name ? `${name}q` : form;
}

test('whatever part of an entry is broken, nobody may sell more than before', () => {
  fc.assert(
    fc.property(brokenFile, ({ whole, copy }) => {
      const before = new Set(grants(whole));
      expect(grants(copy).filter((grant) => !before.has(grant))).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

/** Everything that a file allows: who, for whom, what, where, when and how, each as one text. */
function grants(content: object): string[] {
  const { declaration } = readAdagents(bytesOf(JSON.parse(JSON.stringify(content)) as object), {
    json: JSON_BOUNDS,
  });
  if (declaration === undefined) return [];
  return READERS.flatMap((reader) =>
    MOMENTS.flatMap((now) => {
      const { authorisations } = deriveFacts({ declaration, ...reader, now });
      return authorisations.flatMap(({ agent, entry: pointer }) => {
        const entry = declaration.entries.find((one) => one.pointer === pointer);
        if (entry === undefined) throw new Error(`no entry ${pointer}`);
        const ways = waysOf(entry);
        return whatOf(entry, declaration, reader).flatMap((what) =>
          ways.map((way) => [reader.via, reader.domain, now, agent, what, way].join(' | ')),
        );
      });
    }),
  );
}

function whatOf({ scope }: AuthorisationEntry, file: AdagentsDeclaration, reader: Reader): string[] {
  const own = ownProperties(file.properties, reader);
  const keys = (list: readonly Property[]) => list.map(({ name }) => `${name}`);
  const withId = (wanted: readonly string[]) =>
    keys(own.filter(({ propertyId }) => propertyId !== undefined && wanted.includes(propertyId)));
  const withTag = (wanted: readonly string[]) =>
    keys(own.filter((one) => one.tags.some((t) => wanted.includes(t))));
  const everything = ['everything', ...keys(own)];
  if (scope.type === 'all') return everything;
  if (scope.type === 'property_ids') return withId(scope.propertyIds);
  if (scope.type === 'property_tags') return withTag(scope.propertyTags);
  if (scope.type === 'inline_properties') return keys(ownProperties(scope.properties, reader));
  if (scope.type === 'signal_ids') return SIGNALS.filter((id) => scope.signalIds.includes(id));
  if (scope.type === 'signal_tags') return SIGNALS.filter((id) => scope.signalTags.includes(id));
  return scope.selectors
    .filter(({ publisherDomains }) => publisherDomains.some((name) => namesPublisher(name, reader.domain)))
    .flatMap(({ selection }) => {
      if (selection.type === 'all') return everything;
      return selection.type === 'by_id' ? withId(selection.propertyIds) : withTag(selection.propertyTags);
    });
}

/** Where and how, each limit on its own: one that grew shows by itself. */
function waysOf({ limits: limited, signingKeys }: AuthorisationEntry): string[] {
  const { countries, placementIds, placementTags, collections, exclusive, delegationType } = limited;
  const allows = (list: readonly string[] | undefined, value: string) =>
    list === undefined || list.includes(value);
  const pins =
    signingKeys.length === 0
      ? ['k1', 'any']
      : signingKeys.map(({ kid }) => kid).filter((kid) => kid === 'k1');
  return [
    ...COUNTRIES.filter((country) => allows(countries, country)),
    ...NAMES.filter((name) => allows(placementIds, name)).map((name) => `placement ${name}`),
    ...NAMES.filter((name) => allows(placementTags, name)).map((name) => `placement tag ${name}`),
    ...NAMES.filter((name) => inCollections(collections, name)).map((name) => `collection ${name}`),
    `exclusive ${exclusive ?? false}`,
    ...(delegationType === undefined ? ['direct', 'delegated', 'ad_network'] : [delegationType]),
    ...pins.map((kid) => `key ${kid}`),
  ];
}

function inCollections(collections: AuthorisationLimits['collections'], name: string): boolean {
  if (collections === undefined) return true;
  return collections.some(({ collectionIds }) => collectionIds === undefined || collectionIds.includes(name));
}

type Fetched = { readonly agent: string; readonly entry: string }[];

/** Where the same file is published for news.example: each host with its paths; a text is a redirect or an ads.txt. */
const WAYS: Readonly<Record<string, (file: Json) => Readonly<Record<string, Json | string>>>> = {
  own: (file) => ({ [`${OWN}${ADAGENTS}`]: file }),
  redirected: (file) => ({
    [`${OWN}${ADAGENTS}`]: `https://static.${OWN}/moved.json`,
    [`static.${OWN}/moved.json`]: file,
  }),
  referenced: (file) => ({
    [`${OWN}${ADAGENTS}`]: { authoritative_location: 'https://net.example/a.json' },
    'net.example/a.json': file,
  }),
  managed: (file) => ({
    [`${OWN}/ads.txt`]: 'MANAGERDOMAIN=net.example',
    [`net.example${ADAGENTS}`]: file,
  }),
  'managed and redirected': (file) => ({
    [`${OWN}/ads.txt`]: `https://www.${OWN}/ads.txt`,
    [`www.${OWN}/ads.txt`]: 'MANAGERDOMAIN=net.example',
    [`net.example${ADAGENTS}`]: 'https://files.net.example/a.json',
    'files.net.example/a.json': file,
  }),
  'managed by a hosted ads.txt': (file) => ({
    [`${OWN}/ads.txt`]: 'https://host.example/1/ads.txt',
    'host.example/1/ads.txt': 'MANAGERDOMAIN=net.example',
    [`net.example${ADAGENTS}`]: file,
  }),
};
const MANAGED = Object.keys(WAYS).filter((way) => way.startsWith('managed'));

describe('a file that is fetched for a publisher', () => {
  let pages: Readonly<Record<string, Json | string>> = {};
  let web: Web;
  let fetcher: ReturnType<typeof fetcherFor>;
  beforeAll(async () => {
    web = await serve(({ headers, url }, response) => {
      const page = pages[`${headers.host}${url}`];
      if (page === undefined) return response.writeHead(404).end();
      if (typeof page === 'object')
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
      return page.startsWith('https://')
        ? response.writeHead(302, { location: page }).end()
        : response.end(page);
    });
    fetcher = fetcherFor(web);
  });
  afterAll(async () => {
    await fetcher.close();
    await web.close();
  });

  /** The entries that authorise somebody for news.example when the file is published in this way. */
  async function authorised(way: string, content: Json): Promise<Fetched> {
    pages = WAYS[way]?.(JSON.parse(JSON.stringify(content)) as Json) ?? {};
    const now = Date.parse('2026-06-01');
    const fetched = await fetcher.visit({ host: OWN, deadlineMs: 15_000 }, (visit) =>
      fetchUnseen({ domain: OWN, now }, visit, 'adagents'),
    );
    const { authorisations = [] } = newlyRead(await readFile(fetched))?.declaration.facts ?? {};
    return authorisations.map(({ agent, entry }) => ({ agent, entry }));
  }

  test.each(Object.keys(WAYS))('authorises an entry that names the publisher: %s', async (way) => {
    const found = await authorised(way, {
      properties: [
        {
          property_id: 'site',
          property_type: 'website',
          name: 'Site',
          identifiers: [{ type: 'domain', value: OWN }],
          publisher_domain: OWN,
        },
      ],
      authorized_agents: [
        {
          url: 'https://seller.example/mcp',
          authorized_for: 'Everything',
          authorization_type: 'publisher_properties',
          publisher_properties: [{ publisher_domain: OWN, selection_type: 'all' }],
        },
      ],
    });
    expect(found).toEqual([{ agent: 'https://seller.example/mcp', entry: '/authorized_agents/0' }]);
  });

  test('authorises by a manager only where the entry reaches the publisher by name', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, fc.constantFrom(...MANAGED), async (content, way) => {
        const unnamed = (await authorised(way, content)).filter(
          ({ entry }) => !reachesByName(content, entry),
        );
        expect(unnamed).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('authorises less the less it is the own file of the publisher', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (content) => {
        const found: string[][] = [];
        for (const way of Object.keys(WAYS))
          found.push((await authorised(way, content)).map(({ agent, entry }) => `${entry} ${agent}`));
        const [own = [], redirected, referenced = [], ...managed] = found;
        expect(redirected).toEqual(own);
        expect(referenced.filter((one) => !own.includes(one))).toEqual([]);
        for (const by of managed) expect(by.filter((one) => !referenced.includes(one))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('authorises nobody more when a part of it is broken, whichever way leads to it', async () => {
    await fc.assert(
      fc.asyncProperty(brokenFile, fc.constantFrom(...Object.keys(WAYS)), async ({ whole, copy }, way) => {
        const before = (await authorised(way, whole)).map(({ agent }) => agent);
        const after = (await authorised(way, copy as Json)).map(({ agent }) => agent);
        expect(after.filter((agent) => !before.includes(agent))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

/** Whether an entry, as its author wrote it, names news.example in what it reaches: by a selector, or by a property. */
function reachesByName(content: Json, pointer: string): boolean {
  const parts = pointer.slice(1).split('/');
  const entry = parts.reduce<unknown>((value, key) => (value as Json)[key], content) as Json;
  const named = (whose: unknown): boolean => whose === OWN;
  const listedHere = (content.properties ?? []) as Json[];
  if (parts[0] === 'properties') return named(listedHere[Number(parts[1])]?.domain);
  const isOurs = (one: Json): boolean => named(one.publisher_domain);
  switch (entry.authorization_type) {
    case 'publisher_properties':
      return (entry.publisher_properties as Json[]).some(
        (one) => isOurs(one) || ((one.publisher_domains ?? []) as string[]).some(named),
      );
    case 'inline_properties':
      return (entry.properties as Json[]).some(isOurs);
    case 'property_ids':
      return listedHere.some(
        (one) => isOurs(one) && (entry.property_ids as unknown[]).includes(one.property_id),
      );
    case 'property_tags':
      return listedHere.some(
        (one) =>
          isOurs(one) &&
          ((one.tags ?? []) as string[]).some((tag) => (entry.property_tags as string[]).includes(tag)),
      );
    default:
      return false;
  }
}
