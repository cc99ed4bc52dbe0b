import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { ownersWords } from '../statement.ts';
import { plain } from '../texts.ts';
import { type OwnerSession, postForm } from './frame.ts';
import type { OwnerView } from './view.ts';

/** What the owner says beside the results, to be changed and taken back. */
export function statementForms(
  site: PageSite,
  session: OwnerSession,
  own: string,
  { statement, settings }: OwnerView,
): SafeHtml {
  if (settings.compliance_opt_out)
    return html`<p>The agent takes no part in tests, so no statement is shown.</p>
${postForm(site, session, { action: `${own}/take-back-statement`, button: 'Take back what was said', tone: 'quiet' })}`;
  return html`${ownersWords(statement)}
${postForm(site, session, {
  action: `${own}/statement`,
  button: statement === undefined ? 'Say it' : 'Say this instead',
  fields: html`<div class="field"><label for="statement">Your words</label><p id="statement-about">Up to 1,000 characters of plain text. Everybody sees them beside the results, with their date. They change no verdict.</p>
<textarea id="statement" name="text" rows="4" maxlength="1000" required aria-describedby="statement-about">${statement === undefined ? '' : plain(statement.text, 1_000)}</textarea></div>`,
})}
${statement === undefined ? '' : postForm(site, session, { action: `${own}/take-back-statement`, button: 'Take it back', tone: 'quiet' })}`;
}
