import fc from 'fast-check';
import { declaredPublisher } from '../../src/discovery/declared-publisher.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { restrictTo } from '../../src/discovery/restrict.ts';
import type { Question } from '../../src/domain/authorisation-question.ts';
import { authorise } from '../../src/domain/authorise.ts';
import type { AuthorisationVia } from '../../src/domain/declared-facts.ts';
import { bytesOf } from './fixtures/fixture.ts';

type Json = Record<string, unknown>;
export type Asked = Omit<Question, 'agent'> & { readonly agent: string; readonly via: AuthorisationVia };

/** Small enough for a broken value to be over them. */
const JSON_BOUNDS = { depth: 32, values: 10_000, keys: 40, string: 2_000 };
const OWN = 'news.example';
const OTHER = 'other.example';
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });
const publisher = fc.constantFrom(OWN, OTHER);
const identifier = fc.constantFrom(
  ...[OWN, `*.${OWN}`, `a.${OWN}`, OTHER].map((value) => ({ type: 'domain', value })),
  { type: 'ios_bundle', value: 'a.b' },
);
const listed = fc.record({
  property_id: maybe(fc.constantFrom('main', 'app')),
  property_type: fc.constantFrom('website', 'mobile_app'),
  name: fc.constant('N'),
  identifiers: fc.array(identifier, { minLength: 1, maxLength: 2 }),
  tags: maybe(some('t1', 't2')),
  publisher_domain: maybe(publisher),
});
/** An id stands once, so that no property is hidden behind another one. */
const properties = (minLength: number) =>
  fc.uniqueArray(listed, {
    ...{ minLength, maxLength: 4 },
    selector: (one) => one.property_id ?? JSON.stringify(one),
  });
const selector = fc.oneof(
  fc.record({ publisher_domain: publisher, selection_type: fc.constant('all') }),
  fc.record({
    ...{ publisher_domain: publisher, selection_type: fc.constant('by_id') },
    property_ids: some('main', 'app'),
  }),
  fc.record({
    ...{ publisher_domains: some(OWN, OTHER), selection_type: fc.constant('by_tag') },
    property_tags: some('t1', 't2'),
  }),
);
const scope = fc.oneof(
  fc.record({ authorization_type: fc.constant('property_ids'), property_ids: some('main', 'app', 'none') }),
  fc.record({ authorization_type: fc.constant('property_tags'), property_tags: some('t1', 't2') }),
  fc.record({ authorization_type: fc.constant('inline_properties'), properties: properties(1) }),
  fc.record({
    authorization_type: fc.constant('publisher_properties'),
    publisher_properties: fc.array(selector, { minLength: 1, maxLength: 2 }),
  }),
);
const limits = fc.record({
  countries: maybe(some('DE', 'FR')),
  placement_ids: maybe(some('home', 'side')),
  placement_tags: maybe(some('top', 'low')),
  collections: maybe(
    fc.array(fc.record({ publisher_domain: publisher, collection_ids: maybe(some('c1', 'c2')) }), {
      minLength: 1,
      maxLength: 2,
    }),
  ),
  effective_from: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z')),
  effective_until: maybe(fc.constantFrom('2027-01-01T00:00:00Z', '2026-02-01T00:00:00Z')),
});
const url = (name: string): Json => ({ url: `https://${name}.agents.example/mcp`, authorized_for: 'x' });
const typed = fc
  .tuple(fc.constantFrom('a', 'b'), scope, limits)
  .map(([name, said, limited]) => ({ ...url(name), ...said, ...limited }));
const bare = fc.constant('c').map(url);
const simple = fc
  .constantFrom('a', 'c')
  .map((name) => ({ url: `https://${name}.agents.example/mcp`, protocol: 'mcp' }));
const placements = fc.uniqueArray(
  fc.record({
    placement_id: fc.constantFrom('home', 'side'),
    name: fc.constant('P'),
    tags: maybe(some('top', 'low')),
  }),
  { selector: ({ placement_id: id }) => id },
);
const revocations = fc.array(fc.record({ publisher_domain: publisher }), { maxLength: 1 });
const file = fc
  .record({
    list: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          authorized_agents: fc.array(fc.oneof({ weight: 3, arbitrary: typed }, bare), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      },
      fc.record({
        publisher: maybe(fc.record({ name: fc.constant('N'), domain: publisher })),
        agents: fc.array(simple, { minLength: 1, maxLength: 2 }),
      }),
    ),
    properties: maybe(properties(1)),
    placements: maybe(placements),
    revoked: maybe(revocations),
  })
  .map(
    ({ list, properties, placements, revoked }): Json => ({
      ...list,
      ...(properties && { properties }),
      ...(placements && { placements }),
      ...(revoked && { revoked_publisher_domains: revoked }),
    }),
  );

const broken = fc.constantFrom<unknown>(
  Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`k${i}`, 1])),
  ...[null, '', ' ', 0, 7, -1.5, {}, [null], [[]], [{}], ['', 5], { a: 1 }, 'no such', true, false],
  ...['7', 'x'.repeat(3_000), { id: 'home' }, [{ id: 'home' }], '*', ['*']],
);

/**
 * A file, and the same one with one to `most` of its parts broken, one after the other: a value, or the name of a member. What it
 * revokes is written as authors write it, too.
 */
export function brokenFile(most: number) {
  const breaks = fc.array(fc.tuple(fc.nat(), broken, fc.nat()), { minLength: 1, maxLength: most });
  return fc.tuple(file, breaks, maybe(fc.constantFrom(...REVOKED_AS))).map(([drawn, changes, form]) => {
    const whole = JSON.parse(JSON.stringify(drawn)) as Json;
    const copy = structuredClone(whole);
    const what = changes.map(([at, value, how]) => breakPart(copy, at, value, how));
    const [revoked] = (copy.revoked_publisher_domains ?? []) as { publisher_domain: string }[];
    if (form === undefined || revoked === undefined) return { whole, copy, what };
    delete copy.revoked_publisher_domains;
    const written = form(revoked.publisher_domain);
    return { whole, copy: { ...copy, ...written }, what: [...what, JSON.stringify(written)] };
  });
}

