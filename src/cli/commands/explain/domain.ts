import { findingJson } from '../../../api/render/file-check.ts';
import { fetchHint } from '../../../discovery/check/fetch-codes.ts';
import { FILE_KINDS } from '../../../domain/declaration.ts';
import type { Finding } from '../../../domain/finding.ts';
import type { SomeDomains } from '../../../domain/pointers.ts';
import type { SourceState } from '../../../domain/source.ts';
import type { StoredDeclaration } from '../../../domain/visit.ts';
import type { Records } from '../../../ports/records.ts';
import type { SourceJourney } from '../../../records/sources/journey.ts';
import type { SeenAuthorisation } from '../../../records/visits/authorisation-rows.ts';
import type { SeenMention } from '../../../records/visits/mention-rows.ts';
import { claimsBesideSeen } from '../../output/simple-claims.ts';
import { edgeJson, edgeTerms } from './edge.ts';
import { heldJson, heldLines } from './held.ts';
import { liveOf, outOfTimeJson, outOfTimeLines } from './out-of-time.ts';
import { RELATIONS, relationsOf } from './relations.ts';
import {
  captureJson,
  captureLine,
  heading,
  instant,
  more,
  type Story,
  scheduleLines,
  section,
  sourceJson,
} from './story.ts';

/** Explains a domain: each of its files, what follows from it, and the next visit. */
export async function explainDomain(
  records: Records,
  domain: string,
  limit: number,
  now: number,
): Promise<Story | undefined> {
  const found = await Promise.all(
    [...FILE_KINDS, 'ard' as const].map((kind) => records.sources.journey({ kind, key: domain }, limit)),
  );
  const journeys = found.filter((journey) => journey !== undefined);
  if (journeys.length === 0) return undefined;
  const relations = await relationsOf(records, domain, now);
  const related = relations.map((item) => `    ${item.domain}: ${RELATIONS[item.relation]}`);
  const claims = await claimsBesideSeen(records, domain, journeys);
  const lines = section(
    'claims of its file in the simple form, compared with the latest probes',
    claims.map((line) => `    ${line}`),
  );
  return {
    lines: [
      heading(domain),
      ...journeys.flatMap((journey) => journeyLines(journey, now, limit)),
      ...lines,
      ...section('houses and brands', related),
    ],
    json: {
      domain,
      files: journeys.map((journey) => journeyJson(journey, now, limit)),
      relations,
      simple_claims: claims,
    },
  };
}

function journeyLines(journey: SourceJourney, now: number, limit: number): string[] {
  const live = liveOf(journey);
  return [
    '',
    heading(`${journey.source.kind}.json`),
    ...scheduleLines(journey.source, now),
    ...errorHint(journey.source),
    ...section('still in effect', heldLines(journey.source)),
    ...section('captures, newest first', journey.captures.map(captureLine)),
    ...section('findings in the last version', journey.lastFindings.flatMap(findingLines)),
    ...section('declarations', journey.declarations.map(declarationLine)),
    ...section(`authorises${live ? via(live) : ''}`, journey.authorisations.map(authorisationLine)),
    ...section('authorised by its file at another time only', outOfTimeLines(live, now, limit)),
    ...section('declares', journey.mentions.map(mentionLine)),
    ...section(
      'refers to',
      journey.references.map(({ domain, reason }) => `    ${domain}  (${reason})`),
    ),
    ...section(
      'orphaned: refer to its file, which authorises no agent for them',
      someLines(journey.pointers?.orphaned),
    ),
    ...section('missing: named by its file, but do not refer to it', someLines(journey.pointers?.missing)),
  ];
}

/** What to do about a file that could not be read; an absent file needs no action. */
function errorHint({ lastError, lastOutcome }: SourceState): string[] {
  const hint = lastError && lastOutcome !== 'absent' ? fetchHint(lastError.code) : undefined;
  return hint === undefined ? [] : [`  hint: ${hint}`];
}

/** The hint is below the first finding of its code. */
function findingLines(
  { severity, code, pointer, message, hint }: Finding,
  at: number,
  all: readonly Finding[],
): string[] {
  const isFirst = all.findIndex((other) => other.code === code) === at;
  const line = `    ${severity} ${pointer || '/'}  ${message}  (${code})`;
  return isFirst && hint !== undefined ? [line, `      hint: ${hint}`] : [line];
}

function someLines({ domains, total }: SomeDomains = { domains: [], total: 0 }): string[] {
  return [...domains.map((domain) => `    ${domain}`), ...more(total, domains.length)];
}

function via({ via: way, manager, url }: StoredDeclaration): string {
  if (way === 'manager') return `, by the file of its manager ${manager} from ads.txt`;
  return way === 'reference' ? `, by the file at its authoritative_location ${url}` : ', by its own file';
}

function declarationLine({ value, seenFrom, seenUntil, url }: StoredDeclaration): string {
  const until = seenUntil === undefined ? 'in use' : `until ${instant(seenUntil)}`;
  return `    ${instant(seenFrom)}  ${value.variant}, from ${url}, ${until}`;
}

function authorisationLine({
  agent,
  entry,
  scope,
  authorizedFor,
  countByType,
  seenFrom,
  seenUntil,
  ...edge
}: SeenAuthorisation): string {
  const properties = Object.entries(countByType)
    .map(([type, count]) => `${count} ${type}`)
    .join(', ');
  const ended = seenUntil === undefined ? '' : `, ended ${instant(seenUntil)}`;
  return `    ${agent}  entry ${entry}, ${scope}${properties === '' ? '' : ` (${properties})`}${authorizedFor === undefined ? '' : `, for "${authorizedFor}"`}, since ${instant(seenFrom)}${ended}${edgeTerms(edge)}`;
}

function mentionLine({ agent, entry, type, seenFrom, seenUntil }: SeenMention): string {
  const ended = seenUntil === undefined ? '' : `, ended ${instant(seenUntil)}`;
  return `    ${agent}  entry ${entry}${type === undefined ? '' : `, as ${type}`}, since ${instant(seenFrom)}${ended}`;
}

function journeyJson(
  { source, captures, declarations, lastFindings, ...rest }: SourceJourney,
  now: number,
  limit: number,
) {
  const { authorisations, mentions, references, pointers } = rest;
  return {
    ...sourceJson(source, now),
    held: heldJson(source),
    captures: captures.map(captureJson),
    findings: lastFindings.map(findingJson),
    declarations: declarations.map(({ value, via: way, manager, url, contentHash, seenFrom, seenUntil }) => ({
      variant: value.variant,
      via: way,
      manager: manager ?? null,
      url,
      content_hash: contentHash,
      seen_from: instant(seenFrom),
      seen_until: instant(seenUntil),
    })),
    authorisations: authorisations.map(
      ({ agent, entry, scope, via: way, countByType, seenFrom, seenUntil, ...edge }) => ({
        agent,
        entry,
        scope,
        via: way,
        ...edgeJson(edge),
        count_by_type: countByType,
        seen_from: instant(seenFrom),
        seen_until: instant(seenUntil),
      }),
    ),
    out_of_time: outOfTimeJson(liveOf({ declarations }), now, limit),
    mentions: mentions.map(({ agent, entry, type, seenFrom, seenUntil }) => ({
      agent,
      entry,
      type: type ?? null,
      seen_from: instant(seenFrom),
      seen_until: instant(seenUntil),
    })),
    references,
    pointers: pointers ?? null,
  };
}
