import { html, type SafeHtml } from '@remix-run/html-template';
import type { InconclusiveReason } from '../../domain/judged-run.ts';
import { moment, plain, said } from '../texts.ts';
import { cameInstead } from './no-answer.ts';
import type { ClosedChecks, RunTroubles, ShownSteps } from './view.ts';

/** Short enough for a row of a table. */
const SHORT: Readonly<Record<InconclusiveReason, string>> = {
  own_deadline: 'time limit of the registry reached',
  own_network: 'network failure of the registry',
  own_fault: 'internal error of the registry',
  request_budget: 'request limit reached',
  auth_required: 'credential or signing key missing',
  declaration_unread: 'tools or capabilities not readable',
  interrupted: 'stopped',
};

const LACKS = { credential: 'credential missing', signing_key: 'signing key missing' } as const;

/** Why a run was inconclusive, in a few words. */
export function shortReason(reason: string): SafeHtml {
  return said(Object.hasOwn(SHORT, reason) ? SHORT[reason as InconclusiveReason] : reason, 60);
}

const OURS =
  'This is not a problem with your agent, and you do not need to do anything. Its status and badges are unchanged, and the test will be repeated.';

/** What happened, and what to do. */
const LONG: Readonly<Record<Exclude<InconclusiveReason, 'auth_required'>, string>> = {
  own_deadline: `The test timed out, mostly because of delays in this registry. ${OURS}`,
  own_network: `This registry had a network failure. ${OURS}`,
  own_fault: `An internal error in this registry ended the test. ${OURS}`,
  request_budget: `The test reached the limit of requests per agent. ${OURS}`,
  declaration_unread:
    'Your agent completed the handshake, but its tools or capabilities could not be read, even after a retry, so no storyboard could be selected. Make sure that both always answer, then run the test again. The status is unchanged, but from the third such test in a row, 48 hours or more after the first, each one counts as a failing test for the badges.',
  interrupted: 'The test was stopped before it finished. The next test replaces it.',
};

/** Why a run was inconclusive, or why steps were skipped after the agent refused an account. */
export function runTroubles({
  inconclusive,
  unread,
  blocked_by: blocked,
  credential,
}: RunTroubles): SafeHtml {
  return html`${inconclusive === undefined ? '' : html`<p class="notice">${explanation(inconclusive, credential)}</p>`}${
    unread === undefined
      ? ''
      : html`<h2>Failed request</h2><p><code>${plain(unread.request, 80)}</code> gave no valid answer: ${cameInstead(unread)}.</p>${unread.words === undefined ? '' : html`<p>Message of your agent: <q>${said(unread.words, MOST_WORDS)}</q></p>`}`
  }${
    blocked === undefined
      ? ''
      : html`<h2>Why steps were skipped</h2><p>Your agent refused <code>${plain(blocked.task, 80)}</code>${blocked.code === undefined ? '' : html` with <code>${plain(blocked.code, 80)}</code>`}, so ${blocked.steps_skipped} later ${blocked.steps_skipped === 1 ? 'step was' : 'steps were'} skipped. Accept the account, brand and operator that the test uses, then run the test again.</p>
<p class="type">Step <code>${plain(blocked.step, 300)}</code></p>${blocked.message === '' ? '' : html`<p>Message of your agent: <q>${said(blocked.message, MOST_WORDS)}</q></p>`}`
  }`;
}

/** In place of the failed steps, or above them: why the test did not run them all, and whose job it is unless the page says it elsewhere. */
export function inconclusiveNotice(
  { blocked, credential, ...why }: NonNullable<ShownSteps['inconclusive']>,
  isExplained = false,
): SafeHtml {
  const more = blocked === undefined || blocked.steps === 1 ? '' : `, and ${blocked.steps - 1} more`;
  return html`<p>The test is inconclusive: ${why.lacks === undefined ? shortReason(why.reason) : LACKS[why.lacks]}. It did not run all steps, and a step that did not run can still fail.</p>${
    blocked === undefined ? '' : html`<p>Blocked step: <code>${plain(blocked.step, 300)}</code>${more}.</p>`
  }${isExplained ? '' : html`<p class="notice">${explanation(why, credential)}</p>`}`;
}

/** Characters of an agent's message. */
const MOST_WORDS = 300;

function explanation(
  { reason, detail, lacks }: NonNullable<RunTroubles['inconclusive']>,
  credential: RunTroubles['credential'],
): SafeHtml | string {
  if (reason !== 'auth_required') return LONG[reason];
  if (lacks === 'signing_key')
    return 'Your agent requires signed requests (HTTP Message Signatures, RFC 9421), and this registry has no key to sign the requests of its tests. Only the operator can configure that key (REGISTRY_TEST_KEY): ask the operator. Your status and badges are unchanged.';
  const lasting =
    'From the third such test in a row, 48 hours or more after the first, each one counts as a failing test for the badges.';
  if (credential === 'stored_since')
    return `This test ran before you stored the credential. Your agent requires one: run the test again. ${lasting}`;
  if (credential === 'stored_before')
    return html`Your agent requires a credential, and the stored one could not be used: ${said(detail, MOST_WORDS)}. Correct it, then run the test again. ${lasting}`;
  return credential === 'not_stored'
    ? `Your agent requires a credential, and none is stored. Store one under “Test credential” on the page of the agent, then run the test again. ${lasting}`
    : `Your agent requires a credential, and this registry cannot store any: ask its operator. ${lasting}`;
}

const CLOSED: Readonly<Record<ClosedChecks['reason'], string>> = {
  credential: 'the agent requires a credential, and the tests have none that works',
  declaration: 'its tools or capabilities cannot be read',
};

/** Warns before badges are lost. */
export function closedNotice(closed: ClosedChecks | undefined): SafeHtml | string {
  if (closed === undefined) return '';
  const { since, checks, reason, failsBadges } = closed;
  const count = checks === 1 ? 'The latest test was' : `The latest ${checks} tests were`;
  const end = failsBadges
    ? 'Each further inconclusive test counts as a failing test for its badges.'
    : 'From the third in a row, 48 hours or more after the first, each one counts as a failing test for its badges.';
  return html`<p class="notice">${count} inconclusive, since ${moment(since)}: ${CLOSED[reason]}. ${end}</p>`;
}
