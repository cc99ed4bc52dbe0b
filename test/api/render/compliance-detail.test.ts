import { describe, expect, it } from 'vitest';
import { complianceDetail } from '../../../src/api/render/compliance-detail.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/compliance.ts';
import { NEVER_RUN } from '../../../src/domain/standing.ts';
import type { ComplianceState } from '../../../src/records/runs/compliance-state.ts';
import { of, tell } from '../../compliance/support/badge-story.ts';

const AGENT = 'https://a.example/mcp';
const NEVER: ComplianceState = { settings: DEFAULT_SETTINGS, standing: NEVER_RUN, badges: [], due: null };
const TESTED: ComplianceState = {
  ...tell([0, of({ 'sales-guaranteed': 'pass' })]),
  settings: DEFAULT_SETTINGS,
  owner: { member: 'nova', tier: 'builder', subscriptionStatus: 'trialing' },
};
const PUBLIC = { isOwner: false, baseUrl: '' };
const OWNER = { isOwner: true, baseUrl: 'https://registry.example' };

describe('the compliance detail', () => {
  it('has the same keys in the same order before and after a run, for the owner and for others', () => {
    const keys = Object.keys(complianceDetail(AGENT, NEVER, PUBLIC));
    expect(Object.keys(complianceDetail(AGENT, NEVER, OWNER))).toEqual(keys);
    expect(Object.keys(complianceDetail(AGENT, TESTED, PUBLIC))).toEqual(keys);
    expect(Object.keys(complianceDetail(AGENT, TESTED, OWNER))).toEqual(keys);
  });

  it('shows what a run came to, and to the owner what is its own', () => {
    const common = {
      status: 'passing',
      tracks: { core: 'pass', media_buy: 'pass' },
      proto_version: '3.0.0',
      last_passed_at: '2026-01-01T00:00:00.000Z',
      specialism_status: { 'sales-guaranteed': 'pass' },
      storyboards_passing: 2,
      verified: true,
    };
    const path = '/api/registry/agents/https%3A%2F%2Fa.example%2Fmcp/badge/media-buy.svg';
    const badge = {
      role: 'media-buy',
      proto_version: '3.0.0',
      verified_at: '2026-01-01T00:00:00.000Z',
      verified_specialisms: ['sales-guaranteed'],
      verification_modes: ['spec'],
      verified_protocol_version: '3.0',
    };
    expect(complianceDetail(AGENT, TESTED, PUBLIC)).toMatchObject({
      ...common,
      ...{ membership_tier: null, membership_tier_label: null, subscription_status: null },
      ...{ is_api_access_tier: false, triggered_by: null, storyboard_statuses: [] },
      verified_badges: [{ ...badge, badge_url: path }],
    });
    expect(complianceDetail(AGENT, TESTED, OWNER)).toMatchObject({
      ...common,
      ...{ membership_tier: 'builder', membership_tier_label: 'Builder', subscription_status: 'trialing' },
      ...{ is_api_access_tier: true, triggered_by: 'heartbeat' },
      storyboard_statuses: [{ storyboard_id: 'core' }, { storyboard_id: 'sales_guaranteed' }],
      verified_badges: [{ ...badge, badge_url: `https://registry.example${path}` }],
    });
  });

  it('is the short form for an agent that opted out, for the owner too', () => {
    const state = { ...TESTED, settings: { ...DEFAULT_SETTINGS, optedOut: true } };
    const short = {
      agent_url: AGENT,
      status: 'opted_out',
      compliance_opt_out: true,
      lifecycle_stage: 'production',
    };
    expect(complianceDetail(AGENT, state, PUBLIC)).toEqual(short);
    expect(complianceDetail(AGENT, state, OWNER)).toEqual(short);
  });
});
