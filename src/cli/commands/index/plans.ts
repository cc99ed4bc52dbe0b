import type { AgentFilter } from '../../../domain/agent-query.ts';
import type { Comparison } from '../../../index/generations/compare-generations.ts';
import { leftOvers } from '../../../index/generations/find-generation.ts';
import type { Generation } from '../../../ports/agent-index.ts';
import { countedAgents } from '../../output/print.ts';

/** Queries with different results that are named; the others are counted. */
const NAMED = 3;

/** The state that a rebuild starts from. */
export interface RebuildFinds {
  readonly list: readonly Generation[];
  /** Number of agents that the records list. */
  readonly listed: number;
  /** The generation of other records that is live under the names of this index. */
  readonly foreign: number | undefined;
  /** Generations with changes that the records do not have. */
  readonly ahead: ReadonlySet<number>;
}

/** What `rebuild --yes` would do, in sentences. */
export function rebuildPlan(found: RebuildFinds, promotes: boolean): string[] {
  const { list, listed, foreign, ahead } = found;
  const unusable = leftOvers(list).filter(
    ({ id, state, fault }) => state !== 'built' || fault !== undefined || ahead.has(id),
  );
  const built = leftOvers(list).findLast((generation) => !unusable.includes(generation));
  const live = ofState(list, 'live');
  const then = promotes ? [comparisonPlan(live), ...keptSentences(list)] : [NO_SWITCH];
  return [
    ...unusable.map((generation) => dropSentence(generation)),
    `${buildSentence(built, listed)}; ${besideText(live)}`,
    ...then,
    ...(promotes ? foreignSentences(foreign) : []),
  ];
}

function besideText(live: Generation | undefined): string {
  if (live === undefined) return 'no generation is live: search does not work until the rebuild is done';
  if (live.fault !== undefined)
    return `search does not work until the rebuild is done: ${live.fault.message}`;
  return `generation ${live.id} (${agentsIn(live)}) keeps answering meanwhile`;
}

function foreignSentences(foreign: number | undefined): string[] {
  if (foreign === undefined) return [];
  return [
    `the live generation ${foreign} belongs to other records, whose registry would lose its search; ` +
      'set another REGISTRY_INDEX_PREFIX to keep both, or add --replace-foreign',
  ];
}

function comparisonPlan(live: Generation | undefined): string {
  if (live?.fault === undefined) return 'would compare it with the live one and switch to it in one step';
  return live.documents === undefined
    ? 'would switch to it in one step, without a comparison'
    : `would compare its number of agents with that of the live one (${agentsIn(live)}) and switch to it in one step`;
}

const NO_SWITCH = 'would not switch to it; "agent-registry index promote" does';

function dropSentence({ id, state, fault }: Generation): string {
  if (fault !== undefined) return `would drop generation ${id}: ${fault.message}`;
  if (state === 'building') return `would drop generation ${id}, which an interrupted rebuild left`;
  return `would drop generation ${id}, which contains changes unknown to the records`;
}

function buildSentence(built: Generation | undefined, listed: number): string {
  return built === undefined
    ? `would copy ${countedAgents(listed)} from the records into a new generation`
    : `would continue with generation ${built.id}, which is built (${agentsIn(built)}), and bring it up to date`;
}

/** What happens to the other generations at a switch to `id`; absent for a new one. */
function keptSentences(list: readonly Generation[], id?: number): string[] {
  const live = ofState(list, 'live');
  const previous = ofState(list, 'previous');
  return [
    ...(live === undefined ? [] : [`generation ${live.id} would be kept for a rollback`]),
    ...(previous === undefined || previous.id === id ? [] : [`generation ${previous.id} would be dropped`]),
  ];
}

/** What a switch to a generation would change, in sentences. */
export function switchPlan(
  { list, foreign }: Pick<RebuildFinds, 'list' | 'foreign'>,
  { id, state }: Generation,
  comparison: Comparison,
  lag: number,
): string[] {
  const { live, candidate, shrinks } = comparison;
  const none =
    ofState(list, 'live') === undefined
      ? 'no generation is live'
      : 'the agents of the live one cannot be counted';
  const now = live === undefined ? none : `the live one has ${countedAgents(live)}`;
  return [
    ...(lag > 0 ? [`would first bring generation ${id} up to date: it is ${lag} changes behind`] : []),
    `would switch to generation ${id} (${state}): ${countedAgents(candidate)}, ${now}`,
    ...comparisonSentences(comparison),
    ...keptSentences(list, id),
    ...(shrinks ? ['over 10 % fewer agents: add --accept-shrink'] : []),
    ...foreignSentences(foreign),
  ];
}

/** What `prune --yes` would drop, in sentences. */
export function prunePlan(dropped: readonly Generation[]): string[] {
  if (dropped.length === 0) return ['nothing to drop: every generation is live or kept for a rollback'];
  return dropped.map(
    (generation) => `would drop generation ${generation.id} (${generation.state}, ${agentsIn(generation)})`,
  );
}

/** What a switch did, in sentences. */
export function switchedSentences(
  comparison: Comparison,
  live: Generation,
  previous: Generation | undefined,
): string[] {
  const kept = previous === undefined ? '' : `, ${previous.id} is kept for a rollback`;
  return [
    `switched: generation ${live.id} is live (${agentsIn(live)})${kept}`,
    ...comparisonSentences(comparison),
  ];
}

function comparisonSentences({ asked, differing }: Comparison): string[] {
  if (asked === 0) return [];
  if (differing.length === 0) return [`all ${asked} sample queries return the same results in both`];
  const named = differing.slice(0, NAMED).map(filterText).join(', ');
  const more = differing.length > NAMED ? `, and ${differing.length - NAMED} more` : '';
  return [`${differing.length} of ${asked} sample queries return different results: ${named}${more}`];
}

function filterText(filter: AgentFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${[value].flat().join(' or ')}`);
  return parts.length === 0 ? 'all agents' : parts.join(' and ');
}

export function ofState(list: readonly Generation[], state: Generation['state']): Generation | undefined {
  return list.find((generation) => generation.state === state);
}

/** `5 agents`. */
export function agentsIn({ documents }: Generation): string {
  return documents === undefined ? 'agents cannot be counted' : countedAgents(documents);
}
