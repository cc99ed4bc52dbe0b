/** What the pages of one store are about. */
export interface Subjects {
  /** An agent that passes its tests and holds a badge. */
  readonly passing: string;
  readonly failing: string;
  /** Does not answer. */
  readonly offline: string;
  /** Is tested when its owner asks. */
  readonly watched: string;
  /** The member that owns the passing and the watched one. */
  readonly owner: string;
}

/** A page as somebody opens it. */
export interface OpenedPage {
  readonly path: string;
  /** Default: 200. */
  readonly status?: number;
  /** A text that stands on it. */
  readonly shows?: string;
  /** Another page of its kind is asked for its contrast: what strangers write changes no colour. */
  readonly hasKnownColours?: true;
  /** What is filled in on it, by the id of the field, and the button that sends it: what comes back is looked at. */
  readonly form?: { readonly fields: Readonly<Record<string, string>>; readonly button: string };
}

/** What is in the store that `npm run demo` leaves. */
export const DEMO: Subjects = {
  passing: 'https://sales-1.agents.example/mcp',
  failing: 'https://lenient-judge.broken.example/mcp',
  offline: 'https://lostlane.example/agent',
  watched: 'https://sales-2.agents.example/mcp',
  owner: 'tidewater',
};

/** An agent that the owner asks for, and that nobody has proven. */
const ASKED = 'https://asked.tidewater.example/mcp';

/** Where the owner wants to be woken; nobody answers there. */
const RECEIVER = 'https://hooks.tidewater.example/registry';

/** A file with faults of both kinds, one of which can be mended. */
const BROKEN_FILE = `{
  "authorized_agents": [
    { "url": "https://sales.example/mcp", "authorized_for": "All of it", "property_tags": ["news"] },
    { "url": "ftp://sales.example", "authorized_for": "" },
  ],
  "properties": [{ "property_type": "websight", "name": "News", "identifiers": [] }]
}
`;

/** Every kind of page, one or more of each. A page that people open has its line here. */
export function pagesOf({ passing, failing, offline }: Subjects): readonly OpenedPage[] {
  const agent = (url: string) => `/agents/${encodeURIComponent(url)}`;
  return [
    { path: '/' },
    { path: '/?q=view&type=measurement' },
    { path: '/?metric_id=no_such_metric' },
    { path: '/?accreditation=MRC&metric_id=viewable_rate' },
    { path: '/?accreditation=MRC&accreditation_valid=false&online=true' },
    { path: '/?q=viewable+nobody+MRC' },
    { path: '/?type=no_such_type', status: 400 },
    ...[passing, failing, offline].map((url) => ({ path: agent(url) })),
    { path: agent('https://sales-1.agents.exampel/mcp'), status: 404 },
    { path: `${agent(passing)}/publishers?search=c` },
    { path: '/publishers' },
    { path: '/publishers?sort=domain' },
    { path: '/publishers?search=candle' },
    { path: '/publishers/candlewick-courier.example' },
    { path: '/publishers/tornpage.example?country=Germany' },
    { path: '/publishers/no-such-courier.example', status: 404 },
    { path: '/look-up?q=courier' },
    { path: '/look-up?q=zzyzx', status: 404 },
    { path: '/brands' },
    { path: '/brands/copperkettle.example' },
    { path: '/networks/oakline-network.example' },
    { path: '/networks/oakline-network.example?show=missing' },
    { path: '/storyboards' },
    { path: '/storyboards?compliance_target=3.0' },
    { path: '/storyboards/capability_discovery' },
    { path: '/storyboards/no_such_storyboard', status: 404 },
    // leads to the run that earned it
    { path: `/badges/${encodeURIComponent(passing)}/media-buy` },
    { path: '/changes' },
    { path: '/status' },
    { path: '/validate' },
    { path: '/validate?domain=10.0.0.1', status: 400 },
    {
      path: '/validate',
      shows: 'adagents.json',
      form: { fields: { text: BROKEN_FILE, for: 'news.example' }, button: 'Validate' },
    },
    { path: '/lab' },
    { path: '/lab/no-such-report', status: 404 },
    { path: '/sign-in?why=other' },
    { path: '/sign-in?why=over' },
    { path: '/join' },
    // signed in as the owner
    { path: '/my' },
    // leads to the page of its proof
    {
      path: '/my',
      shows: 'agent-registry-challenge=',
      form: { fields: { url: ASKED }, button: 'Add agent' },
    },
    { path: '/my?url=ftp%3A%2F%2Fnowhere.example' },
    { path: `/my${agent(passing)}` },
    { path: `/my${agent(offline)}`, status: 404 },
    { path: '/my/keys' },
    { path: '/my/subscriptions' },
    // leads to the list that it is in
    {
      path: '/my/subscriptions',
      shows: 'Subscription created.',
      form: { fields: { url: RECEIVER }, button: 'Add subscription' },
    },
    { path: '/docs' },
    { path: '/docs/guides/find-agents' },
    { path: '/docs/reference/finding-codes' },
    { path: '/docs/operating/runbooks' },
    { path: '/docs/no-such-document', status: 404 },
    { path: '/docs/api' },
    { path: '/docs/api/listAgents' },
    { path: '/docs/api/startComplianceRun' },
    { path: '/docs/schemas/AgentInFull' },
    { path: '/docs/api/noSuchOperation', status: 404 },
  ];
}
