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
/** More than any wish can have, bytes. */
const MAX_BODY = 16_384;

const LIST = {
  operationId: 'listSubscriptions',
  summary: 'List the subscriptions of your member',
  responses: {
    200: {
      ...answer(
        'Oldest first, each with its state and why the last try failed.',
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
  summary: 'Be woken when the feed goes on',
  description: `The receiver must agree first: it is posted a signed verification, and answers 200 with its \`challenge\` as JSON. Then a signed webhook tells from where to read: a second after the first change, and once in 10 seconds while things change. It is tried again for about a day. A member has ${MOST_SUBSCRIPTIONS} at most. It leaves an audit record.`,
  requestBody: jsonBody('NewSubscription'),
  responses: {
    201: {
      ...answer('The subscription, which is pending; it begins here.', 'Subscription', VIEWER_HEADERS),
      ...linkTo('removeSubscription', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`The member has ${MOST_SUBSCRIPTIONS} subscriptions.`),
    413: problemAnswer('The body is larger than any wish can be.'),
  },
};
const ID = {
  ...{ name: 'id', in: 'path', required: true, description: 'The id of the subscription.' },
  schema: { type: 'string', maxLength: 100 },
};
const NO_SUCH = problemAnswer('The member has no such subscription; the same for one of another member.');
const REMOVE = {
  operationId: 'removeSubscription',
  summary: 'Remove a subscription of your member',
  description: 'It leaves an audit record.',
  parameters: [ID],
  responses: {
    200: answer('It was this.', 'Subscription', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
  },
};
const REVIVE = {
  operationId: 'reviveSubscription',
  summary: 'Revive a subscription that was given up',
  description:
    'Its receiver is asked again whether it agrees; then it goes on where it stands. One that is not dead stays as it is. It leaves an audit record.',
  parameters: [ID],
  responses: {
    200: {
      ...answer('It is pending, if it was dead.', 'Subscription', VIEWER_HEADERS),
      ...linkTo('testSubscription', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
  },
};
const TEST = {
  operationId: 'testSubscription',
  summary: 'Have a wake-up sent for a test',
  description:
    'A receiver that has not agreed yet gets the verification again, with the tries that are left. Otherwise a wake-up comes within seconds, signed and tried again as for a change. The feed may have nothing new for it. Not more often than once in 10 seconds: `next_try_at` says when. Then `last_told_at` or `last_error` says what came of it. It leaves an audit record.',
  parameters: [ID],
  responses: {
    200: answer('It is about to be woken.', 'Subscription', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
    404: NO_SUCH,
    409: problemAnswer('The subscription was given up; revive it first.'),
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
