import { html, type SafeHtml } from '@remix-run/html-template';
import { LAB_GRADES, type LabCheck, type LabResult } from '../../domain/lab-report.ts';
import { fact } from '../files/file-parts.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { ownersWords, type ShownStatement } from '../statement.ts';
import {
  agentPath,
  amountText,
  moment,
  outward,
  pill,
  plain,
  said,
  sameAsJson,
  segmentOf,
  sentence,
  tookText,
} from '../texts.ts';

interface LabForm {
  readonly url?: string;
  /** Why no exam was begun: one sentence without its full stop. */
  readonly refused?: string;
  /** The existing report. */
  readonly keptId?: string;
}

/** A report as its page shows it. */
export interface LabView {
  readonly id: string;
  readonly agent: string;
  readonly status: 'running' | 'completed' | 'lost';
  /** RFC 3339. */
  readonly askedAt: string;
  readonly result?: LabResult;
  /** The owner's statement about the results. */
  readonly statement?: ShownStatement;
}

export function labPage(site: PageSite, { url = '', refused, keptId }: LabForm): HtmlPage {
  return {
    title: 'Lab',
    description:
      'Check any agent: handshake, capabilities, schema, agent card, keys and errors, with a grade.',
    trail: [{ text: 'Lab', path: '/lab' }],
    content: html`<h1>Lab</h1>
<p class="lead">See how your agent looks to a client that connects for the first time.</p>
${refused === undefined ? '' : html`<p class="notice" role="alert">${sentence(refused, 400)}${keptId === undefined ? '' : html` <a href="${site.root}/lab/${keptId}">Read the existing report</a>.`}</p>`}
${form(site, url)}
<p>You need neither to sign in nor to own the agent. The lab connects over MCP and A2A, reads the capabilities, the agent card
and the published keys, and sends two requests that the agent must reject. It sends no credentials and contacts only the origin of the agent.
Each agent can be checked once every 5 minutes.</p>
<p>Is your agent on your own machine? Run <code>agent-registry probe http://localhost:3000/mcp</code> instead. Do you own the agent?
<a href="${site.root}/docs/api/startComplianceRun">Run all storyboards</a> against its sandbox.</p>
${legend()}`,
  };
}

function form({ root }: PageSite, url: string): SafeHtml {
  return html`<form class="search" method="post" action="${root}/lab">
<div class="words"><label for="url">URL of the agent</label><input id="url" name="url" value="${url}" placeholder="https://sales.example/mcp" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2000" required></div>
<button>Check agent</button></form>`;
}

/** The page of one exam: running, completed, or lost. */
export function labReportPage(site: PlacedSite, view: LabView): HtmlPage {
  const { agent, result, status, askedAt } = view;
  const name = result?.name === undefined ? agent : plain(result.name, 80);
  return {
    title: result === undefined ? 'Lab: running' : `Lab: ${result.grade} for ${plain(name, 80)}`,
    description: 'How an agent looks to a client that connects for the first time.',
    trail: [{ text: 'Lab', path: '/lab' }, { text: 'Report' }],
    content: html`<h1>${result?.name === undefined ? 'Lab report' : said(name, 100)}</h1>
<p class="place"><code dir="ltr">${outward(agent)}</code></p>
${result === undefined ? waiting(site, status, view) : graded(result, askedAt)}
${ownersWords(view.statement)}
<p><a href="${agentPath(site, agent)}">Open this agent in the directory</a></p>
${allTests(site, agent)}
${result === undefined ? '' : html`<h2 id="again">Check again</h2>${form(site, agent)}`}
${sameAsJson(site, `${site.root}/api/registry/lab/${view.id}`)}`,
  };
}

/** The same for every viewer: the owner's form needs a session, whose cookie is read on owners' pages alone. */
function allTests({ root }: PageSite, agent: string): SafeHtml {
  return html`<h2 id="all">Run all tests</h2>
<p>The owner of the agent can run all storyboards against its sandbox and watch them step by step.</p>
<p><a class="button" href="${root}/my/agents/${segmentOf(agent)}#runs">Run all tests</a></p>
<p class="type">You need to sign in, and to <a href="${root}/docs/guides/agent-owner#prove-that-an-agent-is-yours">prove that you own the agent</a>. On the same page you can dispute a result.</p>`;
}

function waiting({ root }: PageSite, status: LabView['status'], { id, askedAt }: LabView): SafeHtml {
  if (status === 'lost')
    return html`<p class="notice">The check of ${moment(askedAt)} did not finish. Start a new one.</p>`;
  return html`<p class="notice" role="status">The check started ${moment(askedAt)} and takes up to a minute.
This page reloads every few seconds. <a href="${root}/lab/${id}">Reload now</a></p>`;
}

