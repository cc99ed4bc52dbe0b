import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, Policy } from '../../../src/protocol/generated/types.ts';
import { isApproval } from '../../src/reference/governance/decision.ts';
import { judgePlan } from '../../src/reference/governance/judge.ts';
import type { GovernanceQuestion } from '../../src/reference/governance/question.ts';
import { buy, SELLER } from './governance-support.ts';
import { BUYER } from './support.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const plan = (more: Partial<Plan> = {}): Plan => ({
  plan_id: 'spring',
  budget: { total: 10_000, currency: 'EUR' },
  ...more,
});
const question = (payload: object = buy(), more: Partial<GovernanceQuestion> = {}): GovernanceQuestion => ({
  caller: BUYER.id,
  tool: 'create_media_buy',
  payload: payload as GovernanceQuestion['payload'],
  audience: SELLER,
  ...more,
});
const judged = (of: Plan, asked: GovernanceQuestion, committed = 0) =>
  judgePlan({ plan: of, owner: BUYER.id, committed }, asked, NOW);
/** The decision, and each finding as `policy pointer`. */
const outcome = (of: Plan, asked: GovernanceQuestion, committed = 0) => {
  const { decision, findings } = judged(of, asked, committed);
  return [decision, ...findings.map(({ policy_id: id, pointer }) => [id, pointer].filter(Boolean).join(' '))];
};
const policy = (rule: string, enforcement: Policy['enforcement'], more: Partial<Policy>): Plan =>
  plan({ policies: [{ policy_id: 'p', rule, enforcement, ...more }] });
const lines = (...budgets: unknown[]) =>
  buy(0, { packages: budgets.map((budget) => ({ product_id: 'x', budget })) });

