import type { Capture } from '../domain/capture.ts';
import type { Declaration, FileKind } from '../domain/declaration.ts';
import { type Finding, hasErrors } from '../domain/finding.ts';
import type { SourceState } from '../domain/source.ts';
import type { Fetcher, Visit } from '../ports/fetcher.ts';
import { readFile } from './declare-file.ts';
import { fetchAdagents, fetchBrand } from './fetch-files.ts';
import type { FileFetch } from './fetched-file.ts';
import { readAdagents } from './read-adagents.ts';
import { readBrand } from './read-brand.ts';
import { createSharedFiles } from './shared-files.ts';

/** A file as its author sees it: is it good, what does it say, and how did we get there. */
export interface FileCheck {
  readonly valid: boolean;
  readonly kind: FileKind;
  /** Absent when nothing in it could be understood. */
  readonly variant?: string;
  /** Agents that it names, canonical, each once. */
  readonly agents: readonly string[];
  readonly findings: readonly Finding[];
  /** Every request on the way to the content. */
  readonly trail: readonly TrailStep[];
}

export interface TrailStep {
  readonly url: string;
  readonly status?: number;
  readonly error?: string;
}

const BOUNDS = { maxAgents: 500, maxDomains: 10_000 };
const MIB = 1024 * 1024;
/** More than a crawl reads of any file. */
export const MAX_CHECKED_BYTES = 20 * MIB;
/** What a crawl reads of the file on a domain itself. */
const MAX_OWN_BYTES: Readonly<Record<FileKind, number>> = { adagents: 5 * MIB, brand: MIB / 4 };

/** Checks the bytes of a file; without a kind it is told from the content. */
export function checkBytes(bytes: Uint8Array, given?: FileKind): FileCheck {
  if (bytes.length > MAX_CHECKED_BYTES)
    return checked(given ?? 'adagents', undefined, [tooLarge('error', MAX_CHECKED_BYTES)], []);
  const kind = given ?? guessKind(bytes);
  const { declaration, findings } =
    kind === 'adagents' ? readAdagents(bytes, BOUNDS) : readBrand(bytes, BOUNDS);
  return checked(kind, declaration, [...oversize(kind, bytes.length), ...findings], []);
}

/** A large adagents.json may still be the target of a reference; a large brand.json is never read. */
function oversize(kind: FileKind, bytes: number): Finding[] {
  const most = MAX_OWN_BYTES[kind];
  return bytes > most ? [tooLarge(kind === 'adagents' ? 'warning' : 'error', most)] : [];
}

function tooLarge(severity: Finding['severity'], most: number): Finding {
  return {
    severity,
    code: 'too_large',
    pointer: '',
    message: `the file has more than the ${most / MIB} MiB that are read`,
    hint: 'make it smaller; an adagents.json of up to 20 MiB may stand behind an authoritative_location',
  };
}

export interface DomainCheck {
  readonly domain: string;
  readonly fetcher: Fetcher;
  readonly now: number;
  readonly deadlineMs: number;
  /** By default adagents.json, or brand.json where only that is published. */
  readonly kind?: FileKind;
}

/** Fetches a domain's file as a crawl would, and checks it. */
export async function checkDomain(check: DomainCheck): Promise<FileCheck> {
  return check.fetcher.visit({ host: check.domain, deadlineMs: check.deadlineMs }, async (visit) => {
    const first = await fetchAndCheck(check, visit, check.kind ?? 'adagents');
    const absent = first.findings.some(
      (finding) => finding.code === 'http_404' || finding.code === 'http_410',
    );
    if (check.kind !== undefined || !absent) return first;
    const brand = await fetchAndCheck(check, visit, 'brand');
    return brand.variant === undefined ? first : brand;
  });
}

async function fetchAndCheck({ domain, now }: DomainCheck, visit: Visit, kind: FileKind): Promise<FileCheck> {
  const task = {
    domain,
    kind,
    source: unseen(kind, domain, now),
    visit,
    shared: createSharedFiles(() => now),
    now,
    bounds: () => BOUNDS,
  };
  const fetched = await (kind === 'adagents' ? fetchAdagents(task) : fetchBrand(task));
  const { declaration, findings } = await readFile(fetched);
  return checked(kind, declaration, [...unusable(fetched), ...findings], fetched.captures.flatMap(trailOf));
}

function checked(
  kind: FileKind,
  declaration: Declaration | undefined,
  findings: readonly Finding[],
  trail: readonly TrailStep[],
): FileCheck {
  const named =
    declaration === undefined
      ? []
      : declaration.kind === 'adagents'
        ? declaration.entries
        : declaration.agents;
  return {
    valid: declaration !== undefined && !hasErrors(findings),
    kind,
    ...(declaration && { variant: declaration.variant }),
    agents: [...new Set(named.map((entry) => entry.agent))],
    findings,
    trail,
  };
}

/** What reads it, or what its reader takes it for; a bare pointer may be either, and is a publisher's more often. */
function guessKind(bytes: Uint8Array): FileKind {
  const asAdagents = readAdagents(bytes, BOUNDS);
  if (asAdagents.declaration !== undefined) return 'adagents';
  const isBrand = asAdagents.findings.some(({ code }) => code === 'brand_file_here');
  return isBrand || readBrand(bytes, BOUNDS).declaration !== undefined ? 'brand' : 'adagents';
}

function unusable({ end }: FileFetch): Finding[] {
  if (end.type !== 'unusable') return [];
  return [{ severity: 'error', code: end.error.code, pointer: '', message: end.error.detail }];
}

function trailOf(capture: Capture): TrailStep[] {
  const hops = capture.trail.map(({ url, status }) => ({ url, status }));
  const last = capture.ok ? { status: capture.status } : { error: capture.failure.code };
  return [...hops, { url: capture.finalUrl, ...last }];
}

function unseen(kind: FileKind, key: string, now: number): SourceState {
  return {
    kind,
    key,
    foundVia: 'validate',
    firstSeenAt: now,
    nextVisitAt: now,
    failures: 0,
    validators: [],
    absentVisits: 0,
  };
}
