import { html, type SafeHtml } from '@remix-run/html-template';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { HtmlPage, PageSite } from '../layout.ts';
import { bundleText } from '../run-tables.ts';
import {
  moment,
  passedText,
  pill,
  plain,
  said,
  segmentOf,
  statusPill,
  tookText,
  untestedPill,
} from '../texts.ts';
import { failedStepList } from './failed-steps.ts';
import { type OwnerSession, ownerFrame } from './frame.ts';
import { runTroubles, shortReason } from './inconclusive.ts';
import { type RunStory, runStory, storyboardItem } from './run-story.ts';
import type { OpenRun, OwnedRun, RunTroubles, ShownSteps } from './view.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  complete: 'complete',
  inconclusive: 'inconclusive',
  unreachable: 'agent unreachable',
};

/** The latest runs, each with a link to its report. */
export function runTable(own: string, runs: readonly OwnedRun[], isOptedOut: boolean): SafeHtml {
  if (runs.length === 0)
    return html`<p class="empty">${isOptedOut ? 'Opted out of tests.' : 'Not tested yet.'}</p>`;
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Latest tests"><table class="stacks">
<thead><tr><th scope="col">Started</th><th scope="col">Result</th><th scope="col">Bundle</th><th scope="col">Storyboards passed</th><th scope="col">Duration</th><th scope="col">Trigger</th></tr></thead>
<tbody>${runs.map(
    (run) =>
      html`<tr><th scope="row"><a href="${own}/runs/${segmentOf(run.run_id)}">${moment(run.started_at)}</a></th><td data-label="Result">${statusPill(run.status)}${asides(run)}</td><td data-label="Bundle">${said(run.proto_version ?? '–', 30)}</td><td data-label="Storyboards passed">${passedText(run)}${untestedPill(run)}</td><td data-label="Duration">${tookText(msOf(run))}</td><td data-label="Trigger">${said(run.triggered_by ?? '–', 30)}</td></tr>`,
  )}</tbody></table></div>`;
}

function asides({ outcome, inconclusive_reason, dry_run, partial, decides, preview }: OwnedRun): SafeHtml {
  return html`${outcome === 'complete' ? '' : html` ${pill('warn', OUTCOMES[outcome] ?? plain(outcome, 40))}`}${inconclusive_reason === null ? '' : html` <span class="type">${shortReason(inconclusive_reason)}</span>`}${dry_run ? html` ${pill('calm', 'dry run')}` : ''}${partial ? html` ${pill('calm', 'some storyboards only')}` : ''}${preview ? html` ${pill('calm', 'preview: decides nothing')}` : ''}${decides || preview || dry_run || partial ? '' : html` ${pill('calm', 'other protocol version')}`}`;
}

/** How long a run took, milliseconds. */
export function msOf({ started_at, finished_at }: Pick<OwnedRun, 'started_at' | 'finished_at'>): number {
  return Math.max(0, Date.parse(finished_at) - Date.parse(started_at));
}

interface RunView {
  readonly url: string;
  readonly name: string;
  /** Of the run. */
  readonly id: string;
  /** Present while it is queued or running. */
  readonly open?: OpenRun;
  /** Seconds since it was requested. */
  readonly waited: number;
  /** Duration of the previous run in milliseconds; 0: unknown. */
  readonly usual: number;
  readonly finished?: FinishedView;
}

type FinishedView = OwnedRun & {
  readonly failed: ShownSteps;
  readonly story: RunStory;
  readonly troubles: RunTroubles;
};

/** `/my/agents/{encodedUrl}/runs/{id}`: one run. The page updates itself until the run is finished. */
export function runPage(site: PageSite, session: OwnerSession, view: RunView): HtmlPage {
  const { url, id, open, finished } = view;
  const own = `/my/agents/${segmentOf(url)}`;
  const here = `${site.root}${own}/runs/${segmentOf(id)}`;
  const name = plain(view.name, 100) || plain(url, 100);
  return ownerFrame(site, session, {
    title: open === undefined ? 'Test' : 'Test in progress',
    description: 'One test of an agent, for its owner.',
    trail: [{ text: 'Your agents', path: '/my' }, { text: name, path: own }, { text: 'Test' }],
    ...(open && { script: 'run.js', refresh: 2 }),
    content: html`<h1>Test of ${said(name, 100)}</h1><p class="type"><code>${said(id, 60)}</code></p>
${open === undefined ? '' : runUnderWay(here, open, view)}${finished === undefined ? '' : result(site, url, finished)}
<p><a href="${site.root}${own}">Back to the agent</a></p>`,
  });
}

function result(site: PageSite, agent: string, run: FinishedView): SafeHtml {
  return html`<p class="pills">${statusPill(run.status)}${untestedPill(run)}${asides(run)}</p>
${run.headline === null ? '' : html`<p class="lead">${said(run.headline, 300)}</p>`}
${runTroubles(run.troubles)}<p>Storyboards passed: ${passedText(run)}. Bundle: ${bundleText(run)}. Started ${moment(run.started_at)}, duration ${tookText(msOf(run))}.${run.dry_run || run.partial || run.preview ? '' : html` <a href="${site.root}/runs/${segmentOf(agent)}/${segmentOf(run.run_id)}">Full report</a> (public).`}</p>
<h2>Failed steps</h2>${failedStepList(agent, run.failed)}
<h2>Storyboards</h2>${runStory(run.story)}`;
}

/**
 * The progress of a run, and each storyboard with its steps, the newest first. `here` is the URL of the page; `waited` and
 * `usual` as in the view of the page.
 */
function runUnderWay(
  here: string,
  { state, asked_at, so_far: soFar }: OpenRun,
  { waited, usual }: { readonly waited: number; readonly usual: number },
): SafeHtml {
  const isRunning = state === 'running';
  return html`<div data-run="${here}/state"><p role="status"><b data-run-state>${isRunning ? 'Running' : 'Queued'}</b><span data-run-done>${soFar === undefined ? '' : doneText(soFar)}</span></p>
<progress data-run-bar max="${Math.max(1, soFar?.steps ?? 1)}" value="${soFar === undefined ? 0 : stepsOf(soFar)}" aria-label="Steps done"></progress>
<p class="type">Requested ${moment(asked_at)}, <span data-run-waited>${Math.round(waited)}</span> s ago.${usual === 0 ? '' : html` The previous test took ${tookText(usual)}.`} <a href="${here}">Refresh</a></p>
<ol class="live" reversed data-run-storyboards>${(soFar?.begun ?? []).toReversed().map(storyboardItem)}</ol></div>`;
}

function doneText(soFar: RunSoFar): string {
  return `: ${stepsOf(soFar)} of ${soFar.steps} steps, ${soFar.begun.filter(({ result }) => result !== undefined).length} of ${soFar.storyboards} storyboards`;
}

function stepsOf({ begun }: RunSoFar): number {
  return begun.reduce((sum, { steps }) => sum + steps.length, 0);
}
