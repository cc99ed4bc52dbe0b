import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseAgentUrl } from '../../../domain/agent-url.ts';
import { API_SCOPES } from '../../../domain/api-scope.ts';
import {
  myAgentsPage,
  notYoursPage,
  pendingPage,
  type RegisteredRow,
} from '../../../pages/owner/my-agents.ts';
import type { AskedFor } from '../../../pages/owner/proof.ts';
import { segmentOf } from '../../../pages/texts.ts';
import { agentsOfMember, type MyAgent } from '../../operations/my-agents.ts';
import { agentOfMember } from '../../operations/own-agent.ts';
import { askForAgent } from '../../operations/own-agent-changes.ts';
import { keyActor, requireMemberKey } from '../../owner-only.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { textField } from '../forms.ts';
import { type HtmlPages, type KeptPage, keptPage, scopedPage } from '../html-pages.ts';
import { eligibilityOf } from './badge-eligibility.ts';
import { type FormRequest, type OwnFormRequest, type OwnPageParts, ownerSession } from './parts.ts';
import { OWNER_PATH, type Sessions } from './sessions.ts';

const A_PAGE = 20;

/** GET /my: the agents of the member that is signed in. POST /my/ask: adds one. */
export function myAgentsPages(server: FastifyInstance, pages: HtmlPages, parts: OwnPageParts): void {
  const { sessions, proving } = parts;
  const { site } = pages;
  const show = async (
    request: FormRequest,
    reply: FastifyReply,
    told: { readonly asked: AskedFor; readonly refusal?: string; readonly done?: string | undefined },
  ) => {
    const { scopes = API_SCOPES } = requireMemberKey(request, reply);
    const session = ownerSession(request, sessions);
    const cursor = searchParams(queryText(request)).get('cursor') ?? undefined;
    const { agents, next_cursor: next } = await agentsOfMember(parts, session.member, {
      limit: A_PAGE,
      cursor,
    });
    const rows = await Promise.all(agents.map((one) => withTests(parts, one)));
    const badges = await eligibilityOf(parts, session.member);
    const view = { agents: rows, next, badges, mayAsk: scopes.includes('agents'), ...told };
    return pages.sendPrivate(reply, keptPage(site, myAgentsPage(site, session, view)));
  };
  server.get(OWNER_PATH, scopedPage('read'), async (request: FormRequest, reply) => {
    const given = searchParams(queryText(request));
    const asked = { url: given.get('url') ?? '' };
    return show(request, reply, { asked, done: given.get('done') ?? undefined });
  });
  server.post(`${OWNER_PATH}/ask`, scopedPage('agents'), async (request: FormRequest, reply) => {
    const actor = keyActor(requireMemberKey(request, reply));
    const fields = ['url', 'type', 'name', 'description'] as const;
    const texts = fields.map((name) => [name, textField(request.body, name).trim()] as const);
    try {
      // an empty field of a form is not sent
      const wish = Object.fromEntries(texts.filter(([name, text]) => name === 'url' || text !== ''));
      const { agent, isOwned } = await askForAgent(parts, actor, wish);
      const own = `${site.root}${OWNER_PATH}/agents/${segmentOf(agent)}`;
      if (isOwned) return reply.redirect(`${own}?done=yours`, 303);
      await proving.challenge(agent, actor);
      return reply.redirect(`${own}/proof?done=asked`, 303);
    } catch (error) {
      if (!(error instanceof HttpProblem) || ![400, 409].includes(error.status)) throw error;
      const { parameter } = error.details;
      const refusal = parameter === undefined ? error.message : `${parameter}: ${error.message}`;
      const asked = Object.fromEntries(texts) as unknown as AskedFor;
      return show(request, reply.code(error.status), { asked, refusal });
    }
  });
}

/** The status of a verified agent, and its next test. */
async function withTests({ records }: OwnPageParts, agent: MyAgent): Promise<RegisteredRow> {
  const state = agent.proven ? await records.compliance.state(agent.url) : undefined;
  if (state === undefined) return agent;
  const { settings, standing, due } = state;
  const nextAt = due === null ? null : new Date(due).toISOString();
  const status = settings.optedOut ? 'opted_out' : standing.status;
  return { ...agent, tests: { status, isPaused: settings.monitoringPaused, nextAt } };
}

/**
 * The page of an agent of the member that is pending verification; undefined for any other. `address` is the agent as the
 * path has it.
 */
export async function pendingAgentPage(
  { site }: HtmlPages,
  parts: OwnPageParts,
  request: OwnFormRequest,
): Promise<KeptPage | undefined> {
  const session = ownerSession(request, parts.sessions);
  const parsed = parseAgentUrl(request.params.encodedUrl);
  if (!parsed.ok) return undefined;
  const known = await agentOfMember(parts, parsed.url, session.member).catch(orNotFound);
  return known && !known.proven ? keptPage(site, pendingPage(site, session, known)) : undefined;
}

function orNotFound(error: unknown): undefined {
  if (error instanceof HttpProblem && error.code === 'not_found') return undefined;
  throw error;
}

/** Sends a page for the not_found of an agent that is not the member's; throws anything else. */
export function sendNotYours(
  { site, sendPrivate }: HtmlPages,
  sessions: Sessions,
  {
    error,
    request,
    reply,
  }: { readonly error: unknown; readonly request: OwnFormRequest; readonly reply: FastifyReply },
): FastifyReply {
  if (!(error instanceof HttpProblem) || error.code !== 'not_found') throw error;
  const page = notYoursPage(site, ownerSession(request, sessions), request.params.encodedUrl);
  return sendPrivate(reply.code(404), keptPage(site, page));
}
