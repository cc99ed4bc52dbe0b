import { jsonFile } from '../web/file.ts';
import { inlineFile, mainEntry, ownFile, type PublisherDraft, propertiesOf, type Variant } from './plan.ts';

/** A file whose entries are made by one rule, one for each sales agent. */
function inline(entry: (url: string, draft: PublisherDraft) => object, more: object = {}): Variant {
  return (draft) => {
    const entries = draft.sales.map((url) => entry(url, draft));
    return ownFile(
      draft,
      jsonFile(inlineFile(draft, entries, more), { gzip: draft.random.int(2) === 0 }),
      draft.sales,
    );
  };
}

const propertyTags = inline((url, { tags }) => ({
  url,
  authorized_for: 'everything under our first tag',
  authorization_type: 'property_tags',
  property_tags: [tags[0]],
}));

const inlineProperties = inline((url, draft) => ({
  url,
  authorized_for: 'the properties listed in this entry',
  authorization_type: 'inline_properties',
  properties: propertiesOf(draft),
}));

const ownSelector = inline((url, { domain }) => ({
  url,
  authorized_for: 'all our properties',
  authorization_type: 'publisher_properties',
  publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
}));

// biome-ignore format: reads as one entry
const limited = inline((url, { webhookKeyOf }) =>
  mainEntry(url, {
    delegation_type: 'delegated',
    exclusive: false,
    countries: ['NL', 'BE'],
    placement_ids: ['top'],
    effective_from: '2025-01-01T00:00:00Z',
    effective_until: '2090-01-01T00:00:00Z',
    signing_keys: [webhookKeyOf(url)],
  }),
  { placements: [{ placement_id: 'top', name: 'Top of the page' }] },
);

/** Signals are sold by an agent of its own, beside a sales agent. */
function signals(entry: object): Variant {
  return (draft) => {
    const sale = draft.sales[0] as string;
    const file = inlineFile(
      draft,
      [mainEntry(sale), { url: draft.signals, authorized_for: 'our readers', ...entry }],
      {
        signals: [{ id: 'readers', name: 'Regular readers', value_type: 'binary', tags: ['readership'] }],
      },
    );
    return ownFile(draft, jsonFile(file), [sale]); // signals are no inventory
  };
}

/** The first agent stays; the authorisation of the others is not in force. */
function notInForce(window: object): Variant {
  return (draft) => {
    const [first, ...others] = draft.sales as [string, ...string[]];
    const file = inlineFile(draft, [mainEntry(first), ...others.map((url) => mainEntry(url, window))]);
    return ownFile(draft, jsonFile(file), [first]);
  };
}

const catalogueOnly: Variant = (draft) => ownFile(draft, jsonFile(inlineFile(draft, [])), []);

/** `authorized_agents` wins over `agents`. */
const bothLists: Variant = (draft) => {
  const [first, ...others] = draft.sales as [string, ...string[]];
  const file = inlineFile(draft, [mainEntry(first)], {
    agents: others.map((url) => ({ url, protocol: 'mcp' })),
  });
  return ownFile(draft, jsonFile(file), [first]);
};

/** The inline variants, by the name under which the sandbox speaks of them. */
export const INLINE_VARIANTS = {
  inline_property_ids: inline((url) => mainEntry(url)),
  inline_property_tags: propertyTags,
  inline_properties: inlineProperties,
  inline_publisher_properties: ownSelector,
  inline_signal_ids: signals({ authorization_type: 'signal_ids', signal_ids: ['readers'] }),
  inline_signal_tags: signals({ authorization_type: 'signal_tags', signal_tags: ['readership'] }),
  inline_limited: limited,
  expired: notInForce({ effective_until: '2024-06-30T00:00:00Z' }),
  not_yet: notInForce({ effective_from: '2090-01-01T00:00:00Z' }),
  catalogue_only: catalogueOnly,
  both_lists: bothLists,
} as const satisfies Record<string, Variant>;
