import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import { FACET_PARAMETERS } from '../../../src/domain/agent-search.ts';
import { openCursor, sealCursor } from '../../../src/index/query/cursor.ts';
import { FILTERS, matches } from '../../../src/index/query/filters.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';
import { LIST_PARAMETERS } from '../../../src/index/query/list-parameters.ts';
import { canonicalQuery, type ListQuery, readListQuery } from '../../../src/index/query/list-query.ts';
import { TEXT_NAMES } from '../../../src/index/query/search-document.ts';
import { anyDocument, anyFilter, anyWanted, BESIDE } from '../../contract/agent-index-samples.ts';

const SECRET = new Uint8Array(32).fill(7);
const URL_ = 'https://agent.example/mcp';
const MEMBERS = Object.keys(FILTERS) as (keyof AgentFilter)[];
const DOCUMENTS = fc.sample(anyDocument(), { numRuns: 300, seed: 11 });

const NOW = Date.parse('2026-11-23T12:00:00Z');
const query = (text: string): ListQuery => {
  const read = readListQuery(new URLSearchParams(text), NOW);
  if (!read.ok) throw new Error(read.problem.detail);
  return read.query;
};
const queryOf = (filter: AgentFilter): ListQuery => ({ ...query(''), filter });

// what the engines do with each filter is in test/contract/agent-index-filters.ts
describe.each(MEMBERS)('the filter %s', (member) => {
  const anyOther = anyFilter().map(({ [member]: _, ...filter }): AgentFilter => filter);

  it('lets some documents pass and not all, by its meaning', () => {
    const shares = fc
      .sample(anyWanted(member), { numRuns: 50, seed: 13 })
      .map(
        (wanted) =>
          DOCUMENTS.filter((document) => matches({ ...BESIDE[member], [member]: wanted }, document)).length,
      );
    expect(shares.some((share) => share > 0 && share < DOCUMENTS.length)).toBe(true);
  });

  it('is part of the key of the kept answer, and read back from it', () => {
    fc.assert(
      fc.property(anyOther, anyWanted(member), (other, wanted) => {
        const filter: AgentFilter = { ...other, [member]: wanted };
        const key = canonicalQuery(queryOf(filter));
        expect(key).not.toBe(canonicalQuery(queryOf(other)));
        const { name } = FILTERS[member];
        const own = new URLSearchParams([...new URLSearchParams(key)].filter(([given]) => given === name));
        const { filter: readBack } = query(own.toString());
        expect(sorted(readBack[member])).toEqual(sorted(wanted));
      }),
    );
  });

  it('binds the cursor', () => {
    fc.assert(
      fc.property(anyOther, anyWanted(member), (other, wanted) => {
        const cursor = sealCursor(SECRET, { ...other, [member]: wanted }, URL_);
        expect(openCursor(SECRET, { ...other, [member]: wanted }, cursor)).toMatchObject({ ok: true });
        expect(openCursor(SECRET, other, cursor)).toMatchObject({ problem: { code: 'cursor_mismatch' } });
      }),
    );
  });

  it('tells its values from each other in the key and in the cursor', () => {
    fc.assert(
      fc.property(anyWanted(member), anyWanted(member), (one, other) => {
        fc.pre(JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other)));
        const [a, b] = [{ [member]: one }, { [member]: other }];
        expect(canonicalQuery(queryOf(a))).not.toBe(canonicalQuery(queryOf(b)));
        expect(openCursor(SECRET, b, sealCursor(SECRET, a, URL_))).toMatchObject({ ok: false });
      }),
      // of one value there is nothing to tell
      { numRuns: FILTERS[member].kind === 'boolean' ? 0 : 100 },
    );
  });

  it('is a parameter of the list operation', () => {
    expect(LIST_PARAMETERS).toContain(FILTERS[member]);
  });
});

function sorted(wanted: unknown): unknown {
  return Array.isArray(wanted) ? wanted.toSorted() : wanted;
}

describe('every parameter of the list operation', () => {
  const GIVEN: Readonly<Record<string, string>> = {
    enum: '',
    text: 'x',
    boolean: 'true',
    integer: '7',
    cursor: 'x',
  };

  it.each(LIST_PARAMETERS.map((parameter) => [parameter.name, parameter] as const))(
    '%s is read, and part of the key of the kept answer',
    (name, { kind, values = [] }) => {
      const given = query(`${name}=${values[0] ?? GIVEN[kind]}`);
      expect(given).not.toEqual(query(''));
      const key = canonicalQuery(given);
      expect(key).not.toBe(canonicalQuery(query('')));
      expect(new URLSearchParams(key).has(name)).toBe(true);
    },
  );
});

const { mappings } = JSON.parse(readFileSync('schemas/index/agents.json', 'utf8'));

describe('the layout of the index', () => {
  // Red: what generations hold has changed. Count INDEX_LAYOUT up, then write down here what it stands for.
  it('stands for what the engines keep for the filters', () => {
    expect({
      layout: INDEX_LAYOUT,
      fields: Object.keys(mappings.properties).join(' '),
      texts: TEXT_NAMES.join(' '),
      counted: FACET_PARAMETERS.join(' '),
    }).toEqual({
      layout: 13,
      fields:
        'url seq listed host type protocol compliance_status verified verification_mode badges metric_id metric_id_lower accreditation metrics channels property_types markets categories tags delivery_types format_kinds specialisms capability has_tmp property_count publisher_count sort_name text card base properties capabilities compliance generation',
      texts: 'name joined metrics accreditations specialisms domains tools tags description',
      counted:
        'type protocol verified verification_mode metric_id accreditation channels property_types markets categories tags delivery_types format_kinds specialisms capability has_tmp compliance_status',
    });
  });
});
