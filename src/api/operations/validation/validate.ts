import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defined } from '../../../base/json.ts';
import type { FileQuestion } from '../../../discovery/file-checks.ts';
import type { FileKind } from '../../../domain/declaration.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import { readMembers } from '../../body.ts';
import { partyOf } from '../../callers.ts';
import { namedDomain, needed, queryText, readParameters, refuseParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import type { SchemaName } from '../../schema-names.ts';
import { answer, describedBy, jsonBody, problemAnswer, problems } from '../description.ts';
import { textParameter, visitOf } from '../graph/reading.ts';
import { propertyAnswer, publisherAnswer, validationAnswer } from './answers.ts';
import type { BoundedChecks, KeptReport } from './bounded-checks.ts';
import { createdAnswer, fileText, readCreation } from './create.ts';

/** The largest request body, in bytes. */
export const MAX_FILE_BODY = 512 * 1024;
/** The check is given up for an answer before. */
export const VALIDATION_MS = 15_000;

export interface ValidationParts {
  readonly records: Pick<Records, 'sources'>;
  readonly clock: Clock;
  /** Absent: this process checks no files. */
  readonly checks?: BoundedChecks;
}

const described = (
  operationId: string,
  summary: string,
  description: string,
  { schema, ...asked }: { readonly schema: SchemaName; readonly [member: string]: unknown },
) => ({
  ...{ operationId, summary, description, ...asked },
  responses: {
    200: answer('The report.', schema, {}),
    ...problems(400, 401, 429, 500, 503),
    501: problemAnswer('This registry does not validate files.'),
    ...(asked.requestBody !== undefined && {
      413: problemAnswer('The body is larger than 512 KiB.'),
    }),
  },
});

const body = (schema: SchemaName) => ({
  requestBody: jsonBody(schema),
});

const HOW =
  'A domain is fetched at most once a minute for all callers; `timestamp` is the time of the check. One check at a time for each caller.';
const ADAGENTS = described(
  'validateAdagents',
  'Validate an adagents.json',
  `Validates the file of a domain, or a file that you send. ${HOW}`,
  {
    ...body('AdagentsQuestion'),
    schema: 'FileValidation',
  },
);
const BRAND = described(
  'validateBrand',
  'Validate a brand.json',
  `Validates the file of a domain, or a file that you send. ${HOW}`,
  {
    ...body('BrandQuestion'),
    schema: 'FileValidation',
  },
);
const CREATE = described(
  'createAdagents',
  'Create an adagents.json from its parts',
  'Returns the validated file as text. Parts that make no valid file are rejected with the place of the first error.',
  { ...body('AdagentsParts'), schema: 'CreatedAdagents' },
);
const DOMAIN = {
  parameters: [textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example')],
};
const PUBLISHER = described('validatePublisher', 'Validate the adagents.json of a publisher', HOW, {
  ...DOMAIN,
  schema: 'PublisherValidation',
});
const PROPERTY = described('validateProperty', 'Check whether the adagents.json of a domain is valid', HOW, {
  ...DOMAIN,
  schema: 'PropertyValidation',
});

/** POST /api/adagents/validate, /api/brands/validate and /api/adagents/create; GET …/validate-publisher and /api/properties/validate. */
export function validationOperations(server: FastifyInstance, parts: ValidationParts): void {
  const { clock, checks } = parts;
  const ask = (request: FastifyRequest, question: FileQuestion): Promise<KeptReport> =>
    offeredChecks(checks).ask(partyOf(request), question);
  const posts = { bodyLimit: MAX_FILE_BODY, handlerTimeout: VALIDATION_MS };
  for (const [path, operation, kind] of [
    ['/api/adagents/validate', ADAGENTS, 'adagents'],
    ['/api/brands/validate', BRAND, 'brand'],
  ] as const)
    server.post(path, { ...describedBy(operation), ...posts }, async (request, reply) => {
      refuseParameters(queryText(request), 'a validation');
      const question = readFileQuestion(request.body, kind);
      return send(reply, validationAnswer(question, await ask(request, question)));
    });
  server.post('/api/adagents/create', { ...describedBy(CREATE), ...posts }, async (request, reply) => {
    refuseParameters(queryText(request), 'a file to be made');
    const question = readCreation(request.body, clock.now());
    return send(reply, createdAnswer(question, await ask(request, question)));
  });
  for (const [path, operation, told] of [
    ['/api/public/validate-publisher', PUBLISHER, publisherAnswer],
    ['/api/properties/validate', PROPERTY, propertyAnswer],
  ] as const)
    server.get(path, { ...describedBy(operation), handlerTimeout: VALIDATION_MS }, async (request, reply) => {
      const parameters = readParameters(queryText(request), ['domain'], 'a validation');
      const domain = namedDomain(needed(parameters, 'domain'));
      const kept = await ask(request, { kind: 'adagents', domain });
      return send(reply, told(domain, kept, await visitOf(parts, 'adagents', domain)));
    });
}

/** Throws the HttpProblem of a registry without them. */
export function offeredChecks(checks: BoundedChecks | undefined): BoundedChecks {
  if (checks !== undefined) return checks;
  throw new HttpProblem(
    'not_offered',
    'this registry does not validate files; use `agent-registry validate`',
  );
}

function send(reply: FastifyReply, told: object): FastifyReply {
  return reply.header('cache-control', 'no-store').send(told);
}

/** A domain, or the file itself as text or JSON; with both, the domain is the publisher of the file. Throws HttpProblems. */
function readFileQuestion(value: unknown, kind: FileKind): FileQuestion {
  const member = `${kind}_json`;
  const { domain: named, [member]: file } = readMembers(value, ['domain', member]);
  if (named !== undefined && typeof named !== 'string') throw invalidValue('domain', 'use a domain name');
  if (named === undefined && file === undefined)
    throw invalidValue('domain', `domain or ${member} is required`);
  const text = typeof file === 'string' || file === undefined ? file : fileText(file, member);
  return { kind, ...defined({ domain: named === undefined ? undefined : namedDomain(named), text }) };
}
