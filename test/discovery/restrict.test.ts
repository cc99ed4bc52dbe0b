import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { declaredPublisher } from '../../src/discovery/declared-publisher.ts';
import { deriveFacts } from '../../src/discovery/derive-facts.ts';
import type { Reader } from '../../src/discovery/own-properties.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { restrictTo } from '../../src/discovery/restrict.ts';
import { authorise } from '../../src/domain/authorise.ts';
import type { AdagentsDeclaration } from '../../src/domain/declaration.ts';
import { A, all, B, byIds, byTags, NOW, property, select } from './derive-support.ts';
import { bytesOf } from './fixtures/fixture.ts';

function declared(file: object): AdagentsDeclaration {
  const { declaration } = readAdagents(bytesOf(file));
  if (declaration === undefined) throw new Error('the test file is no declaration');
  return declaration;
}

/** Agents that a shared file authorises for a domain: read whole, and cut down to the domain. */
function agents(file: object, reader: Reader): unknown[] {
  const whole = declared(file);
  return [whole, restrictTo(whole, reader)].map((declaration) =>
    deriveFacts({ declaration, ...reader, now: NOW }).authorisations.map(({ agent }) => agent),
  );
}

describe('the part of a shared file that concerns one domain', () => {
  test.each([
    ['news.example', 'www.news.example', [A]],
    ['www.news.example', 'news.example', [A]],
    ['m.news.example', 'news.example', [A]],
    ['www.news.example', 'm.news.example', []],
    ['sub.news.example', 'news.example', []],
    ['news.example', 'www.sub.news.example', []],
  ])('a selector for %s is read for %s as namesakes are elsewhere', (named, domain, expected) => {
    const file = { authorized_agents: [select(all(named))] };
    expect(agents(file, { domain, via: 'manager' })).toEqual([expected, expected]);
  });

  test('a revocation reaches the publisher’s other names too', () => {
    const file = {
      authorized_agents: [select(all('www.news.example'))],
      revoked_publisher_domains: [{ publisher_domain: 'news.example' }],
    };
    expect(agents(file, { domain: 'www.news.example', via: 'manager' })).toEqual([[], []]);
  });

  test('says the same as the whole file', () => {
    const domain = fc.constantFrom('news.example', 'www.news.example', 'blog.example');
    const ids = fc.uniqueArray(fc.constantFrom('p0', 'p1', 'p2', 'x'), { minLength: 1 });
    const selector = fc.oneof(
      fc.record({ publisher_domains: fc.tuple(domain), selection_type: fc.constant('all') }),
      fc.record({ publisher_domain: domain, selection_type: fc.constant('by_id'), property_ids: ids }),
      fc.record({
        publisher_domains: fc.tuple(domain, domain),
        selection_type: fc.constant('by_tag'),
        property_tags: ids,
      }),
    );
    const listed = fc.record({
      publisher_domain: fc.option(domain, { nil: undefined }),
      site: domain,
      tags: ids,
    });
    const propertyOf = ({ site, ...more }: { site: string }, id: string): object =>
      property(id, { ...more, identifiers: [{ type: 'domain', value: site }] });
    const url = fc.constantFrom(A, B);
    const entry = fc.oneof(
      fc.tuple(url, ids).map(([agent, list]) => byIds(agent, list)),
      fc.tuple(url, ids).map(([agent, list]) => byTags(agent, list)),
      fc.array(selector, { minLength: 1, maxLength: 3 }).map((list) => select(...list)),
      fc.array(listed, { minLength: 1, maxLength: 3 }).map((list) => ({
        ...byIds(A, []),
        authorization_type: 'inline_properties',
        properties: list.map((one, n) => propertyOf(one, `i${n}`)),
      })),
      url.map((agent) => ({ url: agent, authorized_for: 'x' })),
    );
    const file = fc.record({
      authorized_agents: fc.array(entry, { maxLength: 4 }),
      properties: fc
        .array(listed, { maxLength: 3 })
        .map((list) => list.map((one, n) => propertyOf(one, `p${n}`))),
      revoked_publisher_domains: fc.array(fc.record({ publisher_domain: domain }), { maxLength: 1 }),
    });
    const via = fc.constantFrom('reference' as const, 'manager' as const);
    fc.assert(
      fc.property(file, domain, via, (content, name, way) => {
        const reader = { domain: name, via: way };
        const whole = declared(content);
        const facts = (declaration: AdagentsDeclaration) => {
          const { authorisations, mentions } = deriveFacts({ declaration, ...reader, now: NOW });
          const publisher = declaredPublisher({ declaration, ...reader, url: 'https://any.example/' });
          const answers = ['p0', 'p1', 'p2', 'i0'].map((id) =>
            authorise({ agent: A, property: { id }, at: NOW }, [publisher]),
          );
          // names of others' properties are left out of the part
          return { authorisations: authorisations.map(({ covers: _, ...edge }) => edge), mentions, answers };
        };
        expect(facts(restrictTo(whole, reader))).toEqual(facts(whole));
      }),
      { numRuns: 300 },
    );
  });

  test('is no larger with more neighbours, whatever way they are named', () => {
    const size = (count: number): number => {
      const names = ['news.example', ...Array.from({ length: count }, (_, i) => `p${i}.example`)];
      const properties = names.map((name, i) =>
        property(`${i}`, { publisher_domain: name, tags: [`t${i}`] }),
      );
      const file = {
        authorized_agents: [
          select(all(...names)),
          byIds(
            A,
            names.map((_, i) => `${i}`),
          ),
          byTags(
            A,
            names.map((_, i) => `t${i}`),
          ),
          { ...byIds(A, []), authorization_type: 'inline_properties', properties },
        ],
        properties: [...properties, ...names.map((name) => property(`site ${name}`))],
      };
      const reader = { domain: 'news.example', via: 'manager' } as const;
      return JSON.stringify(restrictTo(declared(file), reader)).length;
    };
    expect(size(2_000)).toBe(size(2));
  });
});
