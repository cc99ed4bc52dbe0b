import type { UpdateMediaBuyRequest } from 'agent-registry/agent-kit';
import { refuse } from '../handler.ts';
import { type Desk, saveBuy, withStatus } from './desk.ts';
import { isFinal } from './life.ts';
import type { StoredMediaBuy } from './stored.ts';

/** Members that change something, and that a buy which ends cannot take. */
const CHANGES = ['start_time', 'end_time', 'paused', 'packages', 'new_packages'] as const;

/** Ends a buy for good. Refuses NOT_CANCELLABLE when it has ended, VALIDATION_ERROR beside other changes. */
export function cancelBuy(desk: Desk, buy: StoredMediaBuy, request: UpdateMediaBuyRequest): StoredMediaBuy {
  if (isFinal(buy.status)) {
    refuse('NOT_CANCELLABLE', 'the media buy has ended already', '/canceled');
  }
  const other = CHANGES.find((name) => request[name] !== undefined);
  if (other !== undefined) {
    refuse(
      'VALIDATION_ERROR',
      'what is canceled cannot be changed as well',
      `/${other}`,
      'cancel it, or change it',
    );
  }
  const reason = request.cancellation_reason ?? 'the buyer canceled it';
  const canceled = withStatus(desk, buy, { status: 'canceled', at: desk.now, reason });
  saveBuy(desk, buy, canceled);
  return canceled;
}
