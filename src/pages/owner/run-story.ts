import { html, type SafeHtml } from '@remix-run/html-template';
import type { Result, StoryboardOutcome } from '../../domain/judged-run.ts';
import type { StoryboardSoFar } from '../../domain/run-so-far.ts';
import { pill, said, tookText } from '../texts.ts';

/** A storyboard of a finished run. */
export interface StoryboardTold extends StoryboardSoFar {
  /** Of all its steps. */
  readonly duration_ms?: number;
  /** The first reason why it was skipped or is incomplete. */
  readonly why?: string;
  /** How many of its steps ran; absent where `steps` is complete. */
  readonly ran?: { readonly steps: number; readonly of: number };
  /** It is shown as incomplete, because most of its steps were skipped; the counts have it as passing. */
  readonly counts_as_passing?: true;
}

/** A finished run, storyboard by storyboard. */
export interface RunStory {
  readonly storyboards: readonly StoryboardTold[];
  /** More storyboards or steps are in the JSON of the run. */
  readonly is_cut: boolean;
  /** The steps are not stored, or were deleted. */
  readonly without_steps: boolean;
}

const WORDS = {
  pass: ['good', 'passed', '✓'],
  fail: ['bad', 'failed', '✗'],
  incomplete: ['warn', 'incomplete', '◐'],
  skipped: ['calm', 'skipped', '–'],
} as const;

/** A finished run: storyboard by storyboard, step by step, with the duration of each. */
export function runStory({ storyboards, is_cut, without_steps }: RunStory): SafeHtml {
  if (storyboards.length === 0) return html`<p>No storyboard was started, or the results were deleted.</p>`;
  return html`${without_steps ? html`<p class="type">The steps of this test are not stored.</p>` : ''}
<ol class="live">${storyboards.map(storyboardItem)}</ol>${is_cut ? html`<p class="type">The JSON of the test has the rest.</p>` : ''}`;
}

/** One storyboard with its steps; without a result it is still running. */
export function storyboardItem(told: StoryboardTold): SafeHtml {
  const { title, steps, duration_ms: ms, why, counts_as_passing: counts } = told;
  const result = shownResult(told);
  const besides = [
    ...(result === 'incomplete' ? [ranText(told)] : []),
    ...(counts === true ? ['counts as passing'] : []),
    ...(ms === undefined || result === 'skipped' ? [] : [tookText(ms)]),
  ];
  return html`<li><p><b>${said(title, 120)}</b> ${result === undefined ? pill('warn', 'running') : pill(WORDS[result][0], WORDS[result][1])}${besides.length === 0 ? '' : html` <span class="type">${besides.join(', ')}</span>`}</p>${why === undefined ? '' : html`<p class="type">${said(why, 300)}</p>`}
<ul>${steps.map((one) => stepItem(one.title, one.result, one.duration_ms))}</ul></li>`;
}

/** Of a run that goes on, only the steps tell whether most of them were skipped. */
function shownResult({ result, steps }: StoryboardTold): StoryboardOutcome | undefined {
  const skipped = steps.filter((step) => step.result === 'skipped').length;
  return result === 'pass' && skipped > steps.length - skipped ? 'incomplete' : result;
}

/** `2 of 17 steps ran`. */
function ranText({ steps, ran }: StoryboardTold): string {
  const count = ran ?? { steps: steps.filter(({ result }) => result !== 'skipped').length, of: steps.length };
  return `${count.steps} of ${count.of} steps ran`;
}

function stepItem(title: string, result: Result, tookMs: number): SafeHtml {
  const [tone, word, mark] = WORDS[result];
  return html`<li class="${tone}"><span aria-hidden="true">${mark}</span><span class="unseen">${word}: </span> ${said(title, 100)}${result === 'skipped' ? '' : html` <span class="type">${Math.round(tookMs)} ms</span>`}</li>`;
}
