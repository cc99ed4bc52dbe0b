import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFacts, Portfolio } from '../../src/domain/agent-facts.ts';
import type { Authorisation, Mention } from '../../src/domain/declared-facts.ts';
import type { Records } from '../../src/ports/records.ts';
import { authorisation, facts, HOUR, mention, NOW, type RecordsWorld } from './records-fixtures.ts';
import { fileVisit, reading, takeOne } from './records-steps.ts';

interface Step {
  readonly declarer: number;
  readonly file: 'adagents' | 'brand';
  readonly ends: boolean;
  readonly rows: readonly {
    readonly agent: number;
    readonly types: Record<string, number>;
    readonly tags: string[];
  }[];
}

const row = fc.record({
  agent: fc.nat(2),
  types: fc.dictionary(fc.constantFrom('website', 'ctv_app'), fc.integer({ min: 1, max: 3 }), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  tags: fc.uniqueArray(fc.constantFrom('news', 'sport', 'kids'), { maxLength: 2 }),
});
const step: fc.Arbitrary<Step> = fc.record({
  declarer: fc.nat(2),
  file: fc.constantFrom('adagents', 'brand'),
  ends: fc.boolean(),
  rows: fc.array(row, { maxLength: 3 }),
});

/** What is live, kept as plain lists and recomputed from scratch. */
class NaiveModel {
  readonly authorisations = new Map<string, readonly Authorisation[]>();
  readonly mentions = new Map<string, readonly Mention[]>();

  portfolio(agent: string): Portfolio {
    const live = [...this.authorisations.values()].flat().filter((edge) => edge.agent === agent);
    const publishers = [...new Set(live.map((edge) => edge.publisher))].sort();
    const countByType: Record<string, number> = {};
    for (const edge of live) {
      for (const [type, n] of Object.entries(edge.countByType))
        countByType[type] = (countByType[type] ?? 0) + n;
    }
    const propertyCount = Object.values(countByType).reduce((sum, n) => sum + n, 0);
    const tags = [...new Set(live.flatMap((edge) => edge.tags))].sort();
    return { publisherCount: publishers.length, publishers, propertyCount, countByType, tags };
  }

  said(agent: string): readonly Mention[] {
    return [...this.mentions.values()].flat().filter((said) => said.agent === agent);
  }
}

async function apply(
  records: Records,
  model: NaiveModel,
  world: string,
  { declarer, file, ends, rows }: Step,
  at: number,
): Promise<void> {
  const key = `d${declarer}-${world}.example`;
  const agent = (n: number) => `https://a${n}-${world}.example/`;
  const edges = rows.map((said, n) =>
    authorisation(key, agent(said.agent), { entry: `/${n}`, countByType: said.types, tags: said.tags }),
  );
  const mentions = rows.map((said, n) =>
    mention(key, agent(said.agent), { entry: `/${n}`, name: said.tags.join() }),
  );
  const work = await takeOne(records, 'domain', key, at);
  const derived = file === 'adagents' ? facts({ authorisations: edges }) : facts({ mentions });
  const read = reading(work, file, `${at}`, derived, { at });
  const gone = {
    ...read,
    files: [fileVisit(work, file, { outcome: 'absent', ends: true }), ...read.files.slice(1)],
  };
  const visit = ends ? gone : read;
  await records.sources.commitDomainVisit({
    ...visit,
    files: visit.files.map((one) => ({ ...one, nextVisitAt: at + 1 })),
  });
  if (file === 'adagents') model.authorisations.set(key, ends ? [] : edges);
  else model.mentions.set(key, ends ? [] : mentions);
}

function byEntry(mentions: readonly Mention[]): readonly Mention[] {
  return mentions.toSorted((a, b) => `${a.declarer}${a.entry}`.localeCompare(`${b.declarer}${b.entry}`));
}

async function expectSame(known: AgentFacts, model: NaiveModel): Promise<void> {
  const expected = model.portfolio(known.agent);
  expect(known.portfolio ?? model.portfolio('nobody')).toEqual(expected);
  expect(byEntry(known.mentions)).toEqual(byEntry(model.said(known.agent)));
  expect(known.declared).toBe(expected.publisherCount + model.said(known.agent).length > 0);
  expect(known.declarationEndedAt !== undefined).toBe(!known.declared);
}

/** The running sums against a model that counts everything anew. */
export function describeModel(world: () => RecordsWorld): void {
  describe('running sums', () => {
    it('equal a recomputation after any sequence of visits', async () => {
      const { records } = world();
      let runs = 0;
      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        runs += 1;
        const model = new NaiveModel();
        for (const [n, one] of steps.entries()) await apply(records, model, `w${runs}`, one, NOW + n * HOUR);
        const agents = [0, 1, 2].map((n) => `https://a${n}-w${runs}.example/`);
        for (const known of await records.agents.facts(agents)) await expectSame(known, model);
        expect((await records.recount(1_000, () => undefined)).differences).toEqual([]);
      });
      await fc.assert(property, { numRuns: 30 });
    });

    it('keep what the last self-check found, and nothing before it', async () => {
      const { records } = world();
      expect(await records.selfCheck()).toBeUndefined();
      for (const differences of [3, 0]) {
        const found = { at: NOW, agents: 7, publishers: 2, differences };
        await records.keepSelfCheck(found);
        expect(await records.selfCheck()).toEqual(found);
      }
    });
  });
}
