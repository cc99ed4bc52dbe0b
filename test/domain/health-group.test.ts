import { expect, it } from 'vitest';
import { healthGroup } from '../../src/domain/observation.ts';

const NOON = Date.UTC(2026, 0, 6, 12);

it('shows what a probe found, without the words of the agent', () => {
  const health = {
    ...{ online: true, responseTimeMs: 120, toolsCount: 4, resourcesCount: 0 },
    ...({
      errorClass: 'auth_required',
      error: 'asks for credentials',
      words: 'go away',
      status: 401,
    } as const),
  };
  expect(healthGroup(health, NOON + 1, null)).toEqual({
    online: true,
    checked_at: '2026-01-06T12:00:00.001Z',
    response_time_ms: 120,
    tools_count: 4,
    resources_count: 0,
    error: 'asks for credentials',
  });
});

it('says when the capabilities were read that an earlier probe found', () => {
  expect(healthGroup({ online: false, error: 'timeout' }, NOON + 1, NOON)).toEqual({
    online: false,
    checked_at: '2026-01-06T12:00:00.001Z',
    error: 'timeout',
    capabilities_read_at: '2026-01-06T12:00:00.000Z',
  });
});
