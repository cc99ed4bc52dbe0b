import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/base/near-names.ts';

const TYPES = ['sales', 'signals', 'creative', 'measurement', 'mcp', 'a2a'];

describe('the name that a name was meant to be', () => {
  it.each([
    ['a letter another one', 'seles', 'sales'],
    ['two letters in each other’s place', 'salse', 'sales'],
    ['the same in a short one', 'mpc', 'mcp'],
    ['the first two', 'asles', 'sales'],
    ['a letter too few', 'mesurement', 'measurement'],
    ['one of many', 'creatives', 'creative'],
    ['another notation', 'Mea_Surement', 'measurement'],
    ['two letters apart that changed places', 'sasel', undefined],
    ['something else', 'publisher', undefined],
    ['nothing', '', undefined],
  ])('is found with %s', (_what, name, meant) => {
    expect(nearestName(name, TYPES)).toBe(meant);
  });

  it('is itself before what is one slip away', () => {
    expect(nearestName('ab', ['ba', 'ab'])).toBe('ab');
    expect(nearestName('sales', ['slaes', 'sales'])).toBe('sales');
  });
});
