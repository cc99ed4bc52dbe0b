/*
 * What a command is written with: flags, exit codes, and how its output looks.
 */
export { createProgram, type DefineCommand, type Done, examples } from '../cli/command.ts';
export { EXIT, type ExitCode } from '../cli/exit-codes.ts';
export { onInterrupt } from '../cli/interrupt.ts';
export {
  collect,
  DEFAULT_STATE,
  type JsonFlag,
  type NetworkFlags,
  type StateFlag,
  wholeNumber,
  withJson,
  withNetwork,
  withState,
} from '../cli/options.ts';
export { AS_DESK } from '../cli/output/again-command.ts';
export { failedStepLines } from '../cli/output/failed-step-lines.ts';
export { failedSteps } from '../cli/output/failed-steps.ts';
export { failureHint } from '../cli/output/failure-hints.ts';
export { counted, duration, note, paint, printJson, printLine, table } from '../cli/output/print.ts';
export { printError } from '../cli/output/print-error.ts';
export { showProgress } from '../cli/output/show-progress.ts';
export { visible } from '../cli/output/visible.ts';
export { runCli } from '../cli/run-cli.ts';
export { networkOf, readText, settingsOf } from '../cli/settings.ts';
