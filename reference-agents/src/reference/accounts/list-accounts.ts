import { handler, refuse, type TaskCall } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { type AccountStatus, accountsOf, atThisTime, recordOf } from './stored-account.ts';

const STATUSES: readonly AccountStatus[] = [
  'active',
  'pending_review',
  'information_needed',
  'suspended',
  'closed',
  'rejected',
];

/** Of which the public protocol says less: `pending_approval` is `pending_review` here (src/protocol/field-names.ts). */
const PUBLIC_STATUSES: Readonly<Record<string, readonly AccountStatus[]>> = {
  pending_review: ['pending_review', 'information_needed'],
  payment_required: [],
};

export const listAccounts = handler('list_accounts', {
  description: 'Lists the accounts of the caller',
  callers: 'known',
  run: ({ brand, status, pagination }, call) => {
    const wanted = statusesOf(status, call);
    if (wanted === undefined) {
      refuse(
        'VALIDATION_ERROR',
        '/status is not an account status',
        '/status',
        `use one of ${STATUSES.join(', ')}`,
      );
    }
    const found = accountsOf(call)
      .list()
      .map(({ document }) => atThisTime(document, call.now))
      .filter((account) => wanted.includes(account.status))
      .filter((account) => brand === undefined || account.brand.domain === brand.domain.toLowerCase())
      .filter((account) => brand?.brand_id === undefined || account.brand.brand_id === brand.brand_id);
    const page = pageOf(found, pagination);
    return { accounts: page.items.map(recordOf), pagination: page.pagination };
  },
});

/** Without a status, the public protocol lists all accounts (list-accounts-request.json), and we the active ones. */
function statusesOf(
  status: string | undefined,
  { agent }: Pick<TaskCall, 'agent'>,
): readonly AccountStatus[] | undefined {
  const isPublic = agent.facts.vocabulary === 'adcp';
  if (status === undefined) return isPublic ? STATUSES : ['active'];
  if (isPublic && Object.hasOwn(PUBLIC_STATUSES, status)) return PUBLIC_STATUSES[status];
  const own = STATUSES.filter((one) => one === status);
  return own.length > 0 ? own : undefined;
}
