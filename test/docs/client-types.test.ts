import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientTypes } from '../../tools/client-types.ts';
import { servedDocument } from '../../tools/served-document.ts';

const FOLDER = new URL('../../src/client/generated/', import.meta.url);
const kept = (name: string) => readFileSync(new URL(`${name}.ts`, FOLDER), 'utf8');

it('the types are those of the API; if not, run npm run client:types', async () => {
  const { types, operations } = await clientTypes(await servedDocument());
  expect(types).toBe(kept('types'));
  expect(operations).toBe(kept('operations'));
});

it('an operation with a cursor has the list that all forms of its answer need', async () => {
  const page = { type: 'object', required: ['runs'], properties: { runs: list(), also: list() } };
  const short = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } };
  const { operations } = await clientTypes({
    paths: { '/runs': { get: operation('listRuns', { oneOf: [page, short] }) } },
    components: { schemas: {} },
  });
  expect(operations).toContain("listRuns: { method: 'GET', path: '/runs', has: '', items: 'runs' },");
});

function list(): object {
  return { type: 'array', items: { type: 'object' } };
}

function operation(operationId: string, schema: object) {
  const content = { 'application/json': { schema } };
  const parameters = [{ name: 'cursor', in: 'query', schema: { type: 'string' } }];
  return { operationId, parameters, responses: { 200: { content } } };
}
