import type { FastifyInstance, FastifyReply } from 'fastify';
import { jsonBytes, withinBytes } from '../../../base/json-bytes.ts';
import { withCoverage, withNearest } from '../../../discovery/may-sell.ts';
import type { Answer, PublisherFacts } from '../../../domain/authorisation-question.ts';
import { identifiersOf, MAX_EFFORT, type SelectedProperty } from '../../../domain/authorise-selection.ts';
import { nothingMeant } from '../../../domain/nothing-meant.ts';
import { withDomainsNear } from '../../domains-near.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { authorisationAnswer } from '../../render/authorisation-answer.ts';
import { answer, describedBy, jsonBody, problemAnswer, problems } from '../description.ts';
import { type ProductQuestion, readProductQuestion } from './product-question.ts';
import { baseOf, createReasons, selected } from './product-selection.ts';
import { type GraphParts, MAX_BYTES, timeText } from './reading.ts';

/** Bytes of a question. */
const MAX_BODY = 256 * 1024;
/** Of all selectors together: each name may be as long as one of the question. */
const MAX_ITEMS = 100;
const MAX_REASONS = 20;

const asked = (
  operationId: string,
  summary: string,
  description: string,
  schema: 'ProductAuthorization' | 'ProductIdentifiers',
) => ({
  operationId,
  summary,
  description,
  requestBody: jsonBody('ProductQuestion'),
  responses: {
    200: answer('The answer.', schema, {}),
    ...problems(400, 401, 429, 500, 503),
    413: problemAnswer('The body is larger than 256 KiB.'),
  },
});

const VALIDATE = asked(
  'validateProductAuthorization',
  'Check whether an agent may sell a product',
  'Checks each property that the selectors match, as of `at`. A selector that matches nothing is not authorised.',
  'ProductAuthorization',
);
const EXPAND = asked(
  'expandProductIdentifiers',
  'List the identifiers of a product that the agent may sell',
  'Only identifiers of properties that the agent is authorised for.',
  'ProductIdentifiers',
);

/** POST /api/registry/validate/product-authorization and /api/registry/expand/product-identifiers. */
export function productOperations(server: FastifyInstance, parts: GraphParts): void {
  const options = { bodyLimit: MAX_BODY };
  server.post(
    '/api/registry/validate/product-authorization',
    { ...describedBy(VALIDATE), ...options },
    async (request, reply) => {
      refuseParameters(queryText(request), 'the question');
      return send(reply, await authorisation(parts, readProductQuestion(request.body)));
    },
  );
  server.post(
    '/api/registry/expand/product-identifiers',
    { ...describedBy(EXPAND), ...options },
    async (request, reply) => {
      refuseParameters(queryText(request), 'the question');
      return send(reply, await expansion(parts, readProductQuestion(request.body)));
    },
  );
}

function send(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(body);
}

async function authorisation(parts: GraphParts, question: ProductQuestion): Promise<object> {
  const now = parts.clock.now();
  const { agent, country } = question;
  const base = baseOf(question, now);
  const selectors: object[] = [];
  const answers: Answer[] = [];
  const publishers: PublisherFacts[] = [];
  let [requested, authorized, shown, isCut, isWhole] = [0, 0, 0, false, true];
  const withReasons = createReasons(parts, now);
  for await (const { selector, found: counted } of selected(parts, question, now)) {
    const asked = { ...base, publisher: selector.publisher };
    const found = await withReasons(asked, selector, counted);
    const yes = found.items.filter((item) => item.answer.authorized).length;
    const no = found.items.filter((item) => !item.answer.authorized);
    requested += found.items.length;
    authorized += yes;
    isCut ||= found.isCut;
    const named = no.slice(0, MAX_ITEMS - shown).map(({ name }) => name.slice(0, 300));
    shown += named.length;
    isWhole &&= yes > 0 && no.length === 0 && !found.isCut;
    answers.push(...(no.length > 0 ? no : found.items).slice(0, MAX_REASONS).map((item) => item.answer));
    if (found.items.length === 0 && !found.isCut) answers.push(nothingMeant(asked, found.facts, selector));
    publishers.push(found.facts);
    selectors.push({
      publisher_domain: selector.publisher,
      selection_type: selector.type,
      requested_count: found.items.length,
      authorized_count: yes,
      ...(named.length > 0 && { unauthorized_items: named }),
      source: found.facts.file === undefined ? 'none' : 'adagents_json',
    });
  }
  const because = answers
    .toSorted((a, b) => Number(a.authorized) - Number(b.authorized))
    .flatMap((one) => one.because)
    .slice(0, MAX_REASONS);
  const explained = withCoverage(base, { authorized: isWhole, because }, publishers);
  const nearest = await withNearest(parts.records.authorisations, explained, base, now);
  const answered = await withDomainsNear(parts.records, nearest);
  const told = authorisationAnswer(base, answered, 16 * 1024);
  return {
    agent_url: agent,
    authorized: isWhole,
    checked_at: timeText(now),
    coverage_percentage: requested === 0 ? 0 : Math.floor((authorized / requested) * 100),
    total_requested: requested,
    total_authorized: authorized,
    selectors,
    ...(country !== undefined && { country }),
    ...momentAsked(question),
    because: withinBytes(told.because, 32 * 1024),
    ...(isCut && { truncated: true }),
  };
}

async function expansion(parts: GraphParts, question: ProductQuestion): Promise<object> {
  const now = parts.clock.now();
  const effort = { left: MAX_EFFORT };
  const properties: object[] = [];
  const identifiers: object[] = [];
  let [bytes, isCut] = [0, false];
  const base = baseOf(question, now);
  for await (const { selector, found } of selected(parts, question, now)) {
    isCut ||= found.isCut;
    for (const item of found.items) {
      if (!item.answer.authorized || isCut) continue;
      const publisher = selector.publisher;
      const named = identifiersOf({ ...base, publisher }, found.facts, item, effort);
      const told = expanded(item, publisher, named);
      bytes += jsonBytes(told);
      isCut = effort.left < 0 || bytes > MAX_BYTES;
      if (isCut) break;
      properties.push(...told.properties);
      identifiers.push(...told.identifiers);
    }
  }
  return {
    agent_url: question.agent,
    properties,
    identifiers,
    property_count: properties.length,
    identifier_count: identifiers.length,
    generated_at: timeText(now),
    ...momentAsked(question),
    ...(isCut && { truncated: true }),
  };
}

function momentAsked({ at }: ProductQuestion): object {
  return at === undefined ? {} : { at: timeText(at) };
}

function expanded(
  { properties }: SelectedProperty,
  publisher: string,
  named: readonly { type: string; value: string }[],
) {
  const [first] = properties;
  const id = first?.propertyId;
  const about = { ...(id !== undefined && { property_id: id }), publisher_domain: publisher };
  const { propertyType: type, name } = first ?? {};
  return {
    properties:
      first === undefined || named.length === 0
        ? []
        : [{ ...about, property_type: type, name, identifiers: named }],
    identifiers: named.map(({ type: kind, value }) => ({ type: kind, value, ...about })),
  };
}
