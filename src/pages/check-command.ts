import { html, type SafeHtml } from '@remix-run/html-template';
import { shellWord } from '../domain/shell-word.ts';
import { plain } from './texts.ts';

/** The command that repeats the tests of an agent, with what is given to its flags. */
export function checkCommand(
  agent: string,
  given: readonly (readonly [flag: string, value: string])[] = [],
): SafeHtml {
  // a line breaks behind hyphens, and `--` and `only` are two words then
  return html`agent-registry check ${shellWord(plain(agent, 2_000))}${given.map(([flag, value]) => html` <span class="flag">${flag}</span> ${shellWord(plain(value, 2_000))}`)}`;
}

/** The same in a box of its own. */
export function checkBox(label: string, command: SafeHtml): SafeHtml {
  return html`<pre class="wraps" tabindex="0" role="region" aria-label="${label}"><code>${command}</code></pre>`;
}
