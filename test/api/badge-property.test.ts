import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import { isActive } from '../../src/domain/badge.ts';
import { readBadge } from '../../src/signing/badge-token.ts';
import { fixedKeys, readJwkSet } from '../../src/signing/key-source.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { AGENT, SELLER, tested } from './support/tested-agent.ts';

type Tested = Awaited<ReturnType<typeof tested>>;

const HOUR = 3_600_000;
const FAILS = of({ 'sales-guaranteed': 'fail' });
const PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy/token`;

/** What can happen to an agent; each at the time of the clock. */
const EVENTS = {
  passes: ({ records, clock }: Tested) => keepRun(records, clock.value, SELLER, { agent: AGENT }),
  fails: ({ records, clock }: Tested) => keepRun(records, clock.value, FAILS, { agent: AGENT }),
  'is silent': ({ records, clock }: Tested) =>
    keepRun(records, clock.value, { ...FAILS, dry_run: true }, { agent: AGENT }),
  'opts out': (registry: Tested) => decides(registry, true),
  'opts in': (registry: Tested) => decides(registry, false),
  'has no membership': (registry: Tested) => pays(registry, 'canceled'),
  'has a membership': (registry: Tested) => pays(registry, 'active'),
} as const;

async function decides({ records, clock }: Tested, optedOut: boolean) {
  const change = { agent: AGENT, change: { optedOut }, actor: { kind: 'operator' } } as const;
  await records.owners.changeSettings(change, clock.value);
  await records.compliance.reconsider(AGENT, decideChange({ now: clock.value }), clock.value);
}

async function pays({ records, clock }: Tested, subscriptionStatus: string) {
  const member = { slug: 'nova', displayName: 'nova', foundingMember: false, tier: 'builder' };
  await records.members.import([{ ...member, subscriptionStatus }], clock.value);
  await records.compliance.reconsider(AGENT, decideChange({ now: clock.value }), clock.value);
}

const steps = fc.array(
  fc.record({
    event: fc.constantFrom(...(Object.keys(EVENTS) as (keyof typeof EVENTS)[])),
    afterHours: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('the registry hands out a token that verifies', () => {
  it('exactly while the badge is active, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const registry = await tested();
        const issuer = `urn:uuid:${await registry.records.id()}`;
        const keys = fixedKeys(readJwkSet((await registry.get('/.well-known/jwks.json')).body));
        for (const { event, afterHours } of story) {
          registry.clock.value += afterHours * HOUR;
          await EVENTS[event](registry);
          const state = await registry.records.compliance.state(AGENT);
          const isShown = state?.badges.some(isActive) === true && !state.settings.optedOut;
          const { body } = await registry.get(PATH);
          const now = Math.floor(registry.clock.value / 1_000);
          expect((await readBadge(body, { keys, now, issuer, agent: AGENT })).valid).toBe(isShown);
        }
      }),
      { numRuns: 20 },
    );
  });
});
