import { systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { isLoopbackHost } from '../../domain/ownership.ts';
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
  if (isLoopbackHost(parsed.host)) {
    throw new RegistryError('usage', `${parsed.url} cannot be registered: that is this machine itself`, {
      hint: 'registered agents are dialled from anywhere; to try out your own, use registry probe URL',
    });
  }
  refuseContact(flags);
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

/** As in a members file (schemas/registry/members.json). */
function refuseContact({ contactEmail, contactWebsite }: RegisterFlags): void {
  if (contactEmail !== undefined && !isEmail(contactEmail)) {
    throw new RegistryError('usage', '--contact-email is not an e-mail address', {
      hint: 'write it as agents@nova.example, without a name',
    });
  }
  if (contactWebsite !== undefined && !isWebsite(contactWebsite)) {
    throw new RegistryError('usage', '--contact-website is not the address of a page', {
      hint: 'write it as https://nova.example/agents',
    });
  }
}

function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()",:;]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text);
}

function isWebsite(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
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
