import { describe, expect, it, test } from 'vitest';
import { isApiAccessTier, tierLabel } from '../../src/compliance/badges/conditions.ts';
import { BADGE_ROLES, declaredLines, lineOf, roleOf, SPECIALISMS } from '../../src/domain/badge.ts';

describe('is_api_access_tier', () => {
  test.each([
    ['explorer', 'active', false],
    ['professional', 'active', true],
    ['builder', 'past_due', true],
    ['partner', 'trialing', true],
    ['leader', 'active', true],
    ['leader', 'canceled', false],
    ['leader', 'Active', false],
    ['unheard-of', 'active', false],
    ['__proto__', 'active', false],
  ])('%s, %s: %s', (tier, subscriptionStatus, granted) => {
    expect(isApiAccessTier({ tier, subscriptionStatus })).toBe(granted);
  });

  it('is false without a tier, without a subscription and without a member', () => {
    expect(
      [{}, { tier: 'leader' }, { subscriptionStatus: 'active' }].map((one) => isApiAccessTier(one)),
    ).toEqual([false, false, false]);
    expect(isApiAccessTier(undefined)).toBe(false);
  });

  it('follows the table of the configuration', () => {
    const table = { tiers: { friend: { label: 'A friend', apiAccess: true } }, subscriptions: ['paid'] };
    expect(isApiAccessTier({ tier: 'friend', subscriptionStatus: 'paid' }, table)).toBe(true);
    expect(isApiAccessTier({ tier: 'friend', subscriptionStatus: 'active' }, table)).toBe(false);
    expect(isApiAccessTier({ tier: 'leader', subscriptionStatus: 'paid' }, table)).toBe(false);
    expect([tierLabel('friend', table), tierLabel('leader', table), tierLabel('leader')]).toEqual([
      'A friend',
      undefined,
      'Leader',
    ]);
  });
});

describe('the catalogue', () => {
  it('has nineteen specialisms, in roles that a badge can be for', () => {
    expect(SPECIALISMS).toHaveLength(19);
    expect(BADGE_ROLES).toEqual(expect.arrayContaining(SPECIALISMS.map((specialism) => roleOf(specialism))));
  });

  it('has none for measurement and rights, so that these earn no badge', () => {
    const roles = new Set(SPECIALISMS.map((specialism) => roleOf(specialism)));
    expect(BADGE_ROLES.filter((role) => !roles.has(role))).toEqual(['measurement', 'rights']);
  });
});

describe('a specialism that is in no catalogue', () => {
  it.each(['attention-metrics', 'constructor', '__proto__', ''])('has no role: %j', (name) => {
    expect(roleOf(name)).toBeUndefined();
  });
});

describe('a protocol line', () => {
  test.each([
    ['3.0.0', '3.0'],
    ['3.1.0-beta.2', '3.1'],
    ['3.0', '3.0'],
    ['v3.1', '3.1'],
    ['3.1-beta', '3.1'],
    ['v3.1.0-rc.1', '3.1'],
    ['10.20.30', '10.20'],
    ['3', undefined],
    ['v3', undefined],
    ['3-beta', undefined],
    ['3.1beta', undefined],
    ['3.1-', undefined],
    ['3.1-<b>', undefined],
    ['latest', undefined],
    ['3.0.x', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s: %s', (version, line) => {
    expect(lineOf(version)).toBe(line);
  });

  test.each([
    [
      ['3.0', '3.1-beta', '3.0.0-rc.2', 'v3.1', '3.1.0-beta.2'],
      ['3.1', '3.0'],
    ],
    [
      ['3.9', '3.10-beta', '10.0', '2.5.3'],
      ['10.0', '3.10', '3.9', '2.5'],
    ],
    [['3', 'latest', ''], []],
    [[], []],
  ])('%j declare the lines %j', (labels, lines) => {
    expect(declaredLines(labels)).toEqual(lines);
  });
});
