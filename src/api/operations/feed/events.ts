import { crc32 } from 'node:zlib';
import type { AgentDocument } from '../../../domain/agent-document.ts';
import { LABEL_NAMES } from '../../../domain/agent-search.ts';
import { BADGE_ROLES } from '../../../domain/badge.ts';
import { type Change, loggedRoles, loggedStage, loggedStatus } from '../../../domain/change.ts';
import { cardOf } from '../../../index/query/search-document.ts';
import type { EdgeChange, FileChange } from '../../../records/agents/edge-log.ts';
import type { LiveEntry } from '../../../records/agents/entries.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
import { authorizationRecord } from '../graph/authorization-record.ts';
import { discoveryMethod, timeText } from '../graph/reading.ts';
import { eventId, type Log } from './position.ts';

/** The field's event types that this registry emits; the events of one change are in this order. */
export const EVENT_TYPES = [
  ...(['agent.discovered', 'agent.removed', 'agent.profile_updated', 'agent.compliance_changed'] as const),
  ...(['agent.verification_earned', 'agent.verification_lost'] as const),
  ...(['publisher.adagents_discovered', 'publisher.adagents_changed'] as const),
  ...(['authorization.revoked', 'authorization.granted'] as const),
];
export type EventType = (typeof EVENT_TYPES)[number];

/** The types of the events that a row of the change log can produce, whatever happened to its agent since. */
export function typesOfChange({ kind, before, after }: Change, isFirst: boolean): readonly EventType[] {
  if (kind === 'delisted') return ['agent.removed'];
  if (isFirst || kind === 'listed') return ['agent.discovered', 'agent.verification_earned'];
  const isChanged = (name: string) => [before, after].some((fields) => fields !== null && name in fields);
  return [
    'agent.profile_updated',
    ...(isChanged('compliance') ? (['agent.compliance_changed'] as const) : []),
    ...(isChanged('badges') ? (['agent.verification_earned', 'agent.verification_lost'] as const) : []),
  ];
}

/** The same of a row of the edge log. */
export function typesOfEdge(kind: (EdgeChange | FileChange)['kind']): readonly EventType[] {
  if (kind === 'file') return ['publisher.adagents_discovered', 'publisher.adagents_changed'];
  return kind === 'began' ? ['authorization.granted'] : ['authorization.revoked', 'authorization.granted'];
}

export interface FeedEvent {
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The event in the names of the wire. */
  readonly body: object;
}

/** The events of a row of the change log; `document` is the agent as it is now, absent when it is not listed. */
export function agentEvents(
  change: Change,
  document: AgentDocument | undefined,
  isFirst: boolean,
): readonly FeedEvent[] {
  const event = (type: EventType, payload: object, role = '') =>
    eventOf({ log: 'agents', ...change }, type, payload, crc32(role));
  const agent = { agent_url: change.agent };
  if (change.kind === 'delisted') return document ? [] : [event('agent.removed', agent)];
  if (document === undefined) return []; // a later row has its removal
  const { status, lifecycle_stage } = document.compliance;
  const profile = { ...agent, ...profileOf(document) };
  const isHeld = new Set(document.badges.map(({ role }) => role));
  const earned = (role: string) => event('agent.verification_earned', { ...agent, role }, role);
  if (isFirst || change.kind === 'listed')
    return [event('agent.discovered', profile), ...[...isHeld].map(earned)];
  const [before, after] = [change.before ?? {}, change.after ?? {}];
  const current_status = loggedStatus(after) ?? status;
  const states = { previous_status: loggedStatus(before) ?? current_status, current_status };
  const stage = loggedStage(after) ?? lifecycle_stage;
  const stages = { previous_lifecycle_stage: loggedStage(before) ?? stage, lifecycle_stage: stage };
  const events = [event('agent.profile_updated', profile)];
  if ('compliance' in before || 'compliance' in after) {
    const payload = { ...agent, ...states, ...stages, compliance_summary: { status } };
    events.push(event('agent.compliance_changed', payload));
  }
  // roles that the log does not have are reported as they are now
  const [had, has] = [loggedRoles(before), loggedRoles(after)];
  for (const role of BADGE_ROLES) {
    const [before, after] = [had?.has(role) ?? !isHeld.has(role), has?.has(role) ?? isHeld.has(role)];
    if (after && !before) events.push(earned(role));
    if (before && !after) events.push(event('agent.verification_lost', { ...agent, role }, role));
  }
  return events;
}

