import type { JudgedStatus, RunOutcome, RunTrigger, Verdict } from '../../domain/judged-run.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { EvidencedRun, KeptRun, RunReport } from '../../records/runs/compliance-runs.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { RequestedRun } from '../../records/runs/run-leases.ts';
import { historyCursor } from '../history-pages.ts';
import { HttpProblem } from '../problem.ts';
import { type OptedOutDetail, optedOut } from './compliance-detail.ts';
import { type PublicStoryboard, publicStoryboards } from './public-storyboards.ts';

/** A run that was asked for and is not over. */
export interface AskedRunBody {
  readonly agent_url: string;
  readonly run_id: string;
  readonly state: 'queued' | 'running';
  readonly triggered_by: RunTrigger;
  readonly asked_at: string;
  /** Of a run of one storyboard. */
  readonly storyboard_id?: string;
  readonly compliance_target?: string;
  readonly so_far?: RunSoFar;
}

/** One run in the history. */
export interface RunSummary {
  readonly run_id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly outcome: RunOutcome;
  readonly inconclusive_reason: string | null;
  readonly status: JudgedStatus;
  readonly tracks: Readonly<Record<string, string>>;
  readonly headline: string | null;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  /** Of `storyboards_total`; neither passing nor failing. */
  readonly storyboards_incomplete: number;
  /** Declared, and tested by no storyboard of this run: the counts beside say nothing of them. */
  readonly specialisms_untested: number;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  /** Tested with the bundle that the status followed from at that time. */
  readonly decides: boolean;
  /** Of a bundle in preview, from which nothing follows; for the owner only. */
  readonly preview: boolean;
  readonly imported: boolean;
  readonly dry_run: boolean;
  readonly partial: boolean;
  /** Owner-scoped. */
  readonly triggered_by: RunTrigger | null;
}

export interface HistoryBody {
  readonly agent_url: string;
  readonly runs: readonly RunSummary[];
  readonly next_cursor: string | null;
}

export interface RunBody extends RunSummary {
  readonly agent_url: string;
  /** Of one that is not over see `AskedRunBody`. */
  readonly state: 'finished';
  readonly algorithm_version: string;
  readonly track_details: readonly object[];
  readonly declared_specialisms: readonly string[];
  readonly specialism_status: Readonly<Record<string, string>>;
  readonly notices: readonly object[];
  readonly observations: readonly object[];
  /** The same for everybody. */
  readonly storyboards: readonly PublicStoryboard[];
  /** Owner-scoped, as the next one. */
  readonly storyboard_statuses: readonly object[];
  /** All steps with their checks, and what went to and fro where one failed. */
  readonly report: RunReport | null;
}

interface Viewed {
  readonly agent: string;
  readonly state: ComplianceState;
  readonly isOwner: boolean;
}

/** A page of an agent's history from one run more than fits in it, or the short form of an agent that opted out. */
export function complianceHistory(
  { agent, state, isOwner }: Viewed,
  runs: readonly KeptRun[],
  limit: number,
): HistoryBody | OptedOutDetail {
  if (state.settings.optedOut) return optedOut(agent, state.settings.lifecycleStage);
  const page = runs.slice(0, limit);
  const last = runs.length > limit ? page.at(-1) : undefined;
  return {
    agent_url: agent,
    runs: page.map((run) => summary(run, isOwner)),
    next_cursor: last === undefined ? null : historyCursor(last),
  };
}

/**
 * One run. Throws `not_found` for one that is not there, and for one that says nothing of the agent (dry, of some
 * storyboards only, or of a bundle in preview) where somebody else than the owner asks. Once its bundle is the default, the
 * status follows from a run in preview.
 */
export function complianceRun(
  { agent, state, isOwner }: Viewed,
  run: KeptRun | EvidencedRun | undefined,
): RunBody | OptedOutDetail {
  if (state.settings.optedOut) return optedOut(agent, state.settings.lifecycleStage);
  const isLatest = run !== undefined && state.standing.latest?.runId === run.run_id;
  if (run === undefined || (!isOwner && isAside(run) && !isLatest)) throw noSuchRun();
  const { verdict } = run;
  return {
    agent_url: agent,
    state: 'finished',
    ...summary(run, isOwner),
    ...(isLatest && { decides: true, preview: false }),
    algorithm_version: verdict.algorithm_version,
    track_details: verdict.track_details,
    declared_specialisms: verdict.declared_specialisms,
    specialism_status: verdict.specialism_status,
    notices: verdict.notices,
    observations: verdict.observations,
    storyboards: publicStoryboards(run),
    storyboard_statuses: isOwner ? verdict.storyboard_statuses : [],
    report: isOwner && 'report' in run ? run.report : null,
  };
}

function isAside({ dry_run: dry, partial, role }: KeptRun): boolean {
  return dry || partial === true || role === 'preview';
}

/** How many of the declared specialisms nothing has tested. */
export function untestedSpecialisms({ specialism_status: all }: Pick<Verdict, 'specialism_status'>): number {
  return Object.values(all).filter((status) => status === 'untested').length;
}

/** The same for the command line, which is the operator's. */
export function summary(run: KeptRun, isOwner: boolean): RunSummary {
  const { verdict } = run;
  return {
    run_id: run.run_id,
    started_at: run.started_at,
    finished_at: run.finished_at,
    outcome: run.outcome,
    inconclusive_reason: run.inconclusive?.reason ?? null,
    status: verdict.status,
    tracks: verdict.tracks,
    headline: verdict.headline === '' ? null : verdict.headline,
    storyboards_passing: verdict.storyboards_passing,
    storyboards_total: verdict.storyboards_total,
    storyboards_incomplete: verdict.storyboards_incomplete ?? 0,
    specialisms_untested: untestedSpecialisms(verdict),
    requested_compliance_target: run.requested_compliance_target,
    proto_version: run.proto_version,
    decides: run.role === undefined && !run.dry_run && run.partial !== true,
    preview: run.role === 'preview',
    imported: run.imported,
    dry_run: run.dry_run,
    partial: run.partial === true,
    triggered_by: isOwner ? run.trigger : null,
  };
}

function noSuchRun(): HttpProblem {
  return new HttpProblem('not_found', 'run not found for this agent', { parameter: 'id' });
}

/** For the agent's owner, for whoever asked for the run, and for the operator. */
export function askedRun(asked: RequestedRun): AskedRunBody {
  const { agent, runId, state, trigger, askedAt, storyboard, target, soFar } = asked;
  return {
    agent_url: agent,
    run_id: runId,
    state,
    triggered_by: trigger,
    asked_at: new Date(askedAt).toISOString(),
    ...(storyboard !== undefined && { storyboard_id: storyboard }),
    ...(target !== undefined && { compliance_target: target }),
    ...(soFar && { so_far: soFar }),
  };
}
