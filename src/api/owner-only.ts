import { HttpProblem } from './problem.ts';

/**
 * The one answer to everybody who is not the proven owner of an agent, whatever was asked for, and for agents that
 * nobody owns or has heard of: whose an agent is, is nobody's business.
 */
export function notYours(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'there is nothing of this agent here for you; only the member that has proven to own it is answered, with its API key',
  );
}
