import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { authorisation, documentOf, facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';

/** Saves one document for every dirty agent. */
export async function stitchAll(records: Records, document = documentOf(AGENT), now = NOW) {
  const dirty = await records.agents.takeDirty(100, now);
  return records.agents.saveStitched(
    dirty.map((agent) => ({ ...agent, stitched: { document } })),
    now,
  );
}

/** A publisher's file that authorises one agent. */
export async function publish(records: Records, publisher: string, agent = AGENT): Promise<void> {
  await declare(
    records,
    publisher,
    'adagents',
    publisher,
    facts({ authorisations: [authorisation(publisher, agent)] }),
  );
}

/** Stitched documents and the change log. */
export function describeDocuments(world: () => RecordsWorld): void {
  describe('documents', () => {
    it('logs listed, changed and delisted with the fields that differ, and nothing for the same document', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      expect(await stitchAll(records)).toEqual([{ agent: AGENT, version: 1, document: documentOf(AGENT) }]);
      await publish(records, 'b.example');
      expect(await stitchAll(records)).toEqual([]);
      const base = { ...documentOf(AGENT).base, name: 'two' };
      await publish(records, 'c.example');
      await stitchAll(
        records,
        documentOf(AGENT, { base, metricIds: Array.from({ length: 300 }, (_, n) => `metric-${n}`) }),
      );
      await publish(records, 'd.example');
      const [dirty] = await records.agents.takeDirty(1, NOW);
      expect(
        await records.agents.saveStitched(
          [{ ...(dirty as never as { agent: string; revision: number }), stitched: {} }],
          NOW,
        ),
      ).toEqual([{ agent: AGENT, version: 3 }]);
      const log = await records.agents.changes(0, 10);
      expect(log.map(({ seq, kind }) => [seq, kind])).toEqual([
        [1, 'listed'],
        [2, 'changed'],
        [3, 'delisted'],
      ]);
      const newest = await records.agents.lastChanges({ limit: 2 });
      expect(newest).toEqual([log[2], log[1]]);
      expect(await records.agents.lastChanges({ before: 2, limit: 2 })).toEqual([log[0]]);
      const ofOne = { agent: String(log[0]?.agent), limit: 10 };
      expect(await records.agents.lastChanges(ofOne)).toEqual(
        log.filter(({ agent }) => agent === ofOne.agent).toReversed(),
      );
      expect(log[0]?.before).toBeNull();
      expect(log[1]).toMatchObject({
        before: { base: { name: 'one' }, metricIds: [] },
        after: { base: { name: 'two' } },
      });
      expect(log[1]?.after?.metricIds).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(log[2]?.after).toBeNull();
      expect(await records.agents.lastSeq()).toBe(3);
      expect(await records.agents.saved([AGENT])).toEqual([{ agent: AGENT, version: 3 }]);
    });

    it('keeps the dirty mark when facts changed after it was taken, and refuses a stitch of older facts', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      const [old] = await records.agents.takeDirty(1, NOW);
      await publish(records, 'b.example');
      const [recent] = await records.agents.takeDirty(1, NOW);
      const save = (agent: typeof old, type: 'sales' | 'buying') =>
        records.agents.saveStitched(
          [{ ...(agent as NonNullable<typeof old>), stitched: { document: documentOf(AGENT, { type }) } }],
          NOW,
        );
      expect(await save(old, 'buying')).toHaveLength(1);
      expect(await records.agents.takeDirty(1, NOW)).toEqual([recent]);
      expect(await save(recent, 'sales')).toHaveLength(1);
      expect(await save(old, 'buying')).toEqual([]);
      expect(await records.agents.takeDirty(1, NOW)).toEqual([]);
    });

    it('takes a clean agent again when its document changes by time alone', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      const [dirty] = await records.agents.takeDirty(1, NOW);
      await records.agents.saveStitched(
        [
          {
            ...(dirty as NonNullable<typeof dirty>),
            stitched: { document: documentOf(AGENT), restitchAt: NOW + HOUR },
          },
        ],
        NOW,
      );
      expect(await records.agents.takeDirty(1, NOW + HOUR - 1)).toEqual([]);
      expect(await records.agents.takeDirty(1, NOW + HOUR)).toEqual([dirty]);
    });

    it('lists documents by URL, in pages', async () => {
      const { records } = world();
      const urls = ['https://c.example/', 'https://a.example/', 'https://b.example/'];
      await declare(
        records,
        'p.example',
        'adagents',
        'p',
        facts({ authorisations: urls.map((url, n) => authorisation('p.example', url, { entry: `/${n}` })) }),
      );
      const dirty = await records.agents.takeDirty(10, NOW);
      await records.agents.saveStitched(
        dirty.map((agent) => ({ ...agent, stitched: { document: documentOf(agent.agent) } })),
        NOW,
      );
      const page = await records.agents.listed(undefined, 2);
      expect(page.map((saved) => saved.agent)).toEqual(['https://a.example/', 'https://b.example/']);
      expect((await records.agents.listed('https://b.example/', 2)).map((saved) => saved.agent)).toEqual([
        'https://c.example/',
      ]);
      expect(await records.agents.countListed()).toBe(3);
    });
  });
}
