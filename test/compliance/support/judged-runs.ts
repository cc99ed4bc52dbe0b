import { countResults } from '../../../src/compliance/run/report.ts';
import type { AgentUnderTest, FinishedRun, StoryboardResult } from '../../../src/compliance/run-result.ts';
import { judgeRun } from '../../../src/compliance/verdict/verdict.ts';
import type { JudgedRun, StoryboardOutcome } from '../../../src/domain/judged-run.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = Date.UTC(2026, 0, 1);

/** A storyboard's result as the runner writes it. */
export function board(
  storyboard_id: string,
  track: string,
  result: StoryboardOutcome,
  more: Partial<StoryboardResult> = {},
): StoryboardResult {
  return {
    ...{
      storyboard_id,
      track,
      result,
      title: `The ${storyboard_id}`,
      category: 'scenario',
      version: '1.0.0',
    },
    ...{ origin: 'universal', coverage_gap: result === 'incomplete', duration_ms: 10, steps_total: 2 },
    steps_passed: result === 'pass' ? 2 : Number(result === 'fail' || result === 'incomplete'),
    steps_failed: Number(result === 'fail'),
    steps_skipped: { pass: 0, fail: 0, incomplete: 1, skipped: 2 }[result],
    ...more,
  };
}

/** An agent that declares these. */
export function declaring(...specialisms: readonly string[]): AgentUnderTest {
  return {
    ...{ protocol: 'mcp', endpoint: 'https://agent.example/mcp', supported_protocols: ['media_buy'] },
    ...{ supported_versions: ['3.0'], sandbox: true, test_controller: true, tools_count: 3, specialisms },
  };
}

/** A complete run that ended at `at`; what is not given passes. */
export function run(at: number, more: Partial<FinishedRun> = {}): FinishedRun {
  const storyboards = more.storyboards ?? [board('core', 'core', 'pass')];
  const finished_at = new Date(at).toISOString();
  return {
    ...{ run_id: `run-${at}`, agent_url: 'https://agent.example/mcp', trigger: 'heartbeat', dry_run: false },
    ...{ started_at: finished_at, finished_at, duration_ms: 1_000, outcome: 'complete', runner_version: '1' },
    ...{ requested_compliance_target: '3.0', proto_version: '3.0.0', agent: declaring(), storyboards },
    ...{ not_selected: [], steps: [], notices: [], observations: [], made: [], requests: 9 },
    totals: {
      storyboards: {
        ...countResults(storyboards),
        incomplete: storyboards.filter(({ result }) => result === 'incomplete').length,
      },
      steps: countResults([]),
      checks: { total: 0, passed: 0, failed: 0, not_applicable: 0 },
    },
    ...more,
  };
}

/** The same, judged. */
export function judgedRun(at: number, more: Partial<FinishedRun> = {}): JudgedRun {
  return judgeRun(run(at, more));
}

export const PASSES: Partial<FinishedRun> = {};
export const FAILS: Partial<FinishedRun> = { storyboards: [board('core', 'core', 'fail')] };
export const DEGRADED: Partial<FinishedRun> = {
  storyboards: [board('core', 'core', 'pass'), board('buy', 'media_buy', 'fail')],
};
export const GAP: Partial<FinishedRun> = {
  storyboards: [
    board('core', 'core', 'pass'),
    board('buy', 'media_buy', 'skipped', { coverage_gap: true, skip_reason: 'missing_test_controller' }),
  ],
};
export const TIMED_OUT: Partial<FinishedRun> = {
  ...{ outcome: 'unreachable', agent: null, storyboards: [] },
  unreachable: { error_class: 'timeout', message: 'no answer in 10 s' },
};
export const NO_PROTOCOL: Partial<FinishedRun> = {
  ...{ outcome: 'unreachable', agent: null, storyboards: [] },
  unreachable: { error_class: 'not_protocol', message: 'a web page', http_status: 200 },
};
export const INCONCLUSIVE: Partial<FinishedRun> = {
  ...{ outcome: 'inconclusive', storyboards: [board('core', 'core', 'fail')] },
  inconclusive: { reason: 'own_network', detail: 'the control probe failed' },
};
/** It asks for credentials, and none are stored. */
export const CLOSED: Partial<FinishedRun> = {
  ...{ outcome: 'inconclusive', agent: null, storyboards: [] },
  inconclusive: {
    reason: 'auth_required',
    detail: 'the agent requires a credential, and the run had none',
    lacks: 'credential',
  },
};
/** A storyboard that could only be partly tested. */
export const INCOMPLETE: Partial<FinishedRun> = {
  storyboards: [
    board('core', 'core', 'pass'),
    board('buy', 'media_buy', 'incomplete', { steps_total: 17, steps_passed: 2, steps_skipped: 15 }),
  ],
};
/** It passes, although most of the steps of one storyboard need tools of other kinds of agents. */
export const MOSTLY_SKIPPED: Partial<FinishedRun> = {
  storyboards: [
    board('core', 'core', 'pass'),
    board('buy', 'media_buy', 'pass', { steps_total: 9, steps_passed: 1, steps_skipped: 8 }),
  ],
};
/** It answers the handshake, and neither its tool list nor its capabilities. */
export const UNREAD: Partial<FinishedRun> = {
  ...{ outcome: 'inconclusive', agent: null, storyboards: [] },
  inconclusive: {
    reason: 'declaration_unread',
    detail: 'tools/list could not be read (HTTP 503), so no storyboard could be selected',
  },
  unread: {
    request: 'tools/list',
    error_class: 'http_error',
    http_status: 503,
    content_type: 'text/html',
    message: 'HTTP 503: <b>Come back later</b>, Bearer *** is tired',
  },
};
export const DRY: Partial<FinishedRun> = { ...FAILS, dry_run: true };
export const PARTIAL: Partial<FinishedRun> = { ...FAILS, partial: true };
