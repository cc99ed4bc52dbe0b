import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shippedBundle, shippedBundles } from '../../compliance/storyboards/bundle.ts';
import type { BundledStoryboard } from '../../compliance/storyboards/needs.ts';
import { resolveVersion, versionAliases } from '../../protocol/versions.ts';
import { nearestValues } from '../../query/nearest.ts';
import { entityTag, sendPublic, type TaggedAnswer } from '../answers.ts';
import { queryText, readParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { firstStep, storyboardDetail, storyboardSummary } from '../render/storyboards.ts';
import type { SchemaName } from '../schema-names.ts';
import {
  answer,
  describedBy,
  ETAG,
  header,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

const TARGET = {
  ...{ name: 'compliance_target', in: 'query' },
  description:
    'A version of the protocol or an alias of one. Default: the version that agents are tested for.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  example: '3.0',
};
const CATEGORY = {
  ...{ name: 'category', in: 'query' },
  description: 'Only storyboards of this category. The error for an unknown category lists the known ones.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
  example: 'media_buy',
};
const ID = {
  ...{ name: 'id', in: 'path', required: true },
  description: 'Id of the storyboard.',
  schema: { type: 'string' },
  example: 'capability_discovery',
};

const LIST = reading('listStoryboards', 'List all storyboards', {
  ...{ parameters: [CATEGORY, TARGET], schema: 'StoryboardList' },
});
const DETAIL = reading('getStoryboard', 'Get one storyboard with its steps', {
  ...{ parameters: [ID, TARGET], schema: 'StoryboardDetail' },
});
const FIRST = reading('getStoryboardFirstStep', 'Get the first step of a storyboard', {
  ...{ parameters: [ID, TARGET], schema: 'StoryboardFirstStep' },
});

// What a release tests may be more in the next one.
const FOR_MINUTES = 'public, max-age=300';

/** The storyboards of one version. */
export interface StoryboardsOf {
  /** As it was asked for, `3.0`. */
  readonly target: string;
  /** `3.0.0`. */
  readonly version: string;
  readonly storyboards: readonly BundledStoryboard[];
}

/** The release's own storyboards. */
export interface StoryboardCatalogue {
  /** Those for a version label; without one, those that agents are tested with. Throws an HttpProblem for an unknown one. */
  of(label?: string): Promise<StoryboardsOf>;
}

/** `usual` is the setting REGISTRY_COMPLIANCE_TARGET. */
export function openStoryboards(usual = 'latest'): StoryboardCatalogue {
  const versions = shippedBundles();
  const labels = [...versions, ...Object.keys(versionAliases(versions))];
  return {
    async of(label) {
      const target = (label ?? usual).replace(/^v/, ''); // as clients of the public protocol write it
      const isKnown = label === undefined || labels.includes(target);
      const version = isKnown ? resolveVersion(target, versions) : undefined;
      if (version === undefined)
        throw invalidValue('compliance_target', 'no storyboards exist for this version', labels);
      return { target, version, storyboards: (await shippedBundle(version)).storyboards };
    },
  };
}

type IdRequest = FastifyRequest<{ Params: { id: string } }>;

/** GET /api/storyboards, /api/storyboards/{id} and …/first-step: what is tested. The same for everybody; each answer is made once. */
export function storyboardCatalogueOperations(server: FastifyInstance, catalogue: StoryboardCatalogue): void {
  const bodies = new Map<string, TaggedAnswer>();
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    of: StoryboardsOf,
    make: () => object,
  ) => {
    const kept = bodies.get(`${of.target} ${key}`) ?? tagged(of, make());
    bodies.set(`${of.target} ${key}`, kept);
    reply.header('cache-control', FOR_MINUTES);
    return sendPublic(request, reply, kept);
  };
  server.get('/api/storyboards', describedBy(LIST), async (request, reply) => {
    const parameters = readParameters(
      queryText(request),
      ['category', 'compliance_target'],
      'the storyboards',
    );
    const of = await catalogue.of(parameters.get('compliance_target'));
    const category = parameters.get('category');
    const named = of.storyboards.filter(
      ({ storyboard }) => category === undefined || storyboard.category === category,
    );
    if (named.length === 0) throw noSuchCategory(of);
    return send(request, reply, `category ${category ?? ''}`, of, () => ({
      storyboards: named.map(storyboardSummary),
      count: named.length,
    }));
  });
  const one = async (request: IdRequest) => {
    const parameters = readParameters(queryText(request), ['compliance_target'], 'a storyboard');
    const of = await catalogue.of(parameters.get('compliance_target'));
    const found = of.storyboards.find(({ storyboard }) => storyboard.id === request.params.id);
    if (found === undefined) throw noSuchStoryboard(nearestStoryboards(of, request.params.id));
    return { of, found };
  };
  server.get('/api/storyboards/:id', describedBy(DETAIL), async (request: IdRequest, reply) => {
    const { of, found } = await one(request);
    const make = () => ({ storyboard: storyboardDetail(found) });
    return send(request, reply, `storyboard ${found.storyboard.id}`, of, make);
  });
  server.get('/api/storyboards/:id/first-step', describedBy(FIRST), async (request: IdRequest, reply) => {
    const { of, found } = await one(request);
    return send(request, reply, `first step ${found.storyboard.id}`, of, () => firstStep(found));
  });
}

function tagged({ target, version }: StoryboardsOf, rest: object): TaggedAnswer {
  const body = Buffer.from(
    JSON.stringify({ adcp_version: version, requested_compliance_target: target, ...rest }),
  );
  return { body, etag: entityTag(body) };
}

/** The ids that are most like one that no storyboard has. */
export function nearestStoryboards({ storyboards }: StoryboardsOf, id: string): readonly string[] {
  const ids = storyboards.map(({ storyboard }) => storyboard.id);
  return nearestValues(id, ids);
}

/** The 404 for an id that no storyboard has. */
export function noSuchStoryboard(nearest: readonly string[]): HttpProblem {
  const near = nearest.length === 0 ? '' : `; did you mean ${nearest.join(', ')}?`;
  return new HttpProblem(
    'not_found',
    `storyboard not found${near}; GET /api/storyboards lists all storyboards`,
  );
}

function noSuchCategory({ storyboards }: StoryboardsOf): HttpProblem {
  return invalidValue(
    'category',
    'unknown category',
    [...new Set(storyboards.map(({ storyboard }) => storyboard.category))].toSorted(),
  );
}

interface Reading {
  readonly parameters: readonly { readonly in: string }[];
  readonly schema: SchemaName;
}

function reading(operationId: string, summary: string, { parameters, schema }: Reading) {
  const headers = { ETag: ETAG, 'Cache-Control': header('A few minutes.') };
  const missing = parameters.some((one) => one.in === 'path');
  return {
    ...{ operationId, summary, security: [{}, { apiKey: [] }], parameters: [...parameters, IF_NONE_MATCH] },
    responses: {
      200: answer('The response is the same for every caller.', schema, headers),
      304: NOT_MODIFIED,
      ...problems(400, 401, 429, 500, 503),
      ...(missing && { 404: problemAnswer('The storyboard does not exist.') }),
    },
  };
}
