import { createRandom } from '../../random.ts';
import { type Figures, figuresFor, sumOfFigures, unitsFor } from './price.ts';
import type { DeliverySegment, StoredMediaBuy, StoredPackage } from './stored.ts';

/** Older stretches than these are forgotten: then their days show as one step. */
const MAX_SEGMENTS = 400;

/**
 * The package with its delivery from `at` on as its buy stands now. What was delivered before stays as it was, to
 * the last impression: a stretch that began is never changed, only followed by another.
 */
export function paced(part: StoredPackage, buy: StoredMediaBuy, at: number): StoredPackage {
  const last = part.segments.at(-1);
  const next = nextSegment(part, buy, Math.max(at, last?.from ?? at));
  if (last !== undefined && isSame(last, next)) return part;
  const kept = part.segments.length < MAX_SEGMENTS ? part.segments : part.segments.toSpliced(1, 1);
  return { ...part, segments: [...kept, next] };
}

/** All packages of a buy, paced. */
export function pacedBuy(buy: StoredMediaBuy, at: number): StoredMediaBuy {
  return { ...buy, packages: buy.packages.map((part) => paced(part, buy, at)) };
}

function nextSegment(part: StoredPackage, buy: StoredMediaBuy, from: number): DeliverySegment {
  const spent = figuresAt(part, from).cents;
  return {
    from,
    running: runs(part, buy),
    starts: Math.max(from, part.startsAt ?? buy.startsAt),
    ends: part.endsAt ?? buy.endsAt,
    pace: part.pace,
    budget: part.budget,
    room: Math.max(0, part.budget - spent),
    units: unitsAt(part, from),
    extras: part.extras.length,
  };
}

/** Whether nothing changes; delivery that was made up in between takes from the room, so it begins a new stretch. */
function isSame(last: DeliverySegment, next: DeliverySegment): boolean {
  if (!last.running && !next.running) return true;
  const starts = Math.max(last.starts, next.from) === next.starts;
  return starts && SAME.every((member) => last[member] === next[member]);
}

const SAME = ['running', 'ends', 'pace', 'budget', 'extras'] as const;

function runs(part: StoredPackage, buy: StoredMediaBuy): boolean {
  const mayRun = buy.creativesWaived === true || isReady(part);
  return buy.status === 'active' && !part.paused && !part.canceled && mayRun;
}

/** Whether a creative of the package may run. */
export function isReady(part: StoredPackage): boolean {
  return part.assignments.some((assignment) => assignment.approved);
}

/** What a package has delivered by `at`; grows with time and never passes the budget. */
export function figuresAt(part: StoredPackage, at: number): Figures {
  const extras = part.extras.filter((extra) => extra.at <= at);
  return sumOfFigures([figuresFor(part.price, unitsAt(part, at), part.rates), ...extras]);
}

function unitsAt(part: StoredPackage, at: number): number {
  const index = part.segments.findLastIndex(({ from }) => from <= at);
  const segment = part.segments[index];
  if (segment === undefined) return 0;
  // What the next stretch began with is never passed, even where stretches in between were forgotten.
  return Math.min(unitsOf(segment, part, at), part.segments[index + 1]?.units ?? Number.POSITIVE_INFINITY);
}

function unitsOf(segment: DeliverySegment, part: StoredPackage, at: number): number {
  if (!segment.running || at <= segment.starts) return segment.units;
  const share = segment.pace * wobbling(elapsed(segment, at), part.packageId);
  return segment.units + unitsFor(part.price, Math.floor(segment.room * Math.min(1, share)));
}

function elapsed({ starts, ends }: DeliverySegment, at: number): number {
  return ends <= starts ? 0 : Math.min(1, (at - starts) / (ends - starts));
}

/** 0 at 0, 1 at 1, never falling, and a little ahead of or behind an even pace in between. */
function wobbling(share: number, packageId: string): number {
  const random = createRandom(2).fork(packageId);
  const turn = 2 * Math.PI * (3 + random.int(5));
  const swing = (20 + random.int(40)) / 100;
  return share + (swing * Math.sin(turn * share)) / turn;
}
