import { proveAgainBy } from '../../../domain/ownership.ts';
import type { Records } from '../../../ports/records.ts';
import type { RegisteredAgent } from '../../../records/owners/registrations.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textFlag } from '../../flags.ts';
import { listTable, note, printJson, printLine } from '../../output/print.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** So many at once are read. */
const PAGE = 1_000;

export default command({
  name: 'list',
  description: 'List the registered agents and their owners.',
  flags: { member: textFlag('--member <slug>', 'only agents of this member'), ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, READ, async ({ records }) => {
      const agents = await registeredTo(flags.member, records);
      if (flags.json) printJson({ agents: agents.map(agentJson) });
      else if (agents.length === 0) note('no registered agents');
      else
        for (const line of listTable(['agent', 'member', 'owned since', 'by'], agents.map(row)))
          printLine(line);
      return EXIT.ok;
    }),
});

async function registeredTo(member: string | undefined, { owners }: Records): Promise<RegisteredAgent[]> {
  const agents: RegisteredAgent[] = [];
  for (;;) {
    const after = agents.at(-1)?.agent;
    const wanted = { limit: PAGE, ...(member !== undefined && { member }) };
    const page = await owners.registered({ ...wanted, ...(after !== undefined && { after }) });
    agents.push(...page);
    if (page.length < PAGE) return agents;
  }
}

function agentJson({ agent, member, addedAt, provenAt, via, ...proof }: RegisteredAgent) {
  const until = proveAgainBy(proof);
  return {
    url: agent,
    member,
    added_date: dayOf(addedAt),
    proven_at: provenAt === undefined ? null : new Date(provenAt).toISOString(),
    via: via ?? null,
    ...(until !== undefined && { prove_again_by: new Date(until).toISOString() }),
  };
}

function row({ agent, member, provenAt, via, ...proof }: RegisteredAgent): readonly string[] {
  const until = proveAgainBy(proof);
  const since = provenAt === undefined ? 'not proven' : dayOf(provenAt);
  return [
    agent,
    member,
    until === undefined ? since : `${since}, prove again by ${dayOf(until)}`,
    via ?? '-',
  ];
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
