import { setImmediate } from 'node:timers/promises';
import { AGENT_TYPES, PROTOCOLS } from '../domain/agent-type.ts';
import { COMPLIANCE_STATUSES } from '../domain/compliance.ts';
import type { SourceKind, VisitKind } from '../domain/source.ts';
import { INDEX_LAYOUT } from '../index/query/index-fields.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import { countStoryboards, type StoryboardCount } from './storyboard-counts.ts';

/** Sources that are counted before others get their turn. */
const PIECE = 5_000;
const KINDS: readonly SourceKind[] = ['adagents', 'brand', 'agent'];
const VISITS: readonly VisitKind[] = ['domain', 'agent'];
/** Whatever agents call their markets; countries are two letters of them. */
const MOST_MARKETS = 2_000;

type Counts = Readonly<Record<string, number>>;

/** How the registry itself is doing, in the words of the wire. */
export interface RegistryFigures {
  readonly agents: {
    readonly total: number;
    readonly verified: number;
    readonly by_type: Counts;
    readonly by_protocol: Counts;
    readonly by_compliance_status: Counts;
    readonly by_country: Counts;
  };
  readonly sources: Readonly<Record<string, SourceFigures>>;
  readonly due: {
    readonly domains: number;
    readonly agents: number;
    readonly tests: number;
    readonly oldest_due_at: string | null;
    readonly oldest_due_seconds: number;
  };
  /** By the id of a storyboard. */
  readonly storyboards: Readonly<Record<string, StoryboardCount>>;
  readonly index: {
    readonly documents: number;
    /** When the generation that is read was begun; a rebuild begins a new one. */
    readonly built_at: string | null;
    /** Changes that it does not have yet. */
    readonly changes_waiting: number;
    readonly layout: number;
  };
  /** Files and agents whose last visit came to nothing by our own network; nothing of it counts against them. */
  readonly own_network: number;
  readonly version: string;
  /** Build, schema of the records, layout of the index and Node; absent if not provided. */
  readonly build?: string;
  readonly generated_at: string;
}

interface SourceFigures {
  readonly total: number;
  readonly valid?: number;
  readonly by_status: Counts;
  readonly freshness_minutes: Readonly<Record<'p50' | 'p90' | 'p99', number | null>>;
}

export interface FigureParts {
  readonly records: Pick<Records, 'sources' | 'runs' | 'compliance' | 'agents'>;
  readonly index: Pick<AgentIndex, 'count' | 'facet' | 'generations'>;
  readonly clock: Clock;
  /** Of the program. */
  readonly version: string;
  readonly build?: string;
}

/** Counts all of it, piece by piece: others have their turn in between. */
export async function countFigures(
  { records, index, clock, version, build }: FigureParts,
  now: number,
): Promise<RegistryFigures> {
  const [total, markets, statuses, verified, ...counts] = await Promise.all([
    index.count({}),
    index.facet('markets', MOST_MARKETS),
    index.facet('compliance_status', COMPLIANCE_STATUSES.length),
    index.count({ verified: true }),
    ...AGENT_TYPES.map((type) => index.count({ type })),
    ...PROTOCOLS.map((protocol) => index.count({ protocol })),
  ]);
  const named = (names: readonly string[], from: number) =>
    Object.fromEntries(names.map((name, at) => [name, counts[from + at] ?? 0]));
  const { sources, ownFaults } = await countSources(records.sources, now);
  const due = await records.sources.countDue(now);
  const oldest = await Promise.all(VISITS.map((kind) => records.sources.due(kind, 1, now)));
  const dueAt = oldest.flat().map((one) => one.dueAt);
  const at = dueAt.length === 0 ? undefined : Math.min(...dueAt);
  const runs = await records.runs.countDue(now);
  const live = (await index.generations.list()).find(({ state }) => state === 'live');
  const lastSeq = await records.agents.lastSeq();
  return {
    agents: {
      total,
      verified,
      by_type: named(AGENT_TYPES, 0),
      by_protocol: named(PROTOCOLS, AGENT_TYPES.length),
      by_compliance_status: Object.fromEntries(
        COMPLIANCE_STATUSES.map((status) => [
          status,
          statuses.find(({ value }) => value === status)?.count ?? 0,
        ]),
      ),
      // an agent that sells in several is counted in each
      by_country: Object.fromEntries(
        markets
          .filter(({ value }) => /^[a-z]{2}$/.test(value))
          .map(({ value, count }) => [value.toUpperCase(), count])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      ),
    },
    sources,
    due: {
      domains: due.domains,
      agents: due.agents,
      tests: runs.due + runs.asked,
      // a scheduler that starves shows here: what waits longest for its visit
      oldest_due_at: at === undefined ? null : new Date(at).toISOString(),
      oldest_due_seconds: at === undefined ? 0 : Math.max(0, Math.round((now - at) / 1_000)),
    },
    storyboards: await countStoryboards(records.compliance),
    index: {
      documents: live?.documents ?? 0,
      built_at: live === undefined ? null : new Date(live.createdAt).toISOString(),
      changes_waiting: Math.max(0, lastSeq - (live?.appliedSeq ?? 0)),
      layout: INDEX_LAYOUT,
    },
    own_network: ownFaults,
    version,
    ...(build !== undefined && { build }),
    generated_at: new Date(clock.now()).toISOString(),
  };
}

interface Tally {
  total: number;
  /** What it says counts now; of files only. */
  valid: number;
  readonly outcomes: Map<string, number>;
  readonly ages: Map<number, number>;
}

async function countSources(
  store: Pick<Records['sources'], 'tally'>,
  now: number,
): Promise<{ readonly sources: RegistryFigures['sources']; readonly ownFaults: number }> {
  let ownFaults = 0;
  const all = new Map<SourceKind, Tally>(
    KINDS.map((kind) => [kind, { total: 0, valid: 0, outcomes: new Map(), ages: new Map() }]),
  );
  for (let after = 0; ; ) {
    const rows = await store.tally(after, PIECE, now);
    if (rows.length === 0) break;
    for (const { kind, outcome, counts, minutes, isOwnFault, n, last } of rows) {
      const figures = all.get(kind);
      after = Math.max(after, last);
      if (figures === undefined) continue;
      figures.total += n;
      ownFaults += isOwnFault ? n : 0;
      figures.valid += counts ? n : 0;
      const name = outcome ?? 'never_visited';
      figures.outcomes.set(name, (figures.outcomes.get(name) ?? 0) + n);
      if (minutes !== null) figures.ages.set(minutes, (figures.ages.get(minutes) ?? 0) + n);
    }
    await setImmediate(); // others have their turn
  }
  const sources = Object.fromEntries(
    [...all].map(([kind, { total, valid, outcomes, ages }]) => [
      kind,
      {
        total,
        ...(kind !== 'agent' && { valid }),
        by_status: Object.fromEntries([...outcomes].sort()),
        freshness_minutes: percentiles(ages),
      },
    ]),
  );
  return { sources, ownFaults };
}

/** Of what was read at all: null where nothing was. */
function percentiles(ages: ReadonlyMap<number, number>): SourceFigures['freshness_minutes'] {
  const sorted = [...ages].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, n]) => sum + n, 0);
  const at = (part: number): number | null => {
    let left = Math.ceil(total * part);
    for (const [minutes, n] of sorted) {
      left -= n;
      if (left <= 0) return minutes;
    }
    return null;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
