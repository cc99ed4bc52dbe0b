import type { Member, NewRegistration } from '@agent-registry/surface/registry';

/** Two invented organisations; the tier of the second one grants no badges. */
export const DEMO_MEMBERS: readonly Member[] = [
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
    subscriptionStatus: 'active',
  },
];

/** An agent of the sandbox that one of them owns. */
export interface OwnedAgent extends Omit<NewRegistration, 'agent'> {
  /** What its tests authenticate with; absent: its owner has stored none. */
  readonly token?: string;
  /** Its owner has paused its tests: it is tested when somebody asks. */
  readonly isPaused?: true;
}

/** What the sandbox lets its users' buyer in with. */
export const DESK_TOKEN = 'sandbox-desk';

const CONTACT = {
  name: 'Ada Quill',
  email: 'agents@tidewater.example',
  website: 'https://tidewater.example/',
} as const;

/** Of the agent whose test people watch, for each task: the test takes ten seconds or more, else it is over before anybody sees a step. */
export const WATCHED_TASK_MS = 35;

/** Some that badges are for, one of a member without badges, one without credential, a broken one, and one to be tested by hand. */
// biome-ignore format: one agent a line
export const OWNED_AGENTS: readonly OwnedAgent[] = [
  { url: 'https://sales-1.agents.example/mcp', member: 'tidewater', contact: CONTACT, token: DESK_TOKEN },
  { url: 'https://inkpot.example/a2a', member: 'tidewater', token: DESK_TOKEN },
  { url: 'https://weathervane.example/a2a', member: 'tidewater', token: DESK_TOKEN },
  { url: 'https://fairweather.example/a2a', member: 'tidewater', token: DESK_TOKEN },
  { url: 'https://rights-1.agents.example/mcp', member: 'tidewater', token: DESK_TOKEN },
  { url: 'https://papercrane.example/mcp', member: 'lanternfish', token: DESK_TOKEN },
  { url: 'https://copperwire.example/mcp', member: 'lanternfish' },
  { url: 'https://lenient-judge.broken.example/mcp', member: 'tidewater', token: DESK_TOKEN },
  { url: 'https://sales-2.agents.example/mcp', member: 'tidewater', token: DESK_TOKEN, isPaused: true },
];
