import { AGENT_TYPES } from '../../../domain/agent-type.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../../domain/agent-url.ts';
import { isEmail, isWebsite } from '../../../domain/member-text.ts';
import { isLoopbackHost } from '../../../domain/ownership.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { choiceFlag, type FlagValues, requiredFlag, textFlag } from '../../flags.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { CHANGE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const FLAGS = {
  member: requiredFlag('--member <slug>', 'the member that registers the agent'),
  type: choiceFlag(
    '--type <type>',
    'what it is',
    AGENT_TYPES.filter((type) => type !== 'unknown'),
  ),
  name: textFlag('--name <text>', 'its name'),
  description: textFlag('--description <text>', 'one or two sentences'),
  contactName: textFlag('--contact-name <text>', 'name of the contact'),
  contactEmail: textFlag('--contact-email <address>', 'e-mail address of the contact'),
  contactWebsite: textFlag('--contact-website <url>', 'web page of the contact'),
  ...STORE_FLAGS,
  ...JSON_FLAG,
};
type RegisterFlags = FlagValues<typeof FLAGS>;

/** The agent is in the list at once, and due for a probe. */
export default command({
  name: 'register',
  description: 'Register an agent to a member. Registering again replaces the earlier details.',
  arguments: [['<url>', 'URL of the agent, exactly as clients call it']],
  flags: FLAGS,
  run(flags, url) {
    const agent = registrable(url);
    refuseContact(flags);
    return withStore(flags, CHANGE, async ({ records, index, clock }) => {
      const { updateIndex } = await import('../../setup/after-change.ts');
      const { member, json } = flags;
      const registration = await records.members.register({ agent, url, ...declaredBy(flags) }, clock.now());
      await updateIndex({ records, index });
      if (json) printJson({ url: agent, member, added_date: dayOf(registration.addedAt) });
      else {
        printLine(`${agent} is registered to ${member}; a probe is due`);
        nextCommands(['crawl --due', `agents challenge ${shellWord(agent)} --member ${member}`]);
      }
      return EXIT.ok;
    });
  },
});

function registrable(text: string): string {
  const parsed = parseAgentUrl(text);
  if (!parsed.ok) {
    throw new RegistryError(
      'usage',
      `'${text.slice(0, 200)}' cannot be registered: ${AGENT_URL_PROBLEMS[parsed.problem]}`,
      { hint: 'use the URL that clients call, for example https://sales.agents.example/mcp' },
    );
  }
  if (isLoopbackHost(parsed.host)) {
    throw new RegistryError('usage', `${parsed.url} cannot be registered: it is on this machine`, {
      hint: 'a registered agent must be reachable by others; to try your own, use agent-registry probe URL',
    });
  }
  return parsed.url;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** As in a members file (schemas/registry/members.json). */
function refuseContact({ contactEmail, contactWebsite }: RegisterFlags): void {
  if (contactEmail !== undefined && !isEmail(contactEmail)) {
    throw new RegistryError('usage', '--contact-email is not an e-mail address', {
      hint: 'use an address such as agents@nova.example, without a name',
    });
  }
  if (contactWebsite !== undefined && !isWebsite(contactWebsite)) {
    throw new RegistryError('usage', '--contact-website is not the URL of a page', {
      hint: 'use a URL such as https://nova.example/agents',
    });
  }
}

function declaredBy({
  member,
  type,
  name,
  description,
  contactName,
  contactEmail,
  contactWebsite,
}: RegisterFlags) {
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
