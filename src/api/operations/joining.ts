import type { Budgets, Party } from '../../budgets/budgets.ts';
import type { JoinWay } from '../../config/serve-settings.ts';
import { isPublicSuffix, registrableDomain } from '../../domain/domain-name.ts';
import { joinedSlug, MAX_MEMBER_NAME, MAX_WANTED_SLUG, memberName } from '../../domain/member-text.ts';
import {
  type DomainInvitation,
  domainHash,
  newDomainInvitation,
  openDomainInvitation,
  siteRoot,
} from '../../owners/domain-invitation.ts';
import type { FindProof, ProofSearch } from '../../owners/proof.ts';
import { newApiKey, newMemberId, secretHash } from '../../owners/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Joined, JoinOutcome } from '../../ports/invitations.ts';
import type { Records } from '../../ports/records.ts';
import { namedDomain } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { type ApiKeyRecord, apiKeyRecord } from '../render/api-key.ts';
import { isFound, PROOF_LOOK } from './ownership-proof.ts';
import { createSharedAnswers } from './shared-answers.ts';

const BY_DOMAIN = 'domain:';

/** How strangers become members: by operations and by pages, within the same bounds. */
export interface Joining {
  /** Whether whoever proves a domain may. */
  readonly isByDomain: boolean;
  /** Throws HttpProblems. */
  invite(domain: string): Promise<DomainInvitation>;
  /** Makes the member, where it is a new one, and its key. Throws HttpProblems. */
  join(
    request: JoinRequest,
    party: Party,
  ): Promise<ApiKeyRecord & { readonly key: string; readonly member: string }>;
}

export interface JoinParts {
  readonly records: Pick<Records, 'members' | 'secret'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** Absent: by invitation only. */
  readonly join?: JoinWay;
  /** Absent: nothing is proven here. */
  readonly findProof?: FindProof;
}

/** What somebody comes with; empty texts are none. */
export interface JoinRequest {
  readonly invitation: string;
  readonly slug: string;
  readonly display_name: string;
}

export function createJoining({ records, clock, budgets, join: way, findProof }: JoinParts): Joining {
  const answerOf = createSharedAnswers<ProofSearch>(clock, 'the proof is still being looked for');
  const find = way === 'domain' ? findProof : undefined;

  /** What an invitation is kept by; the text of one for a domain is looked for first. */
  async function invited(invitation: string, party: Party): Promise<Pick<Joined, 'hash' | 'domain'>> {
    const hash = secretHash(invitation);
    if (hash !== undefined) return { hash };
    if (!invitation.startsWith(BY_DOMAIN)) throw noInvitation();
    if (find === undefined) throw notOffered();
    const opened = openDomainInvitation(invitation, await records.secret('join', 32), clock.now());
    if (opened === undefined) throw noInvitation();
    const { domain, token } = opened;
    const { value: found } = await answerOf({
      ...{ key: token, isKept: isFound },
      answer: () => find(siteRoot(domain), token, (look) => budgets.run(PROOF_LOOK, { party }, look)),
    });
    if (found.via === undefined) throw notProven(found);
    return { hash: domainHash(domain), domain };
  }
  return {
    isByDomain: find !== undefined,
    async invite(text) {
      if (find === undefined) throw notOffered();
      const domain = ownedDomain(text);
      return newDomainInvitation(domain, await records.secret('join', 32), clock.now());
    },
    async join({ invitation, slug, display_name }, party) {
      const wanted =
        slug === '' && display_name === ''
          ? undefined
          : { id: newMemberId(), slug: slugOf(slug), displayName: nameOf(display_name) };
      if (wanted === undefined && invitation.startsWith(BY_DOMAIN)) throw namesNeeded();
      const by = await invited(invitation.trim(), party);
      const { id, key, hash } = newApiKey();
      const label = by.domain === undefined ? 'made by an invitation' : `made by the proof of ${by.domain}`;
      const outcome = await records.members.join({ ...by, key: { id, hash, label }, wanted }, clock.now());
      if (typeof outcome === 'object') return { key, ...apiKeyRecord(outcome) };
      throw REFUSALS[outcome]();
    },
  };
}

type Refusal = Exclude<JoinOutcome, object>;

const REFUSALS: Readonly<Record<Refusal, () => HttpProblem>> = {
  no_invitation: noInvitation,
  name_needed: namesNeeded,
  slug_taken: () =>
    new HttpProblem('slug_taken', 'another member has or had this slug; choose another one', {
      parameter: 'slug',
    }),
  domain_taken: () =>
    new HttpProblem(
      'domain_taken',
      'a member has joined by this domain; one that has lost its keys asks the operator for an invitation',
      { parameter: 'invitation' },
    ),
};

/** One that somebody registered as a whole: whoever has a host of it need not have it. */
function ownedDomain(text: string): string {
  const domain = namedDomain(text);
  const whole = registrableDomain(domain);
  if (isPublicSuffix(domain)) throw invalidValue('domain', 'a public suffix is nobody’s');
  if (whole === domain) return domain;
  throw invalidValue('domain', `a domain as it was registered is expected: ${whole}`, [whole]);
}

/** With the prefix of members that join. */
function slugOf(wanted: string): string {
  const slug = joinedSlug(wanted);
  if (slug !== undefined) return slug;
  throw invalidValue(
    'slug',
    `1 to ${MAX_WANTED_SLUG} lower case letters, digits and hyphens are expected, a hyphen never first; "joined-" is put before them`,
  );
}

function nameOf(text: string): string {
  const name = memberName(text);
  if (name !== undefined) return name;
  throw invalidValue('display_name', `a name of 1 to ${MAX_MEMBER_NAME} characters is expected`);
}

function namesNeeded(): HttpProblem {
  return invalidValue('slug', 'this invitation is for a new member: name it');
}

function noInvitation(): HttpProblem {
  const detail = 'there is no such invitation, or it was used or has ended; ask the operator for another';
  return new HttpProblem('not_found', detail, { parameter: 'invitation' });
}

function notProven({ looked }: ProofSearch): HttpProblem {
  const places = looked.map(({ where, seen }) => `${where}: ${seen}`);
  return new HttpProblem('not_proven', `the text is in neither place: ${places.join('; ')}`, {
    parameter: 'invitation',
  });
}

function notOffered(): HttpProblem {
  return new HttpProblem(
    'not_offered',
    'this registry lets nobody join by a domain; ask its operator for an invitation',
  );
}
