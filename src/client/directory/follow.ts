import { isObject } from '../../base/json.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { readCopyLine } from '../../domain/read-copy-lines.ts';
import type { CallOptions, RegistryClient } from '../client.ts';
import { RegistryFailure } from '../failure.ts';
import type { Card } from './packed.ts';

/** The changes of a copy by a page of the feed; undefined: deleted. */
export interface PageOfChanges {
  readonly agents: ReadonlyMap<string, Card | undefined>;
  readonly publishers: ReadonlyMap<string, PublisherToCopy | undefined>;
  readonly cursor: string;
}

const AT_ONCE = 8;
const TYPES = 'agent.*,publisher.*,authorization.*';

/**
 * The changes after a cursor, page by page. The feed names the publishers that changed; each is then read in full. Throws the failure `feed_cursor_gone` when the registry does not know the cursor.
 */
export async function* changesBehind(
  registry: Pick<RegistryClient, 'call' | 'pages'>,
  cursor: string,
  options: CallOptions,
): AsyncGenerator<PageOfChanges, void, undefined> {
  for await (const page of registry.pages('getFeed', { cursor, types: TYPES, limit: 10_000 }, options)) {
    const { events, cursor: behind } = understood(page);
    const agents = new Map<string, Card | undefined>();
    const named = new Set<string>();
    for (const { event_type, payload } of events) {
      const { agent_url: url, inventory_profile: _profile, publisher_domain: domain, ...card } = payload;
      if (typeof domain === 'string') named.add(domain);
      else if (typeof url !== 'string') continue;
      else if (event_type === 'agent.removed') agents.set(url, undefined);
      else if (event_type === 'agent.discovered' || event_type === 'agent.profile_updated')
        agents.set(url, card);
    }
    const publishers = new Map<string, PublisherToCopy | undefined>();
    const waiting = named.values();
    const read = async () => {
      for (const domain of waiting) publishers.set(domain, await publisherNow(registry, domain, options));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, read));
    yield { agents, publishers, cursor: behind };
  }
}

interface Understood {
  readonly events: readonly { readonly event_type: string; readonly payload: Card }[];
  readonly cursor: string;
}

/** Validates a page of events. A page with an invalid event is not applied at all. */
function understood(page: unknown): Understood {
  const { events, cursor } = isObject(page) ? page : {};
  const isEvent = (one: unknown) =>
    isObject(one) && typeof one.event_type === 'string' && isObject(one.payload);
  const isPage =
    Array.isArray(events) && events.every(isEvent) && typeof cursor === 'string' && cursor !== '';
  if (isPage) return page as unknown as Understood;
  throw new RegistryFailure('not_understood', 'the answer of the registry is not a page of the feed');
}

async function publisherNow(
  registry: Pick<RegistryClient, 'call'>,
  domain: string,
  options: CallOptions,
): Promise<PublisherToCopy | undefined> {
  try {
    const line = readCopyLine(
      JSON.stringify(await registry.call('getExportedPublisher', { domain }, options)),
    );
    if (line.kind === 'publisher' && !line.isContinued && line.publisher.publisher === domain)
      return line.publisher;
  } catch (error) {
    if (error instanceof RegistryFailure && error.code === 'not_found') return undefined;
    if (error instanceof TypeError)
      throw new RegistryFailure('not_understood', `${domain}: ${error.message}`, { cause: error });
    throw error;
  }
  throw new RegistryFailure('not_understood', `the registry returned another publisher than ${domain}`);
}
