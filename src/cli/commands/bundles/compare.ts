import { type JudgedStatus, outcomeOf, type StoryboardOutcome } from '../../../domain/judged-run.ts';
import type { Standing } from '../../../domain/standing.ts';
import type { Records } from '../../../ports/records.ts';
import type { TestedAgent } from '../../../records/runs/compliance-store.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { counted, listTable, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Agents that are read at once. */
const PAGE = 200;
const MAX_LISTED = 50;
const SHOWN = 3;

/** An agent whose status differs. */
interface Change {
  readonly agent_url: string;
  readonly status_before: JudgedStatus;
  readonly status_after: JudgedStatus;
  /** At most 50; those that fail with the second bundle first. */
  readonly storyboards: readonly StoryboardDifference[];
  readonly storyboards_total: number;
}

interface StoryboardDifference {
  readonly storyboard_id: string;
  /** Null if the bundle has no such storyboard for the agent. */
  readonly before: StoryboardOutcome | null;
  readonly after: StoryboardOutcome | null;
}

/** Follows schemas/cli/bundles-compare.json. */
interface Comparison {
  readonly before: string;
  readonly after: string;
  /** Tested with both. */
  readonly agents: number;
  readonly only_before: number;
  readonly only_after: number;
  readonly changes: readonly Change[];
}

export default command({
  name: 'compare',
  description:
    'Show which agents have another status with the second bundle than with the first, and why. Uses the runs so far and changes nothing.',
  arguments: [
    ['<before>', 'the bundle in use: a version or an alias'],
    ['<after>', 'the bundle to switch to'],
  ],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  exitCodes: [
    [EXIT.ok, 'no agent that was tested with both has another status'],
    [EXIT.findings, 'some have'],
  ],
  run: (flags, one, other) =>
    withStore(flags, READ, async ({ records }) => {
      const { installedBundle, isBuiltIn, namedVersion } = await import('./installed.ts');
      const before = await namedVersion(records, one);
      const after = await namedVersion(records, other);
      for (const version of [before, after]) if (!isBuiltIn(version)) await installedBundle(records, version);
      const comparison = await compare(records, before, after);
      if (flags.json) printJson(comparison);
      else print(comparison);
      return comparison.changes.length === 0 ? EXIT.ok : EXIT.findings;
    }),
});

/** Both lists are in the order of the URLs, so neither has to fit into memory. */
async function compare(records: Records, before: string, after: string): Promise<Comparison> {
  const [one, other] = [testedWith(records, before), testedWith(records, after)];
  const changes: Change[] = [];
  const counts = { agents: 0, only_before: 0, only_after: 0 };
  let [left, right] = [await nextOf(one), await nextOf(other)];
  while (left !== undefined || right !== undefined) {
    if (right === undefined || (left !== undefined && left.agent < right.agent)) {
      counts.only_before += 1;
      left = await nextOf(one);
    } else if (left === undefined || right.agent < left.agent) {
      counts.only_after += 1;
      right = await nextOf(other);
    } else {
      counts.agents += 1;
      if (left.standing.status !== right.standing.status)
        changes.push(changeOf(left.agent, left.standing, right.standing));
      [left, right] = [await nextOf(one), await nextOf(other)];
    }
  }
  return { before, after, ...counts, changes };
}

/** Those with a result: a run that could not judge an agent says nothing about it. */
async function* testedWith({ compliance }: Pick<Records, 'compliance'>, version: string) {
  for (let after = ''; ; ) {
    const page = await compliance.standingsWith(version, after, PAGE);
    yield* page.filter(({ standing }) => standing.latest !== null);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.agent;
  }
}

async function nextOf(agents: AsyncGenerator<TestedAgent>): Promise<TestedAgent | undefined> {
  const { value, done } = await agents.next();
  return done === true ? undefined : value;
}

function changeOf(agent: string, before: Standing, after: Standing): Change {
  const [old, now] = [outcomesOf(before), outcomesOf(after)];
  const differences = [...new Set([...now.keys(), ...old.keys()])]
    .map((id) => ({ storyboard_id: id, before: old.get(id) ?? null, after: now.get(id) ?? null }))
    .filter(isDifference)
    .toSorted((a, b) => Number(b.after === 'fail') - Number(a.after === 'fail'));
  return {
    agent_url: agent,
    ...{ status_before: before.status, status_after: after.status },
    storyboards: differences.slice(0, MAX_LISTED),
    storyboards_total: differences.length,
  };
}

function outcomesOf({ storyboards }: Standing): ReadonlyMap<string, StoryboardOutcome> {
  return new Map(storyboards.map((one) => [one.storyboard_id, outcomeOf(one)]));
}

/** A storyboard of one bundle only is a reason for another status if it does not pass. */
function isDifference({ before, after }: StoryboardDifference): boolean {
  if (before !== null && after !== null) return before !== after;
  const only = before ?? after;
  return only !== 'pass' && only !== 'skipped';
}

function print({ before, after, agents, only_before, only_after, changes }: Comparison): void {
  if (changes.length > 0) {
    const rows = changes.map((one) => [one.agent_url, one.status_before, one.status_after, reasonOf(one)]);
    const headings = ['agent', `with ${before}`, `with ${after}`, 'storyboards with another result'];
    for (const line of listTable(
      headings,
      rows.map((row) => row.map((cell) => visible(cell))),
    ))
      printLine(line);
  }
  printLine(`${counted(agents, 'agent')} tested with both: ${changes.length} would change status`);
  if (only_before + only_after > 0)
    printLine(
      `tested with one of them only: ${counted(only_before, 'agent')} with ${before}, ${counted(only_after, 'agent')} with ${after}`,
    );
}

function reasonOf({ storyboards, storyboards_total: total }: Change): string {
  const shown = storyboards
    .slice(0, SHOWN)
    .map(({ storyboard_id: id, before, after }) => `${id} ${before ?? '-'} → ${after ?? '-'}`);
  const more = total > shown.length ? [`${total - shown.length} more`] : [];
  return total === 0 ? '-' : [...shown, ...more].join(', ');
}
