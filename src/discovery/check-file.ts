import { asText, defined, isObject, type JsonObject } from '../base/json.ts';
import { parseAgentUrl } from '../domain/agent-url.ts';
import type { Capture } from '../domain/capture.ts';
import type { AdagentsDeclaration, FileKind } from '../domain/declaration.ts';
import { type Finding, hasErrors } from '../domain/finding.ts';
import type { Visit } from '../ports/fetcher.ts';
import { type CheckedText, checkText, readAs, type TextKind } from './check/check-text.ts';
import { fetchHint } from './check/fetch-codes.ts';
import { type FileInventory, type FileSource, inventoryOf } from './check/inventory.ts';
import type { CheckedFinding } from './check/placed-findings.ts';
import { recover } from './check/recover.ts';
import { type FileSummary, type SummaryReader, sellersNow, summaryOf } from './check/summary.ts';
import { unlinkedPublishers } from './check-publishers.ts';
import { newlyRead, readFile } from './declare-file.ts';
import { ofKeeper } from './declared-publisher.ts';
import { type DomainCheck, fetchUnseen } from './fetch-unseen.ts';
import { isFarAhead } from './file-memory.ts';
import type { FileFetch } from './file-task.ts';
import type { FileBounds } from './read-document.ts';
import { findingOf, MAX_FINDINGS } from './report.ts';

/** A file as its author sees it: is it good, what does it say, and how did we get there. */
export interface FileCheck {
  readonly valid: boolean;
  readonly kind: FileKind;
  /** Absent when nothing in it could be understood. */
  readonly variant?: string;
  /** Agents that it names, canonical, each once. */
  readonly agents: readonly string[];
  /** How many agents an adagents.json lists, each once, those of invalid entries too. */
  readonly listed: number;
  /** How many of them may sell something at the moment of the check, as strict buyers read the file. */
  readonly sellersNow: number;
  /** It lists what a publisher has, and no agents. */
  readonly isCatalogue?: true;
  readonly findings: readonly CheckedFinding[];
  /** Every request on the way to the content. */
  readonly trail: readonly TrailStep[];
  /** Who may do what, once the file is repaired as far as that is certain. */
  readonly summary: FileSummary;
  /** The text of the file with all certain fixes; absent when there is none. */
  readonly fixed?: string;
  /** Errors of that text. */
  readonly errorsLeft?: number;
  /** Of a domain's file: where the bytes came from. */
  readonly source?: FileSource;
  /** What a publisher's file lists, each property once for each place where it stands. */
  readonly inventory?: FileInventory;
  /** What it says, where it is the specification's simple form, whose claims are compared. */
  readonly simple?: AdagentsDeclaration;
  /** As it was read, without its byte order mark. */
  readonly text?: string;
}

export interface TrailStep {
  readonly url: string;
  readonly status?: number;
  readonly error?: string;
}

const MIB = 1024 * 1024;
/** More than a crawl reads of any file. */
export const MAX_CHECKED_BYTES = 20 * MIB;
/** What a crawl reads of the file on a domain itself. */
const MAX_OWN_BYTES: Readonly<Record<FileKind, number>> = { adagents: 5 * MIB, brand: MIB / 4 };

/** What is known of a file besides its bytes. */
export interface BytesCheck {
  /** By default it is told from the content. */
  readonly kind?: FileKind;
  /** The domain that publishes it. */
  readonly domain?: string;
  readonly now: number;
  /** By default what a crawl takes of a stranger's file. */
  readonly bounds?: FileBounds;
}

