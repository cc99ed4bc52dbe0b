import { type Store, systemClock } from '../../compose.ts';
import { agentKey } from '../../domain/agent-url.ts';

/** Two invented organisations, one of which registers the sandbox's first agent. */
export async function registerDemoMembers({ records }: Store, agents: readonly string[]): Promise<void> {
  const now = systemClock.now();
  await records.members.import(
    [
      {
        slug: 'tidewater',
        displayName: 'Tidewater Media',
        tier: 'builder',
        tierLabel: 'Builder',
        foundingMember: true,
        subscriptionStatus: 'active',
      },
      {
        slug: 'lanternfish',
        displayName: 'Lanternfish Labs',
        tier: 'explorer',
        tierLabel: 'Explorer',
        foundingMember: false,
      },
    ],
    now,
  );
  const [url] = agents;
  if (url === undefined) return;
  const contact = {
    name: 'Ada Quill',
    email: 'agents@tidewater.example',
    website: 'https://tidewater.example/',
  };
  await records.members.register({ agent: agentKey(url), url, member: 'tidewater', contact }, now);
}
