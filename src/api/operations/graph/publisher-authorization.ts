import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import { publisherFactsAt, publisherReasons, withNearest } from '../../../discovery/may-sell.ts';
import {
  AUTHORISE_CODES,
  type Because,
  type PublisherFacts,
  type Question,
} from '../../../domain/authorisation-question.ts';
import { authorise } from '../../../domain/authorise.ts';
import { authoriseSelection, MAX_EFFORT } from '../../../domain/authorise-selection.ts';
import { agentOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { MAX_PROPERTY_BYTES, READ_EFFORT } from './product-selection.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter, visitOf } from './reading.ts';

const MAX_PROPERTIES = 10_000;
/** The purpose is that of the first entry that says one; a publisher may have thousands for one agent. */
const MAX_ENTRIES = 100;

const READING = publicReading({
  operationId: 'lookupPublisherAuthorization',
  summary: 'Count the properties of a publisher that an agent may sell',
  description: 'Counts properties of its catalogue; `publisher_wide` means its whole inventory.',
  parameters: [
    textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example'),
    textParameter('agent', 'The agent.', 'https://sales-1.agents.example/mcp'),
  ],
  answers: 'The counts.',
  schema: 'PublisherAuthorization',
});
const AUTHORIZATION = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('The publisher does not authorise the agent now. `detail` has the reason.'),
  },
};

/** GET /api/registry/publisher/authorization. */
export function publisherAuthorizationOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/publisher/authorization', describedBy(AUTHORIZATION), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'agent'], 'a look-up');
    const publisher = namedDomain(needed(parameters, 'domain'));
    const agent = agentOf(needed(parameters, 'agent'), 'agent');
    return sendBody(request, reply, await countsOf(parts, publisher, agent));
  });
}

async function countsOf(parts: GraphParts, publisher: string, agent: string): Promise<object> {
  const { records, clock } = parts;
  const at = clock.now();
  const question = { agent, publisher, at };
  const live = await publisherFactsAt(records.authorisations, question, at, 0);
  const visit = await visitOf(parts, 'adagents', live?.publisher ?? publisher);
  if (live === undefined || live.entries.length === 0)
    throw new HttpProblem('not_found', await whyNot(parts, question, live), { parameter: 'agent', visit });
  const room = { count: MAX_PROPERTIES, bytes: MAX_PROPERTY_BYTES };
  const [{ properties, bytes, isCut: isMore }, entries] = await Promise.all([
    records.graph.properties(live.publisher, room),
    records.graph.entriesOf(live.publisher, { agent, after: 0, limit: MAX_ENTRIES }),
  ]);
  const facts = { ...live, properties };
  const effort = { left: MAX_EFFORT - READ_EFFORT * (live.bytes + bytes) };
  const items = live.hasCatalogue ? authoriseSelection(question, facts, {}, effort) : [];
  const no = items.filter((item) => !item.answer.authorized);
  const refused = no.map(({ properties: [first] }) => ({
    ...defined({ id: first?.propertyId, name: first?.name, type: first?.propertyType }),
  }));
  const shown = withinBytes(refused, MAX_BYTES - 8_192);
  const isCut = effort.left < 0 || isMore || shown.length < no.length;
  const said = entries.find(({ authorizedFor }) => authorizedFor !== undefined);
  return {
    publisher_domain: publisher,
    agent_url: agent,
    authorized: items.length - no.length,
    total: items.length,
    publisher_wide: authorise(question, [facts]).authorized,
    source: 'adagents_json',
    ...defined({ authorized_for: said?.authorizedFor }),
    unauthorized_properties: shown,
    visit,
    ...(isCut && { truncated: true }),
  };
}

/** The reason that is nearest to a yes, of all that the publisher has. */
async function whyNot(
  { records }: GraphParts,
  question: Question & { readonly publisher: string },
  live: PublisherFacts | undefined,
): Promise<string> {
  const facts = (await publisherReasons(records.authorisations, question)) ?? live;
  if (facts === undefined) return `${question.publisher} is not in the registry yet; crawl it first`;
  const answers = authoriseSelection(question, facts, {}, { left: MAX_EFFORT }).map(({ answer }) => answer);
  const reasons = [...answers, authorise(question, [facts])].flatMap((answer) => answer.because);
  const nearness = ({ code }: Because): number => AUTHORISE_CODES.indexOf(code);
  const [nearest] = reasons.toSorted((a, b) => nearness(b) - nearness(a));
  const because = nearest === undefined ? [] : [nearest];
  const named = await withNearest(
    records.authorisations,
    { authorized: false, because },
    question,
    question.at,
  );
  const near = named.because[0]?.nearest?.join(', ');
  return `this publisher does not authorise the agent now: ${nearest?.rule}${near ? `; closest entry: ${near}` : ''}`;
}
