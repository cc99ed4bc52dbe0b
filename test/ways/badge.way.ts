import type { MeasuredWay } from './run.ts';
import { AGENT_PATH, wayOfRequest } from './served-agent.ts';

export const way: MeasuredWay = {
  name: 'a badge picture',
  bound: 14,
  measure: () => wayOfRequest(`${AGENT_PATH}/badge/media-buy.svg`, /is verified for media-buy/),
};
