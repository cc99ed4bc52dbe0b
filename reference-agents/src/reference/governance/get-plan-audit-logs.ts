import type { GetPlanAuditLogsRequest } from '@agent-registry/surface/agent-kit';
import { handler } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { type AuditChain, type ChainedEntry, readAudit } from './audit-log.ts';
import { type FoundPlan, findPlan } from './plan-store.ts';

/** Reads the logs of plans and follows their chains to the end, whatever part of them is asked for. */
export const getPlanAuditLogs = handler('get_plan_audit_logs', {
  description: 'Returns the audit log of a plan, and whether its hash chain is intact',
  callers: 'known',
  run: (request, call) => {
    const plans = planIds(request).map(({ planId, pointer }) =>
      findPlan(call, planId, request.plan_owner, pointer),
    );
    const chains = plans.map((plan) => ({ plan, chain: readAudit(call.agent.state, plan) }));
    const wanted = inOrder(chains.map(({ chain }) => chain)).filter((entry) => isWanted(entry, request));
    const { items, pagination } = pageOf(wanted, request.pagination);
    const broken = chains.find(({ chain }) => !chain.intact)?.chain.firstBroken;
    return {
      entries: items,
      intact: broken === undefined,
      ...(broken !== undefined && { first_broken: broken }),
      plans: chains.map(stateOf),
      pagination,
    };
  },
});

/** Each plan once. */
function planIds({ plan_id: one, plan_ids: several = [] }: GetPlanAuditLogsRequest) {
  const places = [
    ...(one === undefined ? [] : [{ planId: one, pointer: '/plan_id' }]),
    ...several.map((planId, index) => ({ planId, pointer: `/plan_ids/${index}` })),
  ];
  const seen = new Set<string>();
  return places.filter(({ planId }) => seen.size !== seen.add(planId).size);
}

/** By time, and never against the order of a chain: whoever wrote into it may have had another clock. */
function inOrder(chains: readonly AuditChain[]): readonly ChainedEntry[] {
  return chains
    .flatMap(({ entries }) => {
      let latest = Number.NEGATIVE_INFINITY;
      return entries.map((entry) => {
        latest = Math.max(latest, Date.parse(entry.timestamp) || latest);
        return { entry, at: latest };
      });
    })
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
    .map(({ entry }) => entry);
}

function isWanted({ action, timestamp }: ChainedEntry, wanted: GetPlanAuditLogsRequest): boolean {
  const time = Date.parse(timestamp);
  return (
    (wanted.action === undefined || action === wanted.action) &&
    (wanted.from === undefined || time >= Date.parse(wanted.from)) &&
    (wanted.to === undefined || time < Date.parse(wanted.to))
  );
}

function stateOf({ plan, chain }: { readonly plan: FoundPlan; readonly chain: AuditChain }) {
  const { intact, firstBroken, entries, head } = chain;
  return {
    plan_id: plan.planId,
    intact,
    ...(firstBroken !== undefined && { first_broken: firstBroken }),
    length: entries.length,
    ...(head !== undefined && { head: head.hash }),
  };
}
