import fc from 'fast-check';
import { expect, test } from 'vitest';
import { declaredPublisher } from '../../src/discovery/declared-publisher.ts';
import { authorise } from '../../src/domain/authorise.ts';
import type { AuthorisationEntry, AuthorisationScope, Property } from '../../src/domain/declaration.ts';

const AGENT = 'https://a.example/mcp';
const PUBLISHER = 'news.example';

interface Asked {
  readonly id: string;
  readonly country: string | undefined;
  readonly placement: string | undefined;
  readonly at: number;
}

const id = fc.constantFrom('p0', 'p1', 'p2');
const ids = fc.uniqueArray(id, { minLength: 1 });
const tags = fc.uniqueArray(fc.constantFrom('t0', 't1'), { minLength: 1 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const property = fc.record({
  propertyId: id,
  propertyType: fc.constant('website'),
  identifiers: fc.constant([]),
  tags,
  publisherDomain: maybe(fc.constantFrom(PUBLISHER, 'other.example')),
}) as fc.Arbitrary<Property>;
const selection = fc.oneof(
  fc.constant({ type: 'all' as const }),
  ids.map((propertyIds) => ({ type: 'by_id' as const, propertyIds })),
  tags.map((propertyTags) => ({ type: 'by_tag' as const, propertyTags })),
);
const selector = fc.record({
  publisherDomains: fc.subarray([PUBLISHER, 'other.example'], { minLength: 1 }),
  selection,
});
const scope: fc.Arbitrary<AuthorisationScope> = fc.oneof(
  fc.constant({ type: 'all' as const }),
  ids.map((propertyIds) => ({ type: 'property_ids' as const, propertyIds })),
  tags.map((propertyTags) => ({ type: 'property_tags' as const, propertyTags })),
  fc.array(property, { minLength: 1, maxLength: 2 }).map((properties) => ({
    type: 'inline_properties' as const,
    properties,
  })),
  fc.array(selector, { minLength: 1, maxLength: 2 }).map((selectors) => ({
    type: 'publisher_properties' as const,
    selectors,
  })),
  fc.constant({ type: 'signal_ids' as const, signalIds: ['p0'] }),
);
const limits = fc
  .record({
    countries: maybe(fc.subarray(['DE', 'AT'], { minLength: 1 })),
    placementIds: maybe(fc.constant(['top'])),
    effectiveFrom: maybe(fc.integer({ min: 0, max: 6 })),
    effectiveUntil: maybe(fc.integer({ min: 0, max: 6 })),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
const entries = fc.array(fc.tuple(fc.constantFrom(AGENT, 'https://b.example/'), scope, limits), {
  maxLength: 4,
});
const asked: fc.Arbitrary<Asked> = fc.record({
  id,
  country: maybe(fc.constantFrom('DE', 'FR')),
  placement: maybe(fc.constantFrom('top', 'low')),
  at: fc.integer({ min: 0, max: 6 }),
});

/** Reads the declaration sentence by sentence, one entry and one property after the other. */
function literally(
  declared: readonly AuthorisationEntry[],
  properties: readonly Property[],
  question: Asked,
) {
  const isOurs = ({ publisherDomain: named = PUBLISHER }: Property) => named === PUBLISHER;
  const first = properties.find((one) => isOurs(one) && one.propertyId === question.id);
  return declared.some(({ agent, scope: of, limits: within }) => {
    if (agent !== AGENT) return false;
    if (question.at < (within.effectiveFrom ?? 0) || question.at >= (within.effectiveUntil ?? 7))
      return false;
    if (question.country && within.countries && !within.countries.includes(question.country)) return false;
    if (question.placement && within.placementIds && !within.placementIds.includes(question.placement))
      return false;
    if (of.type === 'inline_properties')
      return of.properties.some((one) => isOurs(one) && one.propertyId === question.id);
    if (first === undefined) return false;
    if (of.type === 'all') return true;
    if (of.type === 'property_ids') return of.propertyIds.includes(question.id);
    if (of.type === 'property_tags') return first.tags.some((tag) => of.propertyTags.includes(tag));
    if (of.type !== 'publisher_properties') return false;
    return of.selectors.some(({ publisherDomains, selection: wanted }) => {
      if (!publisherDomains.includes(PUBLISHER)) return false;
      if (wanted.type === 'by_id') return wanted.propertyIds.includes(question.id);
      return wanted.type === 'all' || first.tags.some((tag) => wanted.propertyTags.includes(tag));
    });
  });
}

test('the answer is what a slow and literal reading of the declaration gives, until the moment that it names', () => {
  fc.assert(
    fc.property(entries, fc.array(property, { maxLength: 4 }), asked, (given, properties, question) => {
      const declared = given.map(([agent, of, within], place) => ({
        ...{ pointer: `/authorized_agents/${place}`, url: agent, agent, signingKeys: [] },
        scope: of,
        limits: within,
      }));
      const declaration = {
        ...({ kind: 'adagents', variant: 'inline', entries: declared, properties } as const),
        revokedPublisherDomains: [],
        catalogue: { collections: 0, placements: 0, formats: 0, signals: 0 },
      };
      const facts = declaredPublisher({
        declaration,
        domain: PUBLISHER,
        via: 'own',
        url: 'https://news.example/',
      });
      const { country, placement } = question;
      const limited = { ...(country && { country }), ...(placement && { placement }) };
      const ask = (at: number) =>
        authorise({ agent: AGENT, publisher: PUBLISHER, property: { id: question.id }, ...limited, at }, [
          { ...facts, entries: facts.entries.filter(({ agent }) => agent === AGENT) },
        ]);
      const { authorized, until = 7 } = ask(question.at);
      expect(authorized).toBe(literally(declared, properties, question));
      for (let at = question.at; at < until; at += 1) expect(ask(at).authorized).toBe(authorized);
      if (until < 7 && authorized) expect(ask(until).authorized).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
