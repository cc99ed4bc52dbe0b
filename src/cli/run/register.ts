import { systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-stored.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { RegisterFlags } from '../commands/agents.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { WRITE, withStore } from '../with-store.ts';

/** `registry agents register`: the agent is in the list at once, and due for a probe. */
export function registerAgent(text: string, flags: RegisterFlags): Promise<ExitCode> {
  const parsed = parseAgentUrl(text);
  if (!parsed.ok) {
    throw new RegistryError(
      'usage',
      `'${text.slice(0, 200)}' cannot be registered: ${AGENT_URL_PROBLEMS[parsed.problem]}`,
      {
        hint: 'give the address that a client would dial, as in https://sales.agents.example/mcp',
      },
    );
  }
  return withStore(flags, WRITE, async ({ records, index }) => {
    if ((await records.members.get(flags.member)) === undefined) {
      throw new RegistryError('input_invalid', `there is no member '${flags.member}'`, {
        hint: 'import it first: registry members import FILE',
      });
    }
    const registration = await records.members.register(
      { agent: parsed.url, url: text, ...said(flags) },
      systemClock.now(),
    );
    await stitchToTheEnd({ records, index, clock: systemClock, rederive: deriveStored });
    if (flags.json)
      printJson({
        url: parsed.url,
        member: flags.member,
        added_date: new Date(registration.addedAt).toISOString().slice(0, 10),
      });
    else printLine(`${parsed.url} is registered to ${flags.member}; "registry crawl --due" will probe it`);
    return EXIT.ok;
  });
}

function said({ member, type, name, description, contactName, contactEmail, contactWebsite }: RegisterFlags) {
  const contact = {
    ...(contactName !== undefined && { name: contactName }),
    ...(contactEmail !== undefined && { email: contactEmail }),
    ...(contactWebsite !== undefined && { website: contactWebsite }),
  };
  return {
    member,
    ...(type !== undefined && { type }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(Object.keys(contact).length > 0 && { contact }),
  };
}
