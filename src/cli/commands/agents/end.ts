import { RegistryError } from '../../../errors.ts';
import type { Records } from '../../../ports/records.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type FlagValues, requiredFlag } from '../../flags.ts';
import { namedAgentUrl } from '../../input/arguments.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { CHANGE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const FLAGS = { member: requiredFlag('--member <slug>', 'the member'), ...STORE_FLAGS, ...JSON_FLAG };
type EndFlags = FlagValues<typeof FLAGS>;
type Ending = 'disowned' | 'unregistered';

const disown = command({
  name: 'disown',
  description: "End a member's ownership. The agent stays registered to it, unproven.",
  arguments: [['<url>', 'the agent']],
  flags: FLAGS,
  run: (flags, url) =>
    end(url, flags, 'disowned', ({ owners }, agent, now) => owners.disown(agent, flags.member, now)),
});

const unregister = command({
  name: 'unregister',
  description:
    'End a registration, proven or not. An agent that no file declares leaves the list after 24 hours.',
  arguments: [['<url>', 'the agent']],
  flags: FLAGS,
  run: (flags, url) =>
    end(url, flags, 'unregistered', async ({ owners }, agent, now) => {
      const outcome = await owners.unregister(agent, flags.member, now);
      return outcome === 'unregistered';
    }),
});

export default [disown, unregister];

/** Ends something that has to be there, and brings it into the list. */
function end(
  text: string,
  { member, ...flags }: EndFlags,
  what: Ending,
  change: (records: Records, agent: string, now: number) => Promise<boolean>,
): Promise<ExitCode> {
  const agent = namedAgentUrl(text, what);
  return withStore(flags, CHANGE, async ({ records, index, clock }, config) => {
    const { reconsiderAgent, updateIndex } = await import('../../setup/after-change.ts');
    const tiers = await tiersOf(config);
    if (!(await change(records, agent, clock.now()))) throw notTheirs(agent, member, what);
    await updateIndex({ records, index }, () => reconsiderAgent(records, agent, tiers));
    if (flags.json) printJson({ url: agent, member, [what]: true });
    else {
      printLine(`${agent} is ${what} by ${member}`);
      nextCommands([`agents list --member ${member}`]);
    }
    return EXIT.ok;
  });
}

function notTheirs(agent: string, member: string, what: Ending): RegistryError {
  const reason =
    what === 'disowned'
      ? `${member} has not proven ownership of ${agent}`
      : `${agent} is not registered to ${member}`;
  return new RegistryError('not_found', reason, {
    hint: `list its agents: agent-registry agents list --member ${member}`,
  });
}
