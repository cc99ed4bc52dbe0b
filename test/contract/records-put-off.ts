import { describe, expect, it } from 'vitest';
import { publish, stitchAll } from './records-documents.ts';
import { facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare } from './records-steps.ts';

/** What cannot be worked on and is left alone for a while. */
export function describePutOff(world: () => RecordsWorld): void {
  describe('what is put off', () => {
    it('is an agent that is dirty no more until its time', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      const [dirty] = await records.agents.takeDirty(1, NOW);
      await records.agents.putOff(dirty as never, NOW + HOUR);
      expect(await records.agents.takeDirty(1, NOW + HOUR - 1)).toEqual([]);
      expect(await records.agents.takeDirty(1, NOW + HOUR)).toMatchObject([{ agent: dirty?.agent }]);
      expect(await stitchAll(records, undefined, NOW + HOUR)).toHaveLength(1);
      expect(await records.agents.takeDirty(1, NOW + 2 * HOUR)).toEqual([]);
    });

    it('is not an agent whose facts changed meanwhile, and no longer one whose facts change', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      const [older] = await records.agents.takeDirty(1, NOW);
      await publish(records, 'b.example');
      await records.agents.putOff(older as never, NOW + HOUR);
      const [newer] = await records.agents.takeDirty(1, NOW);
      expect(newer).toMatchObject({ agent: older?.agent });
      await records.agents.putOff(newer as never, NOW + HOUR);
      await publish(records, 'c.example');
      expect(await records.agents.takeDirty(1, NOW)).toHaveLength(1);
    });

    it('is a declaration that is not due until its time', async () => {
      const { records } = world();
      await declare(records, 'a.example', 'adagents', 'one', facts({ rederiveAt: NOW }));
      const [due] = await records.sources.dueRederivations(NOW, 10);
      await records.sources.putOffRederivation(due as never, NOW + HOUR);
      expect(await records.sources.dueRederivations(NOW + HOUR - 1, 10)).toEqual([]);
      expect(await records.sources.dueRederivations(NOW + HOUR, 10)).toEqual([due]);
    });
  });
}
