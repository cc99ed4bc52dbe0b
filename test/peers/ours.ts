import { type LocalDirectory, loadDirectory } from '../../src/client/directory/index.ts';
import { createClient } from '../../src/client/index.ts';
import { AGENT_URLS, type Held, PUBLISHER_DOMAINS } from './changing-registry.ts';
import type { FollowOrder, FollowReply } from './follow.ts';
import type { Peer } from './peer.ts';

/**
 * Our own client beside those of the field: a local directory for each name, of the newest export when the name is first
 * heard. What it holds is asked of it question by question.
 */
export function ourFollower(): Peer<FollowOrder, FollowReply> {
  const directories = new Map<string, LocalDirectory>();
  async function follow({ name, url, key }: FollowOrder['follow']): Promise<LocalDirectory> {
    const registry = createClient({ baseUrl: url, apiKey: key });
    const known = directories.get(name);
    const directory = known ?? (await loadDirectory(registry));
    if (known !== undefined) await known.follow(registry);
    directories.set(name, directory);
    return directory;
  }
  return {
    async call(order) {
      try {
        return { ok: true, data: heldBy(await follow(order.follow)) };
      } catch (error) {
        return { ok: false, error: String(error) };
      }
    },
    close: async () => undefined,
  };
}

function heldBy(directory: LocalDirectory): Pick<Held, 'agents' | 'edges' | 'verdicts'> {
  const cards = AGENT_URLS.flatMap((url) => {
    const card = directory.agent(url);
    return card === undefined ? [] : [{ url, card }];
  });
  const isSold = (agent: string, publisher: string) =>
    directory.isAuthorized({ agent, publisher }).authorized;
  const edges = AGENT_URLS.flatMap((agent) =>
    PUBLISHER_DOMAINS.filter((domain) => isSold(agent, domain)).map((domain) => `${agent} ${domain}`),
  );
  const statusOf = (card: object) =>
    (card as { readonly compliance_summary?: { readonly status: string } }).compliance_summary?.status;
  return {
    agents: cards.map(({ url }) => url).sort(),
    edges: edges.sort(),
    verdicts: cards.map(({ url, card }) => `${url} ${statusOf(card)}`).sort(),
  };
}
