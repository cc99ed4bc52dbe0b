import type { PublisherName } from '../names.ts';
import type { Random } from '../random.ts';
import type { PageHandler } from '../web/web.ts';

/** What a variant has to work with. */
export interface PublisherDraft extends PublisherName {
  readonly random: Random;
  /** Agents that sell this publisher's inventory, as declared; one to three. */
  readonly sales: readonly string[];
  /** An agent for the publisher's signals, as declared. */
  readonly signals: string;
  /** The key with which an agent signs webhooks, for a publisher that pins it. */
  readonly webhookKeyOf: (agentUrl: string) => Readonly<Record<string, unknown>>;
}

export interface PublishedPage {
  readonly host: string;
  readonly path: string;
  readonly page: PageHandler;
}

/** What a variant made: pages, and whom the publisher authorises by them. */
export interface PublisherPlan {
  readonly pages: readonly PublishedPage[];
  /** Declared addresses of the agents that an honest registry lists this publisher for. */
  readonly authorises: readonly string[];
}

export type Variant = (draft: PublisherDraft) => PublisherPlan;

export const ADAGENTS = '/.well-known/adagents.json';

/** A plan with just the publisher's own adagents.json. */
export function ownFile(
  { domain }: PublisherDraft,
  page: PageHandler,
  authorises: readonly string[],
): PublisherPlan {
  return { pages: [{ host: domain, path: ADAGENTS, page }], authorises };
}

export interface SandboxProperty {
  readonly property_id: string;
  readonly property_type: string;
  readonly name: string;
  readonly identifiers: readonly { readonly type: string; readonly value: string }[];
  readonly tags: readonly string[];
  readonly publisher_domain: string;
}

/** The publisher's main property, and an archive that is always a website. */
export function propertiesOf(draft: PublisherDraft): readonly SandboxProperty[] {
  const { domain, name, type, tags } = draft;
  const main =
    type === 'website'
      ? { type: 'domain', value: domain }
      : { type: `${type}_id`, value: domain.split('.')[0] as string };
  return [
    { property_id: 'main', property_type: type, name, identifiers: [main], tags, publisher_domain: domain },
    {
      property_id: 'archive',
      property_type: 'website',
      name: `${name}, the archive`,
      identifiers: [{ type: 'domain', value: `archive.${domain}` }],
      tags: [...tags, 'archive'],
      publisher_domain: domain,
    },
  ];
}

/** The frame of an inline file. */
export function inlineFile(draft: PublisherDraft, agents: readonly object[], more: object = {}): object {
  return {
    $schema: 'https://schemas.example/discovery/adagents.json',
    contact: { name: draft.name, email: `ads@${draft.domain}`, domain: draft.domain },
    properties: propertiesOf(draft),
    authorized_agents: agents,
    last_updated: '2026-01-05T09:30:00Z',
    ...more,
  };
}

/** One good entry: the agent may sell the main property. */
export function mainEntry(url: string, more: object = {}): object {
  return {
    url,
    authorized_for: 'our main property',
    authorization_type: 'property_ids',
    property_ids: ['main'],
    ...more,
  };
}