/** Checks the bytes of a file. Pure, and linear in its size whatever is in it. */
export function checkBytes(bytes: Uint8Array, { kind: given, domain, now, bounds }: BytesCheck): FileCheck {
  const most = Math.max(MAX_CHECKED_BYTES, bounds?.maxBytes ?? 0);
  if (bytes.length > most) {
    const text = { document: {}, findings: [tooLarge('error', most)] };
    return checked(given ?? 'adagents', text, [], summaryOf(text, { via: 'own', now }), { via: 'own', now });
  }
  const recovered = recover(bytes, MAX_FINDINGS);
  const kind = given ?? guessKind(recovered.json);
  const as = { kind, now, ...defined({ publisher: domain, bounds }) };
  const text = checkText(as, recovered);
  const ahead = isFarAhead(text.declaration?.lastUpdated, now)
    ? [findingOf('last_updated_ahead', '/last_updated', text.declaration?.lastUpdated)]
    : [];
  const findings = [...oversize(kind, bytes.length, bounds), ...text.findings, ...ahead];
  const reader = { via: 'own', now, ...(domain !== undefined && { domain }) } as const;
  const repaired = repairedText(as, text);
  const summary = summaryOf({ ...(repaired ?? text), isRepaired: repaired !== undefined }, reader);
  return { ...checked(kind, { ...text, findings }, [], summary, reader), ...errorsLeft(repaired) };
}

/** What is found in a text once its certain fixes are made. */
function repairedText(as: TextKind, { fixed }: CheckedText): CheckedText | undefined {
  return fixed === undefined ? undefined : checkText(as, recover(Buffer.from(fixed), MAX_FINDINGS));
}

function errorsLeft(repaired: CheckedText | undefined): Pick<FileCheck, 'errorsLeft'> {
  return repaired === undefined
    ? {}
    : { errorsLeft: repaired.findings.filter(({ severity }) => severity === 'error').length };
}

/** A large adagents.json may still be the target of a reference; a large brand.json is never read. */
function oversize(kind: FileKind, bytes: number, { maxBytes = 0 }: Partial<FileBounds> = {}): Finding[] {
  const most = Math.max(MAX_OWN_BYTES[kind], maxBytes);
  return bytes > most ? [tooLarge(kind === 'adagents' ? 'warning' : 'error', most)] : [];
}

function tooLarge(severity: Finding['severity'], most: number): Finding {
  return {
    severity,
    code: 'too_large',
    pointer: '',
    message: `the file is larger than the limit of ${most / MIB} MiB`,
    ...defined({ hint: fetchHint('too_large') }),
  };
}

/** Fetches a domain's file as a crawl would, and checks it. */
export async function checkDomain(check: DomainCheck): Promise<FileCheck> {
  const { fetcher, domain: host, deadlineMs, signal } = check;
  const options = { host, deadlineMs, ...(signal && { signal }) };
  const { named, ...found } = await fetcher.visit(options, async (visit) => {
    const first = await fetchAndCheck(check, visit, check.kind ?? 'adagents');
    const absent = first.findings.some(
      (finding) => finding.code === 'http_404' || finding.code === 'http_410',
    );
    if (check.kind !== undefined || !absent) return first;
    const brand = await fetchAndCheck(check, visit, 'brand');
    return brand.variant === undefined ? first : brand;
  });
  // after the visit: a publisher may be of the same registrable domain
  const unlinked = named === undefined ? [] : await unlinkedPublishers(check, named);
  return { ...found, findings: [...found.findings, ...unlinked] };
}

interface CheckedDomain extends FileCheck {
  /** The domain's own file, which may name other publishers. */
  readonly named?: AdagentsDeclaration;
}

