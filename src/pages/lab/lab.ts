import { html, type SafeHtml } from '@remix-run/html-template';
import type { LabCheck, LabResult } from '../../domain/lab-report.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { ownersWords, type ShownStatement } from '../statement.ts';
import {
  agentPath,
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

/** What stands in the form, and why no exam was begun. */
interface LabForm {
  readonly url?: string;
  /** One sentence without its full stop. */
  readonly refused?: string;
  /** The report that there is already. */
  readonly keptId?: string;
}

/** A report, as far as its page shows it. */
export interface LabView {
  readonly id: string;
  readonly agent: string;
  readonly status: 'running' | 'completed' | 'lost';
  /** RFC 3339. */
  readonly askedAt: string;
  readonly result?: LabResult;
  /** What the owner says of the agent's results. */
  readonly statement?: ShownStatement;
}

export function labPage(site: PageSite, { url = '', refused, keptId }: LabForm): HtmlPage {
  return {
    title: 'Lab',
    description: 'Examine an agent: handshake, capabilities, schemas, card, keys and errors, with a grade.',
    trail: [{ text: 'Lab', path: '/lab' }],
    content: html`<h1>Lab</h1>
<p class="lead">How does an agent look to a client that meets it for the first time?</p>
${refused === undefined ? '' : html`<p class="notice" role="alert">${sentence(refused, 400)}${keptId === undefined ? '' : html` <a href="${site.root}/lab/${keptId}">Read the report that there is</a>.`}</p>`}
${form(site, url)}
<p>It only reads: the handshake over MCP and A2A, the capabilities and their schema, the agent card, the published keys, and two
requests that have to be refused. It asks the agent's own origin alone, so keys that are published elsewhere are not judged. It needs no proof, and sends no credential. An agent is examined once in 5 minutes, whoever asks.</p>
<p>Whoever owns the agent can have <a href="${site.root}/docs/api/startComplianceRun">all storyboards run</a> against its sandbox.</p>`,
  };
}

function form({ root }: PageSite, url: string): SafeHtml {
  return html`<form class="search" method="post" action="${root}/lab">
<div class="words"><label for="url">The address of an agent</label><input id="url" name="url" value="${url}" placeholder="https://sales.example/mcp" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2000" required></div>
<button>Examine</button></form>`;
}

/** Of one exam: under way, over, or lost. */
export function labReportPage(site: PlacedSite, view: LabView): HtmlPage {
  const { agent, result, status, askedAt } = view;
  const name = result?.name === undefined ? agent : plain(result.name, 80);
  return {
    title: result === undefined ? 'Lab: under way' : `Lab: ${result.grade} for ${plain(name, 80)}`,
    description: `How an agent looks to a client that meets it for the first time.`,
    trail: [{ text: 'Lab', path: '/lab' }, { text: 'Report' }],
    content: html`<h1>${result?.name === undefined ? 'Lab report' : said(name, 100)}</h1>
<p class="place"><code dir="ltr">${outward(agent)}</code></p>
${result === undefined ? waiting(site, status, view) : graded(result, askedAt)}
${ownersWords(view.statement)}
<p><a href="${agentPath(site, agent)}">What the directory knows of it</a></p>
${allTests(site, agent)}
${result === undefined ? '' : html`<h2 id="again">Examine again</h2>${form(site, agent)}`}
${sameAsJson(site, `${site.root}/api/registry/lab/${view.id}`)}`,
  };
}

/** Everybody sees the same: the owner's form is behind the session, and the cookie of it is read on owners' pages alone. */
function allTests({ root }: PageSite, agent: string): SafeHtml {
  return html`<h2 id="all">Run all tests</h2>
<p>Is it yours? All storyboards call its tasks against its sandbox, once it is proven to be yours. You watch them step by step.</p>
<p><a class="button" href="${root}/my/agents/${segmentOf(agent)}#runs">Run all tests</a></p>
<p class="type">It asks you to sign in first. There you also say why a verdict is wrong.
Without proof, <a href="${root}/docs/guides/agent-owner#prove-that-an-agent-is-yours">see how to prove it</a>.</p>`;
}

function waiting({ root }: PageSite, status: LabView['status'], { id, askedAt }: LabView): SafeHtml {
  if (status === 'lost')
    return html`<p class="notice">The exam of ${moment(askedAt)} was lost. Begin another one.</p>`;
  return html`<p class="notice" role="status">It is being examined since ${moment(askedAt)}, which takes up to a minute.
This page looks again by itself; or <a href="${root}/lab/${id}">look now</a>.</p>`;
}

function graded(
  { grade, points, outOf, protocols, checks, steps, durationMs, dialledUrl }: LabResult,
  askedAt: string,
): SafeHtml {
  return html`<p class="pills"><b class="grade ${GRADES[grade]}">${grade}</b> <span>${points} of ${outOf} points</span> ${protocols.map((one) => pill('calm', one.toUpperCase()))} <span class="type">examined ${moment(askedAt)}, in ${tookText(durationMs)}</span></p>
${dialledUrl === undefined ? '' : html`<p class="type">It was called at <code dir="ltr">${outward(dialledUrl)}</code>, as it is registered or declared.</p>`}
<h2 id="checks">What was looked at</h2>
<ul class="checks">${checks.map(checkItem)}</ul>
<details><summary>${steps.length} requests</summary><ul class="places">${steps.map(
    ({ step, url, ok, durationMs: took, detail }) =>
      html`<li>${ok ? pill('good', 'ok') : pill('warn', 'no')} <b>${said(step, 60)}</b> <code>${outward(url)}</code> ${took} ms${detail === undefined ? '' : html`<p class="type">${said(detail, 300)}</p>`}</li>`,
  )}</ul></details>`;
}

const GRADES = { A: 'good', B: 'good', C: 'warn', D: 'warn', F: 'bad' } as const;
const TONES = {
  passed: ['good', 'passed'],
  partly: ['warn', 'in part'],
  failed: ['bad', 'failed'],
  skipped: ['calm', 'not judged'],
} as const;

function checkItem({ title, result, points, outOf, reason, hint }: LabCheck): SafeHtml {
  const [tone, word] = TONES[result];
  return html`<li><b>${title}</b> <span>${pill(tone, word)} <span class="count">${outOf === 0 ? '' : `${points} of ${outOf}`}</span></span>
<div>${sentence(reason, 300)}${hint === undefined ? '' : html`<br><span class="type">${sentence(hint, 200)}</span>`}</div></li>`;
}
