import { html, type SafeHtml } from '@remix-run/html-template';
import { moment, said } from './texts.ts';

/** What the owner of an agent says beside a verdict; RFC 3339. */
export interface ShownStatement {
  readonly text: string;
  readonly said_at: string;
}

/** The owner's words, marked as such; nothing where the owner says nothing. */
export function ownersWords(statement: ShownStatement | undefined): SafeHtml | string {
  if (statement === undefined) return '';
  return html`<figure class="notice"><figcaption>The owner of this agent says, ${moment(statement.said_at)}:</figcaption>
<blockquote>${said(statement.text, 1_000)}</blockquote></figure>`;
}