async function fetchAndCheck(check: DomainCheck, visit: Visit, kind: FileKind): Promise<CheckedDomain> {
  const { domain, now } = check;
  const fetched = await fetchUnseen(check, visit, kind);
  const read = await readFile(fetched);
  const { declaration } = read;
  const { findings } = newlyRead(read) ?? read;
  const { end } = fetched;
  const trail = fetched.captures.flatMap(trailOf);
  if (end.type !== 'content') {
    const text = { document: {}, findings: unusable(fetched) };
    const reader = { domain, via: 'own', now } as const;
    return checked(kind, text, trail, summaryOf(text, reader), reader);
  }
  const bounds = fetched.task.bounds(new URL(end.url).hostname);
  const as = { kind, publisher: domain, bounds, now };
  const given = checkText(as, recover(end.body, MAX_FINDINGS));
  const { fixed: _, ...unfixed } = given; // what another keeps is not for the publisher to put right
  const text = end.via === 'own' ? given : { ...unfixed, findings: ofKeeper(given.findings, end.via) };
  const known = new Set(text.findings.map(({ code, pointer }) => `${code} ${pointer}`));
  // what only the visit knows: the time, what was there before, whom it concerns and where it leads
  const visited = findings.filter(({ code, pointer }) => !known.has(`${code} ${pointer}`));
  const all = [...text.findings, ...visited];
  const seen = { ...text, ...(declaration && { declaration }), findings: all };
  const isOwn = declaration?.kind === 'adagents' && end.via === 'own';
  const reader = { domain, via: end.via, now };
  return {
    ...checked(kind, seen, trail, summaryOf(seen, reader), reader),
    ...errorsLeft(repairedText(as, text)),
    source: { url: end.url, via: end.via, bytes: end.body.length, ...defined({ manager: end.manager }) },
    ...(isOwn && { named: declaration }),
  };
}

function checked(
  kind: FileKind,
  { declaration, document, findings, fixed, text }: CheckedText,
  trail: readonly TrailStep[],
  summary: FileSummary,
  reader: SummaryReader,
): FileCheck {
  const named = (declaration?.kind === 'adagents' ? declaration.entries : declaration?.agents) ?? [];
  const publisher = declaration?.kind === 'adagents' ? declaration : undefined;
  const agents = [...new Set(named.map((entry) => entry.agent))];
  return {
    valid: declaration !== undefined && !hasErrors(findings),
    kind,
    ...(declaration && { variant: declaration.variant }),
    ...(publisher && {
      inventory: inventoryOf(publisher, reader.domain ?? publisher.publisher?.domain ?? ''),
    }),
    ...(publisher?.variant === 'simple' && { simple: publisher }),
    agents,
    listed: publisher === undefined ? agents.length : Math.max(agents.length, listedAgents(document)),
    sellersNow: publisher === undefined ? 0 : sellersNow(publisher, reader),
    ...(publisher && isCatalogue(publisher) && { isCatalogue: true }),
    findings,
    trail,
    summary,
    ...defined({ fixed, text }),
  };
}

/** The agents in the list of a file as it is written, whatever is wrong with their entries. */
function listedAgents({ authorized_agents: entries, agents = [] }: JsonObject): number {
  const list = entries ?? agents;
  if (!Array.isArray(list)) return 0;
  const urls = (list as readonly unknown[]).map((entry, at) => {
    const { url } = isObject(entry) ? entry : {};
    const parsed = parseAgentUrl(asText(url));
    return parsed.ok ? parsed.url : `entry ${at}`;
  });
  return new Set(urls).size;
}

function isCatalogue({ variant, entries, properties, catalogue }: AdagentsDeclaration): boolean {
  const isEmpty = properties.length === 0 && Object.values(catalogue).every((count) => count === 0);
  return variant === 'inline' && entries.length === 0 && !isEmpty;
}

/** What reads it, or what its reader takes it for; a bare pointer may be either, and is a publisher's more often. */
function guessKind(json: string): FileKind {
  const asAdagents = readAs('adagents', json);
  if (asAdagents.declaration !== undefined) return 'adagents';
  const isBrand = asAdagents.findings.some(({ code }) => code === 'brand_file_here');
  return isBrand || readAs('brand', json).declaration !== undefined ? 'brand' : 'adagents';
}

function unusable({ end, told }: FileFetch): Finding[] {
  if (end.type !== 'unusable') return [];
  const { code, detail: message } = end.error;
  return [{ severity: 'error', code, pointer: '', message, ...defined({ hint: fetchHint(code) }) }, ...told];
}

function trailOf(capture: Capture): TrailStep[] {
  const hops = capture.trail.map(({ url, status }) => ({ url, status }));
  const last = capture.ok ? { status: capture.status } : { error: capture.failure.code };
  return [...hops, { url: capture.finalUrl, ...last }];
}
