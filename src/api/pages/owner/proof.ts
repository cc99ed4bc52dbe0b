import type { FastifyInstance, FastifyReply } from 'fastify';
import { defined } from '../../../base/json.ts';
import type { KeyActor } from '../../../domain/actor.ts';
import { shownChallenge } from '../../../owners/proof.ts';
import { type ProofView, proofPage } from '../../../pages/owner/proof.ts';
import { segmentOf } from '../../../pages/texts.ts';
import { refusalProblem } from '../../error-answers.ts';
import { agentOfMember } from '../../operations/own-agent.ts';
import { giveUpAgent } from '../../operations/own-agent-changes.ts';
import { LOOK_MS } from '../../operations/shared-answers.ts';
import { keyActor, requireMemberKey } from '../../owner-only.ts';
import { agentOf, queryText, searchParams } from '../../parameters.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { sendNotYours } from './my-agents.ts';
import { type OwnFormRequest, type OwnPageParts, ownerSession } from './parts.ts';
import { OWNER_PATH } from './sessions.ts';

const PATH = `${OWNER_PATH}/agents/:encodedUrl/proof`;
/** The refusals that the page shows. */
const SAID = [400, 404, 409, 429, 501, 503];

/** GET …/proof and its forms: how a member verifies that it owns an agent. */
export function proofPages(server: FastifyInstance, pages: HtmlPages, parts: OwnPageParts): void {
  const { records, sessions, clock, proving } = parts;
  const { site } = pages;
  const show = async (
    request: OwnFormRequest,
    reply: FastifyReply,
    { agent, actor }: { readonly agent: string; readonly actor: KeyActor },
    told: Pick<ProofView, 'looked' | 'refusal' | 'done'>,
  ) => {
    const own = await agentOfMember(parts, agent, actor.member);
    const { proven, type, name, description, contact } = own;
    const words = defined({ name, type: type === 'unknown' ? undefined : type, description, contact });
    const open = await records.owners.challengeOf(agent, actor.member);
    const isOpen = open !== undefined && open.expiresAt > clock.now();
    const view = {
      words,
      ...{ url: agent, isProven: proven, isOffered: parts.findProof !== undefined },
      ...(isOpen && { challenge: shownChallenge(open) }),
      ...told,
    };
    return pages.sendPrivate(reply, keptPage(site, proofPage(site, ownerSession(request, sessions), view)));
  };
  const asked = (request: OwnFormRequest, reply: FastifyReply) => {
    const actor = keyActor(requireMemberKey(request, reply));
    return { agent: agentOf(request.params.encodedUrl), actor };
  };
  const own = (agent: string) => `${site.root}${OWNER_PATH}/agents/${segmentOf(agent)}`;
  server.get(PATH, scopedPage('agents'), async (request: OwnFormRequest, reply) => {
    try {
      const done = searchParams(queryText(request)).get('done') ?? undefined;
      return await show(request, reply, asked(request, reply), { done });
    } catch (error) {
      return sendNotYours(pages, sessions, { error, request, reply });
    }
  });
  /** What a form does: the path that it redirects to, or where the text was not found. */
  type Deed = (agent: string, actor: KeyActor) => Promise<string | Pick<ProofView, 'looked'>>;
  const options = { ...scopedPage('agents'), handlerTimeout: LOOK_MS };
  const form = (name: string, deed: Deed) =>
    server.post(`${PATH}/${name}`, options, async (request: OwnFormRequest, reply) => {
      try {
        const { agent, actor } = asked(request, reply);
        try {
          const came = await deed(agent, actor);
          if (typeof came === 'string') return reply.redirect(came, 303);
          return await show(request, reply, { agent, actor }, came);
        } catch (error) {
          const problem = refusalProblem(error);
          if (problem === undefined || !SAID.includes(problem.status)) throw error;
          const refusal = problem.message;
          const refused = reply.code(problem.status).headers(problem.headers);
          return await show(request, refused, { agent, actor }, { refusal });
        }
      } catch (error) {
        return sendNotYours(pages, sessions, { error, request, reply });
      }
    });
  form('text', async (agent, actor) => {
    await proving.challenge(agent, actor);
    return `${own(agent)}/proof`;
  });
  form('look', async (agent, actor) => {
    const { via, looked } = await proving.prove(agent, actor);
    return via === undefined ? { looked } : `${own(agent)}?done=proven`;
  });
  form('give-up', async (agent, actor) => {
    await giveUpAgent(parts, actor, agent);
    return `${site.root}${OWNER_PATH}?done=given-up`;
  });
}
