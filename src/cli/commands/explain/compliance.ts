import type { RunSummary } from '../../../api/render/compliance-runs.ts';
import type { Badge, BadgeEvent } from '../../../domain/badge.ts';
import { outcomeOf } from '../../../domain/judged-run.ts';
import type { AttemptOutcome } from '../../../domain/standing.ts';
import type { HeldBy } from '../../../records/upkeep/named-leases.ts';
import { holderText } from '../../../this-process.ts';
import { failedStepJson, failedStepLines } from '../../output/failed-steps.ts';
import { inconclusiveLines, missingSteps, withoutKind } from '../../output/kept-run.ts';
import { counted } from '../../output/print.ts';
import { incompleteLines, troubleLines, troublesOf } from '../../output/run-troubles.ts';
import { shownText } from '../../output/show-value.ts';
import { visible } from '../../output/visible.ts';
import type { ComplianceReport } from './compliance-facts.ts';
import { instant, more, type Story, section } from './story.ts';

/** The section "compliance" of an agent. */
export function complianceStory(facts: ComplianceReport, limit: number): Story {
  return { lines: complianceLines(facts, limit), json: complianceJson(facts, limit) };
}

/** How a try ended, in the words of the history. */
const ATTEMPT_WORDS = {
  ...{ judged: 'complete', unreachable: 'unreachable', inconclusive: 'inconclusive' },
  ...{ dry_run: 'dry_run', partial: 'partial', other_bundle: 'other_bundle' },
} as const satisfies Record<AttemptOutcome, string>;

/** The same as text, with at most `limit` failed steps. */
function complianceLines(facts: ComplianceReport, limit: number): readonly string[] {
  const { state, runs, events } = facts;
  return section('compliance', [
    ...standingLines(facts),
    ...nextLines(facts),
    ...tryLines(facts),
    ...indented(section('runs, newest first', runs.map(runLine))),
    ...failingLines(facts, limit),
    ...indented(section('badges', [...state.badges.map(badgeLine), ...noBadgesLines(facts)])),
    ...indented(section('badge history, newest first', events.map(eventLine))),
  ]);
}

function standingLines({ state }: ComplianceReport): string[] {
  const { standing, settings } = state;
  const { status, statusChangedAt, streakDays, latest } = standing;
  if (settings.optedOut) return ['    opted out: not tested; earlier results are hidden'];
  const since = statusChangedAt === null ? '' : ` since ${instant(statusChangedAt)}`;
  const streak = status === 'passing' && streakDays > 0 ? `, ${counted(streakDays, 'day')} in a row` : '';
  const said = latest === null ? 'no completed run yet' : shownText(latest.verdict.headline, 600);
  return [
    `    ${status}${since}${streak}: ${said}`,
    ...incompleteLines(standing.storyboards, []).map((line) => `      ${line}`),
  ];
}

function nextLines({ next, asked, testedBy, now }: ComplianceReport): string[] {
  const when =
    next.at === null
      ? 'no scheduled run'
      : `${next.at <= now ? 'due since' : 'next run'} ${instant(next.at)}`;
  const open =
    asked === undefined
      ? []
      : [
          `    requested ${asked.asked_at} (${asked.triggered_by}), ${asked.state}: run ${visible(asked.run_id)}`,
        ];
  const held = testedBy === undefined ? [] : [testedLine(testedBy)];
  return [...open, ...held, `    ${when}: ${next.why}`];
}

function testedLine({ holder, until }: HeldBy): string {
  const who = visible(holderText(holder));
  return `    being tested by ${who}; if that process died, others can take over from ${instant(until)}`;
}

function tryLines({ agent, state, lastTry }: ComplianceReport): string[] {
  const { lastAttempt } = state.standing;
  if (lastAttempt === null) return [];
  const { at, outcome, inRow } = lastAttempt;
  const times = inRow > 1 && outcome !== 'judged' ? `, ${inRow} times in a row` : '';
  return [
    `    last try ${instant(at)}: ${ATTEMPT_WORDS[outcome].replace('_', ' ')}${times}`,
    ...(lastTry === undefined
      ? []
      : [...inconclusiveLines(lastTry, agent, state.owner?.member), ...troubleLines(lastTry)].map(
          (line) => `      ${line}`,
        )),
  ];
}

function runLine({ started_at, status, outcome, triggered_by, run_id, ...run }: RunSummary): string {
  const kind = run.dry_run ? 'dry run' : run.partial ? 'some storyboards' : outcome;
  const said = run.inconclusive_reason ?? run.headline ?? '-';
  return `    ${started_at}  ${status}  ${kind}, ${triggered_by ?? 'unknown trigger'}  ${visible(run_id)}  ${shownText(said)}`;
}

