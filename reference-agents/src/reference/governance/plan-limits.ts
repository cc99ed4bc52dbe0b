import { member, type Plan, sameAgent } from '@agent-registry/surface/agent-kit';
import type { Opinion } from './decision.ts';
import { spends } from './payload-money.ts';
import { judgePlaces } from './policy-rules.ts';
import type { ReadQuestion } from './question.ts';

/**
 * What a plan itself restricts besides its money: who acts, for which brand, when, where. What a payload says is
 * judged; what it does not say becomes a condition.
 */
export function limitOpinions(
  plan: Plan,
  owner: string,
  question: ReadQuestion,
  now: number,
): readonly Opinion[] {
  const callers = callerOpinions(plan, owner, question);
  if (!spends(question.tool)) return callers;
  return [
    ...callers,
    ...brandOpinions(plan, question),
    ...flightOpinions(plan, question, now),
    ...placeOpinions(plan, question),
  ];
}

function callerOpinions(plan: Plan, owner: string, { caller }: ReadQuestion): readonly Opinion[] {
  const callers = plan.authority?.callers;
  const may = callers === undefined || [owner, ...callers].some((url) => sameAgent(url, caller));
  return may
    ? []
    : [
        {
          policyId: 'authority.callers',
          effect: 'deny',
          message: 'this caller is not allowed to act under the plan',
        },
      ];
}

function brandOpinions({ brand, account }: Plan, { payload }: ReadQuestion): readonly Opinion[] {
  const opinions: Opinion[] = [];
  const compare = (wanted: string, said: unknown, pointer: string, what: string) => {
    const same = typeof said === 'string' && said.toLowerCase() === wanted.toLowerCase();
    if (said !== undefined && !same)
      opinions.push({
        policyId: 'plan.brand',
        effect: 'deny',
        message: `the plan is for another ${what}`,
        pointer,
      });
    return said !== undefined;
  };
  const { brand: direct, account: paying } = payload;
  if (brand !== undefined) {
    const said = [
      compare(brand.domain, member(direct, 'domain'), '/brand/domain', 'brand'),
      compare(brand.domain, member(member(paying, 'brand'), 'domain'), '/account/brand/domain', 'brand'),
    ];
    if (brand.brand_id !== undefined)
      compare(brand.brand_id, member(direct, 'brand_id'), '/brand/brand_id', 'brand');
    if (!said.includes(true))
      opinions.push({
        policyId: 'plan.brand',
        effect: 'condition',
        message: `only for the brand ${brand.domain}`,
      });
  }
  if (account !== undefined)
    compare(account.operator, member(paying, 'operator'), '/account/operator', 'operator');
  return opinions;
}

function flightOpinions({ flight }: Plan, { payload }: ReadQuestion, now: number): readonly Opinion[] {
  const said = flightsOf(payload);
  const malformed = said.filter(({ value }) => timeOf(value) === undefined);
  const opinions = malformed.map(({ pointer }) => flightDenial('not a valid timestamp', pointer));
  if (flight === undefined) return opinions;
  const [start, end] = [Date.parse(flight.start), Date.parse(flight.end)];
  if (end <= now) return [...opinions, flightDenial('the flight of the plan has ended')];
  const outside = said.filter(({ value }) => {
    const time = timeOf(value);
    return time !== undefined && (time < start || time > end);
  });
  const denials = outside.map(({ pointer }) => flightDenial('outside the flight of the plan', pointer));
  const whole = ['/start_time', '/end_time'].every((pointer) => said.some((one) => one.pointer === pointer));
  const message = `run only from ${new Date(start).toISOString()} to ${new Date(end).toISOString()}`;
  const condition: Opinion = { policyId: 'plan.flight', effect: 'condition', message };
  return [...opinions, ...denials, ...(whole ? [] : [condition])];
}

interface Said {
  readonly value: unknown;
  readonly pointer: string;
}

/** Where a payload says when: the buy, its packages, and the period of a use of rights. */
function flightsOf(payload: ReadQuestion['payload']): readonly Said[] {
  const of = (value: unknown, place: string, names: readonly string[]): readonly Said[] =>
    names
      .map((name) => ({ value: member(value, name), pointer: `${place}/${name}` }))
      .filter((said) => said.value !== undefined);
  const times = ['start_time', 'end_time'];
  const lists = ['packages', 'new_packages'].flatMap((name) => {
    const list = member(payload, name);
    return Array.isArray(list) ? list.flatMap((item, index) => of(item, `/${name}/${index}`, times)) : [];
  });
  const period = member(member(payload, 'campaign'), 'period');
  return [...of(payload, '', times), ...lists, ...of(period, '/campaign/period', ['start', 'end'])];
}

function placeOpinions(plan: Plan, { places }: ReadQuestion): readonly Opinion[] {
  return (['channels', 'countries'] as const).flatMap((kind) => {
    const allowed = plan[kind];
    if (allowed === undefined) return [];
    const { broken = [], unsaid } = judgePlaces(kind, allowed, places[kind]);
    const policyId = `plan.${kind}`;
    const denials = broken.map((place): Opinion => ({ policyId, effect: 'deny', ...place }));
    return unsaid === undefined ? denials : [...denials, { policyId, effect: 'condition', message: unsaid }];
  });
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}

function flightDenial(message: string, pointer?: string): Opinion {
  return { policyId: 'plan.flight', effect: 'deny', message, ...(pointer !== undefined && { pointer }) };
}
