import type { Reply } from '../peer.ts';

/** The agents of the sandbox that are called, one of each type; each speaks MCP and A2A. */
export const AGENTS = {
  sales: 'https://sales-1.agents.example',
  creative: 'https://creative-1.agents.example',
  signals: 'https://signals-1.agents.example',
  governance: 'https://governance-1.agents.example',
  brand: 'https://brand-1.agents.example',
  rights: 'https://rights-1.agents.example',
} as const;
export type AgentName = keyof typeof AGENTS;

export const CALLER = 'https://desk.example/agent';
export const OPERATOR = 'desk.example';
export const DAY = 86_400_000;
/** Where agents post webhooks; `hooks.ts` listens. */
export const HOOK_HOST = 'hooks.example';
/** In the newest text the operation has a member of its own, which older clients drop. */
export const HOOK = { url: `https://${HOOK_HOST}/hooks/buy`, operation_id: 'op-buy' };

/** One call in the words of the public protocol, line 3.0. */
export interface Step {
  readonly agent: AgentName;
  readonly task: string;
  /** Tells rows of one task apart. */
  readonly about?: string;
  readonly request: (lane: Lane) => Record<string, unknown>;
  /** The code of a refusal; without it the answer has to be accepted. */
  readonly refusal?: string;
  /** What an answer has to say besides. */
  readonly holds?: (answer: NonNullable<Reply['data']>, lane: Lane) => boolean;
  /** Only for the Python client, which has a newer call for the task as well. */
  readonly canonical?: true;
  /** The seller's time is moved ahead before, by so many days. */
  readonly advance?: number;
}

/** Who calls over what, with what was answered until now. */
export interface Lane {
  /** Of this client, transport and run alone. */
  readonly id: string;
  readonly now: number;
  answer(task: string, about?: string): NonNullable<Reply['data']>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of strangers, read as their user would read them
export type Any = any;

export const brandOf = (lane: Lane) => ({ domain: `${lane.id}.example` });
export const accountOf = (lane: Lane) => ({ brand: brandOf(lane), operator: OPERATOR, sandbox: true });
export const keyOf = (lane: Lane, what: string) => `${what}-${lane.id}`.padEnd(24, '-');
/** With an offset, as the protocol allows. */
export const at = (time: number) => new Date(time + 7_200_000).toISOString().replace(/\.\d+Z$/, '+02:00');
export const manifestOf = (lane: Lane): Any => lane.answer('build_creative').creative_manifest;
export const capabilities = (agent: AgentName): Step => ({
  agent,
  task: 'get_adcp_capabilities',
  about: agent,
  request: () => ({}),
});
