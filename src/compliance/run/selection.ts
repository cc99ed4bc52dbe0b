import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json.ts';
import { TEST_CONTROLLER } from '../../protocol/tasks.ts';
import { offers } from '../conversation/consent.ts';
import { firstAt } from '../json-path.ts';
import type { AgentUnderTest, NotSelected, Origin } from '../run-result.ts';
import type { Skip } from '../step-result.ts';
import type { CapabilityNeed, Storyboard } from '../storyboard.ts';
import type { BundledStoryboard } from '../storyboards/needs.ts';

/** A storyboard for an agent: to be run, or skipped as a whole for a reason. */
export interface Selected {
  readonly storyboard: Storyboard;
  readonly origin: Origin;
  /** As the agent declares it. */
  readonly specialism?: string;
  readonly skip?: Skip;
}

export interface Selection {
  /** In the order in which they run. */
  readonly selected: readonly Selected[];
  readonly notSelected: readonly NotSelected[];
}

export interface SelectionInput {
  /** In the order of the bundle, each after what it needs. */
  readonly storyboards: readonly BundledStoryboard[];
  readonly agent: AgentUnderTest;
  readonly tools: ReadonlySet<string>;
  readonly capabilities: JsonObject;
  /** Only these, by id; empty for all. */
  readonly only: readonly string[];
  /** Only those of these tracks; empty for all. */
  readonly tracks: readonly string[];
}

/**
 * Which storyboards an agent is to pass, from what it declares: the universal ones, the baseline of each protocol that
 * it supports, one for each specialism, and what those need; each gated by tools and capabilities. Pure.
 */
export function selectStoryboards(input: SelectionInput): Selection {
  const reasons = new Map(
    input.storyboards.map((one) => [one.storyboard.id, reasonFor(one, input)] as const),
  );
  const needed = withNeeded(input, reasons);
  const selected: Selected[] = [];
  const notSelected: NotSelected[] = [];
  for (const one of input.storyboards) {
    const { id, track } = one.storyboard;
    const reason = reasons.get(id);
    const why = reason ?? needed.get(id);
    const filtered = filteredOut(id, track, input);
    if (filtered !== undefined) notSelected.push(left(id, filtered));
    else if (why === undefined || why.origin === undefined)
      notSelected.push(left(id, why?.detail ?? 'no selected storyboard requires it'));
    else selected.push(gated(one.storyboard, why.origin, why.specialism, input));
  }
  return { selected, notSelected };
}

interface Reason {
  /** Undefined: the agent has nothing to do with it. */
  readonly origin?: Origin;
  readonly specialism?: string;
  readonly detail?: string;
}

/** The group of the bundle decides; a storyboard that is named on the command line needs no other reason. */
function reasonFor(
  { storyboard, group }: BundledStoryboard,
  { agent, only }: SelectionInput,
): Reason | undefined {
  const specialism = agent.specialisms.find((name) => snake(name) === storyboard.id);
  if (specialism !== undefined) return { origin: 'specialism', specialism };
  const inFolder = group.kind === 'specialism' ? group.specialism : undefined;
  if (agent.specialisms.some((name) => snake(name) === inFolder)) return { origin: 'specialism' };
  if (group.kind === 'universal') return { origin: 'universal' };
  if (group.kind === 'baseline' && agent.supported_protocols.includes(group.protocol))
    return { origin: 'baseline' };
  if (only.includes(storyboard.id)) return { origin: 'named' };
  if (group.kind === 'baseline')
    return { detail: `the agent does not support the protocol ${group.protocol}` };
  if (group.kind === 'specialism')
    return { detail: `the agent does not declare the specialism ${group.specialism}` };
  return undefined; // a scenario: run when another one needs it
}

/** What the selected ones need with them, and what those need. */
function withNeeded(
  { storyboards }: SelectionInput,
  reasons: ReadonlyMap<string, Reason | undefined>,
): ReadonlyMap<string, Reason> {
  const byId = new Map(storyboards.map(({ storyboard }) => [storyboard.id, storyboard]));
  const needed = new Map<string, Reason>();
  const follow = (id: string, origin: Origin) => {
    const storyboard = byId.get(id);
    if (storyboard === undefined) return;
    for (const other of [...storyboard.requiredScenarios, ...storyboard.prerequisites]) {
      if (needed.has(other) || reasons.get(other)?.origin !== undefined) continue;
      needed.set(other, { origin });
      follow(other, origin);
    }
  };
  for (const [id, reason] of reasons) if (reason?.origin !== undefined) follow(id, reason.origin);
  return needed;
}

