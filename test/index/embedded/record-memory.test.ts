import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderAgentList } from '../../../src/api/operations/list-agents.ts';
import { createRecordMemory } from '../../../src/index/embedded/record-memory.ts';
import { createSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { readListQuery } from '../../../src/index/query/list-query.ts';
import { liveText } from '../../../src/index/query/live-text.ts';
import { bareDocument, fullDocument } from '../../api/support/documents.ts';
import { openRegistry, PROBED_AT } from '../../api/support/registry.ts';

const MIB = 1_048_576;
const UNSEEN = liveText(undefined);

function stored(text: string) {
  return {
    digest: text.slice(0, 4),
    pieces: { head: text, stats: '', capabilities: '', compliance: '', domains: '' },
  };
}

describe('the memory of records', () => {
  const version = { generation: 1, id: 7, seq: 3, changed: 2 };

  it('gives a record for the version that it was kept under, and for no other', () => {
    const memory = createRecordMemory(MIB);
    const kept = memory.keep(version, 'https://a.example/', stored('{"a":1'), UNSEEN);
    expect(memory.get(version)).toBe(kept);
    for (const name of ['generation', 'id', 'seq', 'changed'] as const)
      expect(memory.get({ ...version, [name]: 9 }), name).toBeUndefined();
    memory.clear();
    expect(memory.get(version)).toBeUndefined();
  });

  it('gives up what was read first, and whoever has that still reads it whole', () => {
    const memory = createRecordMemory(2 * MIB + 4_096); // with what entries cost beside
    const text = (id: number) => `{"a":"${String(id).repeat(300_000)}`;
    const kept = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) =>
      memory.keep({ ...version, id }, `${id}`, stored(text(id)), UNSEEN),
    );
    const known = kept.map((_, at) => memory.get({ ...version, id: at + 1 }) !== undefined);
    expect(known).toEqual([false, false, false, true, true, true, true, true, true]);
    for (const [at, { record }] of kept.entries())
      expect(record.bytes.toString('utf8', record.ends[0], record.ends[1])).toBe(text(at + 1));
    const large = memory.keep(version, 'large', stored('x'.repeat(3 * MIB)), UNSEEN);
    expect(memory.get(version)).toBe(large);
  });

  it('never makes a page another one, whatever changes beside the documents', async () => {
    const { records, index, put } = await openRegistry();
    const [a, b] = ['https://a.example/', 'https://b.example/'];
    const { database } = records;
    const read = readListQuery(
      new URLSearchParams('health=true&capabilities=true&properties=true&compliance=true'),
      0,
    );
    if (!read.ok) throw new Error(read.problem.detail);
    const pageOf = (one: typeof index) =>
      renderAgentList({ records, index: one, cursorSecret: new Uint8Array(32) }, read.query, PROBED_AT);
    const agent = fc.constantFrom(a, b);
    const anyStep = fc.oneof(
      fc.tuple(agent, fc.constantFrom(bareDocument, fullDocument), fc.boolean()).map(
        ([url, form, probed]) =>
          () =>
            put([form(url)], probed),
      ),
      fc.tuple(agent, fc.nat(9)).map(([url, later]) => async () => {
        database
          .statement("UPDATE source SET next_visit_at = ? WHERE kind = 'agent' AND key = ?")
          .run(PROBED_AT + later, url);
      }),
      fc
        .tuple(agent, fc.constantFrom('last_seen_at', 'first_seen_at', 'last_checked_at'), fc.nat(9))
        .map(([url, column, later]) => async () => {
          const sql = `UPDATE agent SET ${column} = ?, seen_text = NULL, health_text = NULL WHERE agent = ?`;
          database.statement(sql).run(PROBED_AT - later, url);
        }),
      fc.tuple(agent, fc.boolean()).map(([url, online]) => async () => {
        const sql = 'UPDATE agent SET health = ?, seen_text = NULL, health_text = NULL WHERE agent = ?';
        database.statement(sql).run(JSON.stringify({ online, responseTimeMs: 1 }), url);
      }),
      agent.map(
        (url) => async () =>
          void database.statement("DELETE FROM source WHERE kind = 'agent' AND key = ?").run(url),
      ),
    );
    const tags = new Map<string, string>();
    for (const step of fc.sample(anyStep, 60)) {
      await step();
      const fresh = createSqliteIndex(database, { clock: { now: () => PROBED_AT } });
      const [kept, read] = [await pageOf(index), await pageOf(fresh)];
      expect([String(kept.body), kept.etag]).toEqual([String(read.body), read.etag]);
      expect(tags.get(kept.etag) ?? String(kept.body)).toBe(String(kept.body));
      tags.set(kept.etag, String(kept.body));
    }
  });
});
