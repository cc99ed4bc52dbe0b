import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { declarationFindings, declaredVersions } from '../../src/calling/declarations.ts';

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
  [
    'adcp',
    { supported_versions: [`3.0-${'a'.repeat(61)}`] },
    '/adcp/supported_versions/0',
    `"3.0-${'a'.repeat(61)}" is not a known version; the agent is not tested against that version`,
  ],
])('%s of %j is a finding', (field, value, pointer, message) => {
  expect(declarationFindings({ [field]: value })).toMatchObject([{ pointer, message }]);
});

it.each<[string, JsonObject, readonly string[]]>([
  ['pre-releases', { proto: { supported_versions: ['3.1-beta', '3.0.0-rc.2'] } }, ['3.1-beta', '3.0.0-rc.2']],
  ['the public vocabulary', { adcp: { supported_versions: ['v3.1', '3.0'] } }, ['v3.1', '3.0']],
  [
    'both vocabularies, the list before the single version',
    {
      adcp_version: '3.0.0',
      adcp: { supported_versions: ['3.1-beta', '3.0'] },
      proto_version: '3.2-alpha',
      proto: { supported_versions: ['3.0'] },
    },
    ['3.0', '3.1-beta', '3.2-alpha', '3.0.0'],
  ],
  ['proto_version alone', { proto_version: '3.0.0-rc.2' }, ['3.0.0-rc.2']],
  ['adcp_version alone', { adcp_version: '3.1-beta' }, ['3.1-beta']],
  ['a list outside its section', { supported_versions: ['3.0'] }, ['3.0']],
  ['major versions, if there is nothing else', { adcp: { major_versions: [3, '2', -1, 2.5] } }, ['3', '2']],
  ['a version instead of major versions', { adcp_version: '3.1', adcp: { major_versions: [3] } }, ['3.1']],
  [
    'no other text',
    {
      proto: { supported_versions: ['latest', ' 3.0 ', '3.0', '<b>3</b>', 3, null, `3.0-${'a'.repeat(64)}`] },
    },
    ['3.0'],
  ],
  ['no string in place of a list', { proto: { supported_versions: '3.0' } }, []],
  ['nothing', {}, []],
])('the declared versions are %s', (_what, capabilities, versions) => {
  expect(declaredVersions(capabilities)).toEqual(versions);
});

it('at most 100 declared versions are read, in their order', () => {
  const supported_versions = Array.from({ length: 5_000 }, (_, minor) => `3.${minor}-beta`);
  const versions = declaredVersions({ proto: { supported_versions } });
  expect([versions.length, versions[0], versions[99]]).toEqual([100, '3.0-beta', '3.99-beta']);
});

it('a right declaration has no findings, and neither has an absent one', () => {
  const right = {
    supported_protocols: ['media_buy', 'signals'],
    specialisms: ['sales-guaranteed'],
    adcp: { major_versions: [3], supported_versions: ['3.0', '3.1-beta', 'v3.1', '3.0.0-rc.2'] },
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