describe('a governance agent decides', () => {
  // biome-ignore format: one case a line
  it.each<[string, Plan, GovernanceQuestion, readonly string[]]>([
    ['what is within the plan', plan(), question(), ['approved']],
    ['all of the budget', plan(), question(buy(10_000)), ['approved']],
    ['a hundredth more', plan(), question(buy(10_000.01)), ['denied', 'plan.budget']],
    ['packages that are too much together', plan(), question(lines(6_000, 4_000.01)), ['denied', 'plan.budget']],
    ['tenths that add up', plan({ budget: { total: 0.3, currency: 'EUR' } }), question(lines(0.1, 0.2)), ['approved']],
    ['a total that is not the sum', plan(), question(buy(5, { total_budget: { amount: 6, currency: 'EUR' } })), ['denied', 'plan.budget /total_budget/amount']],
    ['another currency', plan(), question(buy(5, { total_budget: { amount: 5, currency: 'USD' } })), ['denied', 'plan.budget /total_budget/currency']],
    ['a total that is a number', plan(), question(buy(5, { total_budget: 5 })), ['denied', 'plan.budget /total_budget/amount', 'plan.budget /total_budget/currency']],
    ['an amount at the authority', plan({ authority: { max_amount: 5_000 } }), question(), ['approved']],
    ['an amount above the authority', plan({ authority: { max_amount: 4_999.99 } }), question(), ['escalated', 'authority.max_amount']],
    ['a denial and an escalation', plan({ authority: { max_amount: 1 } }), question(buy(20_000)), ['denied', 'plan.budget', 'authority.max_amount']],
    ['a caller who may', plan({ authority: { callers: ['https://seller.example/mcp'] } }), question(), ['approved']],
    ['a caller who may not', plan({ authority: { callers: ['https://seller.example/mcp'] } }), question(buy(), { caller: 'https://thief.example/mcp' }), ['denied', 'authority.callers']],
    ['another brand', plan({ brand: { domain: 'tea.example' } }), question(), ['denied', 'plan.brand /brand/domain', 'plan.brand /account/brand/domain']],
    ['no brand', plan({ brand: { domain: 'tea.example' } }), question(buy(5, { brand: undefined, account: undefined })), ['approved_with_conditions', 'plan.brand']],
    ['another operator', plan({ account: { brand: { domain: 'acme.example' }, operator: 'x.example' } }), question(), ['denied', 'plan.brand /account/operator']],
    ['a flight inside', plan({ flight: { start: '2026-04-01T00:00:00Z', end: '2026-05-01T00:00:00Z' } }), question(), ['approved']],
    ['a flight that begins before', plan({ flight: { start: '2026-04-02T00:00:00Z', end: '2026-06-01T00:00:00Z' } }), question(), ['denied', 'plan.flight /start_time']],
    ['a flight in words', plan(), question(buy(5, { start_time: 'soon' })), ['denied', 'plan.flight /start_time']],
    ['a package that ends after', plan({ flight: { start: '2026-04-01T00:00:00Z', end: '2026-05-01T00:00:00Z' } }), question(buy(5, { packages: [{ budget: 5, end_time: '2026-05-02T00:00:00Z' }] })), ['denied', 'plan.flight /packages/0/end_time']],
    ['a plan that is over', plan({ flight: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' } }), question(), ['denied', 'plan.flight']],
    ['channels that nobody says', plan({ channels: ['audio'] }), question(), ['approved_with_conditions', 'plan.channels']],
    ['channels that are allowed', plan({ channels: ['audio'] }), question(buy(5, { channels: ['Audio'] })), ['approved']],
    ['channels that are not', plan({ channels: ['audio'] }), question(buy(5, { packages: [{ budget: 5, channels: ['audio', 'video'] }] })), ['denied', 'plan.channels /packages/0/channels/1']],
    ['a task that is not allowed', policy('allowed_tasks', 'deny', { values: ['get_products'] }), question(), ['denied', 'p']],
    ['an agent that is allowed', policy('allowed_agents', 'deny', { values: [`${SELLER}/`] }), question(), ['approved']],
    ['an agent that is not', policy('allowed_agents', 'escalate', { values: ['https://x.example/mcp'] }), question(), ['escalated', 'p']],
    ['a blocked domain', policy('blocked_domains', 'deny', { values: ['casino.example'] }), question(buy(5, { packages: [{ budget: 5, creatives: [{ url: 'https://ads.CASINO.example./x' }] }] })), ['denied', 'p /packages/0/creatives/0/url']],
    ['a domain that only ends like it', policy('blocked_domains', 'deny', { values: ['casino.example'] }), question(buy(5, { url: 'nocasino.example' })), ['approved']],
    ['a large package', policy('max_package_budget', 'escalate', { limit: 3_000 }), question(lines(3_000, 3_000.01)), ['escalated', 'p /packages/1/budget']],
    ['a large package that may be', policy('max_package_budget', 'condition', { limit: 3_000, description: 'in two halves' }), question(), ['approved_with_conditions', 'p /packages/0/budget']],
    ['a price that is in no payload', policy('max_cpm', 'deny', { limit: 12 }), question(), ['approved_with_conditions', 'p']],
    ['a policy in words', plan({ policies: [{ policy_id: 'calm', enforcement: 'escalate', description: 'calm' }] }), question(), ['escalated', 'calm']],
    ['a task that reads', plan({ channels: ['audio'], policies: [{ policy_id: 'calm', enforcement: 'escalate' }] }), question({ brief: 'x' }, { tool: 'get_products' }), ['approved']],
    ['a task that nobody knows', plan(), question({}, { tool: 'do_something' }), ['escalated', 'plan.tasks']],
    ['a question for nobody', plan(), { ...question(), audience: undefined } as never, ['approved', 'plan.audience']],
    ['an activation', plan(), question({ signal_agent_segment_id: 's' }, { tool: 'activate_signal' }), ['escalated', 'plan.budget']],
    ['an activation with its cost', plan(), question({}, { tool: 'activate_signal', expectedCost: { amount: 5, currency: 'EUR' } }), ['approved']],
    ['rights that cost too much', plan(), question({}, { tool: 'acquire_rights', expectedCost: { amount: 10_001, currency: 'EUR' } }), ['denied', 'plan.budget']],
    ['rights in another currency', plan(), question({}, { tool: 'acquire_rights', expectedCost: { amount: 5, currency: 'USD' } }), ['denied', 'plan.budget']],
    ['a cost below zero', plan(), question({}, { tool: 'acquire_rights', expectedCost: { amount: -5, currency: 'EUR' } }), ['denied', 'plan.budget', 'plan.budget']],
    ['the end of an activation', plan(), question({ action: 'deactivate' }, { tool: 'activate_signal' }), ['approved']],
    ['an update that pauses', plan(), question({ media_buy_id: 'm', paused: true }, { tool: 'update_media_buy' }), ['approved']],
    ['an update, in full', plan(), question({ packages: [{ package_id: 'p', budget: 9_000 }], new_packages: [{ budget: 1_001 }] }, { tool: 'update_media_buy' }), ['denied', 'plan.budget']],
    ['an update by what it adds', plan(), question({ packages: [{ package_id: 'p', budget: 20_000 }] }, { tool: 'update_media_buy', expectedCost: { amount: 100, currency: 'EUR' } }), ['approved']],
  ])('%s', (_what, of, asked, expected) => {
    expect(outcome(of, asked)).toEqual(expected);
  });

  it.each([
    'casino.example',
    'CASINO.example.',
    'casino.example:8443',
    'ads.casino.example/x?y',
    '//casino.example/x',
    'https:casino.example',
    'https:\\\\casino.example',
    'wss://a.b.casino.example',
    'mail@casino.example',
    ' https://casino.example ',
    'https://casino.example:8443/',
    'https://casino%2Eexample/',
    'casino\u3002example',
  ])('against a blocked domain written as %s', (url) => {
    const of = policy('blocked_domains', 'deny', { values: ['Casino.example'] });
    expect(outcome(of, question(buy(5, { url })))).toEqual(['denied', 'p /url']);
  });

  it.each([
    'https://nocasino.example/',
    'https://news.example/casino.example',
    'https://casino.example.news.example/',
    'a casino.example in words',
    'casino',
    '.',
  ])('not against %s', (url) => {
    const of = policy('blocked_domains', 'deny', { values: ['casino.example'] });
    expect(outcome(of, question(buy(5, { url })))).toEqual(['approved']);
  });

  it.each([
    ['below zero', -1],
    ['in words', '5000'],
    ['nothing', null],
    ['not a number', Number.NaN],
    ['without end', Number.POSITIVE_INFINITY],
    ['beyond all money', 1e300],
    ['below a hundredth', 0.001],
    ['a list', [5]],
    ['an object', { valueOf: 5 }],
  ])('against a budget that is %s', (_what, budget) => {
    expect(outcome(plan(), question(buy(budget)))).toEqual(['denied', 'plan.budget /packages/0/budget']);
  });

  it.each([
    ['no packages', {}],
    ['packages that are none', { packages: 'all' }],
    ['no package in the list', { packages: [] }],
    ['packages that are numbers', { packages: [1, null] }],
  ])('against a buy with %s', (_what, payload) => {
    expect(outcome(plan(), question(payload))[0]).toBe('denied');
  });

  it('only up to what is left', () => {
    expect(judged(plan(), question(buy(4_000)), 600_000).decision).toBe('approved');
    const over = judged(plan(), question(buy(4_000.01)), 600_000);
    expect(over.reason).toBe('4000.01 EUR is more than the 4000.00 EUR left');
  });

  it('the same whatever else stands in the payload, and never with an exception', () => {
    const anything = fc.anything({ withNullPrototype: true });
    fc.assert(
      fc.property(
        fc.constantFrom('create_media_buy', 'update_media_buy', 'acquire_rights'),
        fc.dictionary(
          fc.constantFrom(
            'packages',
            'new_packages',
            'total_budget',
            'brand',
            'account',
            'campaign',
            '__proto__',
            'channels',
          ),
          anything,
        ),
        (tool, payload) => {
          const of = plan({
            brand: { domain: 'a.example' },
            flight: { start: '2026-04-01T00:00:00Z', end: '2026-05-01T00:00:00Z' },
            channels: ['audio'],
            policies: [
              { policy_id: 'b', rule: 'blocked_domains', values: ['b.example'], enforcement: 'deny' },
            ],
          });
          const { cost } = judged(of, question(payload, { tool }));
          expect(cost === undefined || cost >= 0).toBe(true);
        },
      ),
    );
  });

  it('never for more than the plan has, over any sequence of questions', () => {
    const amount = fc.oneof(
      fc.integer({ min: 0, max: 400_000 }).map((cents) => cents / 100),
      fc.double(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(amount, { minLength: 1, maxLength: 4 }), { maxLength: 40 }),
        (questions) => {
          let committed = 0;
          for (const budgets of questions) {
            const { decision, cost } = judged(plan(), question(lines(...budgets)), committed);
            if (isApproval(decision)) committed += cost ?? Number.POSITIVE_INFINITY;
          }
          expect(committed).toBeLessThanOrEqual(1_000_000);
        },
      ),
    );
  });

  it('in time that grows with the payload and not faster', () => {
    const packages = Array.from({ length: 20_000 }, () => ({
      budget: 0.01,
      channels: ['video'],
      url: 'casino.example',
    }));
    const of = plan({
      channels: ['audio'],
      policies: [
        { policy_id: 'b', rule: 'blocked_domains', values: ['casino.example'], enforcement: 'deny' },
      ],
    });
    const { decision, findings } = judged(of, question(buy(0, { packages })));
    expect([decision, findings.length <= 100]).toEqual(['denied', true]);
  });
});
