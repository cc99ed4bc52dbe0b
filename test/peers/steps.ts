import { BRANDS } from './steps/brands.ts';
import { CREATIVE } from './steps/creative.ts';
import { GOVERNANCE } from './steps/governance.ts';
import type { Step } from './steps/lane.ts';
import { CANONICAL, MEDIA_BUYS } from './steps/media-buys.ts';
import { SALES } from './steps/sales.ts';
import { SIGNALS } from './steps/signals.ts';

/** The creative comes first: the seller gets what it makes. */
export const STEPS: readonly Step[] = [
  ...CREATIVE,
  ...SALES,
  ...MEDIA_BUYS,
  ...CANONICAL,
  ...SIGNALS,
  ...GOVERNANCE,
  ...BRANDS,
];
