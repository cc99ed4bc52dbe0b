import fc from 'fast-check';
import { expect, it } from 'vitest';
import { engineFault, RegistryError } from '../../src/errors.ts';
import type { Records } from '../../src/ports/records.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const AGENT = 'https://agent.acme.example/mcp';
const MEMBERS = ['acme', 'bolt'] as const;
const KEYS: Readonly<Record<string, string>> = { acme: 'ark_0000000000000001', bolt: 'ark_0000000000000002' };
const CHALLENGE_MS = 10;

type Deed = 'register' | 'ask' | 'challenge' | 'prove' | 'disown' | 'unregister';
interface Claim {
  readonly deed: Deed;
  readonly member: string;
  readonly after: number;
}

/** What a plain reading of the rules says: whose the agent is, and who has which open challenge until when. */
interface Model {
  registered?: string | undefined;
  owner?: string | undefined;
  provenAt?: number;
  open: Map<string, number>;
  /** Whose it is to be, by their own word. */
  pending: Set<string>;
}

/** Ownership under any sequence of claims of two members, held against a model. */
export function describeClaims(world: () => RecordsWorld): void {
  it('gives an agent to whoever proved it last, whatever two members do', async () => {
    const claim = fc.record({
      deed: fc.constantFrom<Deed[]>('register', 'ask', 'challenge', 'prove', 'disown', 'unregister'),
      member: fc.constantFrom(...MEMBERS),
      after: fc.integer({ min: 1, max: CHALLENGE_MS }),
    });
    const { records } = world();
    const members = MEMBERS.map((slug) => ({ slug, displayName: slug, foundingMember: false }));
    await records.members.import(members, NOW);
    for (const member of MEMBERS)
      await records.keys.create({ id: KEYS[member] ?? '', hash: member, member }, NOW);
    let now = NOW; // no two deeds have the same time, which only a repeated transaction has
    await fc.assert(
      fc.asyncProperty(fc.array(claim, { maxLength: 12 }), async (claims) => {
        const model: Model = { open: new Map(), pending: new Set() };
        for (const one of claims) {
          now += one.after;
          expect(await doIt(records, one, now), JSON.stringify(one)).toBe(expected(model, one, now));
          expect((await records.owners.owner(AGENT))?.member).toBe(model.owner);
          expect((await records.owners.registered({ limit: 9 })).map((of) => of.member)).toEqual(
            model.registered === undefined ? [] : [model.registered],
          );
          for (const member of MEMBERS) {
            const theirs = await records.owners.registered({ member, limit: 9 });
            const isTheirs = model.registered === member || model.pending.has(member);
            expect(theirs.map(({ isPending = false }) => isPending)).toEqual(
              isTheirs ? [model.registered !== member] : [],
            );
          }
        }
        now += 1;
        for (const member of MEMBERS) await records.owners.unregister(AGENT, member, now);
      }),
      { numRuns: 25 },
    );
  });
}

/** Does it, and says whether it was let. */
async function doIt({ members, owners }: Records, { deed, member }: Claim, now: number): Promise<boolean> {
  try {
    if (deed === 'disown') return await owners.disown(AGENT, member, now);
    if (deed === 'unregister') return (await owners.unregister(AGENT, member, now)) === 'unregistered';
    if (deed === 'ask') return (await ask(members, member, now)) === 'pending';
    if (deed === 'register') await members.register({ agent: AGENT, url: AGENT, member }, now);
    const wanted = { agent: AGENT, member, token: `${member} ${now}`, expiresAt: now + CHALLENGE_MS };
    if (deed === 'challenge') await owners.challenge(wanted, now);
    if (deed !== 'prove') return true;
    const token = (await owners.challengeOf(AGENT, member))?.token ?? 'none';
    return (await owners.prove({ agent: AGENT, member, token, via: 'dns' }, now)) === 'proven';
  } catch (error) {
    if (error instanceof RegistryError && engineFault(error) === undefined) return false;
    throw error; // a busy engine refuses nothing
  }
}

function expected(model: Model, { deed, member }: Claim, now: number): boolean {
  if (deed === 'register') return register(model, member);
  if (deed === 'ask') return model.owner !== member && Boolean(model.pending.add(member));
  if (deed === 'challenge') return challenge(model, member, now);
  if (deed === 'prove') return prove(model, member, now);
  if (deed === 'unregister') return unregister(model, member);
  if (model.owner !== member) return false;
  end(model);
  return true;
}

/** By a key of the member, which says nothing about the agent that could be shown. */
async function ask(members: Records['members'], member: string, now: number) {
  const actor = { kind: 'key', keyId: KEYS[member] ?? '', member } as const;
  return members.askForAgent({ registration: { agent: AGENT, url: AGENT, member }, actor, most: 1 }, now);
}

function unregister(model: Model, member: string): boolean {
  const wasPending = model.pending.delete(member);
  if (model.registered === member) {
    model.registered = undefined;
    end(model);
    return true;
  }
  model.open.delete(member);
  return wasPending;
}

function register(model: Model, member: string): boolean {
  if (model.owner !== undefined && model.owner !== member) return false;
  model.registered = member;
  return true;
}

function challenge(model: Model, member: string, now: number): boolean {
  if (model.registered === undefined && !model.pending.has(member)) return false;
  if ((model.open.get(member) ?? 0) <= now) model.open.set(member, now + CHALLENGE_MS);
  return true;
}

function prove(model: Model, member: string, now: number): boolean {
  if (model.owner === member && model.provenAt === now) return true; // done again
  if ((model.open.get(member) ?? 0) <= now) return false;
  end(model);
  model.pending.delete(member);
  Object.assign(model, { owner: member, registered: member, provenAt: now });
  return true;
}

function end(model: Model): void {
  model.owner = undefined;
  model.open.clear();
}
