import type { FastifyInstance, FastifyReply } from 'fastify';
import { ownEntry } from '../../../base/json.ts';
import { partyOfMember } from '../../../budgets/budgets.ts';
import type { ApiScope } from '../../../domain/api-scope.ts';
import { isActive } from '../../../domain/badge.ts';
import { isFirstTest, runNowWait, type Standing, whyClosed } from '../../../domain/standing.ts';
import type { TokenFailure } from '../../../owners/token-exchange.ts';
import { myAgentPage } from '../../../pages/owner/my-agent.ts';
import type { ClosedChecks, OwnerView } from '../../../pages/owner/view.ts';
import { createOwnerAccessLog } from '../../access-log.ts';
import { refusalProblem } from '../../error-answers.ts';
import { agentAudit } from '../../operations/agent-audit.ts';
import { credentialStatus, forgetToken, keepCredential, tokenOf } from '../../operations/credential.ts';
import { clientOf, tryClient } from '../../operations/oauth-client.ts';
import { keepStatement, shownStatement, statementText } from '../../operations/owner-statement.ts';
import { changeSettings, readMember } from '../../operations/settings.ts';
import { LOOK_MS } from '../../operations/shared-answers.ts';
import { askForRun } from '../../operations/start-run/ask-for-run.ts';
import { type OwnerRequest, requireOwner } from '../../owner-only.ts';
import { HttpProblem } from '../../problem.ts';
import { agentSettings } from '../../render/agent-settings.ts';
import { protocolLines } from '../../render/compliance-lines.ts';
import { complianceHistory } from '../../render/compliance-runs.ts';
import { type FormFields, textField } from '../forms.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { eligibilityOf } from './badge-eligibility.ts';
import { pendingAgentPage, sendNotYours } from './my-agents.ts';
import {
  type OwnerPagesParts,
  type OwnFormRequest,
  type OwnPageParts,
  ownerSession,
  shownSteps,
} from './parts.ts';
import { myRunPages } from './runs.ts';
import { OWNER_PATH } from './sessions.ts';

const PATH = `${OWNER_PATH}/agents/:encodedUrl`;
const LAST_RUNS = 10;
const LAST_RECORDS = 20;
const MOST_STEPS = 20;
const MINUTE_MS = 60_000;

/** What a form does; returns the message of the page, or the path to redirect to. */
type Deed = (asked: OwnerRequest, form: FormFields) => Promise<{ done: string } | { path: string }>;

