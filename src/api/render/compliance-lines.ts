import type { BundlePlan, Offer } from '../../compliance/bundles/choose.ts';
import { bundlesOfAgent } from '../../compliance/bundles/of-agent.ts';
import { type Badge, isActive, lineOf, newestLineFirst } from '../../domain/badge.ts';
import type { VerificationAxis } from '../../domain/compliance.ts';
import { type JudgedStatus, NOTHING_RECORDED } from '../../domain/judged-run.ts';
import { NEVER_RUN, type Standing } from '../../domain/standing.ts';
import type { ProtocolLines } from '../../pages/protocol-lines.ts';
import type { Records } from '../../ports/records.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { StandingsByBundle } from '../../records/runs/compliance-store.ts';
import { type OptedOutDetail, optedOut } from './compliance-detail.ts';

/** The result of an agent with one bundle. */
export interface ComplianceLine {
  readonly line: string;
  /** The version of the bundle. */
  readonly proto_version: string;
  /** `preview`: has no effect on status and badges; shown to the owner only. */
  readonly stage: 'default' | 'preview';
  /** True for the bundle that decides the status of the agent. */
  readonly decides: boolean;
  readonly status: JudgedStatus;
  readonly headline: string | null;
  readonly tracks: Readonly<Record<string, string>>;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly storyboards_incomplete: number;
  /** Null: not tested with this bundle yet. */
  readonly last_checked_at: string | null;
  /** The active ones of the line. */
  readonly badges: readonly LineBadge[];
}

interface LineBadge {
  readonly role: string;
  readonly verification_modes: readonly VerificationAxis[];
  readonly verified_at: string;
  readonly grace_since: string | null;
}

export interface LinesBody {
  readonly agent_url: string;
  readonly declared_versions: readonly string[];
  readonly lines: readonly ComplianceLine[];
}

interface LineSources {
  readonly records: {
    readonly agents: Pick<Records['agents'], 'facts'>;
    readonly bundles: Pick<Records['bundles'], 'list'>;
    readonly compliance: Pick<Records['compliance'], 'bundleStandings'>;
  };
  /** REGISTRY_COMPLIANCE_TARGET; absent: the newest line. */
  readonly complianceTarget?: string;
}

interface Viewed {
  readonly agent: string;
  readonly state: ComplianceState;
  readonly isOwner: boolean;
}

/** The results of an agent line by line, the newest first, or the short form of an agent that opted out. */
export async function complianceLines(
  { records, complianceTarget = 'latest' }: LineSources,
  { agent, state, isOwner }: Viewed,
): Promise<LinesBody | OptedOutDetail> {
  const { settings, standing, badges } = state;
  if (settings.optedOut) return optedOut(agent, settings.lifecycleStage);
  const byBundle = await records.compliance.bundleStandings(agent);
  const { declared, plan, installed } = await bundlesOfAgent(records, agent, state, complianceTarget);
  const results: Results = { standing, byBundle, deciding: standing.latest?.protoVersion ?? undefined };
  const active = badges.filter(isActive);
  const previews = previewsOf(plan, installed).filter((version) => version !== results.deciding);
  const inUse = [plan.main, ...plan.others].filter(({ version }) => !previews.includes(version));
  const shown = versionByLine(results, { inUse, active, previews });
  const ofLine = (line: string) => active.filter((badge) => badge.line === line);
  // a badge can be of a bundle that is in preview by now
  const publicResults = { ...results, byBundle: withoutVersions(byBundle, previews) };
  const rows = [...shown].map(([line, version]) => lineBody(line, version, publicResults, ofLine(line)));
  const ofPreviews = previews
    .filter((version) => plan.previews.some((one) => one.version === version))
    .map((version) => ({ ...lineBody(...lineAnd(version), results, []), stage: 'preview' as const }));
  return {
    agent_url: agent,
    declared_versions: declared.versions,
    // before the first result there is nothing to show of any line
    lines: standing.latest === null ? [] : newestLineFirst([...rows, ...(isOwner ? ofPreviews : [])]),
  };
}

