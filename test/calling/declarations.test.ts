import fc from 'fast-check';
import { expect, it } from 'vitest';
import { declarationFindings } from '../../src/calling/declarations.ts';

it.each<[string, unknown, string, string]>([
  [
    'supported_protocols',
    'media_buy',
    '/supported_protocols',
    'supported_protocols must be a list, but is the string "media_buy", so no protocol was read (did you mean ["media_buy"]?); its storyboards are not selected',
  ],
  [
    'supported_protocols',
    'media-bye',
    '/supported_protocols',
    'supported_protocols must be a list, but is the string "media-bye", so no protocol was read (did you mean ["media_buy"]?); its storyboards are not selected',
  ],
  [
    'supported_protocols',
    7,
    '/supported_protocols',
    'supported_protocols must be a list, but is the number 7, so no protocol was read; its storyboards are not selected',
  ],
  [
    'supported_protocols',
    ['signals', 'media-buy'],
    '/supported_protocols/1',
    '"media-buy" is not a known protocol (did you mean media_buy?); its storyboards are selected, but clients compare the exact name',
  ],
  [
    'supported_protocols',
    ['signal'],
    '/supported_protocols/0',
    '"signal" is not a known protocol (did you mean signals?); its storyboards are not selected',
  ],
  [
    'supported_protocols',
    ['holograms'],
    '/supported_protocols/0',
    '"holograms" is not a known protocol; its storyboards are not selected',
  ],
  [
    'specialisms',
    ['sales-guarantied'],
    '/specialisms/0',
    '"sales-guarantied" is not a known specialism (did you mean sales-guaranteed?); its storyboards are not selected',
  ],
  [
    'specialisms',
    [null],
    '/specialisms/0',
    'this specialism must be a string, but is null, so it was not read; its storyboards are not selected',
  ],
  [
    'adcp',
    { supported_versions: '3.0' },
    '/adcp/supported_versions',
    'supported_versions must be a list, but is the string "3.0", so no version was read (did you mean ["3.0"]?); the agent is not tested against that version',
  ],
  [
    'proto',
    { supported_versions: ['3.0', 'latest one'] },
    '/proto/supported_versions/1',
    '"latest one" is not a known version; the agent is not tested against that version',
  ],
])('%s of %j is a finding', (field, value, pointer, message) => {
  expect(declarationFindings({ [field]: value })).toMatchObject([{ pointer, message }]);
});

it('a right declaration has no findings, and neither has an absent one', () => {
  const right = {
    supported_protocols: ['media_buy', 'signals'],
    specialisms: ['sales-guaranteed'],
    adcp: { major_versions: [3], supported_versions: ['3.0', '3.1-beta'] },
  };
  expect(declarationFindings(right)).toEqual([]);
  expect(declarationFindings({ supported_protocols: null })).toEqual([]);
});

it('specialisms are compared with those that have storyboards, where these are given', () => {
  expect(declarationFindings({ specialisms: ['sales-exotic'] }, ['sales-exotic'])).toEqual([]);
});

it('findings are bounded, and nothing throws', () => {
  expect(declarationFindings({ specialisms: Array.from({ length: 5_000 }, (_, n) => `x${n}`) })).toHaveLength(
    10,
  );
  for (const value of ['x'.repeat(9_999), ['x'.repeat(9_999)]]) {
    const found = declarationFindings({ specialisms: value });
    expect(found).toHaveLength(1);
    expect(found[0]?.message.length).toBeLessThan(400);
  }
  const names = fc.constantFrom('supported_protocols', 'specialisms', 'adcp', 'proto');
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue()), (capabilities) => {
      for (const { message } of declarationFindings(capabilities)) expect(message.length).toBeLessThan(400);
    }),
  );
});
