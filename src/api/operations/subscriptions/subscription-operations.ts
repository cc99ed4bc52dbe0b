import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Budgets } from '../../../budgets/budgets.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { MemberViewer } from '../../callers.ts';
import { requireMemberKey } from '../../owner-only.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import {
  answer,
  jsonBody,
  linkTo,
  MEMBER_REFUSALS,
  problemAnswer,
  scopedBy,
  VIEWER_HEADERS,
} from '../description.ts';
import type { FeedRecords } from '../feed/page.ts';
import { feedView } from '../feed/view.ts';
import type { AddressParts } from '../own-agent.ts';
import {
  changeSubscription,
  MOST_SUBSCRIPTIONS,
  type SubscriptionRecord,
  subscribe,
  subscriptionsOfMember,
  testSubscription,
} from './own-subscriptions.ts';

const PATH = '/api/me/subscriptions';
/** More than any request can have, bytes. */
const MAX_BODY = 16_384;

const LIST = {
  operationId: 'listSubscriptions',
  summary: 'List the subscriptions of your member',
  responses: {
    200: {
      ...answer(
        'Oldest first, each with its state and the error of the last attempt.',
        'SubscriptionList',
        VIEWER_HEADERS,
      ),
      ...linkTo('reviveSubscription', { id: '$response.body#/subscriptions/0/id' }),
    },
    ...MEMBER_REFUSALS,
  },
};
const CREATE = {
  operationId: 'createSubscription',
  summary: 'Subscribe to changes of the feed',
  description: `The registry first posts a signed verification request; the receiver must answer 200 with its \`challenge\` as JSON. Then a signed webhook with the cursor to read from is sent one second after the first change, and at most every 10 seconds while changes continue. Failed deliveries are retried for about a day. Limit: ${MOST_SUBSCRIPTIONS} subscriptions. Recorded in the audit log.`,
  requestBody: jsonBody('NewSubscription'),
  responses: {
    201: {
      ...answer(
        'The subscription. It is pending, and starts at the current end of the feed.',
        'Subscription',
        VIEWER_HEADERS,
      ),
      ...linkTo('removeSubscription', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`The member has ${MOST_SUBSCRIPTIONS} subscriptions, which is the limit.`),
    413: problemAnswer('The body is too large.'),
  },
};
const ID = {
  ...{ name: 'id', in: 'path', required: true, description: 'The id of the subscription.' },
  schema: { type: 'string', maxLength: 100 },
};
const NO_SUCH = problemAnswer('Unknown subscription of this member; the same for one of another member.');
const REMOVE = {
  operationId: 'removeSubscription',
  summary: 'Delete a subscription of your member',
  description: 'Recorded in the audit log.',
  parameters: [ID],
  responses: {
    200: answer('The deleted subscription.', 'Subscription', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
  },
};
const REVIVE = {
  operationId: 'reviveSubscription',
  summary: 'Restart a stopped subscription',
  description:
    'The registry verifies the receiver again, then continues from the last position. Has no effect on a subscription that is not dead. Recorded in the audit log.',
  parameters: [ID],
  responses: {
    200: {
      ...answer('The subscription; pending if it was dead.', 'Subscription', VIEWER_HEADERS),
      ...linkTo('testSubscription', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
  },
};
const TEST = {
  operationId: 'testSubscription',
  summary: 'Send a test webhook',
  description:
    'Sends a webhook within seconds, signed and retried like any other, even if the feed has nothing new. A pending receiver gets the verification request again, with the remaining attempts. At most one every 10 seconds; see `next_try_at`. The result is in `last_told_at` or `last_error`. Recorded in the audit log.',
  parameters: [ID],
  responses: {
    200: answer('The subscription, with a delivery pending.', 'Subscription', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
    409: problemAnswer('The subscription is dead; restart it first.'),
  },
};

interface SubscriptionOperationParts extends AddressParts {
  readonly records: Pick<Records, 'subscriptions'> & FeedRecords;
  readonly clock: Clock;
  readonly cursorSecret: Uint8Array;
  readonly baseUrl: string;
  readonly budgets: Budgets;
}

/** GET and POST /api/me/subscriptions, DELETE …/{id}, POST …/{id}/revive and …/{id}/test: by a member's key. */
export function subscriptionOperations(server: FastifyInstance, options: SubscriptionOperationParts): void {
  const { clock, records } = options;
  const parts = { ...options, subscriptions: records.subscriptions, feed: feedView(options) };
  server.get(PATH, scopedBy('read', LIST), async (request, reply) => {
    const viewer = requireMemberKey(request, reply);
    refuseParameters(queryText(request), 'subscriptions');
    return reply.send(await subscriptionsOfMember(parts, viewer));
  });
  server.post(PATH, { ...scopedBy('settings', CREATE), bodyLimit: MAX_BODY }, async (request, reply) => {
    const viewer = requireMemberKey(request, reply);
    refuseParameters(queryText(request), 'subscriptions');
    return reply.code(201).send(await subscribe(parts, viewer, request.body, clock.now()));
  });
  type Deed = (viewer: MemberViewer, id: string) => Promise<SubscriptionRecord>;
  const route = (method: 'DELETE' | 'POST', url: string, operation: typeof REMOVE, deed: Deed) =>
    server.route({
      ...{ method, url, bodyLimit: MAX_BODY, ...scopedBy('settings', operation) },
      async handler(request: FastifyRequest<{ Params: { id: string } }>, reply) {
        const viewer = requireMemberKey(request, reply);
        refuseParameters(queryText(request), 'subscriptions');
        return reply.send(await deed(viewer, request.params.id));
      },
    });
  route('DELETE', `${PATH}/:id`, REMOVE, (viewer, id) =>
    changeSubscription(parts, 'remove', viewer, id, clock.now()),
  );
  route('POST', `${PATH}/:id/revive`, REVIVE, (viewer, id) =>
    changeSubscription(parts, 'revive', viewer, id, clock.now()),
  );
  route('POST', `${PATH}/:id/test`, TEST, (viewer, id) => testSubscription(parts, viewer, id, clock.now()));
}
