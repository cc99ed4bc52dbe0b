import type { Rejudged } from '../../../compliance/verdict/rejudged.ts';
import type { JudgedStatus, RunOutcome } from '../../../domain/judged-run.ts';
import type { Records } from '../../../ports/records.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';
import type { ComplianceState } from '../../../records/runs/compliance-state.ts';
import type { TestedAgent } from '../../../records/runs/compliance-store.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { counted, paint, printJson, printLine } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';
import { visible } from '../../output/visible.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Agents that are read at once. */
const PAGE = 200;
const MAX_REASONS = 100;
const SHOWN_REASONS = 5;

/** An agent whose next run is expected to change its status or a badge. */
interface Change {
  readonly agent_url: string;
  readonly run_id: string;
  readonly finished_at: string;
  readonly algorithm_version: string;
  readonly status_before: JudgedStatus;
  /** An inconclusive run changes no status. */
  readonly status_after: JudgedStatus;
  readonly outcome_after: RunOutcome;
  readonly headline_after: string;
  readonly reasons: readonly string[];
  readonly badges: readonly { readonly role: string; readonly protocol_line: string }[];
}

interface Untold {
  readonly agent_url: string;
  readonly run_id: string;
  readonly finished_at: string;
  readonly why: string;
}

type Outlook = { readonly change: Change } | { readonly untold: Untold } | undefined;

export default command({
  name: 'rejudge',
  description:
    'Show which agents would change status under the current rules, and why, based on the stored report of the latest run. Changes nothing.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  async run(flags) {
    const rules = await loadRules();
    return withStore(flags, READ, async ({ records }) => {
      const changes: Change[] = [];
      const untold: Untold[] = [];
      let agents = 0;
      for await (const tested of testedAgents(records)) {
        agents += 1;
        const outlook = await outlookOf(records, tested, rules);
        if (outlook === undefined) continue;
        if ('change' in outlook) changes.push(outlook.change);
        else untold.push(outlook.untold);
      }
      const body = { algorithm_version: rules.ALGORITHM_VERSION, agents, changes, cannot_be_told: untold };
      if (flags.json) printJson(body);
      else print(body);
      return EXIT.ok;
    });
  },
});

/** Loaded with the command, as they are large. */
async function loadRules() {
  const { ALGORITHM_VERSION, judgeRun } = await import('../../../compliance/verdict/verdict.ts');
  const { rejudged } = await import('../../../compliance/verdict/rejudged.ts');
  const { failingBadges } = await import('../../../compliance/badges/badges-after.ts');
  return { ALGORITHM_VERSION, judgeRun, rejudged, failingBadges };
}

type Rules = Awaited<ReturnType<typeof loadRules>>;

async function* testedAgents({ compliance }: Pick<Records, 'compliance'>): AsyncGenerator<TestedAgent> {
  for (let after = ''; ; ) {
    const page = await compliance.standings(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.agent;
  }
}

async function outlookOf(
  { compliance }: Pick<Records, 'compliance'>,
  { agent, standing }: TestedAgent,
  rules: Rules,
): Promise<Outlook> {
  if (standing.latest === null) return undefined;
  const { runId, at } = standing.latest;
  const [run, state] = await Promise.all([compliance.evidence(agent, runId), compliance.state(agent)]);
  const head = { agent_url: agent, run_id: runId, finished_at: new Date(at).toISOString() };
  if (run === undefined || state === undefined) return { untold: { ...head, why: 'the run was deleted' } };
  if (run.outcome !== 'complete') return undefined;
  const again = run.report === null ? undefined : rules.rejudged(run.report);
  if (again === undefined) return { untold: { ...head, why: whyUntold(run) } };
  const change = changeOf(state, run, again, rules);
  return change && { change: { ...head, ...change } };
}

function whyUntold({ imported, report }: EvidencedRun): string {
  if (imported) return 'the run was imported without its steps';
  return report === null
    ? 'the steps of the run were deleted'
    : 'the run was too large to be stored completely';
}

function changeOf(
  { standing, badges }: ComplianceState,
  { verdict: before }: EvidencedRun,
  { run, reasons }: Rejudged,
  { judgeRun, failingBadges }: Rules,
): Omit<Change, 'agent_url' | 'run_id' | 'finished_at'> | undefined {
  const after = judgeRun(run);
  const isInconclusive = after.outcome === 'inconclusive';
  const status = isInconclusive ? standing.status : after.verdict.status;
  const failing = isInconclusive ? [] : failingBadges(badges, after);
  const intoGrace = failing.filter(({ graceSince }) => graceSince === null);
  if (!isInconclusive && status === standing.status && intoGrace.length === 0) return undefined;
  const rules = `the rules have changed since version ${before.algorithm_version}`;
  return {
    algorithm_version: before.algorithm_version,
    ...{ status_before: standing.status, status_after: status, outcome_after: after.outcome },
    headline_after: after.verdict.headline,
    reasons: (reasons.length === 0 ? [rules] : reasons).slice(0, MAX_REASONS),
    badges: intoGrace.map(({ role, line }) => ({ role, protocol_line: line })),
  };
}

interface Rejudgement {
  readonly algorithm_version: string;
  readonly agents: number;
  readonly changes: readonly Change[];
  readonly cannot_be_told: readonly Untold[];
}

function print({ algorithm_version, agents, changes, cannot_be_told: untold }: Rejudgement): void {
  for (const change of changes) for (const line of changeLines(change)) printLine(line);
  for (const { agent_url, run_id, why } of untold)
    printLine(`${visible(agent_url)}: unknown until the next run, because ${why} (${visible(run_id)})`);
  printLine(
    `${counted(agents, 'tested agent')}: ${changes.length} would change under the rules of version ${algorithm_version}, ${untold.length} unknown. Nothing was changed.`,
  );
}

function changeLines(change: Change): readonly string[] {
  const { agent_url, status_before: before, status_after: after, outcome_after: outcome, reasons } = change;
  const status =
    outcome === 'inconclusive' ? `${before}, the run would be inconclusive` : `${before} → ${after}`;
  const more = reasons.length - SHOWN_REASONS;
  return [
    `${paint('bold', visible(agent_url))}: ${status}`,
    ...reasons.slice(0, SHOWN_REASONS).map((reason) => `  ${shownText(reason)}`),
    ...(more > 0 ? [`  and ${counted(more, 'more reason')}; see --json`] : []),
    ...change.badges.map(
      ({ role, protocol_line: line }) =>
        `  badge ${visible(role)} ${visible(line)}: enters its grace period of 48 hours with the next run like this`,
    ),
  ];
}
