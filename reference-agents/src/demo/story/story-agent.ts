/** The agent of the story: one that lives alone on its domain, with a role that badges are for. */
export const AGENT = 'https://weathervane.example/a2a';
export const DOMAIN = 'weathervane.example';
export const STORY_ROLE = 'signals';
/** A segment is activated where it cannot be, as the broken agent of this name does. */
export const FAULT = 'any-platform';
/** Whose it is. */
export const MEMBER = {
  slug: 'weathervane',
  displayName: 'Weathervane Ltd',
  tier: 'builder',
  foundingMember: false,
  subscriptionStatus: 'active',
} as const;
/** What the sandbox lets its users' buyer in with. */
export const TEST_TOKEN = 'sandbox-desk';
/** 2026-03-02 09:00 UTC, a Monday. */
export const START = Date.UTC(2026, 2, 2, 9);
