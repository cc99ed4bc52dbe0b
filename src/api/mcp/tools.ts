import { defined, elements, type JsonObject, member } from '../../base/json.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import type { OpenApiPaths } from '../openapi.ts';
import { type Ask, ToolRefusal } from './ask.ts';
import { explain, explanationSchema } from './explain.ts';
import { inputOf, outputOf } from './tool-schemas.ts';

/** A tool of the MCP server. */
export interface AssistantTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** JSON Pointer of the array in its answer that is one page of a longer list. */
  readonly page?: string;
  call(args: JsonObject, ask: Ask): Promise<JsonObject>;
  /** A sentence about the answer, put before it. */
  note?(answer: JsonObject): string | undefined;
}

/** Agents on a page; a page of the API is longer than an assistant can use. */
const FOUND = { usual: 5, most: 20 };

const AGENT_URL = {
  type: 'string',
  maxLength: 2_000,
  description: "The agent's URL, as in a search result.",
};

/** The tools. Each calls operations of the API and has their parameters and answers. */
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
      throw new ToolRefusal(
        `agent_url: ${AGENT_URL_PROBLEMS[parsed.problem]}; use a URL that search_agents returns`,
      );
    return ask(operationId, { ...others, encodedUrl }).catch(inWordsOfTheTool('encodedUrl', 'agent_url'));
  };
  return [
    {
      name: 'search_agents',
      title: 'Search agents',
      description:
        'Search agents by words and filters, ordered by relevance: type, capability (a task or specialism), channels, markets, metrics, accreditation, badges (verified), online. Agents that are online and pass their tests rank higher; match.factors has the factors. If no agent has all the words, those that match nothing are ignored and listed in ignored_words: tell the user. Accreditations are self-declared by the vendor; verified_by_operator is always false. To find a vendor that is accredited for a metric now, set metric_id, accreditation, same_metric and accreditation_valid.',
      input: inputOf(paths, 'searchAgents', {
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: FOUND.most, default: FOUND.usual },
          description: 'Maximum number of agents; pass cursor for the next page.',
        },
      }),
      output: outputOf('AgentSearch'),
      page: '/results',
      call: (args, ask) => {
        const limit = args.limit ?? FOUND.usual;
        const isCount = typeof limit !== 'object' && /^[1-9]\d?$/.test(String(limit));
        if (!isCount || Number(limit) > FOUND.most)
          throw new ToolRefusal(`limit: use a number from 1 to ${FOUND.most}; for more agents, pass cursor`);
        return ask('searchAgents', { ...args, limit });
      },
      note: ignoredNote,
    },
    {
      name: 'get_agent',
      title: 'Get one agent in full',
      description:
        'Get the full record of one agent: its capabilities, metrics and accreditations, whether it is online, its badges, and the source of each fact (provenance).',
      input: ofAgent('getAgent'),
      output: outputOf('AgentInFull'),
      call: askOfAgent('getAgent'),
    },
    {
      name: 'get_compliance',
      title: 'Get the compliance of one agent',
      description:
        'Get the results of the tests that this registry runs against an agent: its status, the tracks and storyboards that pass or fail, and its badges. These results are tested, not self-declared.',
      input: ofAgent('getAgentCompliance'),
      output: outputOf('ComplianceDetail'),
      call: askOfAgent('getAgentCompliance'),
    },
    {
      name: 'check_authorization',
      title: 'Check an authorization',
      description:
        'Check whether an agent may sell a property, by the files of the publishers. Returns yes or no with the rule; without a matching entry the answer is no. Check before every purchase. For a website, identifier_type is domain.',
      input: inputOf(paths, 'validatePropertyAuthorization'),
      output: outputOf('PropertyAuthorization'),
      call: (args, ask) => ask('validatePropertyAuthorization', args),
    },
    {
      name: 'validate_file',
      title: 'Validate an adagents.json or brand.json',
      description:
        'Validate the file of a domain, or a file given as text. Returns each finding with its location and a fix. With only a domain, the registry fetches its file now.',
      input: {
        type: 'object',
        properties: {
          file: { enum: Object.keys(FILES), description: 'Kind of file.' },
          domain: { type: 'string', maxLength: 300, description: 'The domain of the file.' },
          content: {
            type: 'string',
            description: 'The text of the file. Without it, the file of the domain is fetched.',
          },
        },
        required: ['file'],
        additionalProperties: false,
      },
      output: outputOf('FileValidation'),
      call: validateFile,
    },
    {
      name: 'explain',
      title: 'Explain an agent, a domain or a finding code',
      description:
        'Explain the data of the registry. For an agent: who declares it, when it was last checked, who authorises it. For a domain: what its files contain, their findings, and the time of the next crawl. For a finding code: its meaning and what to do.',
      input: {
        type: 'object',
        properties: {
          subject: {
            ...{ type: 'string', maxLength: 2_000 },
            description: 'The URL of an agent, a domain name, or a finding code.',
          },
        },
        required: ['subject'],
        additionalProperties: false,
      },
      output: explanationSchema(),
      call: (args, ask) => {
        const other = Object.keys(args).find((name) => name !== 'subject');
        if (other === undefined) return explain(needed(args, 'subject'), ask);
        throw new ToolRefusal(`${other.slice(0, 100)}: unknown argument; the only one is subject`);
      },
    },
  ];
}

/** Which words a search ignored. */
function ignoredNote({ ignored_words: ignored, without_words: rest }: JsonObject): string | undefined {
  const words = elements(ignored);
  if (words.length === 0) return undefined;
  return `No results for ${words.map((word) => `“${word}”`).join(', ')}; showing “${member(rest, 'q')}”.`;
}

/** The operation that validates each file, and the field of its body that has the text. */
const FILES = {
  adagents: { operationId: 'validateAdagents', field: 'adagents_json' },
  brand: { operationId: 'validateBrand', field: 'brand_json' },
} as const;

function validateFile(args: JsonObject, ask: Ask): Promise<JsonObject> {
  const { file, domain, content, ...others } = args;
  const known = Object.keys(FILES);
  if (typeof file !== 'string' || !known.includes(file))
    throw new ToolRefusal(`file: use one of ${known.join(', ')}`);
  if (content !== undefined && typeof content !== 'string')
    throw new ToolRefusal('content: use the text of the file');
  const { operationId, field } = FILES[file as keyof typeof FILES];
  const question = { ...others, ...defined({ domain, [field]: content }) };
  return ask(operationId, question).catch(inWordsOfTheTool(field, 'content'));
}

/** Replaces the name of a parameter of the operation, such as the agent in its path, by that of the tool's argument. */
function inWordsOfTheTool(parameter: string, argument: string): (fault: unknown) => never {
  return (fault) => {
    if (!(fault instanceof ToolRefusal)) throw fault;
    throw new ToolRefusal(fault.message.replaceAll(parameter, argument), fault.status);
  };
}

function needed(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolRefusal(`${name}: a non-empty string is required`);
}
