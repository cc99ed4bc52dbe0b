import { agentKey } from '@agent-registry/surface/agent-kit';
import {
  DEFAULT_TESTER,
  failedStepLines,
  failedSteps,
  paint,
  printLine,
  table,
  visible,
} from '@agent-registry/surface/command-line';
import { type ComplianceState, isActive, type Store } from '@agent-registry/surface/registry';
import { DESK_TOKEN, OWNED_AGENTS } from './members.ts';

/** The agents that were tested with their badges, and of each that failed what was expected, and what came. */
export async function printTested({ records }: Store, connectTo: string): Promise<void> {
  const agents = OWNED_AGENTS.map(({ url }) => agentKey(url));
  const states = await Promise.all(agents.map((agent) => records.compliance.state(agent)));
  const known = states.flatMap((state, at) => (state ? [{ agent: agents[at] ?? '', state }] : []));
  const rows = known.map(({ agent, state }) => row(agent, state));
  const head = ['agent', 'status', 'storyboards', 'badge', 'next run', 'why'];
  const [heads = '', ...lines] = table([head, ...rows]).split('\n');
  printLine(paint('dim', heads));
  for (const line of lines) printLine(visible(line));
  for (const { agent, state } of known) {
    const runId = state.standing.lastFailedAt === null ? undefined : state.standing.latest?.runId;
    const run = runId && (await records.compliance.evidence(agent, runId));
    if (!run) continue;
    printLine(`\n${paint('bold', visible(agent))} has a fault, and fails these steps:`);
    const [first, ...more] = failedSteps(run, agent, { hasCredential: true, tester: DEFAULT_TESTER });
    if (first === undefined) continue;
    const command = `TOKEN=${DESK_TOKEN} npx ${first.again} --connect-to '${connectTo}'`;
    for (const line of failedStepLines(first.step, command, 'none')) printLine(line);
    if (more.length > 0) printLine(`  and ${more.length} more; see \`agent-registry explain\``);
  }
}

function row(agent: string, { standing, badges, due, owner, settings }: ComplianceState): readonly string[] {
  const { status, latest } = standing;
  const counts = latest && `${latest.verdict.storyboards_passing}/${latest.verdict.storyboards_total}`;
  const shown = badges.filter(isActive).map(({ role, line, axes }) => `${role} ${line} ${axes.join(', ')}`);
  const next = due === null ? 'never' : new Date(due).toISOString().slice(5, 16).replace('T', ' ');
  const why = settings.monitoringPaused
    ? 'tests paused by the owner'
    : whyNoBadge(shown.length > 0, standing, owner);
  return [agent, status, counts ?? '-', shown.join('; ') || '-', next, why];
}

function whyNoBadge(
  hasBadge: boolean,
  { status, lastAttempt }: ComplianceState['standing'],
  owner: ComplianceState['owner'],
): string {
  if (lastAttempt?.reason === 'auth_required') return 'no credential stored';
  if (lastAttempt?.reason) return lastAttempt.reason;
  if (hasBadge) return '';
  if (status !== 'passing') return 'see below';
  return `no badges for ${owner?.tierLabel ?? 'this tier'}`;
}
