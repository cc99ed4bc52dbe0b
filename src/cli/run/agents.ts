import { systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { RegisteredAgent } from '../../ports/owners.ts';
import type { ListAgentsFlags, OwnerFlags } from '../commands/agents.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { note, printJson, printLine, table } from '../output/print.ts';
import { tiersOf } from '../settings.ts';
import { READ, WRITE, withStore } from '../with-store.ts';
import { reconsiderAgent } from './reconsider.ts';

/** So many at once are read. */
const PAGE = 1_000;

/** `registry agents list`. */
export function listAgents(flags: ListAgentsFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records }) => {
    const agents: RegisteredAgent[] = [];
    for (;;) {
      const after = agents.at(-1)?.agent;
      const wanted = { limit: PAGE, ...(flags.member !== undefined && { member: flags.member }) };
      const page = await records.owners.registered({ ...wanted, ...(after !== undefined && { after }) });
      agents.push(...page);
      if (page.length < PAGE) break;
    }
    if (flags.json) printJson({ agents: agents.map(agentJson) });
    else if (agents.length === 0) note('no agent is registered');
    else printLine(table([['agent', 'member', 'owned since', 'by'], ...agents.map(row)]));
    return EXIT.ok;
  });
}

/** `registry agents disown`. */
export function disownAgent(text: string, flags: OwnerFlags): Promise<ExitCode> {
  return end(text, flags, 'disowned', async ({ owners }, agent) =>
    owners.disown(agent, flags.member, systemClock.now()),
  );
}

/** `registry agents unregister`. */
export function unregisterAgent(text: string, flags: OwnerFlags): Promise<ExitCode> {
  return end(text, flags, 'unregistered', async ({ owners }, agent) =>
    owners.unregister(agent, flags.member, systemClock.now()),
  );
}

type Records = Parameters<Parameters<typeof withStore>[2]>[0]['records'];

/** Ends something that has to be there, and brings it into the list. */
function end(
  text: string,
  { member, ...flags }: OwnerFlags,
  what: 'disowned' | 'unregistered',
  deed: (records: Records, agent: string) => Promise<boolean>,
): Promise<ExitCode> {
  const agent = readAgentUrl(text, what);
  return withStore(flags, WRITE, async ({ records, index }, config) => {
    const tiers = await tiersOf(config);
    if (!(await deed(records, agent))) throw notTheirs(agent, member, what);
    await reconsiderAgent(records, agent, tiers);
    await stitchToTheEnd({ records, index, clock: systemClock, rederive: deriveStored });
    if (flags.json) printJson({ url: agent, member, [what]: true });
    else printLine(`${agent} is ${what} by ${member}`);
    return EXIT.ok;
  });
}

function notTheirs(agent: string, member: string, what: 'disowned' | 'unregistered'): RegistryError {
  const reason =
    what === 'disowned'
      ? `${member} has not proven to own ${agent}`
      : `${agent} is not registered to ${member}`;
  return new RegistryError('not_found', reason, {
    hint: `look at what is: registry agents list --member ${member}`,
  });
}

function agentJson({ agent, member, addedAt, provenAt, via }: RegisteredAgent) {
  return {
    url: agent,
    member,
    added_date: day(addedAt),
    proven_at: provenAt === undefined ? null : new Date(provenAt).toISOString(),
    via: via ?? null,
  };
}

function row({ agent, member, provenAt, via }: RegisteredAgent): readonly string[] {
  return [agent, member, provenAt === undefined ? 'not proven' : day(provenAt), via ?? '-'];
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
