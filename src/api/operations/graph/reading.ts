import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../base/json.ts';
import { SITE_TYPES } from '../../../domain/declaration.ts';
import type { AuthorisationVia } from '../../../domain/declared-facts.ts';
import { sitesAbove } from '../../../domain/domain-name.ts';
import type { SourceKind } from '../../../domain/source.ts';
import { readInstant } from '../../../domain/text.ts';
import { openPlace, sealPlace } from '../../../index/query/cursor.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import { entityTag, sendPublic } from '../../answers.ts';
import type { Operation } from '../../operation.ts';
import { namedDomain } from '../../parameters.ts';
import { invalidValue, queryProblem } from '../../problem.ts';
import { type VisitState, visitState } from '../../render/visit-state.ts';
import type { SchemaName } from '../../schema-names.ts';
import { answer, CACHE_CONTROL, ETAG, IF_NONE_MATCH, NOT_MODIFIED, problems } from '../description.ts';

/** What the operations of the graph read. */
export interface GraphParts {
  readonly records: Pick<Records, 'graph' | 'edgeLog' | 'agents' | 'authorisations' | 'brands' | 'sources'>;
  readonly clock: Clock;
  /** Signs the cursors. */
  readonly cursorSecret: Uint8Array;
}

/** Where the field's clients stop reading an answer, less its frame; the list of publishers may be longer. */
export const MAX_BYTES = 250 * 1024;
export const MAX_LIST_BYTES = 2 * 1024 * 1024 - 4_096;

/** Maximum characters of a text that is repeated in an answer. */
export const MAX_SHOWN = 300;

interface Reading {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly JsonObject[];
  readonly answers: string;
  readonly schema: SchemaName;
  /** Beside those that every reading has. */
  readonly headers?: JsonObject;
  /** It is about one agent, which may be unknown. */
  readonly isOfAgent?: boolean;
}

/** A reading that is the same for everybody. */
export function publicReading({
  parameters,
  answers,
  schema,
  headers,
  isOfAgent,
  ...texts
}: Reading): Operation {
  return {
    ...texts,
    parameters: [...parameters, IF_NONE_MATCH],
    responses: {
      200: answer(answers, schema, { ETag: ETAG, 'Cache-Control': CACHE_CONTROL, ...headers }),
      304: NOT_MODIFIED,
      ...problems(400, 401, 429, 500, 503),
      ...(isOfAgent && problems(404)),
    },
  };
}

export function sendBody(request: FastifyRequest, reply: FastifyReply, body: object): Promise<FastifyReply> {
  return sendText(request, reply, JSON.stringify(body));
}

/** The same for a body that is JSON already. */
export function sendText(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply.header('cache-control', 'public, no-cache');
  const body = Buffer.from(text);
  return sendPublic(request, reply, { body, etag: entityTag(body) });
}

/** The state of a domain's file, or of an agent by its canonical URL. */
export async function visitOf(
  { records, clock }: { readonly records: Pick<Records, 'sources'>; readonly clock: Clock },
  kind: SourceKind,
  key: string,
): Promise<VisitState> {
  return visitState(kind, await records.sources.get({ kind, key }), clock.now());
}

/**
 * How the file stands that speaks for a site: of its own domain and those above it, the first whose file counts, or else that was
 * looked for, or else its own.
 */
export async function visitOfSite({ records, clock }: Pick<GraphParts, 'records' | 'clock'>, site: string) {
  const sources = await Promise.all(
    sitesAbove(site).map(async (key) => ({
      key,
      source: await records.sources.get({ kind: 'adagents', key }),
    })),
  );
  const standing = sources.map(({ key, source }) => ({
    publisher_domain: key,
    visit: visitState('adagents', source, clock.now()),
  }));
  const first = (...states: VisitState['state'][]) =>
    standing.find(({ visit }) => states.includes(visit.state));
  return first('fresh', 'stale') ?? first('absent', 'unread') ?? standing[0];
}

/** A parameter of the document that is text; an example goes with the others of its operation, and they get a 200 from the demo. */
export function textParameter(
  name: string,
  description: string,
  example: string | undefined,
  more: { readonly in?: 'path' | 'query'; readonly required?: boolean } = {},
): JsonObject {
  const { in: place = 'query', required = true } = more;
  const schema = { type: 'string', maxLength: 2_000 };
  return { name, in: place, required, description, schema, ...(example !== undefined && { example }) };
}

/** Where a page begins, and the cursor of the next one; `asked` may not change in between. */
export function pagesOf({ cursorSecret }: GraphParts, asked: string) {
  return {
    after(cursor: string | undefined): string | undefined {
      if (cursor === undefined) return undefined;
      const opened = openPlace(cursorSecret, asked, cursor);
      if (!opened.ok) throw queryProblem(opened.problem);
      return opened.after;
    },
    next: (last: string | undefined) =>
      last === undefined ? undefined : sealPlace(cursorSecret, asked, last),
  };
}

/** How a file was found, in the field's words. */
export function discoveryMethod(via: AuthorisationVia): string {
  return { own: 'direct', reference: 'authoritative_location', manager: 'ads_txt_managerdomain' }[via];
}

/** RFC 3339, UTC, milliseconds. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** The value of an identifier in its normal form: a site's is a domain name. */
export function identifierOf(type: string, value: string, parameter: string): string {
  if (!SITE_TYPES.has(type)) return value;
  const star = value.startsWith('*.') ? '*.' : '';
  return star + namedDomain(value.slice(star.length), parameter);
}

/** Epoch milliseconds of an RFC 3339 time; a date is its midnight UTC. */
export function momentOf(text: string, parameter: string): number {
  const at = readInstant(text)?.at;
  // an offset may lead out of the four digits of a year
  if (at !== undefined && timeText(at).length === 24) return at;
  throw invalidValue(parameter, 'use a time such as 2026-11-22T12:00:00Z');
}
