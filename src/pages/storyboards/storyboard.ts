import { html, type SafeHtml } from '@remix-run/html-template';
import { type HtmlPage, type PlacedSite, sentenceOf } from '../layout.ts';
import { amountText, plain, said, sameAsJson } from '../texts.ts';
import {
  type AppliedTo,
  bundleLinks,
  forWhom,
  type PassCounts,
  passText,
  type ShownBundles,
  storyboardPath,
  targetQuery,
} from './storyboards.ts';

/** A storyboard step by step. */
export interface StoryboardView {
  readonly id: string;
  readonly title: string;
  readonly track: string;
  readonly summary: string;
  readonly applies_to: AppliedTo;
  readonly required_tools: readonly string[];
  readonly prerequisites: readonly string[];
  readonly phases: readonly {
    readonly id: string;
    readonly title: string;
    readonly optional: boolean;
    readonly steps: readonly ShownStep[];
  }[];
  readonly count?: PassCounts[string];
  readonly bundles: ShownBundles;
}

interface ShownStep {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly description: string;
  readonly checks: readonly {
    readonly check: string;
    readonly path: string | null;
    readonly description: string | null;
  }[];
}

/** The page of a storyboard, phase by phase. */
export function storyboardPage(site: PlacedSite, view: StoryboardView): HtmlPage {
  const { id, title, track, summary, applies_to: to, required_tools: tools } = view;
  const { prerequisites, phases, bundles } = view;
  return {
    title: plain(title, 120),
    description: plain(summary, 200),
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Storyboards', path: '/storyboards' },
      { text: plain(title, 80) },
    ],
    content: html`<h1>${said(title, 120)}</h1>
<p class="place"><code>${plain(id, 120)}</code> · ${forWhom(to)}, track ${said(track.replaceAll('_', ' '), 60)}, bundle ${said(bundles.version, 40)}</p>
${bundleLinks(`${site.root}/storyboards/${encodeURIComponent(id)}`, bundles)}
<p class="lead">${sentenceOf(plain(summary, 600))}</p>
<p>${passText(view.count)}</p>
${tools.length === 0 ? '' : html`<p>Applies to agents that offer ${tools.length > 1 ? 'at least one of ' : ''}${codes(tools)}.</p>`}
${prerequisites.length === 0 ? '' : html`<p>Prerequisites: ${prerequisites.map((one, at) => html`${at === 0 ? '' : ', '}<a href="${storyboardPath(site, one, bundles.target)}">${said(one, 80)}</a>`)}.</p>`}
${phases.map(
  (phase) =>
    html`<section><h2>${said(phase.title, 120)}</h2>${phase.optional ? html`<p class="type">This phase is optional.</p>` : ''}<ol class="steps">${phase.steps.map(step)}</ol></section>`,
)}
<h2>Run it yourself</h2>
<pre class="wraps" tabindex="0" role="region" aria-label="Command"><code>agent-registry check https://your-agent.example/mcp <span class="flag">--only</span> ${plain(id, 120)}</code></pre>
${sameAsJson(site, `${site.root}/api/storyboards/${encodeURIComponent(id)}${targetQuery(bundles.target)}`)}`,
  };
}

function step({ title, description, checks }: ShownStep): SafeHtml {
  return html`<li><h3>${said(title, 160)}</h3><p>${sentenceOf(plain(description, 400))}</p>
${checks.length === 0 ? '' : html`<details><summary>${amountText(checks.length, 'check')}</summary><ul class="tools">${checks.map(check)}</ul></details>`}</li>`;
}

function check({ check: kind, path, description }: ShownStep['checks'][number]): SafeHtml {
  return html`<li>${description === null ? '' : html`${said(description, 200)} `}<span class="type"><code>${plain(kind, 60)}</code>${path === null ? '' : html` at <code>${plain(path, 120)}</code>`}</span></li>`;
}

function codes(names: readonly string[]): SafeHtml[] {
  return names.map((name, at) => html`${at === 0 ? '' : ', '}<code>${plain(name, 60)}</code>`);
}
