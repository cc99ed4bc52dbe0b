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
import type { Records } from '../../ports/records.ts';
import type { Joined, JoinOutcome } from '../../records/owners/members.ts';
import { namedDomain } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { type ApiKeyRecord, apiKeyRecord } from '../render/api-key.ts';
import { isFound, PROOF_LOOK } from './ownership-proof.ts';
import { createSharedAnswers } from './shared-answers.ts';

const BY_DOMAIN = 'domain:';

/** Joining, by operations and by pages, within the same limits. */
export interface Joining {
  /** Whether the owner of a domain may join without the operator. */
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
  /** Absent: this registry does not verify domains. */
  readonly findProof?: FindProof;
}

/** What a request to join contains; an empty text is a missing one. */
export interface JoinRequest {
  readonly invitation: string;
  readonly slug: string;
  readonly display_name: string;
}

export function createJoining({ records, clock, budgets, join: way, findProof }: JoinParts): Joining {
  const answerOf = createSharedAnswers<ProofSearch>(clock, 'the verification is still running');
  const find = way === 'domain' ? findProof : undefined;

  /** The key under which an invitation is stored; for a domain, its text is checked first. */
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
      const label =
        by.domain === undefined ? 'created by invitation' : `created by verification of ${by.domain}`;
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
    new HttpProblem('slug_taken', 'this slug is or was in use by another member; choose another', {
      parameter: 'slug',
    }),
  domain_taken: () =>
    new HttpProblem(
      'domain_taken',
      'a member has already joined with this domain; if you lost its API keys, ask the operator for an invitation',
      { parameter: 'invitation' },
    ),
};

/** Only registered domains: the owner of a host need not own the whole domain. */
function ownedDomain(text: string): string {
  const domain = namedDomain(text);
  const whole = registrableDomain(domain);
  if (isPublicSuffix(domain))
    throw invalidValue('domain', 'a public suffix cannot be verified; enter your registered domain');
  if (whole === domain) return domain;
  throw invalidValue('domain', `enter the registered domain without a subdomain: ${whole}`, [whole]);
}

/** With the prefix of members that joined. */
function slugOf(wanted: string): string {
  const slug = joinedSlug(wanted);
  if (slug !== undefined) return slug;
  throw invalidValue(
    'slug',
    `use 1 to ${MAX_WANTED_SLUG} lower case letters, digits and hyphens, and do not begin with a hyphen; the prefix "joined-" is added`,
  );
}

function nameOf(text: string): string {
  const name = memberName(text);
  if (name !== undefined) return name;
  throw invalidValue('display_name', `enter a name of 1 to ${MAX_MEMBER_NAME} characters`);
}

function namesNeeded(): HttpProblem {
  return invalidValue('slug', 'this invitation is for a new member: enter its name and short name');
}

function noInvitation(): HttpProblem {
  const detail = 'the invitation is unknown, used or expired; ask the operator for another';
  return new HttpProblem('not_found', detail, { parameter: 'invitation' });
}

function notProven({ looked }: ProofSearch): HttpProblem {
  const places = looked.map(({ where, seen }) => `${where}: ${seen}`);
  return new HttpProblem('not_proven', `verification text not found: ${places.join('; ')}`, {
    parameter: 'invitation',
  });
}

function notOffered(): HttpProblem {
  return new HttpProblem(
    'not_offered',
    'joining with a domain is disabled in this registry; ask its operator for an invitation',
  );
}
