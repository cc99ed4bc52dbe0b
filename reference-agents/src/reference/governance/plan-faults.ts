import {
  type KnownErrorCode,
  type Plan,
  type Policy,
  type Problem,
  parseAgentUrl,
  problem,
} from '@agent-registry/surface/agent-kit';
import { centsOfAmount, MAX_AMOUNT } from './payload-money.ts';
import { limitOpinions } from './plan-limits.ts';
import { conditionOf, opinionsOf, RULES } from './policy-rules.ts';
import { readQuestion } from './question.ts';

/** What the conditions of a plan may be, so that they fit in an approval beside those of a human (escalations.ts). */
const MAX_CONDITIONS = { count: 90, bytes: 2_800, characters: 2_000 } as const;

/** Policies of one rule, as each of them looks at the whole payload. */
const MAX_OF_A_RULE = 10;

interface Fault {
  readonly code: KnownErrorCode;
  /** Below the plan. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** Why a plan cannot be kept, beyond its shape; `place` is the pointer to it and `now` epoch milliseconds. */
export function planFaults(plan: Plan, place: string, now: number): readonly Problem[] {
  return [
    ...moneyFaults(plan),
    ...flightFaults(plan, now),
    ...(plan.countries ?? []).flatMap((code, index) => countryFault(code, `/countries/${index}`)),
    ...(plan.authority?.callers ?? []).flatMap((url, index) =>
      agentFault(url, `/authority/callers/${index}`),
    ),
    ...policyFaults(plan.policies ?? []),
    ...conditionFaults(plan, now),
  ]
    .slice(0, 20)
    .map(({ code, pointer, message, suggestion }) =>
      problem(code, message, { pointer: place + pointer, ...(suggestion !== undefined && { suggestion }) }),
    );
}

function moneyFaults({ budget, authority }: Plan): readonly Fault[] {
  const amounts = [
    { value: budget.total, pointer: '/budget/total' },
    { value: authority?.max_amount ?? 0, pointer: '/authority/max_amount' },
  ];
  const message = `an amount has at most two decimals and is at most ${MAX_AMOUNT}`;
  return amounts
    .filter(({ value }) => centsOfAmount(value) === undefined)
    .map(({ pointer }) => ({ code: 'VALIDATION_ERROR', pointer, message }));
}

function flightFaults({ flight }: Plan, now: number): readonly Fault[] {
  if (flight === undefined) return [];
  const [start, end] = [Date.parse(flight.start), Date.parse(flight.end)];
  const pointer = '/flight/end';
  if (!(end > start))
    return [{ code: 'FLIGHT_INVALID', pointer, message: 'the flight ends before it starts' }];
  return end <= now ? [{ code: 'FLIGHT_IN_PAST', pointer, message: 'the flight has ended' }] : [];
}

function policyFaults(policies: readonly Policy[]): readonly Fault[] {
  const ids = policies.map(({ policy_id: id }) => id);
  const seen = new Set<string>();
  const doubled = ids.flatMap((id, index): Fault[] => {
    if (seen.size === seen.add(id).size)
      return [fault(`/policies/${index}/policy_id`, 'duplicate policy_id in the plan')];
    return [];
  });
  const crowded = [...RULES.keys()].filter(
    (rule) => policies.filter((policy) => policy.rule === rule).length > MAX_OF_A_RULE,
  );
  return [
    ...doubled,
    ...crowded.map((rule) =>
      fault('/policies', `more than ${MAX_OF_A_RULE} policies use the rule ${rule}`, 'combine them'),
    ),
    ...policies.flatMap((policy, index) => ruleFaults(policy, `/policies/${index}`)),
  ];
}

/** The conditions of a payload that says nothing and keeps nothing. */
function conditionFaults(plan: Plan, now: number): readonly Fault[] {
  const policies = plan.policies ?? [];
  const question = readQuestion({ caller: '', tool: 'create_media_buy', payload: {} });
  const unsaid = [
    ...limitOpinions(plan, '', question, now),
    ...policies.flatMap((policy) => opinionsOf(policy, question)),
  ]
    .filter(({ effect }) => effect === 'condition')
    .map(({ message }) => message);
  const broken = policies.filter(({ enforcement }) => enforcement === 'condition').map(conditionOf);
  const conditions = [...new Set([...unsaid, ...broken])];
  const bytes = Buffer.byteLength(JSON.stringify(conditions));
  const fits = bytes <= MAX_CONDITIONS.bytes && conditions.length <= MAX_CONDITIONS.count;
  if (fits && conditions.every(({ length }) => length <= MAX_CONDITIONS.characters)) return [];
  const { count, characters } = MAX_CONDITIONS;
  const message = `more than ${count} conditions follow from the plan, or more than ${MAX_CONDITIONS.bytes} bytes of them, or ${characters} characters of one`;
  return [fault('', message, 'shorten descriptions and lists')];
}

function ruleFaults({ rule, values = [], limit, enforcement }: Policy, place: string): readonly Fault[] {
  if (rule === undefined) {
    const suggestion = 'add a rule, or set the policy to escalate';
    return enforcement === 'deny'
      ? [fault(`${place}/rule`, 'a policy without a rule cannot deny requests', suggestion)]
      : [];
  }
  const known = RULES.get(rule);
  if (known === undefined)
    return [fault(`${place}/rule`, 'unknown rule', `use one of ${[...RULES.keys()].join(', ')}`)];
  if (known.needs === 'limit')
    return limit !== undefined && limit >= 0
      ? []
      : [fault(`${place}/limit`, 'this rule requires a limit of at least 0')];
  if (values.length === 0) return [fault(`${place}/values`, 'this rule requires values')];
  return values.flatMap((value, index) => valueFault(rule, value, `${place}/values/${index}`));
}

/** A value that could never match would make a rule that never holds. */
function valueFault(rule: string, value: string, pointer: string): readonly Fault[] {
  if (rule === 'allowed_countries') return countryFault(value, pointer);
  if (rule === 'allowed_agents') return agentFault(value, pointer);
  if (rule !== 'blocked_domains' || URL.parse(`https://${value}`)?.host === value.toLowerCase()) return [];
  return [
    fault(
      pointer,
      'must be a domain',
      'write the domain without scheme and path, for example casino.example',
    ),
  ];
}

function countryFault(code: string, pointer: string): readonly Fault[] {
  return /^[A-Z]{2}$/.test(code)
    ? []
    : [fault(pointer, 'a country must be a two-letter ISO 3166-1 code in capitals')];
}

function agentFault(url: string, pointer: string): readonly Fault[] {
  return parseAgentUrl(url).ok ? [] : [fault(pointer, 'not a valid agent URL')];
}

function fault(pointer: string, message: string, suggestion?: string): Fault {
  return { code: 'VALIDATION_ERROR', pointer, message, ...(suggestion !== undefined && { suggestion }) };
}
