import { at, type FilePart } from './fields.ts';

/** An agent's address: what is dialled, byte for byte, and its canonical form. */
export interface DeclaredAgent {
  readonly url: string;
  readonly agent: string;
}

/** Reads an agent's URL (https, RFC 3986); undefined, with a finding, when the entry names no usable one. */
export function readDeclaredAgent(place: FilePart, key: string): DeclaredAgent | undefined {
  const url = place.value[key];
  const { report } = place.file;
  if (typeof url !== 'string' || url === '') {
    report.add('url_missing', url === undefined ? place.pointer : at(place, key));
    return undefined;
  }
  if (place.file.refusesUrl(url, place.pointer)) return undefined;
  const address = place.file.agentOf(url);
  if ('agent' in address)
    return place.file.takeAgent(address.agent, place.pointer) ? { url, ...address } : undefined;
  report.add(address.code, at(place, key), address.detail);
  return undefined;
}
