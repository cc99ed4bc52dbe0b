import type { Activation, GetSignalsRequest, Signal } from '@agent-registry/surface/agent-kit';
import { findAnyAccount } from '../accounts/find-account.ts';
import { handler, type TaskCall, TaskRefused } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { scoreOf, tokensOf, type WordWeights, weightsOf } from '../text/relevance.ts';
import {
  activationKeyOf,
  activationsOf,
  availableAt,
  type StoredActivation,
  shownActivation,
} from './activations.ts';
import { destinationsOf, type KnownDestination, knownDestination } from './destinations.ts';
import { findSegment } from './find-segment.ts';
import { SEGMENTS, type Segment } from './segment-table.ts';

/** Places of a segment that one answer names. */
const MAX_OPTIONS = 1_000;

/** What a segment is found by. Its own name says most. */
const WORDS: ReadonlyMap<string, WordWeights> = new Map(
  SEGMENTS.map(({ id, name, words, description, audienceType }) => [
    id,
    weightsOf([
      { text: name, weight: 3 },
      { text: words, weight: 2 },
      { text: `${description} ${audienceType.replace('_', ' ')}`, weight: 1 },
    ]),
  ]),
);

/**
 * get_signals: segments that suit a description, the best first, or those that are named; with prices, coverage and
 * where they are or can be active for this caller. Refuses SIGNAL_NOT_FOUND for an unknown id, REFERENCE_NOT_FOUND for
 * an unknown destination.
 */
export const getSignals = handler('get_signals', {
  description: 'Finds segments for a description in plain language',
  callers: 'anybody',
  run: (request, call) => {
    if (request.account !== undefined) findAnyAccount(call, request.account);
    checkDestinations(request);
    const ranked = rankedSegments(request, call).filter(({ segment }) => suits(segment, request));
    const { items, pagination } = pageOf(ranked, request.pagination);
    const own = ownActivations(call);
    return { signals: items.map((found) => signalOf(found, { request, call, own })), pagination };
  },
});

interface Ranked {
  readonly segment: Segment;
  /** 0 to 1; absent when nothing was described. */
  readonly score?: number;
}

function rankedSegments(request: GetSignalsRequest, call: TaskCall): readonly Ranked[] {
  const { signal_spec: described, signal_agent_segment_ids: ids } = request;
  const named = ids?.map((id, at) => findSegment(call, id, `/signal_agent_segment_ids/${at}`));
  const segments = named === undefined ? SEGMENTS : [...new Set(named)];
  if (described === undefined) return segments.map((segment) => ({ segment }));
  const tokens = tokensOf(described);
  const scored = segments.map((segment) => {
    const words = WORDS.get(segment.id) as WordWeights;
    return { segment, score: scoreOf(tokens, words).score };
  });
  const found = named === undefined ? scored.filter(({ score }) => score > 0) : scored;
  return found.toSorted((a, b) => b.score - a.score || b.segment.coverage - a.segment.coverage);
}

/** A destination that exists nowhere is told; one that a segment is not for leaves the segment out. */
function checkDestinations({ destinations = [] }: GetSignalsRequest): void {
  for (const [at, destination] of destinations.entries()) {
    const known = knownDestination(SEGMENTS[0] as Segment, destination, `/destinations/${at}`);
    if ('code' in known && known.code !== 'UNSUPPORTED_FEATURE') throw new TaskRefused(known);
  }
}

function suits(segment: Segment, { filters = {}, countries, destinations = [] }: GetSignalsRequest): boolean {
  const {
    signal_types: types,
    data_providers: providers,
    max_price: most,
    min_coverage_percentage: least,
  } = filters;
  const wanted = countries?.map((country) => country.toUpperCase());
  if (wanted !== undefined && !segment.countries.some((country) => wanted.includes(country))) return false;
  if (types !== undefined && !types.includes(segment.signalType)) return false;
  if (providers !== undefined && !providers.includes(segment.dataProvider)) return false;
  if (most !== undefined && !segment.pricing.some(({ model, price }) => model === 'cpm' && price <= most))
    return false;
  if (least !== undefined && segment.coverage < least) return false;
  return destinations.every((destination) => !('code' in knownDestination(segment, destination, '')));
}

interface Asked {
  readonly request: GetSignalsRequest;
  readonly call: TaskCall;
  readonly own: ReadonlyMap<string, readonly StoredActivation[]>;
}

function signalOf({ segment, score }: Ranked, asked: Asked): Signal {
  const { id, name, description, audienceType, signalType, dataProvider, coverage, pricing } = segment;
  return {
    signal_agent_segment_id: id,
    name,
    description,
    signal_type: signalType,
    audience_type: audienceType,
    data_provider: dataProvider,
    coverage_percentage: coverage,
    pricing_options: pricing,
    activation_options: optionsOf(segment, asked).slice(0, MAX_OPTIONS),
    ...(score !== undefined && { score }),
  };
}

/** How it stands at the places that were asked for, or at all; places of the caller with an account of their own first. */
function optionsOf(segment: Segment, { request, call, own }: Asked): readonly Activation[] {
  const mine = new Map((own.get(segment.id) ?? []).map((one) => [keyOf(segment, one.destination), one]));
  const asked = request.destinations?.flatMap((one) => {
    const known = knownDestination(segment, one, '');
    return 'code' in known ? [] : [known];
  });
  const places = asked ?? [
    ...destinationsOf(segment),
    ...[...mine.values()].map(({ destination }) => destination),
  ];
  const distinct = new Map(places.map((place) => [keyOf(segment, place), place]));
  return [...distinct].map(([key, place]) => {
    const activation = mine.get(key);
    return activation === undefined ? availableAt(place) : shownActivation(activation, call.now);
  });
}

function keyOf({ id }: Segment, destination: KnownDestination): string {
  return activationKeyOf(id, destination);
}

function ownActivations(call: TaskCall): ReadonlyMap<string, readonly StoredActivation[]> {
  const all = activationsOf(call).list();
  return Map.groupBy(
    all.map(({ document }) => document),
    ({ segmentId }) => segmentId,
  );
}
