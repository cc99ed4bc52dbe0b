import type { Conversation } from './conversation.ts';
import { mayChange } from './may-run-step.ts';

/**
 * The same conversation, through which nothing goes out that the agent did not agree to. Whoever calls has asked before;
 * one who forgot is a fault of ours and throws, so that it cannot pass unseen.
 */
export function consenting(conversation: Conversation, dryRun: boolean): Conversation {
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
