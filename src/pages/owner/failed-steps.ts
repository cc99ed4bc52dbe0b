import { html, type SafeHtml } from '@remix-run/html-template';
import { checkBox, checkCommand } from '../check-command.ts';
import { outward, said } from '../texts.ts';
import { inconclusiveNotice } from './inconclusive.ts';
import { cameInstead } from './no-answer.ts';
import type { ShownStep, ShownSteps } from './view.ts';

const MOST_CHECKS = 8;
const MOST_VALUE = 400;

/**
 * Each failed step with the expected and the actual value, and the command that repeats it. The page says elsewhere what to do
 * about an inconclusive test.
 */
export function failedStepList(
  agent: string,
  { run_id, steps, steps_truncated, options, inconclusive }: ShownSteps,
): SafeHtml {
  const hasCredential = options.some(([flag]) => flag === '--auth-env');
  if (run_id === null)
    return html`<p>No steps are stored: the agent was not tested yet, or the steps of its latest test were deleted.</p>`;
  const unfinished = inconclusive === undefined ? '' : inconclusiveNotice(inconclusive, true);
  if (steps.length === 0)
    return inconclusive === undefined ? html`<p>No step failed.</p>` : html`${unfinished}`;
  return html`${unfinished}${hasCredential ? html`<p>Before you run the commands below, set the variable <code>TOKEN</code> to the test credential.</p>` : ''}${steps.map((step) => oneStep(agent, step, options))}${steps_truncated === true ? html`<p class="type">More steps failed. The JSON of the test lists all of them.</p>` : ''}`;
}

function oneStep(agent: string, step: ShownStep, options: ShownSteps['options']): SafeHtml {
  const { storyboard_id, phase_id, step_id, title, task, checks, no_answer: none, doc_ref: doc } = step;
  const selected = step.independent
    ? (['--step', `${storyboard_id}/${phase_id}/${step_id}`] as const)
    : (['--only', storyboard_id] as const);
  const again = checkCommand(agent, [selected, ...options]);
  return html`<details class="step" open><summary>${said(title, 160)}</summary>
<p class="type"><code>${said(storyboard_id, 100)}</code> / <code>${said(phase_id, 100)}</code> / <code>${said(step_id, 100)}</code>, task <code>${said(task, 80)}</code>${doc === null ? '' : html`, docs ${outward(doc)}`}</p>${none === null ? '' : html`<p><b>No valid answer</b>: ${cameInstead(none)} after ${(step.duration_ms / 1_000).toFixed(1)} s. A step without a valid answer always fails.</p>`}
${checks.slice(0, MOST_CHECKS).map(
  ({ message, pointer, expected, actual }) => html`<p>${said(message, 400)}</p>
<dl class="facts compare"><div><dt>Expected</dt><dd><code>${valueText(expected)}</code></dd></div><div><dt>Actual${pointer === null ? '' : html` at <code>${said(pointer === '' ? '/' : pointer, 160)}</code>`}</dt><dd><code>${valueText(actual)}</code></dd></div></dl>`,
)}${checks.length > MOST_CHECKS ? html`<p class="type">and ${checks.length - MOST_CHECKS} more</p>` : ''}
${checkBox('Command that repeats this step', again)}</details>`;
}

function valueText(value: unknown): SafeHtml {
  return value === null || value === undefined
    ? said('nothing')
    : said(typeof value === 'string' ? value : JSON.stringify(value), MOST_VALUE);
}
