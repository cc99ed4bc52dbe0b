import { describe, expect, it } from 'vitest';
import { accountHandlers, signalsHandlers } from '../../src/reference/handlers.ts';
import { WRITTEN_APPROVALS } from './approvals-support.ts';
import { accountOf } from './media-buys-support.ts';
import { freshKey, startAgent } from './support.ts';

const [NORTHLIGHT, LANTERN] = ['northlight-dsp.example', 'lanternads.example'].map((platform) => ({
  type: 'platform',
  platform,
}));

async function start() {
  const handlers = { ...accountHandlers, ...signalsHandlers };
  const agent = startAgent({ type: 'signals', handlers, parts: { approvals: WRITTEN_APPROVALS } });
  await agent.call('sync_accounts', { idempotency_key: freshKey(), accounts: [accountOf()] });
  return agent;
}

/** Tea drinkers cost 1.40 for a thousand, or 560 a month. */
function activation(token: string, parts: object = {}) {
  return {
    idempotency_key: freshKey(),
    signal_agent_segment_id: 'tea-drinkers',
    pricing_option_id: 'tea-drinkers-month',
    destinations: [NORTHLIGHT, LANTERN],
    account: accountOf(),
    plan_id: 'spring',
    governance_approval: token,
    ...parts,
  };
}

describe('an approval for a segment', () => {
  it('by the month has to cover a month at each destination', async () => {
    const agent = await start();
    for (const token of ['spring', 'spring 0', 'spring 560', 'spring 1119.99', 'spring 1120 GBP'])
      expect(await agent.refusal('activate_signal', activation(token))).toMatchObject({
        code: 'APPROVAL_INVALID',
        pointer: '/governance_approval',
      });
    const { activations } = await agent.call('activate_signal', activation('spring 1120'));
    expect(activations).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
  });

  it('pays for what begins: neither for what runs, nor for what is named twice or fails', async () => {
    const agent = await start();
    await agent.call('activate_signal', activation('spring 560', { destinations: [NORTHLIGHT] }));
    const unknown = { type: 'platform', platform: 'moon.example' };
    const destinations = [NORTHLIGHT, LANTERN, LANTERN, unknown];
    const { activations } = await agent.call(
      'activate_signal',
      activation('spring 560.00', { destinations }),
    );
    expect(activations).toMatchObject([
      {},
      { status: 'pending' },
      { status: 'pending' },
      { status: 'failed' },
    ]);
  });

  it('by the thousand has to allow something, in the currency of the price', async () => {
    const agent = await start();
    const metered = (token: string) => activation(token, { pricing_option_id: 'tea-drinkers-cpm' });
    for (const token of ['spring', 'spring 0', 'spring 100 GBP'])
      expect((await agent.refusal('activate_signal', metered(token))).code).toBe('APPROVAL_INVALID');
    await agent.call('activate_signal', metered('spring 100'));
  });

  it('may be of nothing where the segment costs nothing', async () => {
    const free = { signal_agent_segment_id: 'free-sample', pricing_option_id: undefined };
    await (await start()).call('activate_signal', activation('spring', free));
  });

  it('that is too small leaves nothing active, and is not used up', async () => {
    const agent = await start();
    await agent.refusal('activate_signal', activation('spring 560'));
    const asked = { signal_agent_segment_ids: ['tea-drinkers'], destinations: [NORTHLIGHT] };
    const [found] = (await agent.call('get_signals', asked)).signals;
    expect(found.activation_options[0].status).toBe('available');
    await agent.call('activate_signal', activation('spring 560', { destinations: [LANTERN] }));
  });
});
