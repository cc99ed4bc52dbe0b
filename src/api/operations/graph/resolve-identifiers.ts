import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { isObject } from '../../../base/json.ts';
import { jsonBytes } from '../../../base/json-bytes.ts';
import { stableUuid } from '../../../base/stable-uuid.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../../domain/declaration.ts';
import { parseDomain, sitesAbove } from '../../../domain/domain-name.ts';
import { readList, readMembers } from '../../body.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { answer, describedBy, jsonBody, problemAnswer, problems } from '../description.ts';
import { type GraphParts, MAX_LIST_BYTES, timeText } from './reading.ts';

/** Identifiers of one question, and its bytes; the field's client sends no more. */
const MAX_IDENTIFIERS = 10_000;
const MAX_BODY = 1024 * 1024 + 16 * 1024;
const READ_AT_ONCE = 500;
const MAX_TYPE = 100;
const MAX_VALUE = 2_000;
const MEMBERS = ['identifiers', 'mode', 'provenance'];
const MODES = ['lookup', 'resolve'];

const OPERATION = {
  operationId: 'resolveIdentifiers',
  summary: 'Resolve up to 10,000 identifiers to known properties',
  description:
    'A site is known if a valid file covers it, any other property if a publisher lists it. Both modes only read; nothing is created. Unknown identifiers are counted and have no row.',
  requestBody: jsonBody('IdentifierQuestion'),
  responses: {
    200: answer('The known properties in the order of the request.', 'ResolvedIdentifiers', {}),
    ...problems(400, 401, 429, 500, 503),
    413: problemAnswer('The body is larger than 1 MiB.'),
  },
};

/** POST /api/registry/resolve. */
export function resolveIdentifiersOperation(server: FastifyInstance, parts: GraphParts): void {
  const options = { ...describedBy(OPERATION), bodyLimit: MAX_BODY };
  server.post('/api/registry/resolve', options, async (request, reply) => {
    refuseParameters(queryText(request), 'the resolution');
    const identifiers = readQuestion(request.body);
    const rows: object[] = [];
    let [excluded, bytes] = [0, 0];
    for (let at = 0; at < identifiers.length; at += READ_AT_ONCE) {
      await yieldToEventLoop();
      for (const row of await rowsOf(parts, identifiers.slice(at, at + READ_AT_ONCE))) {
        if (row.status === 'excluded') excluded += 1;
        bytes += jsonBytes(row) + 1;
        rows.push(row);
      }
      if (bytes > MAX_LIST_BYTES)
        throw new HttpProblem('too_many_values', 'the answer is too large; send fewer identifiers at once', {
          parameter: 'identifiers',
        });
    }
    const total = identifiers.length;
    const summary = {
      total,
      resolved: rows.length - excluded,
      created: 0,
      excluded,
      not_found: total - rows.length,
    };
    const server_timestamp = timeText(parts.clock.now());
    return reply.header('cache-control', 'no-store').send({ resolved: rows, summary, server_timestamp });
  });
}

/** Throws HttpProblems. */
function readQuestion(body: unknown): readonly PropertyIdentifier[] {
  const question = readMembers(body, MEMBERS);
  const { mode = 'lookup', provenance = {} } = question;
  if (!MODES.includes(mode as string)) throw invalidValue('mode', 'unknown mode', MODES);
  if (!isObject(provenance)) throw invalidValue('provenance', 'an object is required');
  return readList(question, 'identifiers', MAX_IDENTIFIERS, 'identifiers').map((one: unknown, at) => {
    const { type, value } = isObject(one) ? one : {};
    if (isText(type, MAX_TYPE) && isText(value, MAX_VALUE)) return { type, value };
    const detail = `type and value are required: strings of at most ${MAX_TYPE} and ${MAX_VALUE} characters`;
    throw invalidValue(`identifiers[${at}]`, detail);
  });
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

interface Row {
  readonly identifier: PropertyIdentifier;
  readonly property_rid: string | null;
  readonly classification: string;
  readonly status: 'existing' | 'excluded';
  readonly source: string | null;
}

async function rowsOf({ records: { graph } }: GraphParts, asked: readonly PropertyIdentifier[]) {
  const meant = asked.map(meantBy);
  const sites = meant.map((one) =>
    one !== undefined && SITE_TYPES.has(one.type) ? sitesAbove(one.value) : undefined,
  );
  const others = meant.flatMap((one, at) => (one === undefined || sites[at] !== undefined ? [] : [one]));
  const [known, listed] = await Promise.all([
    graph.publishersAmong([...new Set(sites.flatMap((above) => above ?? []))]),
    graph.areListed(others),
  ]);
  const valid = new Set(known.filter(({ isValid }) => isValid).map(({ domain }) => domain));
  const isListed = new Map(others.map((one, at) => [one, listed[at]]));
  return asked.flatMap((identifier, at): Row[] => {
    const one = meant[at];
    if (one === undefined) {
      const unclear = { property_rid: null, classification: 'invalid', source: null } as const;
      return [{ identifier, status: 'excluded', ...unclear }];
    }
    const isKnown = sites[at]?.some((site) => valid.has(site)) ?? isListed.get(one);
    if (isKnown !== true) return [];
    const rid = { property_rid: stableUuid(one.type, one.value), classification: 'property' };
    return [{ identifier, ...rid, status: 'existing', source: 'authoritative' }];
  });
}

/** Its normal form; undefined for the site that is no domain name. */
function meantBy({ type, value }: PropertyIdentifier): PropertyIdentifier | undefined {
  if (!SITE_TYPES.has(type)) return { type, value };
  const parsed = parseDomain(value.replace(/^\*\./, ''));
  return parsed.ok ? { type, value: parsed.domain } : undefined;
}
