import { defined, type JsonObject } from '../../base/json.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import type { OpenApiPaths } from '../openapi.ts';
import { type Ask, ToolRefusal } from './ask.ts';
import { explain, explanationSchema } from './explain.ts';
import { inputOf, outputOf } from './tool-schemas.ts';

/** A question that assistants can ask. */
export interface AssistantTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** Where its answer has the page of a longer list, as a JSON Pointer. */
  readonly page?: string;
  call(args: JsonObject, ask: Ask): Promise<JsonObject>;
}

/** Agents on a page, without a wish; a page of the API has more than an assistant wants to read. */
const FOUND = { usual: 5, most: 20 };

const AGENT_URL = {
  type: 'string',
  maxLength: 2_000,
  description: "The agent's URL, as a search gives it.",
};

/** The tools, each of which asks the operations of the API and has their parameters and answers. */
export function makeTools(paths: OpenApiPaths): readonly AssistantTool[] {
  const ofAgent = (operationId: string) => {
    const input = inputOf(paths, operationId, { encodedUrl: undefined, agent_url: AGENT_URL });
    return { ...input, required: ['agent_url'] };
  };
  const askOfAgent = (operationId: string) => async (args: JsonObject, ask: Ask) => {
    const { agent_url, ...others } = args;
    const encodedUrl = needed(args, 'agent_url');
    const parsed = parseAgentUrl(encodedUrl);
    if (!parsed.ok)
      throw new ToolRefusal(`agent_url: ${AGENT_URL_PROBLEMS[parsed.problem]}; search_agents gives it`);
    return ask(operationId, { ...others, encodedUrl }).catch(inWordsOfTheTool('encodedUrl', 'agent_url'));
  };
  return [
    {
      name: 'search_agents',
      title: 'Search agents',
      description:
        'Finds agents by words and filters, the best first: type, capability (a task or specialism), channels, markets, metrics, accreditation, badges (verified). Agents that answer and pass their tests come before others; match.factors says how much. An accreditation is what the vendor claims; verified_by_operator says whether somebody checked it. Ask for one that has not run out with accreditation_valid.',
      input: inputOf(paths, 'searchAgents', {
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: FOUND.most, default: FOUND.usual },
          description: 'At most so many agents; cursor is the next page.',
        },
      }),
      output: outputOf('AgentSearch'),
      page: '/results',
      call: (args, ask) => {
        const limit = args.limit ?? FOUND.usual;
        const isCount = typeof limit !== 'object' && /^[1-9]\d?$/.test(String(limit));
        if (!isCount || Number(limit) > FOUND.most)
          throw new ToolRefusal(`limit: 1 to ${FOUND.most} agents are on a page; cursor is the next one`);
        return ask('searchAgents', { ...args, limit });
      },
    },
    {
      name: 'get_agent',
      title: 'Get one agent in full',
      description:
        'All that is known of one agent: what it does, its metrics and accreditations, whether it answers, its badges, and where each fact comes from (provenance).',
      input: ofAgent('getAgent'),
      output: outputOf('AgentInFull'),
      call: askOfAgent('getAgent'),
    },
    {
      name: 'get_compliance',
      title: 'Get the compliance of one agent',
      description:
        'How an agent does in the tests that this registry runs: its status, the tracks and storyboards that pass or fail, and the badges that it holds. This is tested, not claimed.',
      input: ofAgent('getAgentCompliance'),
      output: outputOf('ComplianceDetail'),
      call: askOfAgent('getAgentCompliance'),
    },
    {
      name: 'check_authorization',
      title: 'May this agent sell this property?',
      description:
        'Yes or no, and the rule, from the files of the publishers. The default is no. Ask before you buy; identifier_type is domain for a site.',
      input: inputOf(paths, 'validatePropertyAuthorization'),
      output: outputOf('PropertyAuthorization'),
      call: (args, ask) => ask('validatePropertyAuthorization', args),
    },
    {
      name: 'validate_file',
      title: 'Check an adagents.json or a brand.json',
      description:
        'What is wrong in the file of a domain, or in one that you give as text: each finding with its place and what to do. With a domain alone, the registry fetches its file now.',
      input: {
        type: 'object',
        properties: {
          file: { enum: Object.keys(FILES), description: 'Which of the two files.' },
          domain: { type: 'string', maxLength: 300, description: 'Whose file it is.' },
          content: { type: 'string', description: 'The text of the file. Without it, that of the domain.' },
        },
        required: ['file'],
        additionalProperties: false,
      },
      output: outputOf('FileValidation'),
      call: validateFile,
    },
    {
      name: 'explain',
      title: 'Explain an agent, a domain or a code',
      description:
        'Why the registry says what it says. Of an agent: who declares it, when it was last seen, who authorises it. Of a domain: what its files say, what is wrong in them, when the next visit is. Of the code of a finding: what it means and what to do.',
      input: {
        type: 'object',
        properties: {
          subject: {
            ...{ type: 'string', maxLength: 2_000 },
            description: 'The URL of an agent, a domain name, or the code of a finding.',
          },
        },
        required: ['subject'],
        additionalProperties: false,
      },
      output: explanationSchema(),
      call: (args, ask) => {
        const other = Object.keys(args).find((name) => name !== 'subject');
        if (other === undefined) return explain(needed(args, 'subject'), ask);
        throw new ToolRefusal(`${other.slice(0, 100)}: there is no such argument; subject is the only one`);
      },
    },
  ];
}

/** The operation that checks each file, and the member of its question that has the text. */
const FILES = {
  adagents: { operationId: 'validateAdagents', member: 'adagents_json' },
  brand: { operationId: 'validateBrand', member: 'brand_json' },
} as const;

function validateFile(args: JsonObject, ask: Ask): Promise<JsonObject> {
  const { file, domain, content, ...others } = args;
  const known = Object.keys(FILES);
  if (typeof file !== 'string' || !known.includes(file))
    throw new ToolRefusal(`file: one of ${known.join(', ')} is expected`);
  if (content !== undefined && typeof content !== 'string')
    throw new ToolRefusal('content: the text of the file is expected');
  const { operationId, member } = FILES[file as keyof typeof FILES];
  const question = { ...others, ...defined({ domain, [member]: content }) };
  return ask(operationId, question).catch(inWordsOfTheTool(member, 'content'));
}

/** What the operation calls otherwise, such as the agent in its path, is named as the argument of the tool. */
function inWordsOfTheTool(parameter: string, argument: string): (fault: unknown) => never {
  return (fault) => {
    if (!(fault instanceof ToolRefusal)) throw fault;
    throw new ToolRefusal(fault.message.replaceAll(parameter, argument), fault.status);
  };
}

function needed(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolRefusal(`${name}: a text is needed`);
}
