import { html, type SafeHtml } from '@remix-run/html-template';
import { moment, said } from './texts.ts';

/** The statement of an agent's owner about a verdict; RFC 3339. */
export interface ShownStatement {
  readonly text: string;
  readonly said_at: string;
}

/** The owner's statement, marked as such; nothing without one. */
export function ownersWords(statement: ShownStatement | undefined): SafeHtml | string {
  if (statement === undefined) return '';
  return html`<figure class="notice"><figcaption>The owner disputes this result (${moment(statement.said_at)}):</figcaption>
<blockquote>${said(statement.text, 1_000)}</blockquote></figure>`;
}
