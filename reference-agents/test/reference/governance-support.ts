import { onTestFinished } from 'vitest';
import { composeKeyDirectory } from '../../../src/compose/signature-keys.ts';
import type { AgentStates } from '../../../src/records/sqlite/agent-state.ts';
import { fetcherFor, serve } from '../../../test/crawl/fetch/web.ts';
import { makeKey } from '../../../test/signing/support.ts';
import type { AgentProfile } from '../../src/agents/agent.ts';
import { ROSTER } from '../../src/agents/roster.ts';
import { createApprovalSigner } from '../../src/reference/create-reference.ts';
import { createApprovalCheck } from '../../src/reference/governance/approval-check.ts';
import { createSellerDirectory } from '../../src/reference/governance/sellers.ts';
import { spendApproval } from '../../src/reference/governance/spend-approval.ts';
import { type Handlers, handler, TaskRefused } from '../../src/reference/handler.ts';
import { governanceHandlers } from '../../src/reference/handlers.ts';
import { type AgentUnderTest, BUYER, freshKey, startAgent, type TestClock, testClock } from './support.ts';

export const GOVERNANCE = 'https://governance-1.agents.example/mcp';
export const SELLER = 'https://sales-1.agents.example/mcp';
export const OTHER_SELLER = 'https://sales-2.agents.example/mcp';

export const PLAN = { plan_id: 'spring', budget: { total: 50_000, currency: 'EUR' } } as const;

/** A payload of create_media_buy with one package of this budget. */
export function buy(budget: unknown = 5_000, more: object = {}) {
  return {
    idempotency_key: 'buy-key-0000000001',
    account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
    brand: { domain: 'acme.example' },
    start_time: '2026-04-01T00:00:00Z',
    end_time: '2026-05-01T00:00:00Z',
    packages: [{ product_id: 'evening-lamp', budget, pricing_option_id: 'cpm-1' }],
    ...more,
  };
}

/** A request of check_governance for that buy. */
export function check(more: object = {}) {
  return {
    plan_id: PLAN.plan_id,
    caller: BUYER.id,
    tool: 'create_media_buy',
    audience: SELLER,
    payload: buy(),
    ...more,
  };
}

/** The buy with its approval. */
export function bought(token: string, more: object = {}) {
  return { ...buy(), governance_approval: token, ...more };
}

export function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** A world with this plan. */
export async function planned(more: object = {}): Promise<GovernedWorld> {
  const world = await governedWorld();
  await world.governance.call('sync_plans', { idempotency_key: freshKey(), plans: [{ ...PLAN, ...more }] });
  return world;
}

export interface GovernedWorld {
  readonly governance: AgentUnderTest;
  readonly seller: AgentUnderTest;
  readonly otherSeller: AgentUnderTest;
  readonly clock: TestClock;
}

/** A governance agent with its key on a real web, and two sellers that look it up there. */
export async function governedWorld(
  states?: AgentStates,
  facts: Partial<AgentProfile> = {},
): Promise<GovernedWorld> {
  const clock = testClock();
  const key = await makeKey('approvals-1', 'governance-signing');
  const files: Readonly<Record<string, unknown>> = {
    '/.well-known/brand.json': {
      house: { domain: 'agents.example', name: 'Agents' },
      brands: [],
      agents: [{ type: 'governance', url: GOVERNANCE }],
    },
    '/.well-known/jwks.json': { keys: [key.public] },
  };
  const web = await serve((request, response) => {
    const file = files[request.url ?? ''];
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(file ?? {}));
  });
  const fetcher = fetcherFor(web);
  onTestFinished(async () => {
    await fetcher.close();
    await web.close();
  });
  const trusted = [{ url: GOVERNANCE, brandJsonUrl: 'https://agents.example/.well-known/brand.json' }];
  const sellerAt = (url: string) => {
    const keys = composeKeyDirectory(fetcher, clock);
    const approvals = createApprovalCheck({ agentUrls: [url], trusted, keys });
    return startAgent({ type: 'sales', handlers: selling, clock, spec: { url }, parts: { approvals } });
  };
  const approvalSigner = createApprovalSigner({ key: key.signer, issuer: GOVERNANCE });
  return {
    governance: startAgent({
      type: 'governance',
      handlers: governanceHandlers,
      clock,
      spec: { url: GOVERNANCE },
      facts,
      parts: {
        approvalSigner,
        ...(states !== undefined && { sellers: createSellerDirectory(states, ROSTER) }),
      },
      ...(states !== undefined && { states }),
    }),
    seller: sellerAt(SELLER),
    otherSeller: sellerAt(OTHER_SELLER),
    clock,
  };
}

/** As little of a seller as approvals need. */
const selling: Handlers = {
  create_media_buy: handler('create_media_buy', {
    description: 'buys',
    callers: 'known',
    prepare: async (request, call) => {
      const approval = await call.agent.approvals.read(request.governance_approval ?? '', {
        tool: 'create_media_buy',
        payload: request,
        caller: call.caller.id,
        now: call.now,
        ...(request.plan_id !== undefined && { planId: request.plan_id }),
      });
      if ('code' in approval) throw new TaskRefused(approval);
      return approval;
    },
    run: (request, call, approval) => {
      const amount = request.packages.reduce((sum, { budget }) => sum + budget, 0);
      spendApproval(call, approval, { amount, currency: 'EUR' });
      return { media_buy_id: call.newId('mb'), status: 'pending_start', packages: [] };
    },
  }),
};
