import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/base/redact.ts';
import { agentErrorOf } from '../../src/calling/agent-error.ts';

describe('redacting', () => {
  it('leaves the secret in no text and no name, and everything else as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 8 }), (value, secret) => {
        const holding = { value, [`a${secret}`]: [`${secret}b`, { [secret]: 1 }] };
        const clean = createRedact([secret])(holding);
        expect(texts(clean).some((text) => text.includes(secret))).toBe(false);
        expect(createRedact(['not-to-be-found-anywhere'])(value)).toEqual(value);
      }),
    );
  });

  it('does nothing for an empty secret, or one that is a part of many words', () => {
    for (const secret of ['', 'a', 'answer'])
      expect(createRedact([secret])({ a: 'an answer' })).toEqual({ a: 'an answer' });
  });
});

describe('the place of a refusal', () => {
  it.each([
    [{ pointer: '/packages/0/budget' }, '/packages/0/budget'],
    [{ field: 'packages[0].budget' }, '/packages/0/budget'],
    [{ field: '/packages/0/budget' }, '/packages/0/budget'],
    [{ field: 'not a path' }, undefined],
  ])('is read of %j', (place, pointer) => {
    const error = { code: 'VALIDATION_ERROR', message: 'no', ...place };
    expect(agentErrorOf({ adcp_error: error }).pointer).toBe(pointer);
  });
});

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...texts(item)]);
}
