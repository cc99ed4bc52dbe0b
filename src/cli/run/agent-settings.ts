import { type AgentSettingsBody, agentSettings } from '../../api/render/agent-settings.ts';
import { systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import type { SettingsChange } from '../../domain/agent-settings.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { SettingsFlags } from '../commands/agent-settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { printJson, printLine } from '../output/print.ts';
import { tiersOf } from '../settings.ts';
import { READ, WRITE, withStore } from '../with-store.ts';
import { reconsiderAgent } from './reconsider.ts';

/** `registry agents settings`: without anything to change it only shows them. */
export function settingsCommand(text: string, flags: SettingsFlags): Promise<ExitCode> {
  const agent = readAgentUrl(text, 'looked up');
  const change = changeOf(flags);
  return Object.keys(change).length === 0 ? show(agent, flags) : apply(agent, change, flags);
}

function show(agent: string, flags: SettingsFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records: { owners } }) => {
    const settings = await owners.settings(agent);
    if (settings === undefined) throw refused('unknown_agent', agent, flags.member);
    const owner = await owners.owner(agent);
    if (flags.member !== undefined && owner?.member !== flags.member)
      throw refused('not_owner', agent, flags.member);
    print(agentSettings(agent, owner, settings), flags);
    return EXIT.ok;
  });
}

function apply(agent: string, change: SettingsChange, flags: SettingsFlags): Promise<ExitCode> {
  const { member } = flags;
  return withStore(flags, WRITE, async ({ records, index }, config) => {
    const tiers = await tiersOf(config);
    const actor = { kind: 'operator', ...(member !== undefined && { member }) } as const;
    const outcome = await records.owners.changeSettings({ agent, change, actor }, systemClock.now());
    if (!outcome.ok) throw refused(outcome.reason, agent, member);
    await reconsiderAgent(records, agent, tiers);
    await stitchToTheEnd({ records, index, clock: systemClock, rederive: deriveStored });
    print(agentSettings(agent, await records.owners.owner(agent), outcome.settings), flags);
    return EXIT.ok;
  });
}

function changeOf({ optOut, optIn, pause, resume, interval, stage }: SettingsFlags): SettingsChange {
  return {
    ...((optOut ?? optIn) && { optedOut: optOut === true }),
    ...((pause ?? resume) && { monitoringPaused: pause === true }),
    ...(interval !== undefined && { checkIntervalHours: interval }),
    ...(stage !== undefined && { lifecycleStage: stage }),
  };
}

function refused(reason: string, agent: string, member: string | undefined): RegistryError {
  if (reason === 'unknown_agent' || member === undefined) {
    return new RegistryError('not_found', `the registry has never heard of ${agent}`, {
      hint: 'register it first: registry agents register URL --member SLUG',
    });
  }
  return new RegistryError('not_found', `${member} has not proven to own ${agent}`, {
    hint: `let it prove so: registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

function print(body: AgentSettingsBody, { json }: SettingsFlags): void {
  if (json) {
    printJson(body);
    return;
  }
  printLine(body.agent_url);
  printLine(`  owner      ${body.member === null ? 'nobody has proven to be' : body.member}`);
  printLine(`  tests      ${tests(body)}`);
  printLine(`  stage      ${body.lifecycle_stage}`);
}

function tests({ compliance_opt_out, monitoring_paused, check_interval_hours }: AgentSettingsBody): string {
  if (compliance_opt_out) return 'opted out';
  return `every ${check_interval_hours} h${monitoring_paused ? ', paused' : ''}`;
}
