import { describe, expect, it } from 'vitest';
import { NEVER_TESTED, summariseCompliance } from '../../src/domain/compliance.ts';

describe('the compliance of a record', () => {
  it('has every key for an agent that was never tested', () => {
    expect(summariseCompliance(NEVER_TESTED)).toEqual({
      status: 'unknown',
      lifecycle_stage: 'production',
      tracks: {},
      streak_days: 0,
      last_checked_at: null,
      headline: null,
      requested_compliance_target: null,
      proto_version: null,
      track_details: [],
      monitoring_paused: false,
      check_interval_hours: 12,
      verified: false,
      verified_roles: [],
    });
  });

  it('says nothing but that it is so when the owner opted out, whatever was measured', () => {
    const facts = { ...NEVER_TESTED, status: 'failing', streakDays: 3, optedOut: true } as const;
    expect(summariseCompliance({ ...facts, lifecycleStage: 'testing' })).toEqual({
      status: 'opted_out',
      lifecycle_stage: 'testing',
    });
  });

  it('never shows an old opt-out that was taken back', () => {
    expect(summariseCompliance({ ...NEVER_TESTED, status: 'opted_out' }).status).toBe('unknown');
  });

  it('lists the roles of its badges once, sorted', () => {
    const badges = [
      { role: 'signals', axes: ['spec'] },
      { role: 'creative', axes: ['spec'] },
      { role: 'signals', axes: ['live'] },
    ] as const;
    expect(summariseCompliance({ ...NEVER_TESTED, badges })).toMatchObject({
      verified: true,
      verified_roles: ['creative', 'signals'],
    });
  });
});