function failingLines({ failing }: ComplianceReport, limit: number): string[] {
  if (failing === undefined) return [];
  const { run, failed } = failing;
  const { unreachable } = run;
  const missing = missingSteps(run);
  return [
    `    latest failing run, ${run.finished_at}: ${shownText(run.verdict.headline, 600)}`,
    ...(unreachable === undefined
      ? []
      : [`      ${unreachable.error_class}: ${shownText(unreachable.message)}`]),
    ...(missing === undefined ? [] : [`      ${missing}`]),
    ...troubleLines(run).map((line) => `      ${line}`),
    ...failed
      .slice(0, limit)
      .flatMap(({ step, again }) => failedStepLines(step, again, 'none').map((line) => `      ${line}`)),
    ...indented(more(failed.length, limit)),
  ];
}

function badgeLine({ role, line, axes, verifiedAt, graceSince, revokedAt }: Badge): string {
  const state =
    revokedAt !== null
      ? `revoked ${instant(revokedAt)}`
      : graceSince !== null
        ? `in grace period since ${instant(graceSince)}`
        : 'active';
  return `    ${role} ${visible(line)} · ${axes.join(', ')}  earned ${instant(verifiedAt)}, ${state}`;
}

function noBadgesLines({ noBadges }: ComplianceReport): string[] {
  return noBadges === undefined ? [] : [`    no badges possible: ${visible(noBadges)}`];
}

function eventLine({ at, kind, role, line, reason, runId }: BadgeEvent): string {
  const run = runId === null ? '' : `  (run ${visible(runId)})`;
  return `    ${instant(at)}  ${role} ${visible(line)} ${kind}: ${shownText(withoutKind(reason))}${run}`;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function complianceJson(facts: ComplianceReport, limit: number) {
  const { state, next, asked, runs, failing, events } = facts;
  const { standing, settings, owner } = state;
  return {
    status: settings.optedOut ? 'opted_out' : standing.status,
    status_since: time(standing.statusChangedAt),
    streak_days: standing.streakDays,
    incomplete_storyboards: standing.storyboards
      .filter((one) => outcomeOf(one) === 'incomplete')
      .map(({ storyboard_id, title, steps_total, steps_skipped }) => ({
        ...{ storyboard_id, title, steps_ran: steps_total },
        steps_skipped: steps_skipped ?? 0,
      })),
    last_passed_at: time(standing.lastPassedAt),
    last_failed_at: time(standing.lastFailedAt),
    owner: owner?.member ?? null,
    next_run: { at: time(next.at), why: next.why },
    tested_until: time(facts.testedBy?.until ?? null),
    asked_run: asked ?? null,
    last_attempt: attemptJson(facts),
    runs,
    latest_failing_run:
      failing === undefined
        ? null
        : {
            run_id: failing.run.run_id,
            finished_at: failing.run.finished_at,
            unreachable: failing.run.unreachable ?? null,
            blocked_by: troublesOf(failing.run).blocked_by,
            failed_steps: failing.failed.slice(0, limit).map(failedStepJson),
            failed_steps_total: failing.failed.length,
          },
    badges: state.badges.map(badgeJson),
    no_badges: facts.noBadges ?? null,
    badge_events: events.map(({ kind, role, line, at, reason, runId }) => ({
      ...{ at: time(at), kind, role, protocol_line: line, reason },
      run_id: runId,
    })),
  };
}

function attemptJson({ state, lastTry }: ComplianceReport) {
  const { lastAttempt } = state.standing;
  if (lastAttempt === null) return null;
  const { runId, at, outcome, reason, inRow } = lastAttempt;
  const detail = lastTry?.inconclusive?.detail ?? null;
  return {
    ...{ run_id: runId, at: time(at), outcome: ATTEMPT_WORDS[outcome], reason, detail },
    ...{ unread: lastTry === undefined ? null : troublesOf(lastTry).unread, in_row: inRow },
  };
}

function badgeJson({ role, line, axes, specialisms, verifiedAt, graceSince, revokedAt }: Badge) {
  return {
    ...{ role, protocol_line: line, verification_modes: axes, specialisms },
    verified_at: time(verifiedAt),
    grace_since: time(graceSince),
    revoked_at: time(revokedAt),
  };
}

function time(at: number | null): string | null {
  return instant(at ?? undefined);
}
