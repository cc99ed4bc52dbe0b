import { syncCatalogs } from '../catalogs/sync-catalogs.ts';
import { logEvent } from '../events/log-event.ts';
import type { Handlers } from '../handler.ts';
import { createMediaBuy } from './create-media-buy.ts';
import { providePerformanceFeedback } from './feedback.ts';
import { getMediaBuyDelivery } from './get-delivery.ts';
import { updateMediaBuy } from './update-media-buy.ts';

/** What is done with media buys, and with what they run on and bring back. */
export const mediaBuyHandlers: Handlers = {
  create_media_buy: createMediaBuy,
  update_media_buy: updateMediaBuy,
  get_media_buy_delivery: getMediaBuyDelivery,
  provide_performance_feedback: providePerformanceFeedback,
  log_event: logEvent,
  sync_catalogs: syncCatalogs,
};
