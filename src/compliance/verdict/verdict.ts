export type {
  JudgedRun,
  JudgedStatus,
  SpecialismStatus,
  StoryboardStatus,
  Verdict,
} from '../../domain/judged-run.ts';
export { NOTHING_RECORDED } from '../../domain/judged-run.ts';

/**
 * Of the rules in this folder. It is stored with every verdict, and goes up whenever the same run would be judged
 * otherwise.
 */
export const ALGORITHM_VERSION = '2';
