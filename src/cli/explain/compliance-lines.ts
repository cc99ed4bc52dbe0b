import type { RunSummary } from '../../api/render/compliance-runs.ts';
import type { Badge, BadgeEvent } from '../../domain/badge.ts';
import { holderText } from '../../domain/holder.ts';
import type { HeldBy } from '../../ports/named-leases.ts';
import { failedStepLines } from '../output/failed-step-lines.ts';
import { inconclusiveLines } from '../output/inconclusive.ts';
import { counted } from '../output/print.ts';
import { missingSteps } from '../output/print-run.ts';
import { shownText } from '../output/show-value.ts';
import { visible } from '../output/visible.ts';
import { withoutKind } from '../output/without-kind.ts';
import { ATTEMPT_WORDS, type ComplianceTold } from './compliance.ts';
import { instant, more, section } from './story.ts';

/** The part "compliance" of an agent's story, for people. */
export function complianceLines(told: ComplianceTold, limit: number): readonly string[] {
  const { state, runs, events } = told;
  return section('compliance', [
    ...standingLines(told),
    ...nextLines(told),
    ...tryLines(told),
    ...indented(section('runs, newest first', runs.map(runLine))),
    ...failingLines(told, limit),
    ...indented(section('badges', [...state.badges.map(badgeLine), ...noBadgesLines(told)])),
    ...indented(section('how badges came and went, newest first', events.map(eventLine))),
  ]);
}

function standingLines({ state }: ComplianceTold): string[] {
  const { standing, settings } = state;
  const { status, statusChangedAt, streakDays, latest } = standing;
  if (settings.optedOut)
    return [
      '    opted out: nobody is shown anything of its tests, and there are none; what follows is yours alone',
    ];
  const since = statusChangedAt === null ? '' : ` since ${instant(statusChangedAt)}`;
  const streak = status === 'passing' ? `, ${counted(streakDays, 'day')} in a row` : '';
  const said = latest === null ? 'no run has counted yet' : shownText(latest.verdict.headline, 600);
  return [`    ${status}${since}${streak}: ${said}`];
}

function nextLines({ next, asked, testedBy, now }: ComplianceTold): string[] {
  const when =
    next.at === null
      ? 'no next run by the clock'
      : `${next.at <= now ? 'due since' : 'next run'} ${instant(next.at)}`;
  const open =
    asked === undefined
      ? []
      : [
          `    asked for ${asked.asked_at} (${asked.triggered_by}), ${asked.state}: run ${visible(asked.run_id)}`,
        ];
  const held = testedBy === undefined ? [] : [testedLine(testedBy)];
  return [...open, ...held, `    ${when}: ${next.why}`];
}

function testedLine({ holder, until }: HeldBy): string {
  const who = visible(holderText(holder));
  return `    being tested now by ${who}; if it died, processes of other machines may from ${instant(until)} on`;
}

function tryLines({ agent, state, lastTry }: ComplianceTold): string[] {
  const { lastAttempt } = state.standing;
  if (lastAttempt === null) return [];
  const { at, outcome, inRow } = lastAttempt;
  const times = inRow > 1 && outcome !== 'judged' ? `, ${inRow} times in a row` : '';
  return [
    `    last try ${instant(at)}: ${ATTEMPT_WORDS[outcome].replace('_', ' ')}${times}`,
    ...(lastTry === undefined
      ? []
      : inconclusiveLines(lastTry, agent, state.owner?.member).map((line) => `      ${line}`)),
  ];
}

function runLine({ started_at, status, outcome, triggered_by, run_id, ...run }: RunSummary): string {
  const kind = run.dry_run ? 'dry run' : run.partial ? 'some storyboards' : outcome;
  const said = run.inconclusive_reason ?? run.headline ?? '-';
  return `    ${started_at}  ${status}  ${kind}, ${triggered_by ?? 'trigger not known'}  ${visible(run_id)}  ${shownText(said)}`;
}

function failingLines({ failing }: ComplianceTold, limit: number): string[] {
  if (failing === undefined) return [];
  const { run, failed } = failing;
  const { unreachable } = run;
  const missing = missingSteps(run);
  return [
    `    the latest failing run, ${run.finished_at}: ${shownText(run.verdict.headline, 600)}`,
    ...(unreachable === undefined
      ? []
      : [`      ${unreachable.error_class}: ${shownText(unreachable.message)}`]),
    ...(missing === undefined ? [] : [`      ${missing}`]),
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
        ? `in grace since ${instant(graceSince)}`
        : 'active';
  return `    ${role} ${visible(line)} · ${axes.join(', ')}  earned ${instant(verifiedAt)}, ${state}`;
}

function noBadgesLines({ noBadges }: ComplianceTold): string[] {
  return noBadges === undefined ? [] : [`    none can be earned: ${visible(noBadges)}`];
}

function eventLine({ at, kind, role, line, reason, runId }: BadgeEvent): string {
  const run = runId === null ? '' : `  (run ${visible(runId)})`;
  return `    ${instant(at)}  ${role} ${visible(line)} ${kind}: ${shownText(withoutKind(reason))}${run}`;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
