import { isObject } from '../base/json.ts';
import type { AdagentsDeclaration } from '../domain/declaration.ts';
import { hasHost } from '../domain/domain-name.ts';
import type { Finding } from '../domain/finding.ts';
import { hasNoStray, isSaid } from './fields.ts';
import { meantMembers } from './member-names.ts';
import { namesPublisher } from './own-properties.ts';
import type { FilePart } from './read-document.ts';
import { findingOf } from './report.ts';

const MEMBERS: ReadonlySet<string> = new Set(['name', 'domain']);
const MEANT_MEMBERS = meantMembers(['domain'], [], 'none');

/** Whether what a simple file says of its publisher can be read: it says whose inventory the agents may sell. */
export function isPublisherRead(document: FilePart, { publisher: read }: AdagentsDeclaration): boolean {
  const { publisher } = document.value;
  if (publisher === undefined) return true;
  const place = isObject(publisher) ? { ...document, value: publisher, pointer: '/publisher' } : undefined;
  const isClear = place !== undefined && hasNoStray(place, MEMBERS, MEANT_MEMBERS);
  const isNamed =
    read?.domain !== undefined || (read?.name !== undefined && place && !isSaid(place, 'domain'));
  if (isClear && isNamed) return true;
  document.file.report.add('publisher_unreadable', '/publisher');
  return false;
}

/**
 * Whether a simple file says that it is of another publisher than the one for whom it is read: `publisher.domain` is where
 * such a file stands (specification, 4.3). The domain above a host, which speaks for it, is no other one.
 */
export function isOfAnother({ publisher }: AdagentsDeclaration, domain: string): boolean {
  const named = publisher?.domain;
  return named !== undefined && !namesPublisher(named, domain) && !hasHost(named, domain);
}

/** What is found of a file that is of another publisher. */
export function otherPublisher(declaration: AdagentsDeclaration, domain: string): readonly Finding[] {
  if (declaration.variant !== 'simple' || !isOfAnother(declaration, domain)) return [];
  return [
    findingOf('publisher_other', '/publisher/domain', `${declaration.publisher?.domain}, not ${domain}`),
  ];
}
