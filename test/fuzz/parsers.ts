import { matchesEntityTag } from '../../src/api/answers.ts';
import { agentOfIdentifier } from '../../src/api/ard/identifier.ts';
import { readListFilter } from '../../src/api/ard/list-filter.ts';
import { readQuery } from '../../src/api/ard/query-model.ts';
import { HttpProblem } from '../../src/api/problem.ts';
import { isObject, parseObject } from '../../src/base/json.ts';
import { createRedact } from '../../src/base/redact.ts';
import { readYaml } from '../../src/base/yaml.ts';
import { isAgentCard, readCard } from '../../src/calling/a2a-card.ts';
import { agentErrorOf, rpcErrorIn } from '../../src/calling/agent-error.ts';
import type { TaskAnswer } from '../../src/calling/connection.ts';
import { readToolResult } from '../../src/calling/mcp.ts';
import { readTools } from '../../src/calling/read-tools.ts';
import { createFindings } from '../../src/calling/session.ts';
import { taskAnswerOf } from '../../src/calling/task-answer.ts';
import { visible } from '../../src/cli/output/visible.ts';
import { hideSecrets } from '../../src/compliance/conversation/evidence.ts';
import { firstAt, parsePath, resolvePath } from '../../src/compliance/json-path.ts';
import {
  holds,
  parseCondition,
  placeholdersIn,
  wholePlaceholder,
} from '../../src/compliance/storyboards/expressions.ts';
import { readStoryboard } from '../../src/compliance/storyboards/read-storyboard.ts';
import { parseRobots, robotsAllow } from '../../src/crawl/fetch/robots.ts';
import { checkBytes } from '../../src/discovery/check-file.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readAdsTxt } from '../../src/discovery/read-ads-txt.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import { parseAgentUrl } from '../../src/domain/agent-url.ts';
import { parseDomain } from '../../src/domain/domain-name.ts';
import { cacheLifetime, cleanText, retryAfterMs, shortText } from '../../src/domain/text.ts';
import { openCursor } from '../../src/index/query/cursor.ts';
import { readListQuery } from '../../src/index/query/list-query.ts';
import type { SeenOver } from '../../src/probe/exam.ts';
import { gradeAgent } from '../../src/probe/grade.ts';
import { readCapabilities } from '../../src/probe/read-capabilities.ts';
import { readMetrics } from '../../src/probe/read-metrics.ts';
import { checkPublicResponse } from '../../src/protocol/public-shapes.ts';
import { checkResponse, readRequest, webhookFault } from '../../src/protocol/read-request.ts';
import { ambiguityOf } from '../../src/signing/ambiguous-json.ts';
import { digestFault, messageFault } from '../../src/signing/covered.ts';
import { readJwkSet } from '../../src/signing/key-source.ts';
import { type HttpRequest, signatureBase } from '../../src/signing/message.ts';
import { completeSignature } from '../../src/signing/parameters.ts';
import { PROFILE_RULES } from '../../src/signing/profile.ts';
import { readSignatureFields } from '../../src/signing/signature-fields.ts';
import { readParts } from '../../src/signing/token-parts.ts';
import { MatchProblem } from '../../src/trusted-match/problem.ts';
import { contextReader, identityReader } from '../../src/trusted-match/read-request.ts';
import type { FuzzedParser } from './fuzz.ts';
import * as samples from './samples.ts';
import { jsonTextsOf, textsOf } from './texts.ts';

/** What Node takes of all headers of a request. */
const HEADER = 16_384;
/** Large enough to show what grows faster than the text. */
const FILE = 65_536;
const AGENT = new URL('https://agent.example/mcp');

const signed = (input: string, signature: string, digest: string): HttpRequest => ({
  method: 'POST',
  url: 'https://seller.example/mcp?a=b',
  headers: [
    ['Content-Type', 'application/json'],
    ['Content-Digest', digest],
    ['Signature-Input', input],
    ['Signature', signature],
  ],
  body: Buffer.from('{}'),
});

const parsedOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
const objectOf = (text: string) => parseObject(text) ?? {};
const redact = createRedact(['s3cr3t-T0ken-0123456789abcdef', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab']);
const context = contextReader();
const identity = identityReader();
/** As in a run: what came is bounded and freed from the token before anybody reads it. */
const SESSION = { redact: createRedact(['s3cr3t-T0ken-0123456789abcdef']) };
const ofMatch = (error: unknown) => error instanceof MatchProblem;
const ofHttp = (error: unknown) => error instanceof HttpProblem;

/** An exam in which the agent said this to whatever it was asked. */
const seenIn = (answer: TaskAnswer): SeenOver => ({
  ...{ protocol: 'mcp', tools: [], findings: [], steps: [] },
  ...{ capabilities: answer, toNoTask: answer, toWrongType: answer },
});

/** All that reads what strangers write, with texts that come far in it. */
export const PARSERS: readonly FuzzedParser[] = [
  {
    name: 'signature headers',
    texts: textsOf({ ...samples.SIGNATURE, most: HEADER }),
    read(text) {
      const [input = '', signature = '', digest = ''] = text.split('\n');
      const message = signed(input, signature, digest);
      for (const profile of PROFILE_RULES) {
        const fields = readSignatureFields(message, profile);
        if ('refusal' in fields) continue;
        messageFault(message, fields.value.components);
        completeSignature(message, fields.value, { kind: 'request', now: 1_800_000_000 });
        signatureBase(message, fields.value.components, fields.value.params);
        digestFault(digest, message.body as Uint8Array);
      }
    },
  },
  {
    name: 'signed targets',
    texts: textsOf({ ...samples.URLS, most: HEADER }),
    read: (text) => messageFault({ method: 'GET', url: text, headers: [['Host', text.slice(8, 100)]] }, []),
  },
  {
    name: 'addresses of agents and domains',
    texts: textsOf({ ...samples.URLS, most: HEADER }),
    read: (text) => [parseAgentUrl(text), parseDomain(text), parseDomain(text.slice(8))],
  },
  {
    name: 'headers of answers',
    texts: textsOf({ ...samples.HEADERS, most: HEADER }),
    read: (text) => [
      cacheLifetime({ 'cache-control': text, age: text.slice(-9) }),
      retryAfterMs(text, 0),
      matchesEntityTag(text, '"a"'),
    ],
  },
  {
    name: 'tokens and cursors',
    texts: textsOf({ ...samples.TOKENS, most: HEADER }),
    read: (text) => [readParts(text), openCursor(Buffer.alloc(32), {}, text)],
  },
  {
    name: 'list queries',
    texts: textsOf({ ...samples.QUERIES, most: HEADER }),
    read: (text) => readListQuery(new URLSearchParams(text), 0),
  },
  {
    name: 'queries of resource discovery',
    texts: jsonTextsOf({ ...samples.ARD_QUERY, most: FILE }),
    read: (text) => readQuery(parsedOr(text), false),
    promises: ofHttp,
  },
  {
    name: 'filters and identifiers of resource discovery',
    texts: textsOf({ ...samples.ARD_FILTER, most: HEADER }),
    read: (text) => [agentOfIdentifier(text), readListFilter(text)],
    promises: ofHttp,
  },
  {
    name: 'storyboards',
    texts: textsOf({ ...samples.STORYBOARDS, most: 12_288 }),
    read: (text) => readStoryboard(text),
  },
  {
    name: 'YAML',
    texts: textsOf({ ...samples.YAML, most: 12_288 }),
    read: (text) => readYaml(text, { parts: 60_000, depth: 32 }),
  },
  {
    name: 'conditions, placeholders and paths',
    texts: textsOf({ ...samples.EXPRESSIONS, most: FILE }),
    read(text) {
      const condition = parseCondition(text);
      const steps = parsePath(text);
      return [
        condition && holds(condition, samples.ANSWER),
        wholePlaceholder(text),
        placeholdersIn(text),
        steps && resolvePath(samples.ANSWER, steps),
        firstAt({ context: samples.ANSWER }, text),
      ];
    },
  },
  {
    name: 'adagents.json',
    texts: jsonTextsOf({ ...samples.ADAGENTS, most: FILE }),
    read: (text) => readAdagents(Buffer.from(text)),
  },
  {
    name: 'adagents.json, checked',
    texts: jsonTextsOf({ ...samples.ADAGENTS, most: FILE / 8 }),
    read: (text) => checkBytes(Buffer.from(text), { kind: 'adagents', now: 0 }),
  },
  {
    name: 'brand.json',
    texts: jsonTextsOf({ ...samples.BRANDS, most: FILE }),
    read: (text) => readBrand(Buffer.from(text)),
  },
  {
    name: 'ads.txt',
    texts: textsOf({ ...samples.ADS_TXT, most: FILE }),
    read: (text) => readAdsTxt(text),
  },
  {
    name: 'robots.txt',
    texts: textsOf({ ...samples.ROBOTS, most: FILE }),
    read(text) {
      const rules = parseRobots(text, 'agent-registry');
      return samples.PATHS.map((path) => robotsAllow(rules, path));
    },
  },
  {
    name: 'agent cards',
    texts: jsonTextsOf({ ...samples.CARDS, most: FILE }),
    read(text) {
      const card = objectOf(text);
      const findings = createFindings();
      return [isAgentCard(card), readTools(readCard(card, AGENT, findings).skills, '/skills', findings)];
    },
  },
  {
    name: 'answers of agents',
    texts: jsonTextsOf({ ...samples.ANSWERS, most: FILE }),
    read(text) {
      const result = objectOf(text);
      for (const content of [readToolResult(result), { outcome: 'answered', data: result } as const]) {
        const answer = taskAnswerOf(SESSION, { result: content, durationMs: 1, raw: text });
        agentErrorOf(result);
        redact(answer);
        hideSecrets(answer);
        if (answer.outcome !== 'answered') continue;
        const findings = createFindings();
        readCapabilities({ tools: [], answer: answer.data }, findings);
        readMetrics(Object.values(answer.data), findings);
        gradeAgent(AGENT.href, [seenIn(answer)], { reason: text }, 1);
      }
    },
  },
  {
    name: 'streams of events',
    texts: textsOf({ ...samples.EVENTS, most: FILE }),
    read: (text) => rpcErrorIn(text),
  },
  {
    name: 'requests, answers and webhooks of the protocol',
    texts: jsonTextsOf({ ...samples.PAYLOADS, most: FILE }),
    read(text) {
      const value = parsedOr(text);
      const task = isObject(value) && 'packages' in value ? 'create_media_buy' : 'get_products';
      return [
        readRequest(task, value),
        checkResponse('get_products', value),
        checkPublicResponse('get_products', value),
        webhookFault(value),
      ];
    },
  },
  {
    name: 'bodies of signed messages, key sets',
    texts: jsonTextsOf({ ...samples.KEYS, most: FILE }),
    read: (text) => [ambiguityOf(Buffer.from(text)), readJwkSet(text)],
  },
  {
    name: 'context matches',
    texts: jsonTextsOf({ ...samples.CONTEXT, most: FILE }),
    read: (text) => context(text),
    promises: ofMatch,
  },
  {
    name: 'identity matches',
    texts: jsonTextsOf({ ...samples.IDENTITY, most: FILE }),
    read: (text) => identity(text),
    promises: ofMatch,
  },
  {
    name: 'texts that are kept and shown',
    texts: textsOf({ ...samples.TEXTS, most: FILE }),
    read: (text) => [cleanText(text), shortText(text, 200), visible(text), redact(text), hideSecrets(text)],
  },
];
