import { describe, expect, it } from 'vitest';
import { complianceDetail } from '../../../src/api/render/compliance-detail.ts';
import { NEVER_TESTED } from '../../../src/domain/compliance.ts';

const AGENT = 'https://a.example/mcp';

describe('the compliance detail', () => {
  it('has the same keys in the same order before and after a run', () => {
    const tested = complianceDetail(AGENT, {
      ...NEVER_TESTED,
      status: 'passing',
      tracks: { core: 'pass' },
      streakDays: 3,
      lastCheckedAt: '2026-01-06T09:00:00.000Z',
      headline: 'all is well',
      requestedComplianceTarget: '3.0',
      protoVersion: '3.0.0',
    });
    expect(Object.keys(tested)).toEqual(Object.keys(complianceDetail(AGENT, NEVER_TESTED)));
    expect(tested).toMatchObject({ status: 'passing', streak_days: 3, proto_version: '3.0.0' });
  });

  it('is the short form for an agent that opted out', () => {
    expect(complianceDetail(AGENT, { ...NEVER_TESTED, optedOut: true, status: 'passing' })).toEqual({
      agent_url: AGENT,
      status: 'opted_out',
      compliance_opt_out: true,
      lifecycle_stage: 'production',
    });
  });
});
