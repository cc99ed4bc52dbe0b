import { handler } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { ADVERTISING_POLICIES, portfolioOf } from './capabilities.ts';
import { catalogueOf } from './catalogue.ts';
import { tagsOf } from './properties.ts';

export const listAuthorizedProperties = handler('list_authorized_properties', {
  description: 'Lists the publishers whose inventory this agent sells',
  callers: 'anybody',
  run: ({ publisher_domains: wanted, tags, pagination }, { agent: { spec, facts } }) => {
    const domains = setOf(wanted);
    const topics = setOf(tags);
    const found = facts.publisherDomains
      .filter((domain) => domains?.has(domain) ?? true)
      .filter((domain) => topics === undefined || tagsOf(domain).some((tag) => topics.has(tag)));
    const page = pageOf(found, pagination);
    const { primary_channels, description } = portfolioOf(spec, facts, catalogueOf(spec, facts));
    return {
      publisher_domains: page.items,
      primary_channels,
      portfolio_description: description,
      advertising_policies: ADVERTISING_POLICIES,
      pagination: page.pagination,
    };
  },
});

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0
    ? undefined
    : new Set(values.map((value) => value.toLowerCase()));
}
