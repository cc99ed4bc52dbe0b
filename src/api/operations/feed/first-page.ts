import type { Change } from '../../../domain/change.ts';
import type { SavedDocument } from '../../../ports/agent-store.ts';
import type { EdgeChange, FileChange } from '../../../ports/edge-log.ts';
import type { FeedPosition } from './position.ts';

/** How far the clocks of two machines of one registry may be apart. */
const CLOCK_MARGIN_MS = 600_000;

/** Which rows tell a reader nothing who began with nothing. To whoever goes on from the end all rows tell something. */
export interface FirstPage {
  readonly isFirst: boolean;
  skipsAgent(change: Change, now: SavedDocument | undefined): boolean;
  skipsFile(row: FileChange): boolean;
  skipsEdge(row: EdgeChange): boolean;
  /** That an event grants this entry. */
  grants(id: number): void;
  /** A row was skipped for a later one of its agent, which has not been read yet. */
  isWaiting(): boolean;
}

/**
 * What one page knows of a first reading: of an agent only its latest row is told, of an entry that stands its begin. An
 * end is told when its begin may have been: on an earlier page, which was made before the end. By the time of the end alone
 * that is known only beyond the margin of clocks; what this page has read itself it knows without.
 */
export function firstPage(from: FeedPosition): FirstPage {
  const { isFirst } = from;
  const told = new Set<string>();
  const waiting = new Set<string>();
  const [read, granted] = [new Set<number>(), new Set<number>()];
  const isOld = (at: number) => at < from.at - CLOCK_MARGIN_MS;
  return {
    isFirst,
    skipsAgent({ agent, kind, version, at }, now) {
      if (!isFirst) return false;
      if (kind === 'delisted') return isOld(at) || (from.agents === 0 && !told.has(agent));
      if (now?.version !== version) {
        if (now?.document !== undefined) waiting.add(agent);
        return true;
      }
      waiting.delete(agent);
      told.add(agent);
      return false;
    },
    skipsFile({ publisher, stands, hasEnded, at }) {
      if (!isFirst) return false;
      if (hasEnded) return isOld(at) || (from.edges === 0 && !told.has(publisher));
      told.add(publisher);
      return !stands; // a later row tells how it stands now
    },
    skipsEdge({ id, kind, at }) {
      if (!isFirst) return false;
      if (kind === 'ended') return isOld(at) || ((from.edges === 0 || read.has(id)) && !granted.has(id));
      read.add(id);
      return granted.has(id);
    },
    grants: (id) => void (isFirst && granted.add(id)),
    isWaiting: () => waiting.size > 0,
  };
}
