import type { MeasuredWay } from './run.ts';
import { AGENT_PATH, wayOfRequest } from './served-agent.ts';

export const way: MeasuredWay = {
  name: 'a compliance detail',
  bound: 14,
  measure: () => wayOfRequest(`${AGENT_PATH}/compliance`, /"status":"passing"/),
};
