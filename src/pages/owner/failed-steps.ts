import { html, type SafeHtml } from '@remix-run/html-template';
import { checkBox, checkCommand } from '../check-command.ts';
import { said } from '../texts.ts';
import type { ShownStep, ShownSteps } from './view.ts';

const MOST_CHECKS = 8;
const MOST_VALUE = 400;

/** Each failed step with what was expected and what came, and the command that shows it again. */
export function failedStepList(
  agent: string,
  { run_id, steps, steps_truncated, options }: ShownSteps,
): SafeHtml {
  const hasCredential = options.some(([flag]) => flag === '--auth-env');
  if (run_id === null) return html`<p>No run with its steps is kept.</p>`;
  if (steps.length === 0) return html`<p>No step failed.</p>`;
  return html`${hasCredential ? html`<p>For the commands below, put the credential of the tests into the variable <code>TOKEN</code>: it is written out nowhere.</p>` : ''}${steps.map((step) => oneStep(agent, step, options))}${steps_truncated === true ? html`<p class="type">More steps failed; the JSON of the run has all.</p>` : ''}`;
}

function oneStep(
  agent: string,
  { storyboard_id, phase_id, step_id, title, task, checks }: ShownStep,
  options: ShownSteps['options'],
): SafeHtml {
  const again = checkCommand(agent, [['--only', storyboard_id], ...options]);
  return html`<details class="step" open><summary>${said(title, 160)}</summary>
<p class="type"><code>${said(storyboard_id, 100)}</code> / <code>${said(phase_id, 100)}</code> / <code>${said(step_id, 100)}</code>, task <code>${said(task, 80)}</code></p>
${checks.slice(0, MOST_CHECKS).map(
  ({ message, pointer, expected, actual }) => html`<p>${said(message, 400)}</p>
<dl class="facts compare"><div><dt>Expected</dt><dd><code>${valueText(expected)}</code></dd></div><div><dt>Came${pointer === null ? '' : html` at <code>${said(pointer === '' ? '/' : pointer, 160)}</code>`}</dt><dd><code>${valueText(actual)}</code></dd></div></dl>`,
)}${checks.length > MOST_CHECKS ? html`<p class="type">and ${checks.length - MOST_CHECKS} more</p>` : ''}
${checkBox('The command that shows it again', again)}</details>`;
}

function valueText(value: unknown): SafeHtml {
  return value === null || value === undefined
    ? said('nothing')
    : said(typeof value === 'string' ? value : JSON.stringify(value), MOST_VALUE);
}
