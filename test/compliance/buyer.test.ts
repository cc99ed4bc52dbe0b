import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { setupFor } from '../../src/compliance/buyer.ts';
import type { AgentTestSetup } from '../../src/domain/compliance.ts';
import { answered, bundleOf, OPEN, runAt, startAgent, storyboard } from './support/runs.ts';

const REGISTRY = {
  agent_url: 'https://desk.example/agent',
  operator: 'desk.example',
  brand: { domain: 'kayaks.example' },
};
const PUBLIC = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
  supported_protocols: ['media_buy'],
  account: { sandbox: true },
};
const NEUTRAL = { named: ['get_proto_capabilities'], capabilities: OPEN };
const FIELD = { named: ['get_adcp_capabilities'], capabilities: PUBLIC };

const ours = (request: string, more = '') => `
id: board
title: Board
phases:
  - id: p
    steps:
      - {id: order, task: create_media_buy, sample_request: ${request}${more}}
`;
const OUR_ACCOUNT = '{account: {brand: {domain: $test_kit.brand.domain}, operator: $test_kit.operator}}';

interface Case {
  readonly agent?: typeof NEUTRAL | typeof FIELD;
  readonly isEmbedded?: boolean;
  readonly kit?: JsonObject;
  readonly own?: AgentTestSetup;
  readonly configured?: AgentTestSetup;
}

/** What an agent is sent in the one step of a storyboard. */
async function sent(yaml: string, { agent = NEUTRAL, isEmbedded = true, kit, own, configured }: Case) {
  const { url, calls } = await startAgent({ ...agent, answer: () => answered({}) });
  const read = storyboard(yaml);
  const board = kit === undefined ? read : { ...read, testKit: kit };
  const setup = setupFor(
    { bundle: { ...bundleOf(board), isEmbedded }, testKit: REGISTRY, ...(configured && { configured }) },
    own,
  );
  await runAt(url, setup.bundle, setup);
  const request = calls.find(([task]) => task === 'create_media_buy')?.[1];
  const { idempotency_key: _, ...rest } = request ?? {};
  return rest;
}

describe('the buyer of a run', () => {
  it('is the one of the registry where the agent has none of its own', async () => {
    expect(await sent(ours(OUR_ACCOUNT), {})).toEqual({
      account: { brand: { domain: 'kayaks.example' }, operator: 'desk.example', sandbox: true },
    });
  });

  it('is the one that was configured for the agent, before the one of the registry', async () => {
    const configured = { operator: 'registry.example', brand: { domain: 'registry-brand.example' } };
    const own = { operator: 'owner.example', account: { account_id: 'acc-7' } };
    expect(await sent(ours(OUR_ACCOUNT), { own, configured })).toEqual({
      account: {
        ...{ brand: { domain: 'registry-brand.example' }, operator: 'owner.example' },
        ...{ account_id: 'acc-7', sandbox: true },
      },
    });
  });

  it('is named to agents of the public vocabulary by the id of its account alone', async () => {
    const own = { account: { account_id: 'acc-7' } };
    expect(await sent(ours(OUR_ACCOUNT), { agent: FIELD, own })).toEqual({
      account: { account_id: 'acc-7' },
    });
    expect(await sent(ours('{account: {account_id: acc-7}}'), { agent: FIELD })).toEqual({
      account: { account_id: 'acc-7', sandbox: true },
    });
  });

  it('keeps an account that an earlier answer named, and one that the agent is to refuse', async () => {
    const own = { account: { account_id: 'acc-7' } };
    const other = '{account: {brand: {domain: a.example}, operator: somebody-else.example}}';
    expect(await sent(ours(other, ', expect_error: true'), { own })).toEqual({
      account: { brand: { domain: 'a.example' }, operator: 'somebody-else.example', sandbox: true },
    });
    expect(await sent(ours(OUR_ACCOUNT, ', expect_error: true'), { own })).toMatchObject({
      account: { account_id: 'acc-7' },
    });
    const context = `{account: {account_id: $context.account_id}}`;
    const kept = ours(context).replace('phases:', 'context: {account_id: theirs}\nphases:');
    expect(await sent(kept, { own })).toMatchObject({ account: { account_id: 'theirs' } });
  });

  it('takes the place of the buyer that samples of another bundle name, and of no other party', async () => {
    const parties = 'account: {brand: {domain: acme.example}, operator: agency.example}';
    const sample = `{${parties}, brand: {domain: acme.example}, rival: {brand: {domain: rival.example}}}`;
    const kit = { brand: { house: { domain: 'acme.example' } } };
    const own = { operator: 'owner.example', brand: { domain: 'owner-brand.example' } };
    expect(await sent(ours(sample), { isEmbedded: false, kit, own })).toEqual({
      account: { brand: { domain: 'owner-brand.example' }, operator: 'owner.example', sandbox: true },
      brand: { domain: 'owner-brand.example' },
      rival: { brand: { domain: 'rival.example' } },
    });
    expect(await sent(ours(sample), { isEmbedded: false, kit })).toMatchObject({
      account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
    });
    const account = { account_id: 'acc-7' };
    expect(await sent(ours(sample), { agent: FIELD, isEmbedded: false, kit, own: { account } })).toEqual({
      ...{ account, brand: { domain: 'acme.example' }, rival: { brand: { domain: 'rival.example' } } },
    });
  });
});
