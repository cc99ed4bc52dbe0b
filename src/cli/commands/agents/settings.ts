import type { AgentSettingsBody } from '../../../api/render/agent-settings.ts';
import { INTERVAL_HOURS, LIFECYCLE_STAGES, type SettingsChange } from '../../../domain/compliance.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import {
  choiceFlag,
  conflicting,
  type FlagValues,
  integerFlag,
  parsedFlag,
  textFlag,
  toggle,
} from '../../flags.ts';
import { accountId, domainArgument, namedAgentUrl, targetLabel } from '../../input/arguments.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { CHANGE, READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const { min, max } = INTERVAL_HOURS;

const FLAGS = {
  member: textFlag('--member <slug>', 'the member that owns the agent (default: act as the operator)'),
  optOut: conflicting(toggle('--opt-out', 'no tests, and hide earlier results from everyone'), ['optIn']),
  optIn: toggle('--opt-in', 'end the opt-out'),
  pause: conflicting(toggle('--pause', 'pause scheduled tests'), ['resume']),
  resume: toggle('--resume', 'end the pause'),
  interval: integerFlag('--interval <hours>', `hours between scheduled tests, ${min} to ${max}`, [min, max]),
  stage: choiceFlag('--stage <stage>', 'lifecycle stage of the agent', LIFECYCLE_STAGES),
  target: parsedFlag(
    '--target <label>',
    "version or label of the storyboards that the agent is tested with, such as 3.1 or stable; '' clears it",
    clearable(targetLabel),
  ),
  operator: parsedFlag(
    '--operator <domain>',
    "domain of the operator of the buyer as whom this agent is tested; '' clears it",
    clearable(domainArgument),
  ),
  brand: parsedFlag(
    '--brand <domain>',
    "domain of the brand that tests of this agent buy for; '' clears it",
    clearable(domainArgument),
  ),
  account: parsedFlag(
    '--account <id>',
    "id of the test account at this agent; '' clears it",
    clearable(accountId),
  ),
  ...STORE_FLAGS,
  ...JSON_FLAG,
};
type SettingsFlags = FlagValues<typeof FLAGS>;

/** Without anything to change it only shows them. */
export default command({
  name: 'settings',
  description: "Show or change the settings of an agent's tests. The audit log records each change.",
  arguments: [['<url>', 'the agent']],
  flags: FLAGS,
  run(flags, url) {
    const agent = namedAgentUrl(url, 'looked up');
    const change = changeOf(flags);
    return Object.keys(change).length === 0 ? show(agent, flags) : apply(agent, change, flags);
  },
});

function show(agent: string, flags: SettingsFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records: { owners, compliance } }) => {
    const settings = await owners.settings(agent);
    if (settings === undefined) throw refused('unknown_agent', agent, flags.member);
    const owner = await owners.owner(agent);
    if (flags.member !== undefined && owner?.member !== flags.member)
      throw refused('not_owner', agent, flags.member);
    const { agentSettings } = await import('../../../api/render/agent-settings.ts');
    const due = (await compliance.state(agent))?.due ?? null;
    print(agentSettings(agent, owner, settings, due), flags);
    return EXIT.ok;
  });
}

function apply(agent: string, change: SettingsChange, flags: SettingsFlags): Promise<ExitCode> {
  const { member } = flags;
  return withStore(flags, CHANGE, async ({ records, index, clock }, config) => {
    const { agentSettings } = await import('../../../api/render/agent-settings.ts');
    const { reconsiderAgent, updateIndex } = await import('../../setup/after-change.ts');
    const tiers = await tiersOf(config);
    const actor = { kind: 'operator', ...(member !== undefined && { member }) } as const;
    const outcome = await records.owners.changeSettings({ agent, change, actor }, clock.now());
    if (!outcome.ok) throw refused(outcome.reason, agent, member);
    const owner = await records.owners.owner(agent);
    await updateIndex({ records, index }, () => reconsiderAgent(records, agent, tiers));
    const due = (await records.compliance.state(agent))?.due ?? null;
    print(agentSettings(agent, owner, outcome.settings, due), flags);
    if (!flags.json) nextCommands([`runs list ${shellWord(agent)}`, `audit --agent ${shellWord(agent)}`]);
    return EXIT.ok;
  });
}

function changeOf(flags: SettingsFlags): SettingsChange {
  const { optOut, optIn, pause, resume, interval, stage, target, operator, brand, account } = flags;
  const setup = {
    ...(operator !== undefined && { operator: operator || null }),
    ...(brand !== undefined && { brand: brand === '' ? null : { domain: brand } }),
    ...(account !== undefined && { account: account === '' ? null : { account_id: account } }),
  };
  return {
    ...((optOut ?? optIn) && { optedOut: optOut === true }),
    ...((pause ?? resume) && { monitoringPaused: pause === true }),
    ...(interval !== undefined && { checkIntervalHours: interval }),
    ...(stage !== undefined && { lifecycleStage: stage }),
    ...(target !== undefined && { complianceTarget: target || null }),
    ...(Object.keys(setup).length > 0 && { testSetup: setup }),
  };
}

/** Lets a flag be empty, which clears the setting. */
function clearable(read: (text: string) => string): (text: string) => string {
  return (text) => (text === '' ? '' : read(text));
}

function refused(reason: string, agent: string, member: string | undefined): RegistryError {
  if (reason === 'unknown_agent' || member === undefined) {
    return new RegistryError('not_found', `unknown agent ${agent}`, {
      hint: 'register it first: agent-registry agents register URL --member SLUG',
    });
  }
  return new RegistryError('not_found', `${member} has not proven ownership of ${agent}`, {
    hint: `prove it first: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

function print(body: AgentSettingsBody, { json }: SettingsFlags): void {
  if (json) {
    printJson(body);
    return;
  }
  printLine(body.agent_url);
  printLine(`  owner      ${body.member === null ? 'none' : body.member}`);
  if (body.prove_again_by !== undefined)
    printLine(`  proof      expires: prove again by ${body.prove_again_by} to keep the ownership`);
  printLine(`  tests      ${tests(body)}`);
  printLine(`  next test  ${body.next_run_at ?? 'none scheduled'}`);
  printLine(`  stage      ${body.lifecycle_stage}`);
  if (body.compliance_target !== null) printLine(`  target     ${body.compliance_target}`);
  if (body.test_setup !== null) printLine(`  tested as  ${buyer(body.test_setup)}`);
}

function buyer({ operator, brand, account }: NonNullable<AgentSettingsBody['test_setup']>): string {
  return [
    ...(operator === undefined ? [] : [`operator ${operator}`]),
    ...(brand === undefined ? [] : [`brand ${brand.domain}`]),
    ...(account === undefined ? [] : [`account ${account.account_id}`]),
  ].join(', ');
}

function tests({ compliance_opt_out, monitoring_paused, check_interval_hours }: AgentSettingsBody): string {
  if (compliance_opt_out) return 'opted out';
  return `every ${check_interval_hours} h${monitoring_paused ? ', paused' : ''}`;
}
