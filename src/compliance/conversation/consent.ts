import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { isMutating, TEST_CONTROLLER, taskNamed } from '../../protocol/tasks.ts';
import type { AgentUnderTest, Origin } from '../run-result.ts';
import type { Skip } from '../step-result.ts';
import type { Step } from '../storyboard.ts';
import type { Conversation } from './conversation.ts';

/** Calls nothing: it asks which flags were raised. */
export const ASSERT_CONTRIBUTION = 'assert_contribution';

/** Steps of the public format that are not calls (src/compliance/special). */
const SPECIAL =
  /^(?:expect_webhook|expect_webhook_retry_keys_stable|expect_webhook_signature_valid|expect_substitution_safe|request_signing_probe)$/;

/** True for a step that is run by what is loaded for it. */
export function isSpecial(task: string): boolean {
  return SPECIAL.test(task);
}

/** Documents of the agent's origin that are read without a call. */
export const DOCUMENTS = ['protected_resource_metadata', 'oauth_auth_server_metadata'];

/** What is asked of an agent before a step of a storyboard goes out to it. */
interface StepQuestion {
  readonly step: Step;
  /** As it would be sent. */
  readonly payload: JsonObject;
  readonly agent: AgentUnderTest;
  /** Names of what it offers. */
  readonly tools: ReadonlySet<string>;
  readonly origin: Origin;
  readonly dryRun: boolean;
}

/**
 * The one place that decides whether a step may be sent (docs/reference/compliance.md, Consent): what changes something goes only
 * to an agent that declares a sandbox or offers a test controller, never into an account that says it is real, and never in a dry
 * run. Pure; undefined is yes.
 */
export function mayRunStep(question: StepQuestion): Skip | undefined {
  return missingTool(question) ?? mayChange({ ...question, task: question.step.task });
}

/** What is to be sent, whether it is a step, a fixture or the end of what a run made. */
interface ChangeQuestion {
  readonly task: string;
  readonly payload: JsonObject;
  readonly agent: AgentUnderTest;
  /** Names of what it offers. */
  readonly tools: ReadonlySet<string>;
  readonly dryRun: boolean;
}

/** The agent declared a sandbox, and says in the middle of the run that it is none. */
export function withdrawsConsent({ task, auth }: Pick<Step, 'task' | 'auth'>, answer: TaskAnswer): boolean {
  if (auth !== 'given' || taskNamed(task) !== 'get_proto_capabilities') return false;
  return answer.outcome === 'answered' && member(member(answer.data, 'account'), 'sandbox') === false;
}

/** True when the agent offers it; the capabilities task is asked for even of those that do not list it. */
export function offers(tools: ReadonlySet<string>, task: string): boolean {
  if (tools.has(task) || tools.has(task.replaceAll('_', '-'))) return true;
  return taskNamed(task) === 'get_proto_capabilities';
}

function missingTool({ step, tools, origin, agent }: StepQuestion): Skip | undefined {
  const { task, requiresTool, expectsError } = step;
  if (DOCUMENTS.includes(task)) return undefined;
  // A task that nobody has is a question: the agent has to say no. One that has a schema is no such question.
  const isQuestion =
    isSpecial(task) || (expectsError && taskNamed(task) === undefined && step.responseSchema === undefined);
  const wanted = [requiresTool, isQuestion ? [] : [task]].filter((names) => names.length > 0);
  const missing = wanted.find((names) => !names.some((name) => offers(tools, name)));
  if (missing === undefined) return undefined;
  if (missing.includes(TEST_CONTROLLER))
    return agent.test_controller
      ? undefined
      : skip('missing_test_controller', 'missing tool: comply_test_controller (test controller)', true);
  // the kit could name another task
  if (step.isTaskOfKit && !missing.every((name) => requiresTool.includes(name))) return notOffered(task);
  return skip('missing_tool', `missing tool: ${missing.join(' or ')}`, origin === 'specialism');
}

/** Why a step is skipped whose task the test kit names, and the agent does not have. */
export function notOffered(task: string): Skip {
  return skip('not_applicable', `the agent does not offer ${task}, which the test kit names`);
}

/** The second half of it, for everything that goes out: whether the agent agreed that this may be changed; undefined is yes. */
export function mayChange({ task, payload, agent, tools, dryRun }: ChangeQuestion): Skip | undefined {
  if (DOCUMENTS.includes(task) || isSpecial(task)) return undefined;
  if (!changes(task, payload) || isNoTask(task, tools)) return undefined;
  if (dryRun) return skip('requirement_unmet', `dry run: ${task} changes data`);
  if (!agent.sandbox && !agent.test_controller) {
    const told = `${task} changes data, and the agent has neither a sandbox nor a test controller`;
    return skip('missing_test_controller', told, true);
  }
  if (namesRealAccount(payload)) return skip('requirement_unmet', `${task} would change a real account`);
  return undefined;
}

function changes(task: string, payload: JsonObject): boolean {
  return isMutating(task) && !(task === TEST_CONTROLLER && payload.scenario === 'list_scenarios');
}

/** What neither the protocol nor the agent has can only be refused; in no spelling, as agents may take several. */
function isNoTask(task: string, tools: ReadonlySet<string>): boolean {
  return taskNamed(task) === undefined && ![...tools].some((tool) => plain(tool) === plain(task));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function namesRealAccount(payload: JsonObject): boolean {
  const accounts = [payload.account, ...elements(payload.accounts)];
  return accounts.some((account) => isObject(account) && member(account, 'sandbox') === false);
}

function skip(reason: Skip['reason'], detail: string, coverageGap = false): Skip {
  return { reason, detail, coverage_gap: coverageGap };
}

/**
 * Marks accounts as sandbox accounts unless they say otherwise, so that tests touch nothing real. The account configured for
 * the tests of the agent is sent by its id alone, because its schema allows no other field beside the id.
 */
export function inSandbox(payload: JsonObject, configured?: unknown): JsonObject {
  const { account, accounts } = payload;
  const id = member(configured, 'account_id');
  const sandboxed = (one: JsonObject): JsonObject => {
    const isConfigured = id !== undefined && one.account_id === id && one.brand === undefined;
    return isConfigured || Object.hasOwn(one, 'sandbox') ? one : { ...one, sandbox: true };
  };
  return {
    ...payload,
    ...(isObject(account) && { account: sandboxed(account) }),
    ...(Array.isArray(accounts) && {
      accounts: accounts.map((one) => (isObject(one) ? sandboxed(one) : one)),
    }),
  };
}

/**
 * The same conversation, through which nothing goes out that the agent did not agree to. Whoever calls has asked before;
 * one who forgot is a fault of ours and throws, so that it cannot pass unseen.
 */
export function withConsent(conversation: Conversation, dryRun: boolean): Conversation {
  const { agent } = conversation;
  const tools = new Set(conversation.tools);
  return {
    ...conversation,
    async call(call) {
      const refused = mayChange({ ...call, agent, tools, dryRun });
      if (refused !== undefined) throw new Error(`${call.key}: ${refused.detail}`);
      return conversation.call(call);
    },
  };
}
