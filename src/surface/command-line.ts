/*
 * What a command is written with: flags, exit codes, and how its output looks.
 */

export { DEFAULT_TESTER } from '../api/render/check-options.ts';
export { type CliCommand, command, type Done, emptyProgram, group } from '../cli/command.ts';
export { EXIT, type ExitCode } from '../cli/exit-codes.ts';
export { choiceFlag, integerFlag, listFlag, PORTS, parsedFlag, textFlag } from '../cli/flags.ts';
export { readTextFile } from '../cli/input/arguments.ts';
export { aborted, endWithParent, onInterrupt } from '../cli/interrupt.ts';
export { showProgress } from '../cli/output/crawl-progress.ts';
export { failedStepLines, failedSteps } from '../cli/output/failed-steps.ts';
export { counted, duration, note, paint, printJson, printLine, table } from '../cli/output/print.ts';
export { printError } from '../cli/output/print-error.ts';
export { failureHint } from '../cli/output/probe-answer.ts';
export { visible } from '../cli/output/visible.ts';
export { runCli } from '../cli/run-cli.ts';
export { configOf, networkOf } from '../cli/setup/settings.ts';
export {
  AGENT_STATE_FLAG,
  type AgentStateFlag,
  DEFAULT_STATE,
  JSON_FLAG,
  type JsonFlag,
  NETWORK_FLAGS,
  type NetworkFlags,
} from '../cli/shared-flags.ts';
