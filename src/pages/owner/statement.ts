import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { ownersWords } from '../statement.ts';
import { plain } from '../texts.ts';
import { type OwnerSession, postForm } from './frame.ts';
import type { OwnerView } from './view.ts';

/** The owner's public statement about the results, with the forms that replace and delete it. */
export function statementForms(
  site: PageSite,
  session: OwnerSession,
  own: string,
  { statement, settings }: OwnerView,
): SafeHtml {
  const remove = { action: `${own}/take-back-statement`, button: 'Delete statement', tone: 'quiet' } as const;
  if (settings.compliance_opt_out)
    return html`<p>The agent is opted out of tests, so no statement is shown.</p>
${postForm(site, session, remove)}`;
  return html`<p>If a result is wrong, explain why. Your statement does not change the result.</p>
${ownersWords(statement)}
${postForm(site, session, {
  action: `${own}/statement`,
  button: statement === undefined ? 'Publish' : 'Publish changes',
  fields: html`<div class="field"><label for="statement">Your statement</label><p id="statement-about">Plain text, up to 1,000 characters. Shown publicly beside the results, with its date.</p>
<textarea id="statement" name="text" rows="4" maxlength="1000" required aria-describedby="statement-about">${statement === undefined ? '' : plain(statement.text, 1_000)}</textarea></div>`,
})}
${statement === undefined ? '' : postForm(site, session, remove)}`;
}
