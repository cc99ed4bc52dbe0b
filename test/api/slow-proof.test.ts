import { expect, it, onTestFinished, vi } from 'vitest';
import { createJoining } from '../../src/api/operations/joining.ts';
import { createBudgets, type Party } from '../../src/budgets/budgets.ts';
import { composeProofs } from '../../src/compose/proofs.ts';
import { readConfig } from '../../src/config.ts';
import { openNameServer } from '../owners/support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from '../owners/support/site.ts';
import { openRegistry } from './support/registry.ts';

const DOMAIN = 'nova.example';
const party: Party = { id: 'address:192.0.2.1', network: '192.0.0.0/16' };

/** A domain to join by, whose site answers when `answer` is called. */
async function world() {
  const [asked, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const published: Record<string, SiteAnswer> = {};
  const network = { connectTo: [await openSite(DOMAIN, published)] };
  const { records, clock } = await openRegistry();
  const nameServer = await openNameServer({});
  const proofs = composeProofs({ config: readConfig({}), network, clock, nameServer });
  onTestFinished(() => proofs.close());
  const budgets = createBudgets(records);
  const joining = createJoining({ records, clock, budgets, join: 'domain', findProof: proofs.find });
  const { invitation, token } = await joining.invite(DOMAIN);
  const before = async () => {
    asked.resolve();
    await open.promise;
  };
  const join = () => joining.join({ invitation, slug: 'nova', display_name: 'Nova' }, party);
  return { published, token, before, join, asked: asked.promise, answer: open.resolve };
}

it('a published text is found by whoever asks again, though its site answers later than a caller waits', async () => {
  const { published, token, before, join, asked, answer } = await world();
  published[FILE] = { body: token, before };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = join();
  await asked;
  vi.advanceTimersByTime(9_000);
  await expect(first).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '5' } });
  vi.useRealTimers();
  const second = join();
  // nobody has to be asked once more
  published[FILE] = { status: 404 };
  answer();
  expect(await second).toMatchObject({ member: 'joined-nova' });
});

it('a text that is published while it is looked for in vain is found by the next look', async () => {
  const { published, token, before, join, asked, answer } = await world();
  published[FILE] = { status: 404, before };
  const early = join();
  await asked;
  published[FILE] = { body: token };
  const late = join();
  answer();
  await expect(early).rejects.toMatchObject({ code: 'not_proven' });
  expect(await late).toMatchObject({ member: 'joined-nova' });
});
