import { describe, expect, it } from 'vitest';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };

/** The audit log as a chain. Tampering with its table: test/records/owners/audit-chain.test.ts. */
export function describeAudit(world: () => RecordsWorld): void {
  const deeds = async (from: number, count: number) => {
    const { members } = world().records;
    for (let n = from; n < from + count; n += 1)
      await members.import([{ ...ACME, displayName: `Acme ${n}` }], NOW + n);
  };

  describe('the audit log', () => {
    it('is whole however many processes write at once, and each record has its number', async () => {
      const { records, harness } = world();
      const others = [await harness.open(), await harness.open()];
      const writers = [records, ...others].flatMap((one, index) =>
        [0, 1, 2, 3].map((n) => one.members.import([{ ...ACME, slug: `acme-${index}-${n}` }], NOW + n)),
      );
      await Promise.all(writers);
      const { audit } = records;
      expect(await audit.verify()).toMatchObject({ whole: true, records: 12, first: 1 });
      expect(await audit.head()).toMatchObject({ record: 12, hash: expect.stringMatching(/^[\da-f]{64}$/) });
      await Promise.all(others.map((one) => one.close()));
    });

    it('of nothing is whole', async () => {
      const { audit } = world().records;
      expect(await audit.verify()).toMatchObject({ whole: true, records: 0, head: { record: 0 } });
    });

    it('keeps heads, and is not whole for a head that is not its own or lies beyond its end', async () => {
      const { audit } = world().records;
      await deeds(0, 2);
      const head = { ...(await audit.head()), kind: 'head', at: NOW, token: 'signed' } as const;
      await audit.keepHead(head);
      await audit.keepHead({ ...head, token: 'again' });
      expect(await audit.keptHeads()).toEqual([head]);
      await deeds(2, 1);
      expect(await audit.verify([head])).toMatchObject({ whole: true, records: 3 });
      expect(await audit.verify([{ record: 1, hash: head.hash }])).toMatchObject({ whole: false, record: 1 });
      expect(await audit.verify([{ record: 9, hash: head.hash }])).toMatchObject({ whole: false, record: 4 });
    });

    it('stays whole when its end is pruned behind a checkpoint, and nothing else is', async () => {
      const { audit, owners } = world().records;
      await deeds(0, 5);
      expect(await audit.olderThan(NOW)).toBeUndefined();
      const old = await audit.olderThan(NOW + 3);
      expect(old).toMatchObject({ record: 3 });
      expect(await audit.olderThan(NOW + 99)).toMatchObject({ record: 4 });
      const checkpoint = {
        record: 3,
        hash: old?.hash ?? '',
        kind: 'checkpoint',
        at: NOW,
        token: 't',
      } as const;
      await expect(audit.prune({ ...checkpoint, hash: 'x' }, NOW)).rejects.toMatchObject({
        code: 'input_invalid',
      });
      expect(await audit.prune(checkpoint, NOW + 100)).toBe(3);
      expect(await audit.prune(checkpoint, NOW + 100)).toBe(3); // repeated, because the answer to the commit was lost
      await deeds(5, 1);
      expect(await audit.verify()).toMatchObject({ whole: true, records: 4, first: 4, checkpoint });
      expect((await owners.auditLog({ limit: 9 })).map(({ id, action }) => [id, action])).toEqual([
        ...[
          [7, 'members.import'],
          [6, 'audit.prune'],
          [5, 'members.import'],
          [4, 'members.import'],
        ],
      ]);
    });
  });
}
