import type { FastifyInstance, FastifyReply } from 'fastify';
import { msOf, runPage } from '../../../pages/owner/runs.ts';
import type { OwnerRequest } from '../../owner-only.ts';
import { HttpProblem } from '../../problem.ts';
import { askedRun, summary } from '../../render/compliance-runs.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { credentialOf, type OwnFormRequest, type OwnPageParts, ownerSession, shownSteps } from './parts.ts';
import { toldRun, troublesOf } from './run-story.ts';
import { OWNER_PATH } from './sessions.ts';

const PATH = `${OWNER_PATH}/agents/:encodedUrl/runs/:id`;
const MOST_STEPS = 100;

interface RunPagesParts extends OwnPageParts {
  allowed(request: OwnFormRequest, reply: FastifyReply): Promise<OwnerRequest>;
  notYours(error: unknown, request: OwnFormRequest, reply: FastifyReply): FastifyReply;
  note(asked: OwnerRequest, request: OwnFormRequest, runId: string): void;
}

/** GET …/runs/{id} for an owner: a run, or its progress while it is open; and …/state for the script that follows it. */
export function myRunPages(server: FastifyInstance, pages: HtmlPages, parts: RunPagesParts): void {
  const { records, sessions, clock, allowed, notYours, note } = parts;
  const { compliance, runs, agents } = records;
  const { site } = pages;
  const idOf = (request: OwnFormRequest) => (request.params as { readonly id?: string }).id ?? '';
  const openRun = async (agent: string, id: string) => {
    const open = await runs.requested(agent);
    return open?.runId === id
      ? { ...askedRun(open), waited_s: Math.max(0, clock.now() - open.askedAt) / 1_000 }
      : undefined;
  };
  server.get(`${PATH}/state`, scopedPage('read'), async (request: OwnFormRequest, reply) => {
    const { agent } = await allowed(request, reply);
    const open = await openRun(agent, idOf(request));
    reply
      .header('cache-control', 'no-store')
      .header('vary', 'Cookie')
      .removeHeader('access-control-allow-origin');
    return reply.type('application/json; charset=utf-8').send(open ?? { state: 'finished' });
  });
  server.get(PATH, scopedPage('read'), async (request: OwnFormRequest, reply) => {
    try {
      const asked = await allowed(request, reply);
      const { agent } = asked;
      const id = idOf(request);
      const [open, [saved], [last], state] = await Promise.all([
        openRun(agent, id),
        agents.saved([agent]),
        compliance.lastRuns(agent, { limit: 1 }),
        compliance.state(agent),
      ]);
      const isKept = open === undefined && state?.settings.optedOut === false;
      const run = isKept ? await compliance.evidence(agent, id) : undefined;
      if (open === undefined && run === undefined) throw new HttpProblem('not_found', 'unknown test run');
      if (run !== undefined) note(asked, request, id);
      const failed = await shownSteps(parts, agent, run, MOST_STEPS);
      const view = {
        ...{ url: agent, name: saved?.document?.base.name ?? '', id },
        ...{ waited: open?.waited_s ?? 0, usual: last === undefined ? 0 : msOf(last) },
        ...(open && { open }),
        ...(run && {
          finished: {
            ...summary(run, true),
            ...{ failed, story: toldRun(run) },
            troubles: troublesOf(run, await credentialOf(parts, agent, run)),
          },
        }),
      };
      return pages.sendPrivate(reply, keptPage(site, runPage(site, ownerSession(request, sessions), view)));
    } catch (error) {
      return notYours(error, request, reply);
    }
  });
}