/** The same as pages show it, with the mismatch of versions that the latest check found; undefined for an agent that opted out. */
export async function protocolLines(
  sources: LineSources,
  viewed: Viewed,
): Promise<ProtocolLines | undefined> {
  const body = await complianceLines(sources, viewed);
  if (!('lines' in body)) return undefined;
  const { recent, latest } = viewed.state.standing;
  const notices = (recent ?? latest?.verdict ?? NOTHING_RECORDED).notices;
  const mismatch = notices.find(({ code }) => code === 'version_not_declared')?.message;
  return {
    ...{ url: viewed.agent, declared: body.declared_versions, lines: body.lines },
    ...(mismatch !== undefined && { mismatch }),
  };
}

interface Results {
  readonly standing: Standing;
  readonly byBundle: StandingsByBundle;
  /** The version of the bundle that the status follows from; undefined: unknown. */
  readonly deciding: string | undefined;
}

/** Versions of bundles that decide nothing: those in preview, and the owner's target if it is not in use. */
function previewsOf({ previews }: BundlePlan, installed: readonly Offer[]): readonly string[] {
  const all = [...installed.filter(({ stage }) => stage === 'preview'), ...previews];
  return [...new Set(all.map(({ version }) => version))];
}

function withoutVersions(byBundle: StandingsByBundle, versions: readonly string[]): StandingsByBundle {
  return Object.fromEntries(Object.entries(byBundle).filter(([version]) => !versions.includes(version)));
}

interface LinesOfAgent {
  readonly inUse: readonly Offer[];
  readonly active: readonly Badge[];
  readonly previews: readonly string[];
}

/** The bundle of each line: the one that decides, those in use for the agent, and those that its other badges are from. */
function versionByLine(results: Results, { inUse, active, previews }: LinesOfAgent) {
  const tested = Object.keys(results.byBundle).filter((version) => !previews.includes(version));
  const shown = new Map(results.deciding === undefined ? [] : [lineAnd(results.deciding)]);
  for (const { line, version } of inUse) {
    const last = tested.includes(version) ? version : latestOf(line, tested, results);
    if (!shown.has(line)) shown.set(line, last ?? version);
  }
  for (const { line, protoVersion } of active)
    if (!shown.has(line)) shown.set(line, latestOf(line, tested, results) ?? protoVersion);
  return shown;
}

/** The last result of a line is shown until there is one with the bundle that has replaced its bundle. */
function latestOf(line: string, tested: readonly string[], results: Results): string | undefined {
  const at = (version: string) => standingWith(version, results).latest?.at ?? 0;
  const ofLine = tested.filter((version) => lineOf(version) === line);
  return ofLine.toSorted((one, other) => at(other) - at(one))[0];
}

function standingWith(version: string, { standing, byBundle, deciding }: Results): Standing {
  if (version === deciding) return standing;
  return (Object.hasOwn(byBundle, version) ? byBundle[version] : undefined) ?? NEVER_RUN;
}

function lineAnd(version: string): readonly [line: string, version: string] {
  return [lineOf(version) ?? version, version];
}

function lineBody(line: string, version: string, results: Results, badges: readonly Badge[]): ComplianceLine {
  const { status, latest } = standingWith(version, results);
  const verdict = latest?.verdict ?? NOTHING_RECORDED;
  return {
    line,
    proto_version: version,
    stage: 'default',
    decides: version === results.deciding,
    status,
    headline: verdict.headline === '' ? null : verdict.headline,
    tracks: verdict.tracks,
    storyboards_passing: verdict.storyboards_passing,
    storyboards_total: verdict.storyboards_total,
    storyboards_incomplete: verdict.storyboards_incomplete ?? 0,
    last_checked_at: latest === null ? null : new Date(latest.at).toISOString(),
    badges: badges.map(({ role, axes, verifiedAt, graceSince }) => ({
      role,
      verification_modes: axes,
      verified_at: new Date(verifiedAt).toISOString(),
      grace_since: graceSince === null ? null : new Date(graceSince).toISOString(),
    })),
  };
}
