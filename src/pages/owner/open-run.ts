import { html, type SafeHtml } from '@remix-run/html-template';
import type { Result } from '../../domain/judged-run.ts';
import type { RunSoFar, StoryboardSoFar } from '../../domain/run-so-far.ts';
import { moment, pill, said } from '../texts.ts';
import type { OpenRun } from './view.ts';

const WORDS = {
  pass: ['good', 'passed', '✓'],
  fail: ['bad', 'failed', '✗'],
  skipped: ['calm', 'skipped', '–'],
} as const;

/**
 * A run that is not over: how far it is, and each storyboard with its steps, the newest first. `here` is the address of the
 * page; `waited` and `usual` as in the view of the page.
 */
export function runUnderWay(
  here: string,
  { state, asked_at, so_far: soFar }: OpenRun,
  { waited, usual }: { readonly waited: number; readonly usual: number },
): SafeHtml {
  const isRunning = state === 'running';
  return html`<div data-run="${here}/state"><p role="status"><b data-run-state>${isRunning ? 'Running' : 'Waiting for its turn'}</b><span data-run-done>${soFar === undefined ? '' : doneText(soFar)}</span></p>
<progress data-run-bar max="${Math.max(1, soFar?.steps ?? 1)}" value="${soFar === undefined ? 0 : stepsOf(soFar)}" aria-label="Steps done"></progress>
<p class="type">Asked for at ${moment(asked_at)}, <span data-run-waited>${Math.round(waited)}</span> s ago.${usual === 0 ? '' : html` The last one took ${usual.toFixed(0)} s.`} <a href="${here}">Look again</a></p>
<ol class="live" reversed data-run-storyboards>${(soFar?.begun ?? []).toReversed().map(storyboardItem)}</ol></div>`;
}

function doneText(soFar: RunSoFar): string {
  return `: ${stepsOf(soFar)} of ${soFar.steps} steps, ${soFar.begun.filter(({ result }) => result !== undefined).length} of ${soFar.storyboards} storyboards`;
}

function stepsOf({ begun }: RunSoFar): number {
  return begun.reduce((sum, { steps }) => sum + steps.length, 0);
}

function storyboardItem({ title, result, steps }: StoryboardSoFar): SafeHtml {
  return html`<li><p><b>${said(title, 120)}</b> ${result === undefined ? pill('warn', 'running') : pill(WORDS[result][0], WORDS[result][1])}</p>
<ul>${steps.map((one) => stepItem(one.title, one.result, one.duration_ms))}</ul></li>`;
}

function stepItem(title: string, result: Result, tookMs: number): SafeHtml {
  const [tone, word, mark] = WORDS[result];
  return html`<li class="${tone}"><span aria-hidden="true">${mark}</span><span class="unseen">${word}: </span> ${said(title, 100)}${result === 'skipped' ? '' : html` <span class="type">${Math.round(tookMs)} ms</span>`}</li>`;
}
