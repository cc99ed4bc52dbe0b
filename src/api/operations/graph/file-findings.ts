import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import { FILE_KINDS, type FileKind } from '../../../domain/declaration.ts';
import type { DeclarationKind } from '../../../domain/declared-facts.ts';
import { namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { MAX_TEXT_READ, markedFindings } from '../../render/file-text.ts';
import { visitState } from '../../render/visit-state.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter } from './reading.ts';

/** Of a question about one of these files of a domain. */
function fileParameters(kinds: readonly DeclarationKind[]) {
  return [
    textParameter('domain', 'The domain of the file.', 'larkhaven-courier.example'),
    {
      name: 'file',
      in: 'query',
      description: 'The file name without .json.',
      schema: { type: 'string', enum: kinds, default: 'adagents' },
    },
  ];
}
export const FILE_PARAMETERS = fileParameters(FILE_KINDS);

const READING = publicReading({
  operationId: 'getFileFindings',
  summary: 'List the errors and warnings of a file',
  description: `Findings in the last version that was read, each with the lines around it and its fix. Texts larger than ${MAX_TEXT_READ / 1024} KiB are not shown.`,
  parameters: fileParameters(['adagents', 'ard', 'brand']),
  answers: 'The findings.',
  schema: 'FileFindings',
});
const OPERATION = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('Unknown domain.') },
};

/** GET /api/registry/file/findings. */
export function fileFindingsOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/file/findings', describedBy(OPERATION), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'file'], 'the look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const file = parameters.get('file') === 'ard' ? 'ard' : fileKind(parameters);
    const shown = await fileFindings(parts, domain, file);
    if (shown === undefined)
      throw new HttpProblem(
        'not_found',
        'unknown domain; request a crawl with POST /api/registry/crawl-request',
        { parameter: 'domain' },
      );
    return sendBody(request, reply, shown);
  });
}

/** Which file a question means. Throws HttpProblems. */
export function fileKind(parameters: ReadonlyMap<string, string>): FileKind {
  const file = parameters.get('file') ?? 'adagents';
  if (file === 'adagents' || file === 'brand') return file;
  throw invalidValue('file', 'unknown file', ['adagents', 'brand']);
}

/** The findings of a file when it was last read; undefined for an unknown domain. */
export async function fileFindings({ records, clock }: GraphParts, domain: string, file: DeclarationKind) {
  const reading = await records.sources.lastReading({ kind: file, key: domain });
  if (reading === undefined) return undefined;
  const { source, url, body, isLive } = reading;
  const findings = await markedFindings(records.sources, reading);
  const shown = withinBytes(findings, MAX_BYTES - 8_192);
  return {
    ...{ domain, file, counts: isLive },
    ...defined({ url, bytes: body && Number.isFinite(body.bytes) ? body.bytes : undefined }),
    ...{ findings: shown, total: findings.length },
    visit: visitState(file, source, clock.now()),
  };
}
