import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import type { FileKind } from '../../../domain/declaration.ts';
import type { FileVersion } from '../../../records/agents/publishers.ts';
import { limitOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { type FileDiff, fileDiff, MAX_COMPARED } from '../../render/file-diff.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { FILE_PARAMETERS, fileKind } from './file-findings.ts';
import { type GraphParts, publicReading, sendBody, timeText } from './reading.ts';

/** As many as a history tells. */
const MAX_VERSIONS = 1_000;

const READING = publicReading({
  operationId: 'getFileDiff',
  summary: 'Show the changes of a file version',
  description: `The difference of a version to the previous one, by line. Texts larger than ${MAX_COMPARED / 1024} KiB are not compared.`,
  parameters: [
    ...FILE_PARAMETERS,
    {
      name: 'revision',
      in: 'query',
      description: 'The number of a version in the history. Default: the newest.',
      schema: { type: 'integer', minimum: 1, maximum: MAX_VERSIONS },
    },
  ],
  answers: 'The changes.',
  schema: 'FileDiff',
});
const OPERATION = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('The file has no version with this number.') },
};

/** GET /api/registry/file/diff. */
export function fileDiffOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/file/diff', describedBy(OPERATION), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'file', 'revision'], 'the comparison');
    const domain = namedDomain(needed(parameters, 'domain'));
    const revision = readRevision(parameters.get('revision'));
    const shown = await revisionDiff(parts, domain, fileKind(parameters), revision);
    if (shown === undefined)
      throw new HttpProblem('not_found', 'the file has no version with this number', {
        parameter: revision === undefined ? 'domain' : 'revision',
      });
    return sendBody(request, reply, shown);
  });
}

/** The number of a version. Throws HttpProblems. */
export function readRevision(text: string | undefined): number | undefined {
  return text === undefined ? undefined : limitOf(text, 1, MAX_VERSIONS, 'revision');
}

/** A version beside the one before it; undefined when there is no such version. */
export async function revisionDiff(
  parts: Pick<GraphParts, 'records'>,
  domain: string,
  file: FileKind,
  revision?: number,
) {
  const versions = (await parts.records.graph.versions(domain, file, MAX_VERSIONS)).toReversed();
  const number = revision ?? versions.length;
  const [before, version] = [versions[number - 2], versions[number - 1]];
  if (version === undefined) return undefined;
  const shown = { domain, file, revision: number, created_at: timeText(version.seenFrom) };
  if (before === undefined) return { ...shown, hunks: [] };
  return { ...shown, ...(await diffOf(parts, before, version)) };
}

async function diffOf(
  { records: { sources } }: Pick<GraphParts, 'records'>,
  before: FileVersion,
  version: FileVersion,
): Promise<FileDiff> {
  const texts: string[] = [];
  for (const { contentHash } of [before, version]) {
    await yieldToEventLoop();
    const hash = bodyHashOf(contentHash);
    const bytes = await sources.bodyWithin(hash, MAX_COMPARED);
    if (bytes === undefined) return { not_shown: (await sources.hasBody(hash)) ? 'too_long' : 'not_kept' };
    texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  }
  return fileDiff(texts[0] ?? '', texts[1] ?? '');
}

/** Of all bytes on the way the last ones are the content. */
export function bodyHashOf(contentHash: string): string {
  return contentHash.split('@')[0]?.split('+').at(-1) ?? '';
}
