import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/api/problem.ts';
import { SCHEMA_NAMES, type SchemaFile } from '../../src/api/schema-names.ts';
import { TAGS } from '../../src/api/tags.ts';
import { readSchema as readSchemaFile } from '../../src/base/ajv.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { LIST_PARAMETERS } from '../../src/index/query/list-parameters.ts';
import { type ApiDocument, exampleRequest, operationsOf } from '../../src/pages/docs/document.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument, fullDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const COMPLIANCE = '/api/registry/agents/{encodedUrl}/compliance';
const HISTORY = `${COMPLIANCE}/history`;
const HEALTH = '/api/registry/agents/{encodedUrl}/health/history';
const RUN = `${COMPLIANCE}/runs/{id}`;
const BADGE = '/api/registry/agents/{encodedUrl}/badge/{role}.svg';
const TOKEN = '/api/registry/agents/{encodedUrl}/badge/{role}/token';
const BADGES = `${COMPLIANCE}/badges`;
const JWKS = '/.well-known/jwks.json';
const SETTINGS = '/api/registry/agents/{encodedUrl}/settings';
const CREDENTIAL = '/api/registry/agents/{encodedUrl}/credential';
const SCHEMA = '/schemas/{version}/{area}/{file}';
const ALL = 'health=true&capabilities=true&properties=true&compliance=true&total=true&limit=1';
const readSchema = (file: SchemaFile) => readSchemaFile(`registry/${file}.json`) as JsonObject;
const FILES = Object.keys(SCHEMA_NAMES) as SchemaFile[];
const settingsOf = (url: string) => `/api/registry/agents/${encodeURIComponent(url)}/settings`;
const badgeOf = (url: string, role: string) =>
  `/api/registry/agents/${encodeURIComponent(url)}/badge/${role}.svg`;
const of = (url: string) => `/api/registry/agents/${encodeURIComponent(url)}/compliance`;

const agents = sharedRegistry(() => openRegistry([fullDocument(), bareDocument('https://a.example/mcp')]));