/** The events of a row of the edge log; `standing` are the entries of the same pair and scope that are left after an end. */
export function edgeEvents(change: EdgeChange, standing: readonly LiveEntry[]): readonly FeedEvent[] {
  if (change.kind === 'began') return change.entry ? [grant(change, change.entry)] : [];
  const { agent, publisher, scope } = change;
  const payload = {
    ...{ agent_url: agent, agent_url_canonical: agent, publisher_domain: publisher, domain: publisher },
    ...{ authorization_type: scope, evidence: 'adagents_json' },
  };
  const place = { log: 'edges', ...change } as const;
  const revoked = eventOf(place, 'authorization.revoked', payload, 0, `${agent}|${publisher}`);
  return [revoked, ...standing.map((entry) => grant(change, entry))];
}

/** The events of a row about a publisher's file; `publisher` is the file as it is now. */
export function fileEvents(change: FileChange, publisher: KnownPublisher | undefined): readonly FeedEvent[] {
  const isGone = !publisher?.isValid;
  if (isGone && !change.hasEnded) return []; // a later row has its end
  const { publisher: domain, isFirst } = change;
  const type = isFirst && !isGone ? 'publisher.adagents_discovered' : 'publisher.adagents_changed';
  const payload = {
    ...{ publisher_domain: domain, domain, source: 'adagents_json' },
    agent_count: isGone ? 0 : publisher.agents,
    property_count: isGone ? 0 : publisher.properties,
    ...(publisher?.via && { discovery_method: discoveryMethod(publisher.via) }),
    manager_domain: publisher?.manager ?? null,
  };
  return [eventOf({ log: 'edges', ...change, agent: domain }, type, payload)];
}

function grant(change: EdgeChange, entry: LiveEntry): FeedEvent {
  const payload = { ...authorizationRecord(entry), domain: entry.publisher };
  const id = `${entry.agent}|${entry.publisher}`;
  return eventOf({ log: 'edges', ...change }, 'authorization.granted', payload, entry.id, id);
}

/** The id of an event does not depend on when it is read, and sorts in the order of the feed. */
function eventOf(
  { log, seq, agent, at }: Pick<Change, 'seq' | 'agent' | 'at'> & { readonly log: Log },
  type: EventType,
  payload: object,
  about = 0,
  id = agent,
): FeedEvent {
  const body = {
    event_id: eventId({ at, log, seq, rank: EVENT_TYPES.indexOf(type), about }),
    event_type: type,
    entity_type: type.slice(0, type.indexOf('.')),
    entity_id: id,
    payload,
    actor: 'registry',
    created_at: timeText(at),
  };
  return { type, at, body };
}

/** An agent as the search shows it, so that every operation describes it alike. */
export function agentCard(document: AgentDocument) {
  const card = cardOf(document);
  const { name, type, property_count, publisher_count, has_tmp, category_taxonomy } = card;
  // `capability` repeats the specialisms and the tools of the record
  const labels = Object.fromEntries(
    LABEL_NAMES.filter((label) => label !== 'capability').map((label) => [label, card[label]]),
  );
  const profile = { ...labels, property_count, publisher_count, has_tmp, category_taxonomy };
  return { name, type, ...profile, compliance_summary: { status: document.compliance.status } };
}

/** The same, as the field's clients read it. */
function profileOf(document: AgentDocument): object {
  const { name, type, compliance_summary, ...profile } = agentCard(document);
  return { name, type, ...profile, inventory_profile: profile, compliance_summary };
}
