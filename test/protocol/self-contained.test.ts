import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { selfContainedSchema } from '../../src/protocol/schema-files.ts';
import { TASK_NAMES } from '../../src/protocol/tasks.ts';
import { examplesOf } from './requests.ts';

it.each(TASK_NAMES)('the schemas of %s can stand alone, and say the same', (task) => {
  for (const kind of ['request', 'response'] as const) {
    const schema = selfContainedSchema('3.0.0', task, kind);
    // A fresh compiler: whatever is not inside the schema is missing here.
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    for (const example of examplesOf(task, kind))
      expect([validate(example), validate.errors]).toEqual([true, null]);
    expect(validate([])).toBe(false);
    expect(JSON.stringify(schema)).not.toContain('../core/');
  }
});

it('shapes stand once, however often they are used', () => {
  const { $defs } = selfContainedSchema('3.0.0', 'create_media_buy', 'request');
  expect(Object.keys($defs as object)).toContain('package_request');
  const { $defs: small } = selfContainedSchema('3.0.0', 'list_accounts', 'request');
  expect(Object.keys(small as object).toSorted()).toEqual(['brand', 'context', 'ext', 'pagination_request']);
});