describe('the OpenAPI document', () => {
  it('is as the golden sample shows', async () => {
    const { get } = await agents();
    const text = `${JSON.stringify((await get('/openapi.json')).json(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../golden/openapi.json');
  });

  it('lists the parameters that are read, and no other', async () => {
    const { get } = await agents();
    const { parameters } = (await get('/openapi.json')).json().paths[LIST].get;
    const names = parameters
      .filter((one: { in: string }) => one.in === 'query')
      .map((one: { name: string }) => one.name);
    expect(names).toEqual(LIST_PARAMETERS.map(({ name }) => name));
  });

  it('gives every operation an id, one group, and values to try it with', async () => {
    const { get } = await agents();
    const document = (await get('/openapi.json')).json<ApiDocument>();
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual(TAGS.flatMap(({ operations }) => operations).toSorted());
    const linked = new Set(JSON.stringify(document).match(/(?<="links":\{")\w+/g));
    const untried = operationsOf(document).filter((one) => exampleRequest(document, one) === undefined);
    for (const { operation } of untried) expect(linked).toContain(operation.operationId);
  });

  // path of the document, request, headers, status
  const ANSWERS: readonly (readonly [string, string, Record<string, string>, number])[] = [
    [LIST, `${LIST}?${ALL}`, {}, 200],
    [LIST, LIST, {}, 200],
    [LIST, LIST, { 'if-none-match': '*' }, 304],
    [LIST, `${LIST}?limit=0`, {}, 400],
    [LIST, `${LIST}?q=a&type=sales`, {}, 400],
    [LIST, `${LIST}?q=%zz`, {}, 400],
    [LIST, LIST, { authorization: 'Bearer wrong' }, 401],
    [COMPLIANCE, of('https://a.example/mcp'), {}, 200],
    [COMPLIANCE, of('https://nobody.example/'), {}, 404],
    [COMPLIANCE, of('nonsense'), {}, 400],
    [COMPLIANCE, '/api/registry/agents/%zz/compliance', {}, 400],
    [HISTORY, `${of('https://a.example/mcp')}/history?limit=5`, {}, 200],
    [HISTORY, `${of('https://a.example/mcp')}/history?limit=0`, {}, 400],
    [HISTORY, `${of('https://nobody.example/')}/history`, {}, 404],
    [HEALTH, of('https://a.example/mcp').replace('compliance', 'health/history?days=2'), {}, 200],
    [HEALTH, of('https://a.example/mcp').replace('compliance', 'health/history?days=91'), {}, 400],
    [HEALTH, of('https://nobody.example/').replace('compliance', 'health/history'), {}, 404],
    [RUN, `${of('https://a.example/mcp')}/runs/none`, {}, 404],
    [BADGE, badgeOf('https://a.example/mcp', 'media-buy'), {}, 200],
    [BADGE, badgeOf('https://a.example/mcp', 'media-buy'), { 'if-none-match': '*' }, 304],
    [BADGE, badgeOf('https://a.example/mcp', 'juggling'), {}, 404],
    [BADGE, badgeOf('nonsense', 'brand'), {}, 400],
    [BADGE, badgeOf('https://a.example/mcp', 'br%0Dand'), {}, 404],
    [TOKEN, badgeOf('https://a.example/mcp', 'brand').replace('.svg', '/token'), {}, 404],
    [TOKEN, badgeOf('nonsense', 'brand').replace('.svg', '/token'), {}, 400],
    [BADGES, `${of('https://a.example/mcp')}/badges?limit=1`, {}, 200],
    [BADGES, `${of('https://nobody.example/')}/badges`, {}, 404],
    [JWKS, JWKS, {}, 200],
    [JWKS, JWKS, { 'if-none-match': '*' }, 304],
    [SETTINGS, settingsOf('https://a.example/mcp'), {}, 404],
    [SETTINGS, settingsOf('nonsense'), {}, 400],
    [CREDENTIAL, settingsOf('https://a.example/mcp').replace('settings', 'credential'), {}, 404],
    [CREDENTIAL, settingsOf('nonsense').replace('settings', 'credential'), {}, 400],
    [SETTINGS, settingsOf('https://a.example/mcp'), { authorization: 'Bearer wrong' }, 401],
    ['/healthz', '/healthz', {}, 200],
    ['/readyz', '/readyz', {}, 200],
    ['/openapi.json', '/openapi.json', {}, 200],
    ['/openapi.json', '/openapi.json', { 'if-none-match': '*' }, 304],
    ['/', '/', {}, 200],
    ['/schemas', '/schemas', {}, 200],
    ['/schemas/{version}', '/schemas/3.0/', {}, 200],
    ['/schemas/{version}', '/schemas/9/', {}, 404],
    [SCHEMA, '/schemas/3.0/core/brand.json', {}, 200],
    [SCHEMA, '/schemas/3.0/core/brand.json', { 'if-none-match': '*' }, 304],
    [SCHEMA, '/schemas/3.0/core/nothing.json', {}, 404],
  ];

  it.each(ANSWERS)('describes the answer of %s to %s %j', async (path, request, headers, status) => {
    const { get } = await agents();
    const document = (await get('/openapi.json')).json<OpenApi>();
    const answer = await get(request, headers);
    expect(answer.statusCode).toBe(status);
    expect(breaches(document, path, answer)).toEqual([]);
  });

  it('describes 429 and 503 as well', async () => {
    const { get, records } = await openRegistry([], { rateLimit: { max: 1, windowMs: 60_000 } });
    const document = (await get('/openapi.json')).json<OpenApi>();
    await get(LIST);
    expect(breaches(document, LIST, await get(LIST))).toEqual([]);
    records.database.exec('DROP TABLE meta');
    const notReady = await get('/readyz');
    expect(notReady.statusCode).toBe(503);
    expect(breaches(document, '/readyz', notReady)).toEqual([]);
  });
});

describe('the schemas of the registry', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  for (const file of FILES) ajv.addSchema(readSchema(file));

  it.each(FILES)('%s is a strict JSON Schema whose examples are valid', (file) => {
    const validate = ajv.getSchema(`${file}.json`);
    const examples = readSchema(file).examples as readonly unknown[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect([validate?.(example), validate?.errors]).toEqual([true, null]);
  });

  it('name every problem code, and no other', () => {
    const { code } = readSchema('problem').properties as { code: { enum: readonly string[] } };
    expect(code.enum).toEqual(Object.keys(PROBLEMS));
  });

  it('refuse an accreditation that claims to be verified by us', () => {
    const accreditation = { accrediting_body: 'MRC', verified_by_operator: true };
    expect(ajv.validate('metric.json', { metric_id: 'm', accreditations: [accreditation] })).toBe(false);
  });
});
