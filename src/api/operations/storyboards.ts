import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { EMBEDDED, type Offer, resolveTarget } from '../../compliance/bundles/choose.ts';
import { type BundleLibrary, createTestBundles } from '../../compliance/bundles/library.ts';
import { bundlesOfAgent } from '../../compliance/bundles/of-agent.ts';
import type { BundledStoryboard } from '../../compliance/storyboards/needs.ts';
import { newestLineFirst } from '../../domain/badge.ts';
import { nearestValues } from '../../index/query/nearest.ts';
import type { Records } from '../../ports/records.ts';
import { versionAliases } from '../../protocol/versions.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
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
    'A version or a line of the protocol, or an alias that the operator gave a bundle. Default: the bundle for agents that declare no version. The error for an unknown one lists the known ones.',
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

// An operator may replace a bundle, and a release its own one.
const FOR_MINUTES = 'public, max-age=300';

/** The storyboards of one bundle. */
export interface StoryboardsOf {
  /** As it was asked for, `3.0`. */
  readonly target: string;
  /** `3.0.0`. */
  readonly version: string;
  /** Of the files of the bundle. */
  readonly digest: string;
  readonly storyboards: readonly BundledStoryboard[];
}

/** The storyboards of the bundles of this registry. */
export interface StoryboardCatalogue {
  /**
   * Those of the bundle that a version, a line or an alias stands for; without a label, of REGISTRY_COMPLIANCE_TARGET. Throws
   * an HttpProblem for an unknown label.
   */
  of(label?: string): Promise<StoryboardsOf>;
  /** Those that an agent is tested with, by what it declares and what its owner asks for. */
  forAgent(agent: string, state: Pick<ComplianceState, 'settings' | 'standing'>): Promise<StoryboardsOf>;
  /** The version of the bundle without a label. */
  usual(): Promise<string>;
  /** The bundles that can be asked for, newest line first. */
  bundles(): Promise<readonly Offer[]>;
}

interface CatalogueSources {
  readonly records: {
    readonly agents: Pick<Records['agents'], 'facts'>;
    readonly bundles: Pick<Records['bundles'], 'list'>;
  };
  readonly library: BundleLibrary;
  /** REGISTRY_COMPLIANCE_TARGET. Default: the newest. */
  readonly usual?: string;
}

export function openStoryboards({
  records,
  library,
  usual = 'latest',
}: CatalogueSources): StoryboardCatalogue {
  const { open } = createTestBundles({ library, installed: records.bundles, fallback: usual });
  const offers = async () => [...(await records.bundles.list()), EMBEDDED];
  const opened = async (target: string, { version }: Offer): Promise<StoryboardsOf> => {
    const { storyboards, wholeDigest: digest } = await open(version);
    return { target, version, digest, storyboards };
  };
  return {
    async of(label) {
      const all = await offers();
      const labels = labelsOf(all);
      const target = label === undefined || labels.includes(label) ? (label ?? usual) : withoutV(label);
      const isKnown = label === undefined || labels.includes(target);
      const offer = isKnown ? resolveTarget(target, all) : undefined;
      if (offer === undefined)
        throw invalidValue('compliance_target', 'no installed bundle matches this version', labels);
      return opened(target, offer);
    },
    async forAgent(agent, state) {
      const { plan } = await bundlesOfAgent(records, agent, state, usual);
      return opened(plan.label, plan.main);
    },
    usual: async () => (resolveTarget(usual, await offers()) ?? EMBEDDED).version,
    bundles: async () => newestLineFirst(await offers()),
  };
}

/** Versions, the aliases that the operator gave them, and what stands for the newest of a line or of all. */
function labelsOf(offers: readonly Offer[]): readonly string[] {
  const versions = offers.map(({ version }) => version);
  const aliases = offers.flatMap((offer) => offer.aliases);
  return [...new Set([...versions, ...aliases, ...Object.keys(versionAliases(versions))])];
}

/** Clients of the public protocol write `v3`. */
function withoutV(label: string): string {
  return label.replace(/^v/, '');
}

type IdRequest = FastifyRequest<{ Params: { id: string } }>;

/** For rendered answers; those of all storyboards of one bundle have less than 1 MiB. */
const CACHE_BYTES = 8 * 1_024 * 1_024;

/** GET /api/storyboards, /api/storyboards/{id} and …/first-step: what is tested. The same for everybody. */
export function storyboardCatalogueOperations(server: FastifyInstance, catalogue: StoryboardCatalogue): void {
  const bodies = new LRUCache<string, TaggedAnswer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body }, key) => body.byteLength + key.length,
  });
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    of: StoryboardsOf,
    make: () => object,
  ) => {
    // a bundle may be replaced by another one of its version
    const name = `${of.digest} ${of.version} ${of.target} ${key}`;
    const kept = bodies.get(name) ?? tagged(of, make());
    bodies.set(name, kept);
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