function graded(
  { grade, points, outOf, protocols, checks, steps, durationMs, dialledUrl }: LabResult,
  askedAt: string,
): SafeHtml {
  return html`<p class="pills"><b class="grade ${TONES_OF_GRADES[grade]}">${grade}</b> <span>${points} of ${outOf} points (${percentOf(points, outOf)}%)</span> ${protocols.map((one) => pill('calm', one.toUpperCase()))} <span class="type">checked ${moment(askedAt)}, in ${tookText(durationMs)}</span></p>
${protocols.length === 0 ? html`<p>The grade is F because the agent answers over neither MCP nor A2A.</p>` : ''}
${dialledUrl === undefined ? '' : html`<p class="type">The check used the registered or declared spelling of the URL: <code dir="ltr">${outward(dialledUrl)}</code></p>`}
<h2 id="checks">Checks</h2>
<ul class="checks">${checks.map(checkItem)}</ul>
<details><summary>${amountText(steps.length, 'request')}</summary><ul class="places">${steps.map(
    ({ step, url, ok, durationMs: took, detail }) =>
      html`<li>${ok ? pill('good', 'ok') : detail?.startsWith(REFUSED) ? pill('calm', 'rejected') : pill('warn', 'failed')} <b>${said(step, 60)}</b> <code>${outward(url)}</code> ${took} ms${detail === undefined ? '' : html`<p class="type">${said(detail, 300)}</p>`}</li>`,
  )}</ul></details>
${legend()}`;
}

/** How the detail of a request begins that the agent answered with an error; the lab sends two that it must reject. */
const REFUSED = 'the agent refused the task';

function percentOf(points: number, outOf: number): number {
  return outOf === 0 ? 0 : Math.floor((points * 100) / outOf);
}

const TONES_OF_GRADES = { A: 'good', B: 'good', C: 'warn', D: 'warn', F: 'bad' } as const;
const TONES = {
  passed: ['good', 'passed'],
  partly: ['warn', 'partly passed'],
  failed: ['bad', 'failed'],
  skipped: ['calm', 'not counted'],
} as const;

function checkItem({ id, title, result, points, outOf, reason, hint }: LabCheck): SafeHtml {
  const [tone, word] = TONES[result];
  const explained = Object.hasOwn(EXPLANATIONS, id) ? EXPLANATIONS[id] : undefined;
  const parts = [
    ...(explained === undefined ? [] : [fact('Checked', explained.checked)]),
    fact('Found', sentence(reason, 300)),
    ...(explained === undefined ? [] : [fact('Why it matters', explained.why)]),
    ...(hint === undefined ? [] : [fact('What to do', sentence(hint, 200))]),
  ];
  return html`<li><b>${title}</b> <span>${pill(tone, word)} <span class="count">${outOf === 0 ? '' : `${points} of ${outOf} points`}</span></span>
<dl class="facts">${parts}</dl></li>`;
}

interface Explanation {
  readonly checked: string;
  readonly why: string;
}

/** By the id of the check. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  https: {
    checked: 'Whether the URL of the agent begins with https://.',
    why: 'Over plain HTTP, others on the network can read and change requests. Clients never send credentials over it.',
  },
  handshake: {
    checked: 'MCP initialize over streamable HTTP and SSE, and the A2A agent card.',
    why: 'A client that cannot connect cannot use the agent. One of the two protocols is enough.',
  },
  tools: {
    checked: 'Whether the listed tools or skills have the names of protocol tasks.',
    why: 'Clients call tasks by their exact name, and the registry infers the type of the agent from them.',
  },
  capabilities: {
    checked: 'A call of get_proto_capabilities, or get_adcp_capabilities, without credentials.',
    why: 'Clients read protocols, specialisms and metrics from it. Without it, tests for protocols and specialisms are skipped, and the agent has no metrics and no badge.',
  },
  schema: {
    checked: 'The answer of the capabilities task against its JSON schema.',
    why: 'Generated clients reject an answer that does not match the schema.',
  },
  unknown_task: {
    checked: 'A call of a task that does not exist.',
    why: 'An agent that answers it hides spelling mistakes: the client believes that its request was processed.',
  },
  wrong_request: {
    checked: 'A call of the capabilities task with a number where the schema requires a list.',
    why: 'Clients use the code, recovery and pointer of the error to correct a request without a person.',
  },
  card: {
    checked: 'Whether the URL in the A2A agent card is an HTTPS URL on the origin of the agent.',
    why: 'A2A clients send requests and credentials to the URL in the card.',
  },
  agreement: {
    checked: 'Whether MCP and A2A return the same supported_protocols.',
    why: 'Otherwise the same agent can do different things, depending on how a client connects.',
  },
  keys: {
    checked: 'The public keys that the brand.json of the agent leads to.',
    why: 'Without a public key, receivers cannot verify the signatures of its requests and webhooks.',
  },
};

/** How points become a grade. */
function legend(): SafeHtml {
  const rows = LAB_GRADES.map(({ grade, from }, at) => {
    const above = LAB_GRADES[at - 1]?.from;
    const range = above === undefined ? `${from}% or more` : `${from}% to less than ${above}%`;
    const meaning = html`${from === 0 ? `less than ${above}%` : range}: ${MEANINGS[grade]}`;
    return html`<div><dt><b class="grade-name">${grade}</b></dt><dd>${meaning}</dd></div>`;
  });
  return html`<h2 id="grades">How the grade is calculated</h2>
<p>A passed check earns all its points, a partly passed one half of them, a failed one none. A check that does not apply is not counted. The grade follows from the percentage of points:</p>
<dl class="facts">${rows}</dl>`;
}

const MEANINGS = {
  A: 'clients can use the agent without any workaround.',
  B: 'minor problems; most clients work.',
  C: 'some clients fail, or cannot recover from errors.',
  D: 'many clients fail.',
  F: 'not usable, or no answer over MCP and A2A.',
} as const;
