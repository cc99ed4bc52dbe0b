import { describe, expect, it } from 'vitest';
import { documentItem } from '../../../src/index/opensearch/bulk-lines.ts';
import { appliedFact, completeFact, copiedFact } from '../../../src/index/opensearch/generation-state.ts';
import { creationBody, indexNames } from '../../../src/index/opensearch/mapping.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';
import { fullDocument } from '../../api/support/documents.ts';

interface Body {
  readonly settings: { readonly index: object };
  readonly mappings: { readonly dynamic: string; readonly _meta: object; readonly properties: object };
}

const body = (searchable: boolean, replicas = 1) =>
  creationBody({ shards: 3, replicas, recordsId: 'r', createdAt: 7, aliases: {}, searchable }) as Body;

describe('a new generation in OpenSearch', () => {
  it('refuses fields that it does not know, and knows all that are written', () => {
    const { mappings } = body(true);
    const document = fullDocument('https://a.example/');
    const items = [
      documentItem({ agent: document.url, version: 1, document }),
      documentItem({ agent: 'https://a.example/', version: 2 }),
      ...[appliedFact(1), copiedFact('x'), completeFact()],
    ];
    const written = items.flatMap(({ lines }) => Object.keys(JSON.parse(lines.split('\n')[1] ?? '')));
    expect(mappings.dynamic).toBe('strict');
    expect([...new Set(written)].sort()).toEqual(Object.keys(mappings.properties).sort());
  });

  it('says whose it is and in which layout', () => {
    expect(body(true).mappings._meta).toEqual({ layout: INDEX_LAYOUT, records: 'r', created_at: 7 });
  });

  it('is filled with no refresh and no copies, and searched with both', () => {
    expect(body(false).settings.index).toMatchObject({
      number_of_shards: 3,
      number_of_replicas: 0,
      refresh_interval: '-1',
    });
    expect(body(true, 2).settings.index).toMatchObject({
      auto_expand_replicas: '0-2',
      refresh_interval: '1s',
    });
    expect(body(true, 0).settings.index).toMatchObject({ number_of_replicas: 0, refresh_interval: '1s' });
  });
});

describe('the names in OpenSearch', () => {
  it('are short enough with the longest prefix', () => {
    const names = indexNames('x'.repeat(100), 'r');
    const last = Number.MAX_SAFE_INTEGER;
    const all = [names.reads, names.previous, names.promoted(last, last), names.given(last, last)];
    for (const name of [...all, names.handle(last, 'f'.repeat(12))]) expect(name.length).toBeLessThan(255);
  });

  it('of the reads differ for other records, and do not tell what these are called', () => {
    const [one, other] = [indexNames('agents', 'records-1').reads, indexNames('agents', 'records-2').reads];
    expect(one).not.toBe(other);
    expect(one).not.toContain('records');
  });
});