/** GET /my/agents/{encodedUrl} and its forms: the operations for owners, with the key of the session. */
export function myAgentPages(server: FastifyInstance, pages: HtmlPages, parts: OwnPageParts): void {
  const { records, sessions, credentials } = parts;
  const { owners } = records;
  const { site } = pages;
  const accesses = createOwnerAccessLog(owners);
  server.addHook('onClose', () => accesses.settled());
  const note = (
    { agent, viewer: { keyId, member } }: OwnerRequest,
    request: OwnFormRequest,
    runId?: string,
  ) =>
    accesses.note(
      { agent, keyId, member, ...(runId !== undefined && { runId }) },
      parts.clock.now(),
      request.log,
    );
  const allowed = (request: OwnFormRequest, reply: FastifyReply) =>
    requireOwner(owners, request, reply, 'the page of an agent', ['done', 'audit']);
  const notYours = (error: unknown, request: OwnFormRequest, reply: FastifyReply) =>
    sendNotYours(pages, sessions, { error, request, reply });
  const show = async (
    request: OwnFormRequest,
    reply: FastifyReply,
    asked: OwnerRequest,
    refusal?: string,
  ) => {
    const told = { done: asked.parameters.get('done'), ...(refusal !== undefined && { refusal }) };
    const view = await ownerView(parts, asked);
    if (!view.settings.compliance_opt_out) note(asked, request);
    return pages.sendPrivate(
      reply,
      keptPage(site, myAgentPage(site, ownerSession(request, sessions), view, told)),
    );
  };
  server.get(PATH, scopedPage('read'), async (request: OwnFormRequest, reply) => {
    try {
      return await show(request, reply, await allowed(request, reply));
    } catch (error) {
      const isUnowned = error instanceof HttpProblem && error.code === 'not_found';
      const pending = isUnowned ? await pendingAgentPage(pages, parts, request) : undefined;
      if (pending !== undefined) return pages.sendPrivate(reply, pending);
      return notYours(error, request, reply);
    }
  });
  const form = (name: string, scope: ApiScope, deed: Deed, limits: { handlerTimeout?: number } = {}) =>
    server.post(
      `${PATH}/${name}`,
      { ...scopedPage(scope), ...limits },
      async (request: OwnFormRequest, reply) => {
        try {
          const asked = await allowed(request, reply);
          try {
            const came = await deed(asked, request.body);
            const own = `${OWNER_PATH}/agents/${encodeURIComponent(asked.agent)}`;
            const path = 'done' in came ? `${own}?done=${came.done}` : `${own}${came.path}`;
            return reply.redirect(`${site.root}${path}`, 303);
          } catch (error) {
            const problem = refusalProblem(error);
            if (problem === undefined || ![400, 409, 429, 501, 503].includes(problem.status)) throw error;
            return await show(
              request,
              reply.code(problem.status).headers(problem.headers),
              asked,
              problem.message,
            );
          }
        } catch (error) {
          return notYours(error, request, reply);
        }
      },
    );
  form('settings', 'settings', async (asked, fields) => {
    const before = await owners.settings(asked.agent);
    const after = await changeSettings(asked, changeOf(fields), parts);
    return { done: JSON.stringify(before) === JSON.stringify(after) ? 'unchanged' : 'settings' };
  });
  form('credential', 'credentials', async (asked, fields) => {
    await keepCredential(credentials, asked, { token: tokenOf(textField(fields, 'token'), 'token') });
    return { done: 'stored' };
  });
  form('oauth-client', 'credentials', async (asked, fields) => {
    const given = OAUTH_FIELDS.map((name) => [name, textField(fields, name).trim()] as const);
    // an empty field of a form is not sent
    const client = clientOf(Object.fromEntries(given.filter(([, text]) => text !== '')));
    await keepCredential(credentials, asked, { client });
    return { done: 'stored' };
  });
  const requestToken: Deed = async (asked) => {
    const { kind } = await credentialStatus(credentials, asked);
    if (kind !== 'oauth_client_credentials')
      throw new HttpProblem('bad_request', 'no OAuth client is stored');
    const { failure } = await tryClient(parts, asked.agent, partyOfMember(asked.viewer.member));
    if (failure !== undefined) throw new HttpProblem('bad_request', tokenFailure(failure));
    return { done: 'token-received' };
  };
  form('test-oauth-client', 'credentials', requestToken, { handlerTimeout: LOOK_MS });
  form('forget-credential', 'credentials', async (asked) => {
    await forgetToken(credentials, asked);
    return { done: 'forgotten' };
  });
  form('statement', 'settings', async (asked, fields) => {
    await keepStatement(asked, statementText(textField(fields, 'text')), parts);
    return { done: 'said' };
  });
  form('take-back-statement', 'settings', async (asked) => {
    await keepStatement(asked, null, parts);
    return { done: 'unsaid' };
  });
  form('run', 'runs', async ({ agent, viewer: { keyId, member } }) => {
    const actor = { kind: 'key', keyId, member } as const;
    const { asked } = await askForRun(agent, { actor, trigger: 'owner_test' }, parts);
    return { path: `/runs/${asked.runId}` };
  });
  myRunPages(server, pages, { ...parts, allowed, notYours, note });
}

/** The one setting that a form changes, read as the operation reads it. An empty text clears what can be cleared. */
function changeOf(fields: FormFields) {
  const names = [...fields.keys()].filter((one) => one !== 'form');
  const [name, ...others] = names;
  if (names.length > 0 && names.every((one) => Object.hasOwn(SETUP_FIELDS, one)))
    return readMember('test_setup', setupOf(fields, names));
  if (name === undefined || others.length > 0)
    throw new HttpProblem('bad_request', 'a form changes exactly one setting');
  const value = textField(fields, name).trim();
  if (name === 'compliance_target') return readMember(name, value === '' ? null : value);
  return readMember(name, ownEntry(VALUES, value) ?? (/^\d{1,5}$/.test(value) ? Number(value) : value));
}

