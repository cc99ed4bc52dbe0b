import { describe, expect, it } from 'vitest';
import { AGENT_TYPES } from '../../../src/domain/agent-type.ts';
import { LIST_PARAMETERS } from '../../../src/index/query/list-parameters.ts';
import { readListQuery } from '../../../src/index/query/list-query.ts';

const read = (query: string) =>
  readListQuery(new URLSearchParams(query), Date.parse('2026-11-23T23:59:59.999Z'));
const query = (text: string) => {
  const result = read(text);
  if (!result.ok) throw new Error(result.problem.detail);
  return result.query;
};
const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}=v${at}`).join('&');
const OFF = { health: false, capabilities: false, properties: false, compliance: false };

describe('readListQuery', () => {
  it('reads no parameters as everything, with no group and no total', () => {
    expect(query('')).toEqual({ filter: {}, switches: OFF, total: false });
  });

  it('reads every parameter', () => {
    const text =
      'type=measurement&metric_id=a&metric_id=b&accreditation=MRC&q=View&verified=true&verification_mode=spec' +
      '&health=true&capabilities=true&properties=false&compliance=true&limit=50&cursor=abc&total=true';
    expect(query(text)).toEqual({
      filter: {
        type: 'measurement',
        metricIds: ['a', 'b'],
        accreditations: ['MRC'],
        q: 'view',
        verified: true,
        verificationModes: ['spec'],
      },
      switches: { health: true, capabilities: true, properties: false, compliance: true },
      limit: 50,
      cursor: 'abc',
      total: true,
    });
  });

  it.each(AGENT_TYPES)('accepts type=%s', (type) => {
    expect(query(`type=${type}`).filter).toEqual({ type });
  });

  it.each(['metric_id=x', 'accreditation=x', 'q=x'])('takes type to be measurement for %s', (text) => {
    expect(query(text).filter.type).toBe('measurement');
    expect(query(`${text}&type=measurement`).filter.type).toBe('measurement');
    for (const type of AGENT_TYPES.filter((one) => one !== 'measurement')) {
      expect(read(`type=${type}&${text}`)).toMatchObject({
        ok: false,
        problem: { code: 'type_conflict', parameter: 'type', validValues: ['measurement'] },
      });
    }
  });

  it('takes false for a boolean as not asked for', () => {
    expect(query('verified=false&total=false&health=false')).toEqual(query(''));
  });

  it('drops repetitions of one value and counts only different ones', () => {
    expect(query('verification_mode=spec&verification_mode=spec').filter.verificationModes).toEqual(['spec']);
    expect(query(`${many('metric_id', 20)}&metric_id=v0`).filter.metricIds).toHaveLength(20);
  });

  it('counts q in code points', () => {
    expect(query(`q=${'😀'.repeat(64)}`).filter.q).toHaveLength(128);
    expect(read(`q=${'😀'.repeat(65)}`)).toMatchObject({
      problem: { code: 'value_too_long', parameter: 'q' },
    });
  });

  it.each([
    ['q=%25_*%3F%5C', '%_*?\\'],
    ['q=%20a%20', ' a '],
    ['q=%C4%B0', 'i̇'],
    ['q=SS%C3%9F', 'ssß'],
  ])('keeps every character of %s', (text, q) => {
    expect(query(text).filter.q).toBe(q);
  });

  it.each([
    ['typ=sales', 'typ is not a parameter of this operation; the nearest is type'],
    ['metricid=x', 'metricid is not a parameter of this operation; the nearest is metric_id'],
    ['colour=red', 'colour is not a parameter of this operation'],
    [
      'compliance_status=pasing',
      'compliance_status must be one of passing, degraded, failing, unknown, opted_out; the nearest is passing',
    ],
    ['protocol=http', 'protocol must be one of mcp, a2a'],
  ])('names the nearest for %s, where there is one', (text, detail) => {
    expect(read(text)).toMatchObject({ problem: { detail } });
  });

  it.each([
    ['colour=red', 'unknown_parameter', 'colour'],
    ['Type=sales', 'unknown_parameter', 'Type'],
    ['__proto__=1', 'unknown_parameter', '__proto__'],
    ['=x', 'unknown_parameter', ''],
    ['capability=get_products', 'search_only_parameter', 'capability'],
    ['channel=ctv', 'search_only_parameter', 'channel'],
    ['channels=ctv', 'search_only_parameter', 'channels'],
    ['sort=name', 'search_only_parameter', 'sort'],
    ['type=seller', 'invalid_value', 'type'],
    ['type=Sales', 'invalid_value', 'type'],
    ['verification_mode=both', 'invalid_value', 'verification_mode'],
    ['verification_mode=spec,live', 'invalid_value', 'verification_mode'],
    ['verified=1', 'invalid_value', 'verified'],
    ['health=TRUE', 'invalid_value', 'health'],
    ['total=yes', 'invalid_value', 'total'],
    ['limit=0', 'invalid_value', 'limit'],
    ['limit=10001', 'invalid_value', 'limit'],
    ['limit=-1', 'invalid_value', 'limit'],
    ['limit=1.5', 'invalid_value', 'limit'],
    ['limit=1e2', 'invalid_value', 'limit'],
    ['limit=%2050', 'invalid_value', 'limit'],
    ['limit=٥', 'invalid_value', 'limit'],
    ['limit=99999999999999999999', 'invalid_value', 'limit'],
    ['type=sales&type=brand', 'repeated_parameter', 'type'],
    ['type=sales&type=sales', 'repeated_parameter', 'type'],
    ['q=a&q=b', 'repeated_parameter', 'q'],
    ['limit=1&limit=1', 'repeated_parameter', 'limit'],
    ['verified=true&verified=false', 'repeated_parameter', 'verified'],
    [many('metric_id', 21), 'too_many_values', 'metric_id'],
    [many('accreditation', 21), 'too_many_values', 'accreditation'],
    ['metric_id=a&metric_id=', 'empty_value', 'metric_id'],
    [`q=${'x'.repeat(65)}`, 'value_too_long', 'q'],
  ])('refuses %s as %s', (text, code, parameter) => {
    expect(read(text)).toMatchObject({ ok: false, problem: { code, parameter } });
  });

  it.each(LIST_PARAMETERS.map(({ name }) => name))('refuses an empty %s', (name) => {
    expect(read(`${name}=`)).toMatchObject({ ok: false, problem: { code: 'empty_value', parameter: name } });
    expect(read(name)).toMatchObject({ ok: false, problem: { code: 'empty_value', parameter: name } });
  });

  it('names the valid values, the parameters there are, and the search operation', () => {
    expect(read('type=x')).toMatchObject({ problem: { validValues: AGENT_TYPES } });
    expect(read('total=x')).toMatchObject({ problem: { validValues: ['true', 'false'] } });
    expect(read('x=x')).toMatchObject({ problem: { validValues: LIST_PARAMETERS.map(({ name }) => name) } });
    expect(read('channel=x')).toMatchObject({
      problem: { detail: expect.stringContaining('search operation') },
    });
  });
});
