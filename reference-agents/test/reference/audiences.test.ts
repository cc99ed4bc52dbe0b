import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAudience } from '../../src/reference/audiences/audiences.ts';
import { accountOf, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey, OTHER_BUYER } from './support.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    hashed_email: hash(`reader-${from + index}@mail.example`),
  }));

function sync(audiences: readonly object[], parts: object = {}, buyer = BUYER) {
  return { idempotency_key: freshKey(), account: accountOf(buyer), audiences, ...parts };
}

const find = ({ agent, clock }: AgentUnderTest, id: string, caller = BUYER) =>
  findAudience({ agent, caller, now: clock.now() }, id, '/audience');

describe('sync_audiences', () => {
  it('keeps an audience, and is done with matching after a minute', async () => {
    const seller = await startSeller();
    const answer = await seller.call(
      'sync_audiences',
      sync([{ audience_id: 'a', name: 'Readers', add: people(400) }]),
    );
    const [{ matched_count: matched, ...first }] = answer.audiences;
    expect(first).toEqual({ audience_id: 'a', action: 'created', status: 'processing', uploaded_count: 400 });
    expect(matched).toBeGreaterThan(100);
    expect(matched).toBeLessThan(400);
    seller.clock.pass(60);
    expect(find(seller, 'a')).toMatchObject({ status: 'ready', use: 'target' });
  });

  it('says when too few are known, but never for people who are left out', async () => {
    const seller = await startSeller();
    const small = { add: people(20) };
    await seller.call(
      'sync_audiences',
      sync([
        { audience_id: 'few', ...small },
        { audience_id: 'customers', audience_type: 'suppression', ...small },
      ]),
    );
    seller.clock.pass(60);
    expect(find(seller, 'few').status).toBe('too_small');
    expect(find(seller, 'customers')).toMatchObject({ status: 'ready', use: 'suppression' });
  });

  it('counts each person once, whoever comes and goes', async () => {
    const seller = await startSeller();
    const step = fc.record({
      add: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
      remove: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const audience_id = `round-${round++}`;
        const there = new Set<number>();
        let last: Answer;
        for (const { add, remove } of steps) {
          const members = (list: number[]) => list.flatMap((person) => people(1, person));
          const audience = { audience_id, add: members(add), remove: members(remove) };
          const dry = await seller.call('sync_audiences', sync([audience], { dry_run: true }));
          last = await seller.call('sync_audiences', sync([audience]));
          expect(dry.audiences).toEqual(last.audiences);
          for (const person of add) there.add(person);
          for (const person of remove) there.delete(person);
        }
        expect(last.audiences[0].uploaded_count).toBe(there.size);
      }),
      { numRuns: 30 },
    );
  });

  it('says what is unchanged', async () => {
    const seller = await startSeller();
    const audience = { audience_id: 'a', name: 'Readers', add: people(3) };
    await seller.call('sync_audiences', sync([audience]));
    expect((await seller.call('sync_audiences', sync([audience]))).audiences[0].action).toBe('unchanged');
    const renamed = { audience_id: 'a', name: 'Old readers' };
    expect((await seller.call('sync_audiences', sync([renamed]))).audiences[0].action).toBe('updated');
    expect(find(seller, 'a')).toMatchObject({ name: 'Old readers', uploaded: 3 });
  });

  it('keeps nothing by which a person could be found', async () => {
    const seller = await startSeller();
    const member = { external_id: 'customer-77', hashed_phone: hash('+31600000000') };
    await seller.call('sync_audiences', sync([{ audience_id: 'a', add: [member] }]));
    const name = `audience_members ${hash('a').slice(0, 32)}`;
    const [kept] = seller.agent.state.collection(name, BUYER.id).list();
    expect(kept?.key).toMatch(/^[0-9a-f]{64}$/);
    expect([member.external_id, member.hashed_phone]).not.toContain(kept?.key);
  });

  it.each([
    ['a member without identifier', { add: [{}] }, 'VALIDATION_ERROR', '/audiences/1/add/0'],
    [
      'an address in the open',
      { add: [{ external_id: 'me@mail.example' }] },
      'VALIDATION_ERROR',
      '/audiences/1/add/0/external_id',
    ],
    [
      'a number in the open',
      { remove: [{ external_id: '+31 6 0000 0000' }] },
      'VALIDATION_ERROR',
      '/audiences/1/remove/0/external_id',
    ],
    ['an unknown type', { audience_type: 'enemies' }, 'VALIDATION_ERROR', '/audiences/1/audience_type'],
    ['a deletion of nothing', { delete: true }, 'REFERENCE_NOT_FOUND', '/audiences/1/audience_id'],
    ['an id that is there twice', { audience_id: 'good' }, 'VALIDATION_ERROR', '/audiences/1/audience_id'],
  ])('tells %s beside its audience, and takes the others', async (_what, parts, code, pointer) => {
    const seller = await startSeller();
    const request = sync([{ audience_id: 'good' }, { audience_id: 'bad', ...parts }]);
    const { audiences } = await seller.call('sync_audiences', request);
    expect(audiences[0].action).toBe('created');
    expect(audiences[1]).toMatchObject({ action: 'failed', errors: [{ code, pointer }] });
    expect(() => find(seller, 'bad')).toThrow('unknown audience');
  });

  it('refuses a hash that is none before anything is kept', async () => {
    const seller = await startSeller();
    const request = sync([
      { audience_id: 'good' },
      { audience_id: 'a', add: [{ hashed_email: 'me@mail.example' }] },
    ]);
    const refusal = await seller.refusal('sync_audiences', request);
    expect(refusal.pointer).toBe('/audiences/1/add/0/hashed_email');
    expect(() => find(seller, 'good')).toThrow('unknown audience');
  });

  it('deletes audiences with their members, by name or because they are missing', async () => {
    const seller = await startSeller();
    const all = ['a', 'b', 'c'].map((audience_id) => ({ audience_id, add: people(5) }));
    await seller.call('sync_audiences', sync(all));
    const request = [{ audience_id: 'a', delete: true }, { audience_id: 'b' }];
    const dry = await seller.call('sync_audiences', sync(request, { delete_missing: true, dry_run: true }));
    const answer = await seller.call('sync_audiences', sync(request, { delete_missing: true }));
    expect(answer.audiences).toEqual(dry.audiences);
    expect(answer.audiences.map(({ action }: Answer) => action)).toEqual(['deleted', 'unchanged', 'deleted']);
    const again = await seller.call('sync_audiences', sync([{ audience_id: 'a' }]));
    expect(again.audiences[0].uploaded_count).toBe(0);
  });

  it('keeps the audiences of two buyers apart', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    await seller.call('sync_audiences', sync([{ audience_id: 'a', add: people(5) }]));
    const answer = await seller.call(
      'sync_audiences',
      sync([{ audience_id: 'a' }], {}, OTHER_BUYER),
      OTHER_BUYER,
    );
    expect(answer.audiences[0]).toMatchObject({ action: 'created', uploaded_count: 0 });
    expect(find(seller, 'a').uploaded).toBe(5);
  });
});