const REVOKED = 'revoked_publisher_domains';
/** Each still names its domain, so none may be overlooked. */
const REVOKED_AS: readonly ((domain: string) => Json)[] = [
  (domain) => ({ [REVOKED]: domain }),
  (domain) => ({ [REVOKED]: [domain] }),
  (domain) => ({ [REVOKED]: { publisher_domain: domain } }),
  (domain) => ({ [REVOKED]: [{ domain }] }),
  (domain) => ({ [REVOKED]: [{ publisherDomain: domain }] }),
  (domain) => ({ [REVOKED]: [{ publisher_domain: ` ${domain.toUpperCase()} ` }] }),
  (domain) => ({ [REVOKED]: [{ publisher_domain: `https://${domain}/path` }] }),
  (domain) => ({ [REVOKED]: [{ publisher_domain: `*.${domain}` }] }),
  (domain) => ({ [REVOKED]: [null, 7, { publisher_domain: domain, revoked_at: 'soon', reason: 7 }] }),
  (domain) => ({ revokedPublisherDomains: [{ publisher_domain: domain }] }),
  (domain) => ({ revoked_publishers: [{ publisher_domain: domain }] }),
  (domain) => ({ 'Revoked-Domains': [domain] }),
  (domain) => ({ evoked_publisher_domains: [{ publisher_domain: domain }] }),
  (domain) => ({ [REVOKED]: [{ publisher_domai: domain, reason: 'other' }] }),
  (domain) => ({ [REVOKED]: [{ publisher_domains: [domain] }] }),
  (domain) => ({ [REVOKED]: { [domain]: { reason: 'other' } } }),
];

function breakPart(copy: Json, at: number, value: unknown, how: number): string {
  const members: [Json, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      if (key === 'revoked_publisher_domains') continue; // what names nobody revokes nobody
      members.push([node as Json, key]);
      walk((node as Json)[key]);
    }
  };
  walk(copy);
  const [owner, key] = members[at % members.length] as [Json, string];
  const isNamed = how % 2 === 0 && /[a-z]{4}/.test(key);
  if (!isNamed) {
    owner[key] = how % 3 === 0 ? distorted(owner[key], how) : structuredClone(value);
    return `${key} is ${JSON.stringify(owner[key]).slice(0, 40)}`;
  }
  const name = misspelt(key, how >> 2);
  owner[name] = owner[key];
  const isMoved = how % 4 === 0;
  if (isMoved) delete owner[key];
  return isMoved ? name : `${name} beside ${key}`;
}

/** What people write in place of a value. */
function distorted(value: unknown, how: number): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : value.join(', ');
  if (typeof value !== 'string') return [value];
  return [` ${value}`, value.toLowerCase(), value.toUpperCase(), `https://${value}/`, [value]][how % 5];
}

const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...{ countries: 'country', effective_until: 'expires_at', effective_from: 'validFrom' },
  ...{ placement_ids: 'placement', collections: 'collection_ids', properties: 'property' },
};

function misspelt(name: string, how: number): string {
  const at = 1 + (how % (name.length - 2));
  const forms = [
    ...[name.slice(0, at) + name.slice(at + 1), `${name.slice(0, at)}q${name.slice(at)}`],
    ...[`${name.slice(0, at)}q${name.slice(at + 1)}`, name.toUpperCase(), name.replaceAll('_', '-')],
    ...[
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      `${name} `,
      OTHER_WORDS[name] ?? `${name}s`,
    ],
  ];
  const form = forms[how % forms.length] as string;
  return form === name ? `${name}q` : form;
}

export const question: fc.Arbitrary<Asked> = fc
  .record({
    via: fc.constantFrom('own', 'reference', 'manager'),
    agent: fc.constantFrom('a', 'b', 'c').map((name) => `https://${name}.agents.example/mcp`),
    publisher,
    property: maybe(
      fc.oneof(
        fc
          .constantFrom(OWN, `www.${OWN}`, `a.${OWN}`, `b.c.${OWN}`, OTHER)
          .map((value) => ({ type: 'domain', value })),
        fc.constantFrom({ type: 'ios_bundle', value: 'a.b' }, { id: 'main' }, { id: 'app' }),
      ),
    ),
    country: maybe(fc.constantFrom('DE', 'US')),
    placement: maybe(fc.constantFrom('home', 'side', 'else')),
    collection: maybe(fc.constantFrom('c1', 'else')),
    at: fc.constantFrom(day('2025-06-01'), day('2026-01-15'), day('2026-06-01'), day('2028-01-01')),
  })
  .map((asked) => JSON.parse(JSON.stringify(asked)) as Asked);

/** Whether the strict answer to a question about a file is yes. */
export function isAuthorised(content: Json | string): (asked: Asked) => boolean {
  const { declaration } = readAdagents(bytesOf(content), { json: JSON_BOUNDS });
  return ({ via, ...asked }) => {
    if (declaration === undefined) return false;
    const domain = asked.publisher ?? OWN;
    const part = via === 'own' ? declaration : restrictTo(declaration, { domain, via });
    const facts = declaredPublisher({ declaration: part, domain, via, url: 'https://x.example/' });
    return authorise(asked, [
      { ...facts, entries: facts.entries.filter(({ agent }) => agent === asked.agent) },
    ]).authorized;
  };
}
