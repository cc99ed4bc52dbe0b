import type { FeedPlace, FeedView } from '../../../ports/feed-view.ts';
import { MAX_BYTES } from '../graph/reading.ts';
import { fittingTypes } from './asked.ts';
import { type FeedRecords, readFeed } from './page.ts';
import { feedCursor } from './position.ts';

interface ViewParts {
  readonly records: FeedRecords;
  readonly cursorSecret: Uint8Array;
  /** Without a trailing slash; '' for relative URLs. */
  readonly baseUrl: string;
}

/** The feed as webhooks of subscribers read it. */
export function feedView({ records, cursorSecret, baseUrl }: ViewParts): FeedView {
  return {
    async end() {
      // an edge needs its agent, so edges are counted first
      const edges = await records.edgeLog.lastEdgeChange();
      return { agents: await records.agents.lastSeq(), edges };
    },
    async next(from, types) {
      const wanted = fittingTypes(types);
      const room = { limit: 1, maxBytes: MAX_BYTES, isWanted: wanted.has.bind(wanted) };
      const { events, position } = await readFeed(records, { ...from, isFirst: false, at: 0 }, room);
      const { agents, edges } = position;
      const [first] = events;
      const at = first === undefined ? {} : { at: first.at };
      return { ...at, place: { agents, edges } };
    },
    cursor: (place: FeedPlace, at) => feedCursor({ ...place, isFirst: false, at }, cursorSecret),
    address: (cursor, types) => `${baseUrl}/api/registry/feed?${new URLSearchParams({ cursor, types })}`,
  };
}
