import type { LifecycleStage, VerificationAxis } from './compliance.ts';

/** The specialisms of the public catalogue, each with the protocol that it belongs to. */
const CATALOGUE: Readonly<Record<string, BadgeRole>> = {
  'audience-sync': 'media-buy',
  'brand-rights': 'brand',
  'collection-lists': 'governance',
  'content-standards': 'governance',
  'creative-ad-server': 'creative',
  'creative-generative': 'creative',
  'creative-template': 'creative',
  'governance-aware-seller': 'media-buy',
  'governance-delivery-monitor': 'governance',
  'governance-spend-authority': 'governance',
  'property-lists': 'governance',
  'sales-broadcast-tv': 'media-buy',
  'sales-catalog-driven': 'media-buy',
  'sales-guaranteed': 'media-buy',
  'sales-non-guaranteed': 'media-buy',
  'sales-social': 'media-buy',
  'signal-marketplace': 'signals',
  'signal-owned': 'signals',
  'signed-requests': 'media-buy',
};

/** All specialisms that can earn a badge, by name. `measurement` and `rights` have none yet, so they earn none. */
export const SPECIALISMS: readonly string[] = Object.keys(CATALOGUE);

/** What a badge can be for (docs/reference/badges.md). */
export const BADGE_ROLES = [
  'media-buy',
  'creative',
  'signals',
  'governance',
  'brand',
  'measurement',
  'rights',
] as const;

export type BadgeRole = (typeof BADGE_ROLES)[number];

/** A badge of an agent, active or not; times are epoch milliseconds. One agent has at most one active for role and line. */
export interface Badge {
  readonly role: BadgeRole;
  /** `major.minor`. */
  readonly line: string;
  readonly axes: readonly VerificationAxis[];
  /** Those that it was verified for, sorted. */
  readonly specialisms: readonly string[];
  /** The bundle of the run that confirmed it last. */
  readonly protoVersion: string;
  /** When it was earned. */
  readonly verifiedAt: number;
  /** Since the first failing run after the last one that passed; null when it is not in grace. */
  readonly graceSince: number | null;
  /** A badge that is revoked stays so; earning it anew makes another one. */
  readonly revokedAt: number | null;
}

const BADGE_EVENT_KINDS = [
  'earned',
  'grace', // a run failed; it is still shown
  'recovered', // it passed again while in grace
  'changed', // its specialisms or its axes
  'revoked',
] as const;

export type BadgeEventKind = (typeof BADGE_EVENT_KINDS)[number];

/** One line of a badge's timeline. */
export interface BadgeEvent {
  readonly kind: BadgeEventKind;
  readonly role: BadgeRole;
  readonly line: string;
  readonly at: number;
  /** Why, one sentence. */
  readonly reason: string;
  /** The run that did it; null when it was no run's doing. */
  readonly runId: string | null;
}

/** The days that the `live` axis looks back on: of probes, and of passing (docs/reference/badges.md). */
export const LIVE_WINDOW_MS = 7 * 86_400_000;

/** How often the probes of that window found the agent healthy. */
export interface ProbeHistory {
  readonly total: number;
  readonly healthy: number;
}

/** True for a badge that is shown: in grace or not. */
export function isActive(badge: Badge): boolean {
  return badge.revokedAt === null;
}

/** Of the owner's settings what decides about badges. */
export interface BadgeSettings {
  readonly optedOut: boolean;
  readonly lifecycleStage: LifecycleStage;
}

/** Which badge of an agent is meant. */
export interface BadgeChoice {
  readonly role: Badge['role'];
  /** Absent: of several lines the newest. */
  readonly line?: string;
}

/**
 * The active badge of a role, in grace or not; undefined where there is none, for an agent that opted out and for one
 * never heard of (`undefined`).
 */
export function shownBadge(
  state:
    | { readonly badges: readonly Badge[]; readonly settings: Pick<BadgeSettings, 'optedOut'> }
    | undefined,
  { role, line }: BadgeChoice,
): Badge | undefined {
  if (state === undefined || state.settings.optedOut) return undefined;
  const shown = state.badges.filter(
    (badge) => badge.role === role && isActive(badge) && (line === undefined || badge.line === line),
  );
  return newestLineFirst(shown)[0];
}

/** Newest line first; in one line as they were. */
export function newestLineFirst<T extends { readonly line: string }>(all: readonly T[]): readonly T[] {
  return all.toSorted((one, other) => byLine(other.line, one.line));
}

/** `3.10` comes after `3.9`. */
function byLine(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** `3.1` of `3.1.0`, `3.1`, `v3.1`, `3.1-beta` and `3.1.0-beta.2`; undefined for a label without a minor version and for other text. */
export function lineOf(label: string | null): string | undefined {
  return /^v?(\d+\.\d+)(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?$/.exec(label ?? '')?.[1];
}

/** The distinct lines of version labels, newest first. Labels without a line, such as `3`, are ignored. */
export function declaredLines(labels: readonly string[]): readonly string[] {
  const lines = labels.flatMap((label) => lineOf(label) ?? []);
  return [...new Set(lines)].toSorted((one, other) => byLine(other, one));
}

/** Whether one of these version labels is of the line; a label without a minor version, such as `3`, is of all its lines. */
export function declaresLine(labels: readonly string[], line: string): boolean {
  const [major] = line.split('.');
  return labels.some((label) => {
    const own = lineOf(label);
    return own === undefined ? label.replace(/^v/, '').split('-')[0] === major : own === line;
  });
}

/** The role of the badge that a specialism counts for; undefined for one that is not in the catalogue. */
export function roleOf(specialism: string): BadgeRole | undefined {
  return Object.hasOwn(CATALOGUE, specialism) ? CATALOGUE[specialism] : undefined;
}

/** The id of the storyboard that is named after a specialism: the same name in snake case. */
export function storyboardOf(specialism: string): string {
  return specialism.replaceAll('-', '_');
}

/** What shows a badge elsewhere. */
export interface BadgeTexts {
  /** Addresses: of the image, of the signed token, and of the page of the badge. */
  readonly picture: string;
  readonly token: string;
  readonly earned: string;
  readonly html: string;
  readonly markdown: string;
}

/** `agent` is one encoded segment without quotes and brackets; `root` is the registry's address without a slash at its end. */
export function badgeTexts(
  root: string,
  { agent, role, line }: { readonly agent: string; readonly role: string; readonly line?: string },
): BadgeTexts {
  const path = `${root}/api/registry/agents/${agent}/badge/${role}`;
  const picture = `${path}${line === undefined ? '' : `/${line}`}.svg`;
  const earned = `${root}/badges/${agent}/${role}`;
  const alt = `Agent Registry: ${role}`;
  return {
    ...{ picture, earned, token: `${path}/token${line === undefined ? '' : `?line=${line}`}` },
    html: `<a href="${earned}"><img src="${picture}" alt="${alt}" width="320" height="24"></a>`,
    markdown: `[![${alt}](${picture})](${earned})`,
  };
}