function filteredOut(id: string, track: string, { only, tracks }: SelectionInput): string | undefined {
  if (only.length > 0 && !only.includes(id)) return 'not requested';
  if (tracks.length > 0 && !tracks.includes(track)) return `track ${track} not requested`;
  return undefined;
}

function gated(
  storyboard: Storyboard,
  origin: Origin,
  specialism: string | undefined,
  input: SelectionInput,
): Selected {
  const skip = gate(storyboard, origin, input);
  return { storyboard, origin, ...(specialism !== undefined && { specialism }), ...(skip && { skip }) };
}

function gate(
  storyboard: Storyboard,
  origin: Origin,
  { tools, capabilities }: SelectionInput,
): Skip | undefined {
  const { requiredTools, requiredCapabilities, requiredToolFamilies, requires, unknownGates, phases } =
    storyboard;
  if (phases.every(({ steps }) => steps.length === 0))
    return { reason: 'no_phases', detail: 'the storyboard has no steps', coverage_gap: false };
  if (unknownGates !== undefined)
    return notApplicable(`this runner does not support the requirement ${unknownGates.join(', ')}`);
  const unavailable = requires.find((one) => !isAvailable(one, tools));
  if (unavailable !== undefined)
    return notApplicable(`requires ${unavailable}, which this run does not have`);
  const family = requiredToolFamilies.find((names) => !names.some((name) => offers(tools, name)));
  if (family !== undefined) return notApplicable(`missing tools: ${family.join(', ')}`);
  if (requiredTools.length > 0 && !requiredTools.some((tool) => offers(tools, tool))) {
    if (requiredTools.includes(TEST_CONTROLLER))
      return {
        reason: 'missing_test_controller',
        detail: 'missing tool: comply_test_controller (test controller)',
        coverage_gap: true,
      };
    const detail = `missing tools: ${requiredTools.join(', ')}`;
    return { reason: 'missing_tool', detail, coverage_gap: origin === 'specialism' };
  }
  const unmet = unmetNeed(requiredCapabilities, capabilities);
  if (unmet === undefined) return undefined;
  return notApplicable(`the agent does not declare the required capability ${unmet.path}`);
}

/** Whether a requirement on the run is met. A receiver is looked for when the storyboard begins. */
function isAvailable(requirement: string, tools: ReadonlySet<string>): boolean {
  if (requirement === 'controller') return tools.has(TEST_CONTROLLER);
  return requirement === 'real_wire' || requirement === 'webhook_receiver';
}

function notApplicable(detail: string): Skip {
  return { reason: 'not_applicable', detail: detail.slice(0, 300), coverage_gap: false };
}

/** The first thing that the capabilities do not say; undefined when they say all of it. */
export function unmetNeed(
  needs: readonly CapabilityNeed[],
  capabilities: JsonObject,
): CapabilityNeed | undefined {
  return needs.find((need) => !isMet(need, capabilities));
}

function isMet({ path, ...need }: CapabilityNeed, capabilities: JsonObject): boolean {
  const { present, value } = firstAt(capabilities, path);
  if (need.present !== undefined && present !== need.present) return false;
  if (need.equals !== undefined && !(present && isDeepStrictEqual(value, need.equals))) return false;
  if (need.contains !== undefined && !(present && has(value, need.contains))) return false;
  return need.present !== undefined || need.equals !== undefined || need.contains !== undefined || present;
}

function has(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isDeepStrictEqual(item, wanted));
  return typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted);
}

function left(id: string, detail: string): NotSelected {
  return { storyboard_id: id, skip_reason: 'not_applicable', skip_detail: detail };
}

/** A specialism `sales-guaranteed` has the storyboard `sales_guaranteed`. */
export function snake(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}
