import { isObject } from '../../base/json.ts';
import { readCopyLine } from '../../domain/read-copy-lines.ts';
import type { CallOptions, RegistryClient } from '../client.ts';
import { RegistryFailure } from '../failure.ts';
import { type Card, CopiedPublisher, type Copy, isCard } from './copy.ts';

/** Publishers that are requested at the same time. */
const CONCURRENCY = 8;
const TYPES = 'agent.*,publisher.*,authorization.*';

/**
 * Applies the events after the cursor of a copy; returns the number of changed agents and publishers. A page is applied only
 * after all its events were checked and its publishers read, so that a failed page changes nothing. The feed only names the
 * publishers that changed; each is then read in full.
 */
export async function followFeed(
  copy: Copy,
  registry: Pick<RegistryClient, 'call' | 'pages'>,
  options: CallOptions,
): Promise<number> {
  let changes = 0;
  const query = { cursor: copy.cursor, types: TYPES, limit: 10_000 };
  for await (const answer of registry.pages('getFeed', query, options)) {
    const page = checkedPage(answer);
    const agents = new Map<string, Card | undefined>();
    const domains = new Set<string>();
    for (const { event_type, payload } of page.events) {
      const { agent_url: url, inventory_profile: _profile, publisher_domain: domain, ...card } = payload;
      if (typeof domain === 'string') domains.add(domain);
      else if (typeof url !== 'string') continue;
      else if (event_type === 'agent.removed') agents.set(url, undefined);
      else if (event_type === 'agent.discovered' || event_type === 'agent.profile_updated')
        agents.set(url, card);
    }
    const publishers = await readPublishers(registry, [...domains], options);

    for (const [url, card] of agents) {
      if (card === undefined) copy.agents.delete(url);
      else copy.agents.set(url, card);
    }
    for (const [domain, publisher] of publishers) {
      if (publisher === undefined) copy.deletePublisher(domain);
      else copy.setPublisher(publisher);
    }
    copy.cursor = page.cursor;
    changes += agents.size + publishers.size;
  }
  return changes;
}

interface FeedPage {
  readonly events: readonly { readonly event_type: string; readonly payload: Card }[];
  readonly cursor: string;
}

function checkedPage(answer: unknown): FeedPage {
  const { events, cursor } = isObject(answer) ? answer : {};
  const isEvent = (event: unknown) =>
    isObject(event) && typeof event.event_type === 'string' && isCard(event.payload);
  if (Array.isArray(events) && events.every(isEvent) && typeof cursor === 'string' && cursor !== '')
    return { events, cursor };
  throw new RegistryFailure('not_understood', 'the answer of the registry is not a page of the feed');
}

/** The current publishers of these domains; undefined for a publisher that the registry no longer has. */
async function readPublishers(
  registry: Pick<RegistryClient, 'call'>,
  domains: readonly string[],
  options: CallOptions,
): Promise<Map<string, CopiedPublisher | undefined>> {
  const publishers = new Map<string, CopiedPublisher | undefined>();
  for (let start = 0; start < domains.length; start += CONCURRENCY) {
    const read = domains.slice(start, start + CONCURRENCY).map(async (domain) => {
      publishers.set(domain, await readPublisher(registry, domain, options));
    });
    await Promise.all(read);
  }
  return publishers;
}

async function readPublisher(
  registry: Pick<RegistryClient, 'call'>,
  domain: string,
  options: CallOptions,
): Promise<CopiedPublisher | undefined> {
  try {
    const line = readCopyLine(
      JSON.stringify(await registry.call('getExportedPublisher', { domain }, options)),
    );
    if (line.kind === 'publisher' && !line.isContinued && line.publisher.publisher === domain) {
      const publisher = new CopiedPublisher(line.publisher);
      publisher.add(line.publisher);
      return publisher;
    }
  } catch (error) {
    if (error instanceof RegistryFailure && error.code === 'not_found') return undefined;
    // TypeError: the line is invalid; RangeError: it is nested too deeply
    if (error instanceof TypeError || error instanceof RangeError)
      throw new RegistryFailure('not_understood', `${domain}: ${error.message}`, { cause: error });
    throw error;
  }
  throw new RegistryFailure('not_understood', `the registry returned another publisher than ${domain}`);
}
