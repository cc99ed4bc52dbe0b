import type { ComplyTestControllerResponse } from '@agent-registry/surface/agent-kit';
import { type Handlers, handler, TaskRefused } from '../handler.ts';
import { ScenarioFailed } from './params.ts';
import { scenarioNamed } from './scenarios.ts';

const complyTestController = handler('comply_test_controller', {
  description:
    'Sets objects of the caller to the state that a test requires; list_scenarios returns the scenarios',
  callers: 'known',
  run: (request, call) => {
    try {
      const result = scenarioNamed(request.scenario)(call, request.params ?? {}, request);
      return { success: true, ...result };
    } catch (error) {
      return failure(error);
    }
  },
});

/**
 * A scenario that cannot be carried out is an answer with `success: false`. Scenarios look at everything before they
 * change anything, so there is nothing to undo.
 */
function failure(error: unknown): ComplyTestControllerResponse {
  if (error instanceof ScenarioFailed) {
    return { success: false, error: error.code, error_detail: error.message };
  }
  if (!(error instanceof TaskRefused)) throw error;
  const { code, message, pointer } = error.problem;
  const place = pointer === undefined || pointer === '' ? '' : `${pointer}: `;
  return { success: false, error: code, error_detail: `${place}${message}`.slice(0, 2_000) };
}

/** For the agents that have a sandbox; all agents here do. */
export const controllerHandlers: Handlers = { comply_test_controller: complyTestController };
