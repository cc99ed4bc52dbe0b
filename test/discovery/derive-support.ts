import { type DeriveInput, deriveFacts } from '../../src/discovery/derive-facts.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import type { DeclaredFacts } from '../../src/domain/declared-facts.ts';
import { bytesOf } from './fixtures/fixture.ts';

export const NOW = Date.UTC(2026, 5, 1);
export const A = 'https://a.agents.example/mcp';
export const B = 'https://b.agents.example/mcp';

export type Where = Partial<Omit<DeriveInput, 'declaration'>>;

export function derive(file: object, where: Where = {}): DeclaredFacts {
  const { declaration } = readAdagents(bytesOf(file));
  if (declaration === undefined) throw new Error('the test file is no declaration');
  return deriveFacts({ declaration, domain: 'news.example', via: 'own', now: NOW, ...where });
}

export function deriveBrand(file: object, where: Where = {}): DeclaredFacts {
  const { declaration } = readBrand(bytesOf(file));
  if (declaration === undefined) throw new Error('the test file is no declaration');
  return deriveFacts({ declaration, domain: 'house.example', via: 'own', now: NOW, ...where });
}

export const property = (id: string, more: object = {}): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value: `${id}.example` }],
  ...more,
});
export const byIds = (url: string, ids: string[], more: object = {}): object => ({
  url,
  authorized_for: 'x',
  authorization_type: 'property_ids',
  property_ids: ids,
  ...more,
});
export const byTags = (url: string, tags: string[]): object => ({
  url,
  authorized_for: 'x',
  authorization_type: 'property_tags',
  property_tags: tags,
});
export const select = (...selectors: object[]): object => ({
  url: A,
  authorized_for: 'x',
  authorization_type: 'publisher_properties',
  publisher_properties: selectors,
});
export const all = (...domains: string[]): object => ({ publisher_domains: domains, selection_type: 'all' });
export const counts = ({ authorisations }: DeclaredFacts): unknown[] =>
  authorisations.map(({ agent, countByType }) => [agent, countByType]);
