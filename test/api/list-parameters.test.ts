import { describe, expect, it } from 'vitest';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name}=v${i}`).join('&');

// query string, status, code, parameter
const RULES: readonly (readonly [string, number, string?, string?])[] = [
  ['', 200],
  ['type=sales', 200],
  ['type=unknown', 200],
  ['type=Sales', 400, 'invalid_value', 'type'],
  ['type=agency', 400, 'invalid_value', 'type'],
  ['type=', 400, 'empty_value', 'type'],
  ['type', 400, 'empty_value', 'type'],
  ['type=sales&type=sales', 400, 'repeated_parameter', 'type'],
  ['metric_id=a&metric_id=b', 200],
  ['metric_id=', 400, 'empty_value', 'metric_id'],
  ['metric_id=a&metric_id=', 400, 'empty_value', 'metric_id'],
  [many('metric_id', 20), 200],
  [many('metric_id', 21), 400, 'too_many_values', 'metric_id'],
  ['metric_id=a&type=measurement', 200],
  ['metric_id=a&type=sales', 400, 'type_conflict', 'type'],
  ['accreditation=MRC&accreditation=ABC', 200],
  ['accreditation=', 400, 'empty_value', 'accreditation'],
  [many('accreditation', 21), 400, 'too_many_values', 'accreditation'],
  ['accreditation=MRC&type=buying', 400, 'type_conflict', 'type'],
  ['q=att', 200],
  [`q=${'a'.repeat(64)}`, 200],
  [`q=${'a'.repeat(65)}`, 400, 'value_too_long', 'q'],
  [`q=${encodeURIComponent('🦊'.repeat(64))}`, 200],
  [`q=${encodeURIComponent('🦊'.repeat(65))}`, 400, 'value_too_long', 'q'],
  ['q=', 400, 'empty_value', 'q'],
  ['q=a&q=b', 400, 'repeated_parameter', 'q'],
  ['q=a&type=unknown', 400, 'type_conflict', 'type'],
  ['q=%25%5F%5C*?', 200],
  ['verified=true', 200],
  ['verified=false', 200],
  ['verified=1', 400, 'invalid_value', 'verified'],
  ['verified=TRUE', 400, 'invalid_value', 'verified'],
  ['verified=', 400, 'empty_value', 'verified'],
  ['verified=true&verified=true', 400, 'repeated_parameter', 'verified'],
  ['verification_mode=spec&verification_mode=live', 200],
  ['verification_mode=both', 400, 'invalid_value', 'verification_mode'],
  ['verification_mode=', 400, 'empty_value', 'verification_mode'],
  ['protocol=mcp', 200],
  ['protocol=a2a&type=sales', 200],
  ['protocol=MCP', 400, 'invalid_value', 'protocol'],
  ['protocol=http', 400, 'invalid_value', 'protocol'],
  ['protocol=', 400, 'empty_value', 'protocol'],
  ['protocol=mcp&protocol=a2a', 400, 'repeated_parameter', 'protocol'],
  ['health=true&capabilities=true&properties=true&compliance=true', 200],
  ['health=yes', 400, 'invalid_value', 'health'],
  ['capabilities=0', 400, 'invalid_value', 'capabilities'],
  ['properties=', 400, 'empty_value', 'properties'],
  ['compliance=true&compliance=false', 400, 'repeated_parameter', 'compliance'],
  ['limit=1', 200],
  ['limit=10000', 200],
  ['limit=0', 400, 'invalid_value', 'limit'],
  ['limit=10001', 400, 'invalid_value', 'limit'],
  ['limit=-1', 400, 'invalid_value', 'limit'],
  ['limit=1.5', 400, 'invalid_value', 'limit'],
  ['limit=1e3', 400, 'invalid_value', 'limit'],
  ['limit=abc', 400, 'invalid_value', 'limit'],
  ['limit=', 400, 'empty_value', 'limit'],
  ['total=true', 200],
  ['total=maybe', 400, 'invalid_value', 'total'],
  ['cursor=', 400, 'empty_value', 'cursor'],
  ['cursor=forged', 400, 'invalid_cursor', 'cursor'],
  ['cursor=%00', 400, 'invalid_cursor', 'cursor'],
  ['capability=get_products', 400, 'search_only_parameter', 'capability'],
  ['channel=ctv', 400, 'search_only_parameter', 'channel'],
  ['Type=sales', 400, 'unknown_parameter', 'Type'],
  ['offset=10', 400, 'unknown_parameter', 'offset'],
  ['__proto__=x', 400, 'unknown_parameter', '__proto__'],
  ['=x', 400, 'unknown_parameter', ''],
  ['type%5B%5D=sales', 400, 'unknown_parameter', 'type[]'],
  ['q=%zz', 400, 'bad_encoding'],
  ['q=%', 400, 'bad_encoding'],
  ['q=%C3%28', 400, 'bad_encoding'],
  ['q=%ED%A0%80', 400, 'bad_encoding'],
];

const empty = sharedRegistry(() => openRegistry());

describe('the parameters of the list operation', () => {
  it.each(RULES)('answers ?%s with %i %s', async (text, status, code, parameter) => {
    const { get } = await empty();
    const response = await get(`/api/registry/agents?${text}`);
    expect(response.statusCode).toBe(status);
    if (status === 200) return;
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    const body = response.json();
    expect({ code: body.code, parameter: body.parameter }).toEqual({ code, parameter });
    expect(body).toMatchObject({
      status,
      error: body.detail,
      type: `urn:problem-type:agent-registry:${code}`,
    });
  });

  it('names the values that would do', async () => {
    const { get } = await empty();
    const response = await get('/api/registry/agents?verification_mode=both');
    expect(response.json().valid_values).toEqual(['spec', 'live']);
  });

  it('never keeps an error in a cache', async () => {
    const { get } = await empty();
    expect((await get('/api/registry/agents?limit=0')).headers['cache-control']).toBe('no-store');
  });
});