/** The fields of the form for `test_setup`, by their paths in it. */
const SETUP_FIELDS: Readonly<Record<string, (text: string) => object>> = {
  'test_setup.operator': (text) => ({ operator: text || null }),
  'test_setup.brand.domain': (text) => ({ brand: text === '' ? null : { domain: text } }),
  'test_setup.account.account_id': (text) => ({ account: text === '' ? null : { account_id: text } }),
};

function setupOf(fields: FormFields, names: readonly string[]): object {
  return Object.assign({}, ...names.map((name) => SETUP_FIELDS[name]?.(textField(fields, name).trim())));
}

const OAUTH_FIELDS = [
  ...['token_endpoint', 'client_id', 'client_secret'],
  ...['scope', 'resource', 'audience', 'auth_method'],
];

function tokenFailure({ message, httpStatus }: TokenFailure): string {
  return httpStatus === undefined ? message : `${message} (HTTP ${httpStatus})`;
}

const VALUES: Readonly<Record<string, boolean>> = { true: true, false: false };

async function ownerView(parts: OwnerPagesParts, asked: OwnerRequest): Promise<OwnerView> {
  const { records, credentials } = parts;
  const { agent, owner } = asked;
  const { owners, compliance, runs, agents } = records;
  const [state, open, [saved], audit, statement] = await Promise.all([
    compliance.state(agent),
    runs.requested(agent),
    agents.saved([agent]),
    agentAudit(owners, asked, { limit: LAST_RECORDS, cursor: asked.parameters.get('audit') }),
    shownStatement(owners, agent),
  ]);
  if (state === undefined) throw new HttpProblem('not_found', 'this agent no longer exists in the registry');
  const { settings, standing, due } = state;
  const now = parts.clock.now();
  const waitMs = runNowWait(standing, now, owner.provenAt);
  const id = standing.latest?.runId;
  const [history, evidence] = settings.optedOut
    ? [[], undefined]
    : await Promise.all([
        compliance.lastRuns(agent, { limit: LAST_RUNS, includeHidden: true }),
        id === undefined ? undefined : compliance.evidence(agent, id),
      ]);
  const last = history.find(
    ({ dry_run: dry, partial, role }) => !dry && partial !== true && role === undefined,
  );
  const unfinished =
    last?.inconclusive && last.run_id !== evidence?.run_id
      ? await compliance.evidence(agent, last.run_id)
      : undefined;
  const protocol = await protocolLines(parts, { agent, state, isOwner: true });
  const { inconclusive } = await shownSteps(parts, agent, unfinished, 0);
  const body = complianceHistory({ agent, state, isOwner: true }, history, LAST_RUNS);
  return {
    ...{
      url: agent,
      name: saved?.document?.base.name ?? '',
      settings: agentSettings(agent, owner, settings, due),
    },
    ...(!settings.optedOut && standing.closed && { closed: closedChecks(standing, standing.closed) }),
    ...{ status: standing.status, nextRunAt: due === null ? null : new Date(due).toISOString() },
    isFirst: !settings.optedOut && isFirstTest(standing, owner.provenAt),
    // pages show times to the minute
    ...(waitMs > 0 && {
      runAgainAt: new Date(Math.ceil((now + waitMs) / MINUTE_MS) * MINUTE_MS).toISOString(),
    }),
    ...(open && {
      asked: { run_id: open.runId, state: open.state, asked_at: new Date(open.askedAt).toISOString() },
    }),
    runs: 'runs' in body ? body.runs : [],
    failed: await shownSteps(parts, agent, evidence, MOST_STEPS),
    ...(inconclusive && { inconclusive }),
    ...(credentials && { credential: await credentialStatus(credentials, asked) }),
    ...(statement && { statement }),
    ...(protocol && { protocol }),
    eligibility: await eligibilityOf(parts, owner.member),
    badges: state.badges.filter(isActive).map(({ role, line, graceSince }) => ({
      ...{ role, line },
      grace_since: graceSince === null ? null : new Date(graceSince).toISOString(),
    })),
    ...{ audit: audit.records, auditNext: audit.next_cursor },
  };
}

function closedChecks(standing: Standing, closed: NonNullable<Standing['closed']>): ClosedChecks {
  return {
    since: new Date(closed.since).toISOString(),
    checks: closed.tries,
    reason: closed.unread === true ? 'declaration' : 'credential',
    failsBadges: whyClosed(standing) !== undefined,
  };
}
